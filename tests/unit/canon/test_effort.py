"""Hostile schemas: each of these hangs or ends the process of a validator that is not guarded."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.canon.schema import Failure, Validator, problems
from ledger.errors import BadInput


def rules(schema: Any) -> list[tuple[str, str]]:
    return [(problem.rule, problem.pointer) for problem in problems(schema)]


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|a)*$", "^(a*)*b$", "([a-z]+)*=$", "^(.*a){20}$"])
def test_a_pattern_of_nested_repeats_is_matched_in_linear_time(pattern: str) -> None:
    validator = Validator({"pattern": pattern})
    assert validator.check("a" * 500_000 + "!") == Failure("", "pattern", "", "string")


@pytest.mark.parametrize("pattern", [r"^(a+)+(a+)+(a+)+\1$", r"(?=(a+)+$)(a|aa)+$", r"^(?!.*(a|aa)+$)(?=.*\1)"])
def test_a_pattern_that_backtracks_fails_or_is_refused_within_its_bounds(pattern: str) -> None:
    validator = Validator({"pattern": pattern})
    assert validator.check("a" * 3_000 + "!") == Failure("", "pattern", "", "string")
    with pytest.raises(BadInput, match="too long"):
        validator.check(["a" * 200_000 + "!"])


def test_many_large_patterns_are_refused_before_they_take_the_memory() -> None:
    assert rules({"properties": {f"p{n}": {"pattern": f"^.{{1,{3_000 + n}}}$"} for n in range(900)}})
    assert rules({"properties": {f"p{n}": {"pattern": f"x{n}"} for n in range(2_000)}}) == [("too_costly", "")]


def doubling(rounds: int, keyword: str) -> Any:
    steps = {f"a{n}": {keyword: [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(rounds)}
    return {"$defs": steps | {f"a{rounds}": {"type": "integer"}}, "$ref": "#/$defs/a0"}


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
@pytest.mark.parametrize("more", [{}, {"unevaluatedProperties": False}, {"unevaluatedItems": False}], ids=str)
def test_references_that_double_at_every_step_are_refused(keyword: str, more: dict[str, Any]) -> None:
    schema = doubling(60, keyword) | more
    assert rules(schema) == [("too_costly", "")]
    with pytest.raises(BadInput, match="too much work"):
        Validator(schema)


def test_doubling_below_a_property_is_refused_when_a_value_gets_there() -> None:
    schema = {"$defs": doubling(60, "anyOf")["$defs"], "properties": {"a": {"$ref": "#/$defs/a0"}}}
    validator = Validator(schema)
    assert validator.check({"b": 1}) is None
    with pytest.raises(BadInput, match="too much work"):
        validator.check({"a": "x"})


def test_doubling_along_the_depth_of_the_value_is_refused_for_deep_values_only() -> None:
    validator = Validator({"items": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}})
    value: Any = 1
    for _ in range(8):
        value = [value]
    assert validator.check(value) is None
    for _ in range(50):
        value = [value]
    with pytest.raises(BadInput, match="too much work"):
        validator.check(value)


@pytest.mark.parametrize("more", [{}, {"unevaluatedProperties": False}], ids=str)
def test_a_long_chain_of_references_does_not_exhaust_the_stack(more: dict[str, Any]) -> None:
    """Unguarded, a chain of a thousand beside `unevaluatedProperties` ends the process."""
    steps: dict[str, Any] = {f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}]} for n in range(5_000)}
    schema = {"$defs": steps | {"a5000": {}}, "$ref": "#/$defs/a0"} | more
    assert rules(schema) == [("too_costly", "")]


@pytest.mark.parametrize("more", [{}, {"unevaluatedProperties": False}], ids=str)
def test_definitions_that_all_refer_to_each_other_do_not_hang(more: dict[str, Any]) -> None:
    names = [f"a{n}" for n in range(12)]
    each = {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in names]}
    assert rules({"$defs": dict.fromkeys(names, each), "$ref": "#/$defs/a0"} | more) == [("too_costly", "")]


def test_thousands_of_ids_and_anchors_do_not_make_references_slow() -> None:
    many_ids: Any = {"properties": {f"p{n}": {"$id": f"x{n}", "$ref": f"x{n + 1}"} for n in range(10_000)}}
    one_anchor: Any = {"properties": {f"p{n}": {"$anchor": "x", "items": {"$ref": "#x"}} for n in range(5_000)}}
    assert rules(many_ids) == [("too_costly", "")]
    assert rules(one_anchor) == [("too_costly", "")]


def test_a_large_schema_and_a_large_value_that_meet_everywhere_are_refused() -> None:
    validator = Validator({"items": {"allOf": [{"minimum": 0}] * 9_000}})
    with pytest.raises(BadInput, match="too much work"):
        validator.check([0] * 200_000)


def test_a_failure_that_is_too_dear_to_explain_is_still_a_failure() -> None:
    validator = Validator({"anyOf": [{"type": "string"}] * 500})
    assert validator.check({f"k{n}": "x" * 100 for n in range(10_000)}) == Failure("", "", "", "object")


def test_a_large_honest_value_is_checked_and_its_failure_explained() -> None:
    validator = Validator(
        {"items": {"$ref": "#/$defs/row"}, "$defs": {"row": {"properties": {"id": {"type": "integer"}}}}}
    )
    rows: list[Any] = [{"id": n, "name": f"row {n}"} for n in range(5_000)]
    assert validator.check(rows) is None
    assert validator.check([*rows, {"id": "x"}]) == Failure("/5000/id", "type", "integer", "string")
