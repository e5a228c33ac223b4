"""Objects laid over one another."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ledger.catalog.layer import Origin
from ledger.catalog.overlay import overlay

LOW = Origin("tracked", "low.json", "/at")
HIGH = Origin("local", "high.json", "/at")

values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.lists(st.integers(0, 3), max_size=2),
    lambda inner: st.dictionaries(st.sampled_from("ab/~"), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.sampled_from("ab/~"), values, max_size=3)


def leaves(value: Any, pointer: str = "") -> dict[str, Any]:
    if isinstance(value, dict) and (value or not pointer):
        found: dict[str, Any] = {}
        for key, inner in value.items():
            found |= leaves(inner, f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}")
        return found
    return {pointer: value}


@given(objects, objects)
def test_every_leaf_of_the_result_and_nothing_else_has_an_origin(low: Any, high: Any) -> None:
    result = overlay([(low, LOW), (high, HIGH)])
    assert result.origins.keys() == leaves(result.value).keys()


@given(objects, objects)
def test_every_leaf_has_the_value_that_its_origin_gave(low: Any, high: Any) -> None:
    result = overlay([(low, LOW), (high, HIGH)])
    given_by = {"low.json": leaves(low), "high.json": leaves(high)}
    for pointer, value in leaves(result.value).items():
        origin = result.origins[pointer]
        assert given_by[origin.file][pointer] == value
        assert origin.pointer == f"/at{pointer}"


@given(objects, objects)
def test_what_the_higher_one_says_stands(low: Any, high: Any) -> None:
    merged = leaves(overlay([(low, LOW), (high, HIGH)]).value)
    for pointer, value in leaves(high).items():
        if value != {}:
            assert merged[pointer] == value


@given(objects)
def test_one_object_alone_is_itself(only: Any) -> None:
    assert overlay([(only, LOW)]).value == only


def test_the_origin_of_a_place_inside_a_list_is_that_of_the_list() -> None:
    result = overlay([({"a": [{"b": 1}]}, LOW)])
    assert result.origin_of("/a/0/b") == result.origins["/a"]
    assert result.origin_of("/c") is None
