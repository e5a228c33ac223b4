"""Faults of a real renderer that concern rendering, each as what is done here instead.

The numbers are those of the eighteen facts about that system. The others (3, 4, 7, 15, 18) concern files with two
writers, a log and scripts: rooms above this one.
"""

from __future__ import annotations

from itertools import permutations

from ledger.canon.digest import digest, is_digest
from ledger.catalog.adoption import AdoptionRow, adopt
from ledger.catalog.entry import Listing
from ledger.catalog.parity import compare, item
from ledger.catalog.rendered import Rendered, Settings
from ledger.catalog.staleness import ConfiguredServer, refusal_reason, stale_servers
from ledger.catalog.statement import Identity
from ledger.clock import Micros
from tests.unit.catalog.builders import (
    NEW_OUTPUT,
    OLD_OUTPUT,
    aggregate,
    aggregating,
    entry_of,
    listing,
    names,
    operation,
    overriding,
    rendered,
    tool,
    tracked,
)

READ = Identity("fs", "read")


def test_fact_1_missing_descriptors_are_never_replaced_by_overrides_in_silence() -> None:
    layer = tracked(overriding("fs", "read", inputSchema={"type": "object"}))
    assert rendered(layer, listings=[Listing("fs")]).intended == ()
    asked = rendered(layer, listings=[Listing("fs")], settings=Settings(from_overrides=True))
    assert asked.payload()["descriptor_source"] == "overrides"
    assert [problem.rule for problem in asked.errors] == ["V3"]


def test_fact_2_the_intended_catalog_is_a_list_of_tools_as_clients_see_them() -> None:
    payload = rendered(listings=[listing("fs", tool("read", "path"))]).payload()
    assert payload["intended"] == {
        "tools": [
            {
                "name": "read",
                "server": "fs",
                "tool": "read",
                "definition": tool("read", "path"),
                "kind": "tool",
                "source_digest": str(digest(tool("read", "path"))),
            }
        ]
    }


def served(result: Rendered) -> list[object]:
    return [{**entry.payload(), "schema_source": "declared"} for entry in result.intended]


def test_fact_5_what_is_served_is_found_by_who_it_is_and_not_reported_missing() -> None:
    result = rendered(listings=[listing("integrator", tool("manage"))])
    intended = [item(entry.payload()) for entry in result.intended]
    assert compare(intended, [item(entry) for entry in served(result)]) == ()  # type: ignore[arg-type]
    only_named = [item({"name": "manage", "definition": tool("manage")})]
    assert compare(intended, only_named) == ()


def test_fact_6_not_being_served_is_no_failure_of_a_schema() -> None:
    """Adoption has no way to hear of it: it is decided from rows that only validations move."""
    row = AdoptionRow("validated", hash=str(digest(OLD_OUTPUT)), promoted=str(digest(OLD_OUTPUT)))
    result = rendered(listings=[listing("fs", tool("read", output=OLD_OUTPUT))], adoption={READ: row})
    assert compare([item(entry.payload()) for entry in result.intended], []) != ()
    assert (result.promoted, result.errors) == ((), ())


def test_facts_8_and_9_missing_descriptors_are_a_reason_to_refuse_with_or_without_verify() -> None:
    stale = stale_servers([ConfiguredServer("fs")], {}, now_us=Micros(0), max_age_us=1)
    assert [(one.server, one.why) for one in stale] == [("fs", "never_captured")]
    assert refusal_reason(stale) == "descriptors_missing"


def test_fact_10_a_stable_tool_stays_as_it_is_however_often_it_is_rendered() -> None:
    old = str(digest(OLD_OUTPUT))
    row = AdoptionRow("validated", hash=old, promoted=old, promoted_schema=OLD_OUTPUT, shown_schema=OLD_OUTPUT)
    listings = [listing("fs", tool("read", output=OLD_OUTPUT))]
    payloads = [rendered(listings=listings, adoption={READ: row}).payload() for _ in range(30)]
    assert all(payload == payloads[0] for payload in payloads)
    assert payloads[0]["promoted"] == []


def test_fact_11_a_failed_schema_recovers_by_passes_and_a_tool_without_one_waits_for_nothing() -> None:
    new = str(digest(NEW_OUTPUT))
    recovered = AdoptionRow("failed", hash=new, promoted="x", ok=2, evidence=("e1", "e2"))
    how = {"is_locked": False, "is_stated": False, "success_threshold": 2}
    assert adopt(NEW_OUTPUT, recovered, **how).promoted == new  # type: ignore[arg-type]
    untyped = adopt(None, AdoptionRow("untyped"), **how)  # type: ignore[arg-type]
    assert (untyped.schema, untyped.withheld) == (None, None)


def test_fact_12_a_schema_hash_is_the_digest_of_the_output_schema_alone() -> None:
    def reference(description: str) -> object:
        fs = listing("fs", tool("read", output=OLD_OUTPUT, description=description))
        result = rendered(tracked(aggregating(aggregate("files", operation("read")))), listings=[fs])
        (read,) = entry_of(result, "tool_aggregator", "files").operations
        return read["downstreamSchemaRef"]["schema_hash"]  # type: ignore[call-overload, index]

    assert reference("one") == reference("another") == str(digest(OLD_OUTPUT))
    assert is_digest(reference("one"))


def test_fact_13_references_are_where_there_are_no_response_mappings_and_nowhere_else() -> None:
    answering = [{"target": "lines", "from": "lines"}]
    layer = aggregating(aggregate("files", operation("read"), operation("write", responseMappings=answering)))
    fs = listing("fs", tool("read"), tool("write"))
    read, write = entry_of(rendered(tracked(layer), listings=[fs]), "tool_aggregator", "files").operations
    assert read["downstreamSchemaRef"].keys() == {"tool", "server", "operation", "schema_hash"}  # type: ignore[union-attr]
    assert "downstreamSchemaRef" not in write


def test_fact_14_hidden_tools_are_removed_and_aggregates_are_tools_in_the_catalog_itself() -> None:
    hides = [{"server": "fs", "tool": "read", "reason": "Wrapped by files"}]
    layer = tracked(aggregating(aggregate("files", operation("read"), hideTools=hides)))
    result = rendered(layer, listings=[listing("fs", tool("read"), tool("write"))])
    assert names(result) == {"fs::write": "write", "tool_aggregator::files": "files"}
    assert [(str(one.identity), one.reason) for one in result.hidden] == [
        ("fs::read", "hidden_by_aggregate: Wrapped by files")
    ]


def test_fact_16_a_schema_can_be_locked_by_an_aggregation_and_by_an_override() -> None:
    layers = [
        tracked(aggregating(aggregate("files", operation("read"), lockSchema=True)), "tool_aggregations.json"),
        tracked(overriding("fs", "read", lockSchema=True)),
    ]
    result = rendered(*layers, listings=[listing("fs", tool("read", output=OLD_OUTPUT))])
    assert [str(lock.identity) for lock in result.locked] == ["fs::read", "tool_aggregator::files"]


def test_fact_17_tools_of_one_name_on_several_servers_stay_apart_and_always_the_same() -> None:
    tools = {
        "fs": tool("list_directory", "path", output=OLD_OUTPUT),
        "mem": tool("list_directory", "dir_name", description="Notes."),
        "sh": tool("list_directory"),
    }
    listings = [listing(server, definition) for server, definition in tools.items()]
    result = rendered(listings=listings)
    assert names(result) == {
        "fs::list_directory": "list_directory",
        "mem::list_directory": "mem.list_directory",
        "sh::list_directory": "sh.list_directory",
    }
    for server, definition in tools.items():
        entry = entry_of(result, server, "list_directory")
        assert {**entry.definition, "name": "list_directory"} == definition
    assert len({str(rendered(listings=listings).payload()) for _ in range(3)}) == 1


def test_hiding_a_tool_on_one_server_touches_no_tool_of_that_name_elsewhere() -> None:
    """The flattened, name-keyed map of that system disabled them all."""
    listings = [listing(server, tool("list_directory")) for server in ("fs", "mem", "sh")]
    for hidden, *others in permutations(("fs", "mem", "sh")):
        result = rendered(tracked(overriding(hidden, "list_directory", enabled=False)), listings=listings)
        assert {entry.identity.server for entry in result.intended} == set(others)
        assert [str(hiding.identity) for hiding in result.hidden] == [f"{hidden}::list_directory"]
