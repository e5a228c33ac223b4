"""The verify rules, each on a catalog that offends against it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from ledger.catalog.entry import Captured
from ledger.catalog.layer import Origin
from ledger.catalog.problems import Place, RuleId, invalid, payload_of, tolerated
from ledger.catalog.rules import RULES, Outcome, no_hidden_tool_leaks, verify
from ledger.catalog.sayings import Hiding
from tests.unit.catalog.builders import (
    aggregate,
    aggregating,
    bundle,
    listing,
    local,
    operation,
    overriding,
    rendered,
    told,
    tool,
    tracked,
)

if TYPE_CHECKING:
    from ledger.catalog.rendered import Rendered

FS = listing("fs", tool("read", "path"), tool("write", "path", "text"))
FILE = "tool_aggregations.json"


def with_aggregate(*operations: dict[str, Any], **fields: Any) -> Rendered:
    return rendered(tracked(aggregating(aggregate("files", *operations, **fields)), FILE), listings=[FS])


def mapping(*rules: dict[str, Any], **fields: Any) -> Rendered:
    return with_aggregate(operation("read", argumentMappings=list(rules), **fields))


def test_a_sound_catalog_offends_against_no_rule() -> None:
    result = with_aggregate(operation("read", argumentMappings=[{"target": "path", "from": "path"}]))
    assert result.problems == ()


def test_every_rule_of_verify_has_a_check_with_its_id_in_front() -> None:
    assert [str(rule) for rule in RULES] == [f"V{number}" for number in range(1, 9)]
    assert all((check.__doc__ or "").startswith(f"{rule}: ") for rule, check in RULES.items())
    assert {rule for rule in RuleId if rule.startswith("V")} == set(RULES)


def test_v1_a_hidden_tool_in_the_catalog_is_a_leak() -> None:
    """A render never does this; the rule does not take its word for it."""
    result = rendered(listings=[FS])
    entry = result.intended[0]
    hiding = Hiding(entry.identity, "hidden_by_override", Origin("local", "x.json"))
    sound = Outcome(result.intended, (), Captured([FS]), {})
    leaking = replace(sound, hidden=(hiding,))
    assert verify(sound) == ()
    (problem,) = no_hidden_tool_leaks(leaking)
    assert (problem.rule, problem.subject) == ("V1", "fs::read")
    assert "local:x.json" in problem.reason


def test_v2_a_mapping_that_does_not_compile_is_placed() -> None:
    at = "/aggregations/0/operations/0/argumentMappings/0"
    assert told(mapping({"target": "path"}).problems, "V2") == [
        (at, "leads from nowhere: it has neither a source nor a literal nor a default")
    ]


def test_v2_mappings_of_a_hidden_aggregate_are_compiled_too() -> None:
    broken = tracked(aggregating(aggregate("files", operation("read", argumentMappings=[{"target": "path"}]))), FILE)
    result = rendered(broken, local(overriding("tool_aggregator", "files", enabled=False)), listings=[FS])
    assert [problem.rule for problem in result.errors] == ["V2"]


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ({"target": "pth", "from": "path"}, "writes pth, which its schema does not have"),
        ({"target": "path", "from": "pth"}, "reads pth, which its schema does not have"),
        ({"target": "path.deep", "from": "path"}, "writes path.deep, which its schema does not have"),
    ],
)
def test_v2_a_mapping_to_nowhere_is_an_error(rule: dict[str, Any], reason: str) -> None:
    result = mapping(rule)
    assert told(result.errors, "V2") == [("/aggregations/0/operations/0/argumentMappings/0", reason)]


def test_v2_an_argument_that_a_server_does_not_name_leads_nowhere_even_if_more_are_allowed() -> None:
    lenient = listing("fs", tool("read", inputSchema={"type": "object", "properties": {"path": {}}}))
    layer = tracked(aggregating(aggregate("f", operation("read", argumentMappings=[{"target": "x", "value": 1}]))))
    assert len(told(rendered(layer, listings=[lenient]).errors, "V2")) == 1


def test_v2_a_mapping_from_a_field_that_clients_are_not_told_of_is_a_warning() -> None:
    open_schema = {"type": "object", "properties": {"operation": {"type": "string"}}}
    result = mapping({"target": "path", "from": "path"})
    assert told(result.problems, "V2") == []
    result = with_aggregate(
        operation("read", argumentMappings=[{"target": "path", "from": "path"}]), inputSchema=open_schema
    )
    assert [(problem.rule, problem.severity) for problem in result.problems] == [("V2", "warning")]


def test_v2_response_mappings_are_checked_against_both_output_schemas() -> None:
    output = {"type": "object", "properties": {"lines": {}}, "additionalProperties": False}
    downstream = listing("fs", tool("read", output=output))
    mappings = [{"target": "count", "from": "lines"}, {"target": "lines", "from": "rows"}]
    written = aggregate("files", operation("read", responseMappings=mappings), outputSchema=output)
    result = rendered(tracked(aggregating(written), FILE), listings=[downstream])
    assert [pointer.rpartition("/")[2] for pointer, _ in told(result.errors, "V2")] == ["0", "1"]


def test_v3_an_operation_that_calls_a_tool_that_is_not_captured_is_placed() -> None:
    result = with_aggregate(operation("read"), operation("delete"))
    assert told(result.problems, "V3") == [
        ("/aggregations/0/operations/1", "calls fs::delete, which is not captured"),
    ]


def test_v3_an_operation_that_only_touches_state_calls_nobody() -> None:
    state = {"path": "x", "operations": [{"value": "where", "mode": "state_only"}]}
    assert told(with_aggregate(operation("where", "nothing"), state=state).problems, "V3") == []


def test_v4_a_collision_that_the_prefix_does_not_resolve_is_an_error() -> None:
    first = listing("a", tool("x"), tool("b.x"))
    second = listing("b", tool("x"))
    result = rendered(listings=[first, second])
    (problem,) = result.errors
    assert (problem.rule, problem.subject) == ("V4", "b::x")
    assert problem.reason == "has the name b.x, as a::b.x has"


def test_v4_a_collision_that_the_prefix_resolves_is_only_told() -> None:
    result = rendered(listings=[listing("a", tool("x")), listing("b", tool("x"))])
    assert result.errors == ()
    assert [problem.rule for problem in result.problems] == ["N1"]


def test_v5_an_operation_that_no_server_or_several_list_is_an_orphan() -> None:
    several = [FS, listing("sh", tool("read", "path"))]
    written = aggregate("files", operation("read", server=None), operation("gone", server=None))
    result = rendered(tracked(aggregating(written), FILE), listings=several)
    assert told(result.problems, "V5") == [
        ("/aggregations/0/operations/0", "several servers list read (fs, sh); name one of them"),
        ("/aggregations/0/operations/1", "no server lists gone"),
    ]


def test_v5_an_operation_whose_name_is_taken_can_never_be_chosen() -> None:
    result = with_aggregate(operation("read"), operation("write", aliases=["READ"]))
    assert told(result.problems, "V5") == [
        ("/aggregations/0/operations/1", f"READ already selects the operation at {FILE}#/aggregations/0/operations/0")
    ]


def selecting(*choices: str) -> dict[str, Any]:
    return {"type": "object", "properties": {"operation": {"enum": list(choices)}}}


def test_v5_the_selector_and_the_operations_must_offer_the_same() -> None:
    result = with_aggregate(operation("read"), operation("write"), inputSchema=selecting("Read", "delete"))
    assert [reason for _, reason in told(result.problems, "V5")] == [
        "the selector offers delete, which is no operation",
        "the selector does not offer write",
    ]


def test_v5_an_operation_may_be_offered_by_an_alias() -> None:
    result = with_aggregate(operation("read", aliases=["cat"]), inputSchema=selecting("cat"))
    assert told(result.problems, "V5") == []


def test_v5_an_input_schema_without_room_for_the_selector_orphans_everything() -> None:
    closed = {"type": "object", "properties": {"path": {}}, "additionalProperties": False}
    ((_, reason),) = told(with_aggregate(operation("read"), inputSchema=closed).problems, "V5")
    assert reason == "the input schema has no operation to choose an operation with"


@pytest.mark.parametrize(
    ("schema", "where"),
    [
        ({"type": "objekt"}, "/outputSchema/type"),
        ({"type": "object", "properties": {"a": {"$ref": "https://example.com/s.json"}}}, "/outputSchema/properties/a"),
        ({"$ref": "#/$defs/none"}, "/outputSchema"),
        ({"pattern": "("}, "/outputSchema/pattern"),
        ([], "/outputSchema"),
    ],
)
def test_v6_a_schema_that_is_not_valid_or_leads_out_of_itself_is_an_error(schema: Any, where: str) -> None:
    result = rendered(listings=[listing("fs", tool("read", output=schema))])
    assert [(problem.rule, problem.subject) for problem in result.errors] == [("V6", "fs::read")]
    assert result.errors[0].reason.startswith(where)


def test_v6_a_schema_that_refers_to_itself_is_sound() -> None:
    cyclic = {"$ref": "#/$defs/node", "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#"}}}}}
    assert rendered(listings=[listing("fs", tool("read", output=cyclic))]).problems == ()


@pytest.mark.parametrize(
    ("schema", "where"),
    [
        ({"type": ["object", "null"]}, "/outputSchema/type"),
        ({"type": "object", "properties": {"a": {"type": "array"}}}, "/outputSchema/properties/a"),
        ({"type": "object", "properties": {"a": {"enum": []}}}, "/outputSchema/properties/a/enum"),
    ],
)
def test_v7_what_some_clients_reject_is_a_warning(schema: Any, where: str) -> None:
    result = rendered(listings=[listing("fs", tool("read", output=schema))])
    assert result.errors == ()
    (problem,) = result.problems
    assert (problem.rule, problem.severity, problem.subject) == ("V7", "warning", "fs::read")
    assert problem.reason.startswith(f"{where}: ")


def test_v8_an_argument_that_is_mapped_from_the_selector_is_a_warning() -> None:
    result = mapping({"target": "path", "from": "operation"})
    assert result.errors == ()
    ((pointer, reason),) = told(result.problems, "V8")
    assert pointer == "/aggregations/0/operations/0/argumentMappings/0"
    assert reason == "reads the selector operation: path is always this operation's name"


def test_problems_are_placed_in_the_file_that_holds_them() -> None:
    low = bundle({"toolAggregations": aggregating(aggregate("files", operation("gone")))})
    high = local(aggregating({"name": "files", "lockSchema": True}))
    (problem,) = rendered(low, high, listings=[FS]).errors
    assert problem.payload() == {
        "rule": "V3",
        "subject": "tool_aggregator::files",
        "message": "bundles/demo/catalog.json#/toolAggregations/aggregations/0/operations/0: "
        "calls fs::gone, which is not captured",
    }


def test_an_event_has_the_errors_first_and_counts_what_it_has_no_room_for() -> None:
    place = Place("a.json")
    problems = [tolerated(place, f"reason {number}") for number in range(5)] + [invalid(place, "wrong")]
    recorded: Any = payload_of(problems, most=3)
    assert [one["message"] for one in recorded] == [
        "a.json#: wrong",
        "a.json#: reason 0",
        "a.json#: reason 1",
        "3 more are not recorded",
    ]
    assert recorded[-1]["rule"] == "L2"


def test_a_mapping_is_not_checked_against_a_tool_that_is_not_captured() -> None:
    result = with_aggregate(operation("gone", argumentMappings=[{"target": "x", "from": "path"}]))
    assert {problem.rule for problem in result.problems} == {RuleId.NOT_CAPTURED}
