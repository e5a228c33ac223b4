"""Where a JSON Schema holds other schemas: the keywords of draft 2020-12, and those of older drafts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledger.canon.jsontext import Json

# `dependencies`, up to draft 7, holds schemas and lists of names side by side
MAPS_OF_SCHEMAS: Final = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
)
SCHEMAS: Final = frozenset(
    {
        *("items", "additionalItems", "unevaluatedItems", "contains"),
        *("additionalProperties", "unevaluatedProperties", "propertyNames"),
        *("not", "if", "then", "else", "contentSchema"),
    }
)
# `items` held a list up to draft 2019-09
LISTS_OF_SCHEMAS: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems", "items"})


def subschemas(schema: Json) -> Iterator[tuple[tuple[str | int, ...], Json]]:
    """The schemas directly inside a schema, each with the keys that lead to it; booleans are schemas too."""
    if not isinstance(schema, dict):
        return
    for keyword, value in schema.items():
        if isinstance(value, dict) and keyword in MAPS_OF_SCHEMAS:
            yield from (((keyword, name), held) for name, held in value.items() if is_schema(held))
        elif isinstance(value, list) and keyword in LISTS_OF_SCHEMAS:
            yield from (((keyword, index), held) for index, held in enumerate(value) if is_schema(held))
        elif keyword in SCHEMAS and is_schema(value):
            yield (keyword,), value


def every_schema(schema: Json) -> Iterator[tuple[tuple[str | int, ...], dict[str, Json]]]:
    """A schema and all schemas below it that are objects, each with its path, parents before children."""
    waiting: list[tuple[tuple[str | int, ...], Json]] = [((), schema)]
    while waiting:
        path, held = waiting.pop()
        if isinstance(held, dict):
            yield path, held
            waiting.extend(reversed([(path + keys, inner) for keys, inner in subschemas(held)]))


def is_schema(value: Json) -> bool:
    """Whether a value can be a schema at all."""
    return isinstance(value, dict | bool)
