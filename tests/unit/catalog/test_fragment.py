"""Layer files of every known shape, and what is said about those that are wrong."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.catalog.fragment import fragment
from ledger.catalog.layer import LayerKind, missing_layer
from ledger.catalog.statement import Weight
from tests.unit.catalog.builders import aggregate, aggregating, bundle, home, local, operation, overriding, tracked


def said(document: Any) -> set[tuple[str | None, str | None, Weight]]:
    found = fragment(tracked(document))
    assert found.problems == ()
    return {(one.server, one.tool, one.weight) for one in found.statements}


def complaint(document: Any) -> tuple[str, str]:
    (problem,) = fragment(tracked(document)).problems
    assert problem.rule == "L1"
    assert problem.file == "tool_overrides.json"
    return problem.pointer, problem.reason


def test_version_2_speaks_of_servers_and_of_their_tools() -> None:
    document = {
        "schemaVersion": 2,
        "master": {"enabled": True, "tools": {"*": {"annotations": {}}}},
        "servers": {"fs": {"enabled": False, "tools": {"*": {"enabled": True}, "read": {"name": "cat"}}}},
    }
    assert said(document) == {
        (None, None, Weight.MASTER),
        (None, None, Weight.MASTER_ANY_TOOL),
        ("fs", None, Weight.SERVER),
        ("fs", None, Weight.SERVER_ANY_TOOL),
        ("fs", "read", Weight.TOOL),
    }


def test_version_1_also_speaks_of_tools_without_their_server() -> None:
    document = {"master": {"tools": {"fetch": {"enabled": False}}}, "tools": {"fetch": {"enabled": True}}}
    assert said(document) == {(None, "fetch", Weight.MASTER_TOOL), (None, "fetch", Weight.FLAT_TOOL)}


def test_version_2_refuses_a_tool_without_its_server() -> None:
    document = {"schemaVersion": 2, "master": {"tools": {"fetch": {"enabled": False}}}}
    pointer, reason = complaint(document)
    assert pointer == "/master/tools/fetch"
    assert "under its server" in reason


def test_one_name_cannot_be_given_to_every_tool() -> None:
    document = {"schemaVersion": 2, "servers": {"fs": {"tools": {"*": {"name": "all"}}}}}
    assert complaint(document) == ("/servers/fs/tools/*/name", "one name cannot be given to several tools")


@pytest.mark.parametrize(
    ("document", "pointer", "reason"),
    [
        ({"schemaVersion": 3, "servers": {}}, "/schemaVersion", "must be 2"),
        ({"schemaVersion": True, "servers": {}}, "/schemaVersion", "must be 1"),
        ({"servers": {"fs": {"tool": {}}}}, "/servers/fs/tool", "unknown field; did you mean tools?"),
        ({"servers": {"fs": {"tools": []}}}, "/servers/fs/tools", "must be an object, not a list of 0"),
        ({"servers": {"a::b": {"tools": {}}}}, "/servers/a::b", "server name"),
        ({"servers": {"fs": {"tools": {"a\nb": {}}}}}, "/servers/fs/tools/a\nb", "control characters"),
        (overriding("fs", "a/b", enabled=1), "/servers/fs/tools/a~1b/enabled", "true or false, not a number"),
        (overriding("fs", "t", inputSchema="x"), "/servers/fs/tools/t/inputSchema", "an object, not a text"),
        (overriding("fs", "t", name=""), "/servers/fs/tools/t/name", "a name"),
        (
            overriding("fs", "t", annotations={"readonlyHint": True}),
            "/servers/fs/tools/t/annotations/readonlyHint",
            "did you mean readOnlyHint?",
        ),
        (aggregating({"description": "x"}), "/aggregations/0", "lacks the field name"),
        (aggregating(aggregate("a", {"value": "x"})), "/aggregations/0/operations/0", "downstreamTool"),
        (aggregating(aggregate("a")), "/aggregations/0/operations", "at least 1 item"),
        (aggregating(hiddenTools=[{"server": "fs"}]), "/hiddenTools/0", "lacks the field tool"),
        (
            aggregating(aggregate("a", operation("x", timeoutSeconds=0))),
            "/aggregations/0/operations/0/timeoutSeconds",
            "above 0",
        ),
        (
            aggregating(aggregate("a", operation("x", argumentMappings=[{"from": "path"}]))),
            "/aggregations/0/operations/0/argumentMappings/0",
            "lacks the field target",
        ),
        (
            aggregating(aggregate("a", operation("x"), state={"operations": [{"mode": "none"}]})),
            "/aggregations/0/state/operations/0/mode",
            "one of passthrough, state_only",
        ),
    ],
)
def test_a_misfit_is_named_with_its_file_its_pointer_and_the_reason(document: Any, pointer: str, reason: str) -> None:
    at, why = complaint(document)
    assert at == pointer
    assert reason in why


def test_what_misfits_is_left_out_and_the_rest_is_read() -> None:
    document = overriding("fs", "read", enabled=[], description="Read.")
    (statement,) = fragment(tracked(document)).statements
    assert statement.fields == {"description": "Read."}


def test_a_reason_never_repeats_the_value_that_misfits() -> None:
    (problem,) = fragment(tracked(overriding("fs", "read", enabled="hunter2"))).problems
    assert "hunter2" not in problem.message


@pytest.mark.parametrize(("text", "meant"), [("false", False), ("True", True)])
def test_a_flag_written_as_text_is_taken_as_meant_and_reported(text: str, meant: bool) -> None:
    found = fragment(tracked(overriding("fetch", "fetch", enabled=text)))
    (problem,) = found.problems
    assert (problem.rule, problem.severity) == ("L2", "warning")
    assert problem.pointer == "/servers/fetch/tools/fetch/enabled"
    assert found.statements[0].fields == {"enabled": meant}


def test_two_aggregates_of_one_name_in_a_file_are_a_problem() -> None:
    twice = aggregating(aggregate("a", operation("x")), aggregate("a", operation("y")))
    pointer, reason = complaint(twice)
    assert pointer == "/aggregations/1"
    assert "defined twice, first at tool_overrides.json#/aggregations/0" in reason


def test_a_bundle_brings_servers_overrides_aggregates_and_hidden_tools() -> None:
    document = {
        "schemaVersion": 1,
        "name": "demo",
        "coreServers": ["tool_aggregator"],
        "servers": [{"name": "fs", "command": "fs-server", "env": {"KEY": "x"}, "installRef": "bundle:demo:fs"}],
        "toolOverrides": overriding("fs", "read", enabled=True),
        "toolAggregations": aggregating(aggregate("a", operation("read"))),
        "hide_tools": [{"server": "fs", "tool": "write"}],
    }
    found = fragment(bundle(document))
    assert found.problems == ()
    assert found.servers == ("fs",)
    assert [part.name for part in found.parts] == ["a"]
    assert [(one.tool, one.place.pointer) for one in found.statements] == [
        ("read", "/toolOverrides/servers/fs/tools/read"),
        ("write", "/hide_tools/0"),
    ]


def test_an_error_inside_a_bundle_is_placed_from_the_top_of_the_file() -> None:
    found = fragment(bundle({"toolOverrides": overriding("fs", "read", enabled=2)}))
    assert found.problems[0].pointer == "/toolOverrides/servers/fs/tools/read/enabled"


def test_a_catalog_may_be_empty_and_may_have_the_shape_of_overrides_or_aggregations() -> None:
    assert fragment(home({})).problems == ()
    assert len(fragment(home(overriding("fs", "read", enabled=True))).statements) == 1
    assert len(fragment(local(aggregating(aggregate("a", operation("x"))))).parts) == 1


def test_a_bundle_that_has_moved_says_where_to() -> None:
    (problem,) = fragment(bundle({"schemaVersion": 1, "deprecated": True, "bundleRef": "../starter"})).problems
    assert problem.severity == "warning"
    assert "../starter" in problem.reason


@pytest.mark.parametrize("document", [None, [], "text", 3, True])
def test_a_layer_holds_an_object(document: Any) -> None:
    (problem,) = fragment(tracked(document)).problems
    assert problem.message == "tool_overrides.json#: must hold a JSON object"


def test_a_missing_layer_is_a_value_and_no_problem() -> None:
    layer = missing_layer(LayerKind.LOCAL, "tool_overrides.local.json")
    assert fragment(layer).problems == ()
    assert layer.payload() == {"layer": "local", "name": "tool_overrides.local.json", "missing": True}


def test_a_schema_reference_that_a_renderer_wrote_is_accepted_and_not_believed() -> None:
    ref = {"tool": "read", "server": "fs", "schemaHash": "abc"}
    document = aggregating(aggregate("a", operation("read", downstreamSchemaRef=ref)))
    assert fragment(tracked(document)).problems == ()
