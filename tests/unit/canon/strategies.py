"""JSON values and schemas to test with, and how they are written when nothing is optimised."""

from __future__ import annotations

from typing import Any

import rfc8785
from hypothesis import strategies as st

# with the characters at which escaping, sorting and encoding change their rules
texts = st.text(st.characters(codec="utf-8"), max_size=8) | st.text(
    st.sampled_from('a"\\/\b\x00\x1f\x7f\x80é\ud7ff\ue000\uffff\U00010000\U0010ffff\u2028'), max_size=3
)
integers = (
    st.integers()
    | st.integers(-(2**65), 2**65)
    | st.sampled_from([sign * (2**bits + step) for bits in (53, 63, 64) for step in (-1, 0, 1) for sign in (1, -1)])
)
floats = (
    st.floats(allow_nan=False, allow_infinity=False)
    | st.integers(-(2**60), 2**60).map(float)
    | st.builds(lambda digits, power: float(f"{digits}e{power}"), st.integers(0, 10**17), st.integers(-30, 10))
)
scalars = st.none() | st.booleans() | integers | floats | texts


def nested(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=5),
        max_leaves=20,
    )


values = nested(scalars)
# what the fast path takes: no floats
plain_values = nested(st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | texts)


def written_plainly(value: Any) -> bytes:
    """RFC 8785 and the rule for long integers, by another hand than the code under test."""
    if isinstance(value, dict):
        members = sorted(value.items(), key=lambda member: member[0].encode("utf-16-be"))
        return b"{" + b",".join(rfc8785.dumps(key) + b":" + written_plainly(item) for key, item in members) + b"}"
    if isinstance(value, list):
        return b"[" + b",".join(map(written_plainly, value)) + b"]"
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value).encode()
    return rfc8785.dumps(value)


def shuffled(value: Any, random: Any) -> Any:
    """The same value with the keys of each object in another order."""
    if isinstance(value, dict):
        members = [(key, shuffled(item, random)) for key, item in value.items()]
        random.shuffle(members)
        return dict(members)
    return [shuffled(item, random) for item in value] if isinstance(value, list) else value


def is_same_json(one: Any, other: Any) -> bool:
    """Equality of JSON values: 1 is 1.0 but not true, and a number beyond 2^53 is compared as a double if one is."""
    if isinstance(one, bool) or isinstance(other, bool) or one is None or other is None:
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other or (float in (type(one), type(other)) and float(one) == float(other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same_json(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same_json, one, other))
    return type(one) is type(other) and bool(one == other)


_names = st.sampled_from(["query", "title", "description", "examples", "$comment", "required", "enum", "type"])
_words: dict[str, st.SearchStrategy[Any]] = {
    "type": st.sampled_from(["string", "integer"]) | st.permutations(["string", "null", "array"]),
    "enum": st.lists(st.sampled_from(["a", "b", 1, 1.5, None]), max_size=4),
    "required": st.lists(_names, max_size=4, unique=True),
    "default": st.dictionaries(_names, st.integers(), max_size=2),
    "minimum": st.integers(0, 5),
    "deprecated": st.booleans(),
    "x-note": st.dictionaries(_names, st.integers(), max_size=2),
    "const": st.dictionaries(_names, st.integers(), max_size=2),
}


def _some_of(keywords: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    # cheaper to draw than an object of thirty optional members
    members = st.one_of([st.tuples(st.just(keyword), held) for keyword, held in keywords.items()])
    return st.lists(members, max_size=3).map(dict)


def _with_parts(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    one = inner | st.booleans()
    single = ("items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames")
    late = ("unevaluatedItems", "unevaluatedProperties", "contentSchema")
    maps = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
    lists = ("allOf", "anyOf", "oneOf", "prefixItems")
    parts: dict[str, st.SearchStrategy[Any]] = {
        **dict.fromkeys(single + late, one),
        **dict.fromkeys(maps, st.dictionaries(_names, one, max_size=2)),
        **dict.fromkeys(lists, st.lists(one, min_size=1, max_size=2)),
    }
    return _some_of(_words | parts)


schemas = st.recursive(_some_of(_words), _with_parts, max_leaves=6)
definitions = st.fixed_dictionaries(
    {"name": st.sampled_from(["search", "fetch"]), "inputSchema": schemas},
    optional={
        "outputSchema": schemas,
        "annotations": st.dictionaries(st.sampled_from(["readOnlyHint", "idempotentHint"]), st.booleans()),
        "execution": st.dictionaries(_names, st.integers(), max_size=2),
    },
)
