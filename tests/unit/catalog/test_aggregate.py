"""Aggregates expanded into tools."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.canon.digest import digest
from ledger.catalog.operation import apply_arguments, choose, compile_aggregate
from ledger.catalog.statement import Identity
from tests.unit.catalog.builders import (
    OLD_OUTPUT,
    aggregate,
    aggregating,
    bundle,
    entry_of,
    local,
    operation,
    overriding,
    rendered,
    tool,
    tracked,
)
from tests.unit.catalog.builders import listing as listed

FS = listed("fs", tool("read", "path", output=OLD_OUTPUT), tool("write", "path", "text"))


def operations(*written: dict[str, Any], **fields: Any) -> list[Any]:
    result = rendered(tracked(aggregating(aggregate("files", *written, **fields))), listings=[FS])
    return list(entry_of(result, "tool_aggregator", "files").operations)


def test_an_aggregate_is_one_tool_with_its_own_description_and_schemas() -> None:
    written = aggregate("files", operation("read"), annotations={"title": "Files"}, outputSchema=OLD_OUTPUT)
    result = rendered(tracked(aggregating(written)), listings=[FS])
    entry = entry_of(result, "tool_aggregator", "files")
    assert (entry.name, entry.kind, entry.source_digest) == ("files", "aggregate", None)
    assert entry.definition == {
        "name": "files",
        "description": "The aggregate files.",
        "annotations": {"title": "Files"},
        "inputSchema": written["inputSchema"],
        "outputSchema": OLD_OUTPUT,
    }


def test_a_null_output_schema_is_none() -> None:
    result = rendered(tracked(aggregating(aggregate("a", operation("read"), outputSchema=None))), listings=[FS])
    assert "outputSchema" not in entry_of(result, "tool_aggregator", "a").definition


@pytest.mark.parametrize("field", ["server", "serverName"])
def test_an_aggregate_may_live_on_a_server_of_its_own(field: str) -> None:
    result = rendered(tracked(aggregating(aggregate("a", operation("read"), **{field: "suite"}))), listings=[FS])
    assert entry_of(result, "suite", "a").name == "a"


def test_an_operation_refers_to_the_schema_of_its_downstream_tool() -> None:
    read, write = operations(operation("read"), operation("write"))
    assert read["downstreamSchemaRef"] == {
        "tool": "read",
        "server": "fs",
        "operation": "read",
        "schema_hash": str(digest(OLD_OUTPUT)),
    }
    assert write["downstreamSchemaRef"]["schema_hash"] is None


def test_an_operation_with_response_mappings_refers_to_no_schema() -> None:
    mapping = [{"target": "lines", "from": "lines"}]
    mapped, plain = operations(operation("read", responseMappings=mapping), operation("write"))
    assert "downstreamSchemaRef" not in mapped
    assert "downstreamSchemaRef" in plain


def test_a_schema_reference_that_a_file_holds_is_worked_out_anew() -> None:
    stale = {"tool": "read", "server": "fs", "schemaHash": "old"}
    (read,) = operations(operation("read", downstreamSchemaRef=stale))
    assert read["downstreamSchemaRef"]["schema_hash"] == str(digest(OLD_OUTPUT))


def test_an_operation_without_a_server_means_the_only_one_that_lists_its_tool() -> None:
    (read,) = operations(operation("read", server=None))
    assert read["server"] == "fs"


def test_an_operation_without_a_server_means_the_one_whose_tool_the_aggregate_hides() -> None:
    hides = [{"server": "mem", "tool": "read"}]
    (read,) = operations(operation("read", server=None), hideTools=hides)
    assert read["server"] == "mem"


def test_an_operation_whose_server_nobody_can_tell_has_none() -> None:
    other = listed("sh", tool("read", "path"))
    layer = tracked(aggregating(aggregate("files", operation("read", server=None))))
    (read,) = entry_of(rendered(layer, listings=[FS, other]), "tool_aggregator", "files").operations
    assert "server" not in read
    assert read["downstreamSchemaRef"] == {"tool": "read", "server": None, "operation": "read", "schema_hash": None}


def test_an_operation_that_only_touches_state_is_marked() -> None:
    state = {"path": "x", "operations": [{"value": "where", "mode": "state_only"}, {"value": "read"}]}
    where, read = operations(operation("where", "read"), operation("read"), state=state)
    assert where["mode"] == "state_only"
    assert "mode" not in read


def test_timeouts_and_selectors_come_from_the_nearest_that_says_so() -> None:
    layer = aggregating(
        aggregate("a", operation("read", timeoutSeconds=1), operation("write"), selector={"field": "do"}),
        aggregate("b", operation("read"), timeoutSeconds=2),
        defaults={"timeoutSeconds": 3, "caseInsensitiveSelector": False},
    )
    result = rendered(tracked(layer), listings=[FS])
    read, write = entry_of(result, "tool_aggregator", "a").operations
    (other,) = entry_of(result, "tool_aggregator", "b").operations
    assert [one["timeoutSeconds"] for one in (read, write, other)] == [1, 3, 2]
    assert read["selector"] == {"field": "do", "caseInsensitive": False}
    assert other["selector"] == {"field": "operation", "caseInsensitive": False}


def test_a_recorded_aggregate_can_be_called() -> None:
    """What a gateway does later: it has the entry of the event, not the layers."""
    mappings = [{"target": "path", "from": "path", "required": True}]
    (read,) = operations(operation("read", aliases=["cat"], argumentMappings=mappings))
    compiled, flaws = compile_aggregate([read])
    assert flaws == ()
    chosen = choose(compiled, {"operation": "CAT"})
    assert (chosen.server, chosen.tool) == ("fs", "read")
    assert apply_arguments(chosen, {"operation": "CAT", "path": "x", "text": "y"}) == {"path": "x"}


def test_the_compiled_aggregates_are_at_hand_by_exposed_name() -> None:
    layers = [
        bundle({"toolAggregations": aggregating(aggregate("files", operation("read")))}),
        local(overriding("tool_aggregator", "files", name="disk")),
    ]
    result = rendered(*layers, listings=[FS])
    assert list(result.aggregates) == ["disk"]
    assert choose(result.aggregates["disk"], {"operation": "read"}).tool == "read"


def test_an_aggregate_that_is_hidden_is_not_in_the_catalog() -> None:
    layers = [
        tracked(aggregating(aggregate("files", operation("read"))), "tool_aggregations.json"),
        local(overriding("tool_aggregator", "files", enabled=False)),
    ]
    result = rendered(*layers, listings=[FS])
    assert Identity("tool_aggregator", "files") not in {entry.identity for entry in result.intended}
    assert result.aggregates == {}


def test_an_aggregate_stands_for_the_tool_that_its_own_server_lists() -> None:
    """The aggregator may be a real server, and list what the layers define."""
    runner = listed("tool_aggregator", tool("files"))
    result = rendered(tracked(aggregating(aggregate("files", operation("read")))), listings=[FS, runner])
    assert entry_of(result, "tool_aggregator", "files").kind == "aggregate"
