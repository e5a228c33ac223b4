"""Whether a value from a server can be recorded, and whether it is a tool definition at all."""

from __future__ import annotations

import json
import unicodedata
from typing import TYPE_CHECKING, Any

from ledger.canon.jsontext import check_value
from ledger.errors import BadInput, OverLimit

if TYPE_CHECKING:
    from ledger.gateway.limits import Limits

# how deep a prompt or a capability lies inside its document; a definition is a document of its own
_DEPTH_AROUND = 3
_OPTIONAL: dict[str, tuple[type | tuple[type, ...], str]] = {
    "title": (str, "text"),
    "description": (str, "text"),
    "annotations": (dict, "an object"),
    "outputSchema": ((dict, bool), "a schema"),
    "icons": (list, "a list"),
    "_meta": (dict, "an object"),
}


def why_not_recordable(item: Any, limits: Limits) -> str | None:
    """The reason why an item of a list cannot be recorded, without quoting it; None if it can."""
    if not isinstance(item, dict):
        return "not an object"
    return why_not_storable(item, limits)


def why_not_storable(value: Any, limits: Limits) -> str | None:
    """The reason why a JSON value cannot be stored as canonical bytes within the limits; None if it can."""
    try:
        check_value(value, max_depth=limits.depth - _DEPTH_AROUND)
    except BadInput as error:
        return error.reason  # not its place: that is made of the server's own keys
    except OverLimit as error:
        return f"nested deeper than {error.allowed}"
    size = len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
    return f"larger than {limits.definition_bytes} bytes" if size > limits.definition_bytes else None


def why_not_a_tool(item: dict[str, Any]) -> str | None:
    """The reason why an object is no tool definition by the protocol; None if it is one."""
    name = item.get("name")
    if not isinstance(name, str) or not name:
        return "has no name" if name is None else "name must be text that is not empty"
    if any(unicodedata.category(character) == "Cc" for character in name):
        return "name holds control characters"
    if "inputSchema" not in item:
        return "has no inputSchema"
    if not isinstance(item["inputSchema"], dict):
        return "inputSchema must be an object"
    for key, (kind, wanted) in _OPTIONAL.items():
        if item.get(key) is not None and not isinstance(item[key], kind):
            return f"{key} must be {wanted}"
    return None
