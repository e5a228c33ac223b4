"""Mappings: which compile, and what they do with a value."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.catalog.mapping import carry_out, compile_rules
from ledger.catalog.problems import Place
from ledger.errors import BadInput

AT = Place("tool_aggregations.json", "/aggregations/0/operations/0/argumentMappings")


def mapped(rules: list[Any], given: Any) -> Any:
    compiled, flaws = compile_rules(rules, AT)
    assert flaws == ()
    return carry_out(compiled, given)


@pytest.mark.parametrize(
    ("rule", "given", "built"),
    [
        ({"target": "url", "from": "link"}, {"link": "x"}, {"url": "x"}),
        ({"target": "url", "source": "link"}, {"link": "x"}, {"url": "x"}),
        ({"target": "params.path", "from": "a.b"}, {"a": {"b": 1}}, {"params": {"path": 1}}),
        ({"target": "first", "from": "a.0.b"}, {"a": [{"b": 1}]}, {"first": 1}),
        ({"target": "mode", "value": "fast"}, {"mode": "slow"}, {"mode": "fast"}),
        ({"target": "mode", "literal": False}, {}, {"mode": False}),
        ({"target": "mode", "literal": "fast", "from": "mode"}, {"mode": "slow"}, {"mode": "fast"}),
        ({"target": "depth", "from": "depth", "default": 3}, {}, {"depth": 3}),
        ({"target": "depth", "from": "depth", "default": 3}, {"depth": 0}, {"depth": 0}),
        ({"target": "depth", "default": 3}, {}, {"depth": 3}),
        ({"target": "depth", "from": "depth"}, {}, {}),
        ({"target": "depth", "from": "a.b"}, {"a": "text"}, {}),
        ({"target": "depth", "from": "depth"}, {"depth": None}, {}),
        ({"target": "depth", "from": "depth", "required": True}, {"depth": None}, {}),
        ({"target": "depth", "from": "depth", "stripIfNull": False}, {"depth": None}, {"depth": None}),
        ({"target": "depth", "from": "depth", "allowNull": False}, {}, {}),
    ],
)
def test_a_rule_carries_one_value_to_its_target(rule: Any, given: Any, built: Any) -> None:
    assert mapped([rule], given) == built


@pytest.mark.parametrize(
    ("rule", "given", "reason"),
    [
        ({"target": "url", "from": "link", "required": True}, {}, "link: is required"),
        ({"target": "url", "from": "a.b", "required": True}, {"a": {}}, "a.b: is required"),
        ({"target": "url", "from": "link", "allowNull": False}, {"link": None}, "link: must not be null"),
    ],
)
def test_a_rule_that_cannot_be_kept_names_the_argument(rule: Any, given: Any, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        mapped([rule], given)


def test_several_rules_build_one_object() -> None:
    rules = [{"target": "p.a", "from": "a"}, {"target": "p.b", "from": "b"}, {"target": "c", "value": 1}]
    assert mapped(rules, {"a": 1, "b": 2, "z": 3}) == {"p": {"a": 1, "b": 2}, "c": 1}


@pytest.mark.parametrize(
    ("rules", "pointer", "reason"),
    [
        ([{"from": "a"}], "/0", "has no target"),
        ([None], "/0", "has no target"),
        ([{"target": "a"}], "/0", "leads from nowhere"),
        ([{"target": "a..b", "from": "a"}], "/0/target", "not a dotted path"),
        ([{"target": "a", "from": ".a"}], "/0/from", "not a dotted path"),
        ([{"target": "a", "from": "x", "source": "y"}], "/0", "both source and from"),
        ([{"target": "a", "value": 1, "literal": 2}], "/0", "both literal and value"),
        ([{"target": "a", "from": "x"}, {"target": "a", "from": "y"}], "/1/target", "set by an earlier mapping"),
        ([{"target": "a", "from": "x"}, {"target": "a.b", "from": "y"}], "/1/target", "set by an earlier mapping"),
        ([{"target": "a.b", "from": "x"}, {"target": "a", "from": "y"}], "/1/target", "set by an earlier mapping"),
    ],
)
def test_a_mapping_that_does_not_compile_is_named_with_its_pointer(rules: list[Any], pointer: str, reason: str) -> None:
    _, flaws = compile_rules(rules, AT)
    assert any(flaw.place == Place(AT.file, AT.pointer + pointer) and reason in flaw.reason for flaw in flaws)


def test_the_same_source_given_twice_alike_is_no_contradiction() -> None:
    assert mapped([{"target": "a", "from": "x", "source": "x"}], {"x": 1}) == {"a": 1}
