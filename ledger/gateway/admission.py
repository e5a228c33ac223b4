"""Whether a value from a server can be recorded, how much room it takes, and whether it is a tool at all."""

from __future__ import annotations

import json
import unicodedata
from typing import TYPE_CHECKING, Any

from ledger.canon.jsontext import check_value
from ledger.errors import BadInput, OverLimit
from ledger.gateway.wire import ServerFault

if TYPE_CHECKING:
    from ledger.gateway.limits import Limits

# how deep a prompt or a capability lies inside its document
_DEPTH_AROUND = 3
# what an event needs beside what the server listed: launch, what was rejected, names of fields
_EVENT_AROUND = 100_000
# a digest in a tool's row of the stored listing, which holds five of them and the name once more
_DIGEST = 79
_OPTIONAL: dict[str, tuple[type | tuple[type, ...], str]] = {
    "title": (str, "text"),
    "description": (str, "text"),
    "annotations": (dict, "an object"),
    "outputSchema": ((dict, bool), "a schema"),
    "icons": (list, "a list"),
    "_meta": (dict, "an object"),
}


class Unfit(Exception):
    """A value that cannot be recorded; its text is the reason and quotes nothing of the value."""


class Room:
    """What is left of the size that one event may have: an event beyond it would be refused as a whole."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._left = limits.event_bytes - _EVENT_AROUND

    def take_tool(self, tool: dict[str, Any]) -> None:
        """Make room for a tool and its row in the listing; raises as `take` does."""
        digests = 4 if tool.get("outputSchema") is None else 5
        self.take(tool, beside=len(tool["name"].encode(errors="replace")) + 16 + digests * _DIGEST)

    def take(self, value: Any, *, beside: int = 0) -> None:
        """Make room for a value; raises Unfit if it can never be stored, ServerFault if no room is left."""
        size = _stored_size(value, self._limits) + beside
        if size > self._left:
            raise ServerFault("too_large", f"lists more than fits in an event of {self._limits.event_bytes} bytes")
        self._left -= size


def require_object(item: Any) -> None:
    """Raises Unfit unless the item is a JSON object."""
    if not isinstance(item, dict):
        raise Unfit("not an object")


def require_tool(item: dict[str, Any]) -> None:
    """Raises Unfit unless the object is a tool definition by the protocol; schemas are not judged."""
    name = item.get("name")
    if not isinstance(name, str) or not name:
        raise Unfit("has no name" if name is None else "name must be text that is not empty")
    if any(unicodedata.category(character) == "Cc" for character in name):
        raise Unfit("name holds control characters")
    if "inputSchema" not in item:
        raise Unfit("has no inputSchema")
    if not isinstance(item["inputSchema"], dict):
        raise Unfit("inputSchema must be an object")
    for key, (kind, wanted) in _OPTIONAL.items():
        if item.get(key) is not None and not isinstance(item[key], kind):
            raise Unfit(f"{key} must be {wanted}")


def _stored_size(value: Any, limits: Limits) -> int:
    try:
        check_value(value, max_depth=limits.depth - _DEPTH_AROUND)
    except BadInput as error:
        raise Unfit(error.reason) from None  # not its place: that is made of the server's own keys
    except OverLimit as error:
        raise Unfit(f"nested deeper than {error.allowed}") from None
    size = len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
    if size > limits.definition_bytes:
        raise Unfit(f"larger than {limits.definition_bytes} bytes")
    return size
