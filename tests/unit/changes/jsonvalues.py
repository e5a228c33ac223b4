"""JSON values to test with, and equality that shares no code with what it tests."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([0.0, -0.0, 1.0, 2.5, 2**53, float(2**53), 10**21, 1e21])
    | st.sampled_from(["", "a", "b", "a/b", "~", "~1", "0", "1", "é", "\x1b[31m", "\u202e", "\ud800"])
)
plain = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.sampled_from("abc/~01"), inner, max_size=4),
    max_leaves=25,
)

_names = st.sampled_from(["url", "limit", "required", "type", "a/b", "0", "`x`\u200b"])
_leaves = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["string", "integer", "null", ["string", "null"], ["null", "string"], 7]),
        "enum": st.lists(scalars, max_size=4),
        "description": st.sampled_from(["one", "two", 3]),
        "default": plain,
        "required": st.lists(_names, max_size=3) | st.none(),
        "additionalProperties": st.booleans(),
        "minimum": st.integers(0, 3),
        "x-\u202e": scalars,
        "$ref": st.sampled_from(["#/$defs/url", "#/$defs/limit", 5]),
    },
)


def _branches(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(
        lambda leaf, branch: leaf | branch,
        _leaves,
        st.fixed_dictionaries(
            {},
            optional={
                "properties": st.dictionaries(_names, inner, max_size=3) | st.just(True),
                "$defs": st.dictionaries(_names, inner, max_size=2),
                "patternProperties": st.dictionaries(_names, inner, max_size=2),
                "items": inner | st.lists(inner, max_size=3),
                "prefixItems": st.lists(inner, max_size=3),
                "anyOf": st.lists(inner, max_size=3),
                "allOf": st.lists(inner, max_size=2),
                "not": inner,
                "additionalProperties": inner,
                "dependentRequired": st.dictionaries(_names, st.lists(_names, max_size=3), max_size=2),
                "dependencies": st.dictionaries(_names, st.lists(_names, max_size=3) | inner, max_size=2),
            },
        ),
    )


schemas = st.recursive(_leaves | st.booleans(), _branches, max_leaves=8)
definitions = st.fixed_dictionaries(
    {"name": _names},
    optional={
        "description": st.sampled_from(["one", "two"]),
        "title": st.sampled_from(["one", "two\n"]),
        "inputSchema": schemas,
        "outputSchema": schemas,
        "annotations": st.dictionaries(st.sampled_from(["readOnlyHint", "title", "\x07"]), scalars, max_size=2),
        "icons": st.lists(plain, max_size=2),
        "_meta": plain,
    },
)

_SETS = ("required", "enum", "type")
_MAPS_OF_SETS = ("dependentRequired", "dependencies")
_MAPS_OF_SCHEMAS = ("properties", "patternProperties", "dependentSchemas", "$defs", "definitions")
_SCHEMAS = (
    *("items", "prefixItems", "additionalItems", "unevaluatedItems", "contains", "contentSchema"),
    *("additionalProperties", "unevaluatedProperties", "propertyNames"),
    *("allOf", "anyOf", "oneOf", "not", "if", "then", "else"),
)


def text(value: Any) -> str:
    """A JSON value as text that is equal exactly when the values are."""
    return json.dumps(_numbers_in_one_form(value), sort_keys=True)


def text_of_definition(definition: Any) -> str:
    """The same, blind to the order of sets in the schemas of a tool definition."""
    if not isinstance(definition, dict):
        return text(definition)
    schemas_sorted = {
        key: _sets_sorted(definition[key]) for key in ("inputSchema", "outputSchema") if key in definition
    }
    return text(definition | schemas_sorted)


def text_of_schema(schema: Any) -> str:
    """The same for a schema."""
    return text(_sets_sorted(schema))


def _sets_sorted(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_sets_sorted(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    result = dict(schema)
    for key, value in schema.items():
        if key in _SETS:
            result[key] = _sorted(value)
        elif key in _SCHEMAS:
            result[key] = _sets_sorted(value)
        elif key in _MAPS_OF_SCHEMAS and isinstance(value, dict):
            result[key] = {name: _sets_sorted(part) for name, part in value.items()}
        elif key in _MAPS_OF_SETS and isinstance(value, dict):
            result[key] = {name: _sorted(part) for name, part in value.items()}
    return result


def _sorted(value: Any) -> Any:
    if isinstance(value, list):
        return sorted({text(item) for item in value})
    return _sets_sorted(value)


def _numbers_in_one_form(value: Any) -> Any:
    if isinstance(value, list):
        return [_numbers_in_one_form(item) for item in value]
    if isinstance(value, dict):
        return {key: _numbers_in_one_form(item) for key, item in value.items()}
    if isinstance(value, float) and value.is_integer() and abs(value) <= 2**53 - 1:
        return int(value)
    return value
