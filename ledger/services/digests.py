"""Digests: what the ledger would call a value, a tool definition and its schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ledger.canon.digest import digest, nameless_digest, semantic_digest
from ledger.canon.jsontext import parse

if TYPE_CHECKING:
    from ledger.canon.jsontext import Json


def digests_of(raw: bytes) -> dict[str, Any]:
    """The digest of a JSON text's value, and those of every tool definition it holds."""
    value = parse(raw)
    return {"value": digest(value), "tools": [_of_definition(each) for each in _definitions(value)]}


def _definitions(value: Json) -> list[dict[str, Json]]:
    if isinstance(value, dict) and isinstance(value.get("result"), dict):
        value = value["result"]
    if isinstance(value, dict) and isinstance(value.get("tools"), list):
        value = value["tools"]
    candidates = value if isinstance(value, list) else [value]
    return [each for each in candidates if isinstance(each, dict) and isinstance(each.get("name"), str)]


def _of_definition(definition: dict[str, Json]) -> dict[str, Any]:
    schemas = {part: definition.get(field) for part, field in (("input", "inputSchema"), ("output", "outputSchema"))}
    return {
        "name": definition["name"],
        "definition": digest(definition),
        "nameless": nameless_digest(definition),
        "semantic": semantic_digest(definition),
        **{part: None if schema is None else digest(schema) for part, schema in schemas.items()},
    }
