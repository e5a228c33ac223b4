"""What counts as a change, and where."""

from __future__ import annotations

import time
from typing import Any

import pytest

from ledger.canon.changes import ABSENT, MAX_DEPTH, MAX_POINTER, Change, apply, changes, lost_and_gained
from ledger.errors import BadInput


def tool(**schema: Any) -> dict[str, Any]:
    return {"name": "search", "inputSchema": {"type": "object", **schema}}


@pytest.mark.parametrize("keyword", ["required", "enum", "type"])
def test_another_order_of_a_set_in_a_schema_is_no_change(keyword: str) -> None:
    assert changes(tool(**{keyword: ["a", "b"]}), tool(**{keyword: ["b", "a"]})) == []


@pytest.mark.parametrize("keyword", ["required", "enum", "type"])
def test_a_set_deep_in_a_schema_is_a_set_too(keyword: str) -> None:
    def nested(names: list[str]) -> Any:
        return tool(properties={"p": {"items": {"anyOf": [{"not": {keyword: names}}]}}})

    assert changes(nested(["a", "b"]), nested(["b", "a"])) == []


def test_a_property_called_required_is_not_a_set_but_a_schema() -> None:
    def named(names: list[str]) -> Any:
        return tool(properties={"required": {"default": names}})

    assert changes(named(["a", "b"]), named(["b", "a"])) != []


@pytest.mark.parametrize("keyword", ["default", "const", "examples", "x-order"])
def test_required_inside_a_value_is_a_list(keyword: str) -> None:
    before, after = tool(**{keyword: {"required": ["a", "b"]}}), tool(**{keyword: {"required": ["b", "a"]}})
    assert changes(before, after) != []


def test_required_outside_a_schema_is_a_list() -> None:
    assert changes({"_meta": {"required": ["a", "b"]}}, {"_meta": {"required": ["b", "a"]}}) != []


def test_a_changed_set_is_one_change_with_both_sets_whole() -> None:
    assert changes(tool(required=["a", "b"]), tool(required=["c", "a"])) == [
        Change("/inputSchema/required", ["a", "b"], ["c", "a"])
    ]


def test_a_set_of_dependencies_may_also_be_a_schema() -> None:
    before = tool(dependencies={"a": ["x", "y"], "b": {"required": ["x", "y"]}})
    after = tool(dependencies={"a": ["y", "x"], "b": {"required": ["y", "x"]}})
    assert changes(before, after) == []


def test_changes_come_in_the_order_of_their_pointers() -> None:
    before: Any = {"z": 1, "a": {"y": 1, "b": 2}, "m": 1}
    after: Any = {"m": 2, "a": {"b": 3, "y": 2}, "n": 1}
    assert [change.path for change in changes(before, after)] == ["/a/b", "/a/y", "/m", "/n", "/z"]


def test_null_is_a_value_and_absent_is_not() -> None:
    assert changes({"a": None}, {}) == [Change("/a", None, ABSENT)]
    assert changes({}, {"a": None}) == [Change("/a", ABSENT, None)]


def test_true_and_one_differ_and_one_and_one_point_nought_do_not() -> None:
    assert changes({"a": 1}, {"a": True}) == [Change("/a", 1, True)]
    assert changes({"a": 1}, {"a": 1.0}) == []
    assert changes({"a": 0}, {"a": -0.0}) == []


def test_numbers_that_canonical_json_writes_differently_differ() -> None:
    assert changes([10**21], [1e21]) != []
    assert changes([2**60], [float(2**60)]) != []


def test_a_key_with_a_slash_or_a_tilde_is_escaped_in_the_pointer() -> None:
    assert changes({"a/b~": 1}, {"a/b~": 2}) == [Change("/a~1b~0", 1, 2)]
    assert apply({"a/b~": 1}, [Change("/a~1b~0", 1, 2)]) == {"a/b~": 2}


def test_an_item_that_changed_is_compared_with_the_one_it_was() -> None:
    before: Any = [{"id": 1}, {"id": 2, "v": "old"}, {"id": 3}]
    after: Any = [{"id": 0}, {"id": 1}, {"id": 2, "v": "new"}, {"id": 3}]
    assert changes(before, after) == [Change("/0", ABSENT, {"id": 0}), Change("/2/v", "old", "new")]


def test_a_removed_item_is_named_by_its_old_position_and_a_new_one_by_its_new_position() -> None:
    assert changes(["a", "b", "c", "d"], ["b", "c", "d", "e"]) == [
        Change("/0", "a", ABSENT),
        Change("/3", ABSENT, "e"),
    ]


def test_a_moved_item_is_removed_and_added() -> None:
    found = changes(["a", "b", "c", "d"], ["d", "a", "b", "c"])
    assert found == [Change("/0", ABSENT, "d"), Change("/3", "d", ABSENT)]


def test_a_whole_value_can_be_replaced() -> None:
    assert changes({"a": 1}, [1]) == [Change("", {"a": 1}, [1])]
    assert apply({"a": 1}, changes({"a": 1}, [1])) == [1]


@pytest.mark.parametrize(
    ("value", "change"),
    [
        ({"a": 1}, Change("/b", 1, 2)),
        ({"a": 1}, Change("/b", 1, ABSENT)),
        ({"a": 1}, Change("/a/b", 1, 2)),
        ([1], Change("/1", 1, 2)),
        ([1], Change("/2", ABSENT, 2)),
        ([1], Change("/x", 1, 2)),
        ([1], Change("/" + "9" * 5000, 1, ABSENT)),
        ([1], Change("/01", ABSENT, 2)),
        ({"a": 1}, Change("", {"a": 1}, ABSENT)),
        ({"a": 1}, Change("/a" * (MAX_DEPTH + 1), 1, 2)),
    ],
)
def test_a_change_that_does_not_fit_is_refused(value: Any, change: Change) -> None:
    with pytest.raises(BadInput):
        apply(value, [change])


def test_the_members_lost_and_gained_by_a_set_are_told_apart_by_type() -> None:
    assert lost_and_gained([1, "a", {"b": [1]}], [True, {"b": [1.0]}, 1.0]) == (["a"], [True])


def nested(depth: int, innermost: Any) -> Any:
    value = innermost
    for _ in range(depth):
        value = [value]
    return value


def test_values_nested_a_hundred_thousand_deep_are_compared() -> None:
    found = changes(nested(100_000, 1), nested(100_000, 2))
    assert len(found) == 1
    assert found[0].path == "/0" * MAX_DEPTH
    assert changes(nested(100_000, 1), nested(100_000, 1)) == []


def test_long_pointers_do_not_multiply_with_the_changes_under_them() -> None:
    """50,000 changes below a key of 500 kB would repeat that key 50,000 times: 25 GB."""
    members: list[Any] = [{f"m{i}": version for i in range(50_000)} for version in (1, 2)]
    found = changes({"k" * 500_000: members[0]}, {"k" * 500_000: members[1]})
    assert len(found) == 1
    found = changes({"k" * MAX_POINTER: members[0]}, {"k" * MAX_POINTER: members[1]})
    assert sum(len(change.path) for change in found) < 60_000_000


SIZE = 10_000
HOSTILE_LISTS = {
    "reversed": (list(range(SIZE)), list(range(SIZE))[::-1]),
    "nothing in common": (list(range(SIZE)), list(range(SIZE, 2 * SIZE))),
    "all equal, one more": ([0] * SIZE, [0] * (SIZE + 1)),
    "two values in turn": ([0, 1] * (SIZE // 2), [1, 0, 0] * (SIZE // 3)),
    "every second item gone": (list(range(SIZE)), list(range(0, SIZE, 2))),
    "interleaved": (list(range(SIZE)), [x for i in range(SIZE // 2) for x in (i, SIZE - 1 - i)]),
    "objects of equal shape": ([{"v": i % 7} for i in range(SIZE)], [{"v": i % 5} for i in range(SIZE)]),
}


@pytest.mark.parametrize("name", HOSTILE_LISTS)
@pytest.mark.parametrize("keyword", ["x-list", "enum", "anyOf"])
def test_ten_thousand_items_take_no_quadratic_time(name: str, keyword: str) -> None:
    before, after = (tool(**{keyword: items}) for items in HOSTILE_LISTS[name])
    started = time.process_time()
    result = apply(before, changes(before, after))
    # a tenth of this is usual; a quadratic algorithm needs more than ten times as long
    assert time.process_time() - started < 5
    assert changes(result, after) == []
