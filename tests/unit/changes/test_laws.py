"""Laws of changes, on any values."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ledger.canon.changes import ABSENT, Change, apply, changes
from tests.unit.changes.jsonvalues import (
    definitions,
    plain,
    schemas,
    text,
    text_of_definition,
    text_of_schema,
)

if TYPE_CHECKING:
    import random

few_items = st.lists(st.integers(0, 4), max_size=12)
many_items = st.lists(st.integers(0, 30), max_size=40)


@given(plain, plain)
@example([1], [True])
@example({"a": 0.0}, {"a": False})
@example([float(2**53)], [2**53])
def test_diff_then_apply_is_identity(before: Any, after: Any) -> None:
    assert text(apply(before, changes(before, after, reading="plain"))) == text(after)


@given(few_items, few_items)
def test_diff_then_apply_is_identity_on_lists_of_repeated_items(before: list[Any], after: list[Any]) -> None:
    assert apply(before, changes(before, after)) == after


@given(many_items, many_items)
def test_diff_then_apply_is_identity_on_lists_of_many_different_items(before: Any, after: Any) -> None:
    assert apply(before, changes(before, after)) == after


@given(definitions, definitions)
def test_diff_then_apply_is_identity_on_definitions_up_to_the_order_of_sets(before: Any, after: Any) -> None:
    assert text_of_definition(apply(before, changes(before, after))) == text_of_definition(after)


@given(schemas, schemas)
def test_diff_then_apply_is_identity_on_schemas_up_to_the_order_of_sets(before: Any, after: Any) -> None:
    result = apply(before, changes(before, after, reading="schema"))
    assert text_of_schema(result) == text_of_schema(after)


@given(schemas, schemas)
def test_there_are_changes_exactly_when_schemas_differ_by_more_than_the_order_of_sets(before: Any, after: Any) -> None:
    assert bool(changes(before, after, reading="schema")) == (text_of_schema(before) != text_of_schema(after))


@given(plain, plain)
def test_there_are_changes_exactly_when_plain_values_differ(before: Any, after: Any) -> None:
    assert bool(changes(before, after, reading="plain")) == (text(before) != text(after))


@given(definitions, definitions, st.randoms(use_true_random=False))
def test_the_order_of_object_keys_changes_nothing(before: Any, after: Any, source: random.Random) -> None:
    assert changes(_keys_shuffled(before, source), _keys_shuffled(after, source)) == changes(before, after)


@given(definitions, definitions)
def test_neither_diff_nor_apply_alters_what_it_is_given(before: Any, after: Any) -> None:
    before_then, after_then = copy.deepcopy(before), copy.deepcopy(after)
    found = changes(before, after)
    found_then = copy.deepcopy(found)
    apply(before, found)
    assert (text(before), text(after)) == (text(before_then), text(after_then))
    assert found == found_then


@given(plain, plain)
def test_every_change_says_something_and_no_two_say_the_same(before: Any, after: Any) -> None:
    found = changes(before, after, reading="plain")
    assert all(_side(change.before) != _side(change.after) for change in found)
    assert len({(change.path, change.after is ABSENT) for change in found}) == len(found)


@given(plain, st.integers(0, 7))
def test_one_item_put_into_a_list_is_one_change(item: Any, place: int) -> None:
    before: list[Any] = ["one", "two", "two", "three", "four", "five", "five"]
    after: list[Any] = [*before[:place], [item], *before[place:]]
    assert changes(before, after) == [Change(f"/{place}", ABSENT, [item])]


@pytest.mark.parametrize("reading", ["definition", "schema", "plain"])
@given(value=plain)
def test_a_value_does_not_differ_from_its_copy(reading: Any, value: Any) -> None:
    assert changes(value, copy.deepcopy(value), reading=reading) == []


def _side(value: Any) -> str:
    return "absent" if value is ABSENT else text(value)


def _keys_shuffled(value: Any, source: random.Random) -> Any:
    if isinstance(value, list):
        return [_keys_shuffled(item, source) for item in value]
    if isinstance(value, dict):
        keys = list(value)
        source.shuffle(keys)
        return {key: _keys_shuffled(value[key], source) for key in keys}
    return value
