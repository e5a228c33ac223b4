"""How overrides change a captured definition, and how a definition is made where none was captured."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledger.canon.jsontext import Json

_REPLACING = ("description", "inputSchema", "outputSchema")
_OPEN_SCHEMA: dict[str, Json] = {"type": "object"}


def overridden(definition: Mapping[str, Json], fields: Mapping[str, Json]) -> dict[str, Json]:
    """The definition with an override's fields in place; what the override does not name stays as captured.

    Annotations are added one by one. A schema replaces the captured one whole: half of each would be neither.
    A null takes the field away.
    """
    result = dict(definition)
    for field in _REPLACING:
        if fields.get(field) is not None:
            result[field] = fields[field]
        elif field in fields:
            result.pop(field, None)
    added = fields.get("annotations")
    if isinstance(added, dict) and added:
        captured = definition.get("annotations")
        result["annotations"] = {**captured, **added} if isinstance(captured, dict) else added
    return result


def from_layers(name: str, fields: Mapping[str, Json]) -> dict[str, Json]:
    """A definition that the layers alone describe, such as that of an aggregate."""
    described = overridden({"name": name}, fields)
    described.setdefault("inputSchema", dict(_OPEN_SCHEMA))
    return described


def exposed_name(tool: str, fields: Mapping[str, Json]) -> str:
    """The name a tool asks for: the override's, else its own."""
    asked = fields.get("name")
    return asked if isinstance(asked, str) else tool


def with_name(definition: Mapping[str, Json], name: str) -> dict[str, Json]:
    """The definition as clients see it."""
    return {**definition, "name": name}


def with_output_schema(definition: Mapping[str, Json], schema: Json) -> dict[str, Json]:
    """The definition with this output schema, or with none when it is null."""
    if definition.get("outputSchema") is schema:
        return dict(definition)
    result = {key: value for key, value in definition.items() if key != "outputSchema"}
    return result if schema is None else {**result, "outputSchema": schema}
