"""Whether a dotted path can lead anywhere in values of a schema."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ledger.canon.jsontext import Json
    from ledger.catalog.mapping import Path

# Keywords that may allow what `properties` does not name; following them is a validator's business.
_INDIRECT = frozenset(("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas"))


class Reach(Enum):
    """How much a schema says about a path."""

    DECLARED = "declared"
    OPEN = "open"
    UNDECLARED = "undeclared"
    NOWHERE = "nowhere"


def reach(schema: Json, path: Path) -> Reach:
    """Follow `path` through a schema.

    OPEN where the schema does not tell, UNDECLARED where an object names its properties and this is none of
    them, NOWHERE where no valid value can have it.
    """
    for part in path:
        if not isinstance(schema, dict):
            return Reach.NOWHERE if schema is False else Reach.OPEN
        properties = schema.get("properties")
        if isinstance(properties, dict) and part in properties:
            schema = properties[part]
        elif part.isdecimal() and "items" in schema:
            schema = schema["items"]
        else:
            return _beyond(schema)
    return Reach.DECLARED


def _beyond(schema: dict[str, Json]) -> Reach:
    if schema.keys() & _INDIRECT:
        return Reach.OPEN
    if not _may_be_object(schema) or schema.get("additionalProperties") is False:
        return Reach.NOWHERE
    if "properties" in schema and "additionalProperties" not in schema:
        return Reach.UNDECLARED
    return Reach.OPEN


def _may_be_object(schema: dict[str, Json]) -> bool:
    kinds = schema.get("type", "object")
    return "object" in kinds if isinstance(kinds, list) else kinds == "object"
