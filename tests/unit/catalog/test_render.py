"""The intended catalog as a whole."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ledger.canon.canonical import canonical
from ledger.canon.digest import digest
from ledger.catalog.adoption import AdoptionRow
from ledger.catalog.entry import Listing
from ledger.catalog.layer import LayerKind, missing_layer
from ledger.catalog.rendered import Settings
from ledger.catalog.statement import Identity
from ledger.events.model import Operation
from ledger.events.rendering import RenderCompleted
from tests.unit.catalog.builders import (
    NEW_OUTPUT,
    OLD_OUTPUT,
    aggregate,
    aggregating,
    entry_of,
    listing,
    local,
    names,
    operation,
    overriding,
    rendered,
    told,
    tool,
    tracked,
)

READ = Identity("fs", "read")
OLD, NEW = str(digest(OLD_OUTPUT)), str(digest(NEW_OUTPUT))
EVENT_IDS = ("01931c2a-0000-7000-8000-000000000001", "01931c2a-0000-7000-8000-000000000002")


def test_a_captured_tool_is_intended_as_it_was_listed() -> None:
    captured = tool("read", "path", output=OLD_OUTPUT, _meta={"vendor/x": [1, 2.5]}, x_unknown=None)
    entry = entry_of(rendered(listings=[listing("fs", captured)]), "fs", "read")
    assert entry.definition == captured
    assert entry.source_digest == str(digest(captured))


def test_the_definition_has_the_name_that_clients_see_and_the_digest_of_what_was_captured() -> None:
    captured = tool("read")
    entry = entry_of(
        rendered(local(overriding("fs", "read", name="cat")), listings=[listing("fs", captured)]), "fs", "read"
    )
    assert (entry.name, entry.definition["name"]) == ("cat", "cat")
    assert entry.source_digest == str(digest(captured))


def test_entries_are_in_order_of_identity_whatever_the_servers_order_is() -> None:
    listings = [listing("sh", tool("b"), tool("a")), listing("fs", tool("z"))]
    assert list(names(rendered(listings=listings))) == ["fs::z", "sh::a", "sh::b"]


def test_a_hidden_tool_leaves_its_name_to_the_next_server() -> None:
    listings = [listing("fs", tool("list")), listing("mem", tool("list"))]
    assert names(rendered(listings=listings)) == {"fs::list": "list", "mem::list": "mem.list"}
    hiding = tracked(overriding("fs", "list", enabled=False))
    assert names(rendered(hiding, listings=listings)) == {"mem::list": "list"}


def test_what_is_hidden_is_listed_with_its_reason_and_layer_also_when_no_server_lists_it() -> None:
    hides = aggregating(hiddenTools=[{"server": "facade", "tool": "search", "reason": "A placeholder"}])
    result = rendered(tracked(hides, "tool_aggregations.json"), listings=[listing("fs", tool("read"))])
    assert [hiding.payload() for hiding in result.hidden] == [
        {
            "server": "facade",
            "tool": "search",
            "reason": "hidden_by_override: A placeholder",
            "layer": "tracked:tool_aggregations.json",
        }
    ]


def test_a_server_may_be_switched_off_by_a_setting() -> None:
    settings = Settings(hidden_servers=frozenset({"fs"}))
    result = rendered(listings=[listing("fs", tool("read")), listing("sh", tool("run"))], settings=settings)
    assert names(result) == {"sh::run": "run"}
    assert result.hidden[0].payload()["layer"] == "settings:hidden_servers"


def test_an_override_of_a_tool_that_nobody_lists_is_told_of_and_makes_no_tool() -> None:
    result = rendered(tracked(overriding("fs", "raed", description="x")), listings=[listing("fs", tool("read"))])
    assert names(result) == {"fs::read": "read"}
    assert [problem.subject for problem in result.problems if problem.rule == "N2"] == ["fs::raed"]


def test_a_changed_output_schema_waits_and_the_entry_keeps_the_promoted_one() -> None:
    row = AdoptionRow("validated", hash=OLD, promoted=OLD, promoted_schema=OLD_OUTPUT, shown_schema=OLD_OUTPUT)
    captured = tool("read", "path", output=NEW_OUTPUT)
    result = rendered(listings=[listing("fs", captured)], adoption={READ: row})
    entry = entry_of(result, "fs", "read")
    assert entry.definition == {**captured, "outputSchema": OLD_OUTPUT}
    assert entry.source_digest == str(digest(captured))
    assert result.promoted == ()
    ((_, reason),) = told(result.problems, "N3")
    assert NEW in reason


def test_an_earned_output_schema_is_promoted_with_the_events_that_earned_it() -> None:
    row = AdoptionRow("pending", NEW, OLD, promotable=True, ok=2, evidence=EVENT_IDS, promoted_schema=OLD_OUTPUT)
    result = rendered(listings=[listing("fs", tool("read", output=NEW_OUTPUT))], adoption={READ: row})
    assert entry_of(result, "fs", "read").definition["outputSchema"] == NEW_OUTPUT
    assert [promotion.payload() for promotion in result.promoted] == [
        {"server": "fs", "tool": "read", "schema_hash": NEW, "evidence": list(EVENT_IDS)}
    ]


def test_a_lock_in_a_tool_override_freezes_the_output_schema() -> None:
    row = AdoptionRow("pending", NEW, OLD, ok=9, promoted_schema=OLD_OUTPUT, shown_schema=OLD_OUTPUT)
    result = rendered(
        local(overriding("fs", "read", lockSchema=True)),
        listings=[listing("fs", tool("read", output=NEW_OUTPUT))],
        adoption={READ: row},
    )
    entry = entry_of(result, "fs", "read")
    assert entry.locked
    assert entry.definition["outputSchema"] == OLD_OUTPUT
    assert result.promoted == ()
    assert [lock.payload() for lock in result.locked] == [
        {"server": "fs", "tool": "read", "layer": "local:tool_overrides.local.json"}
    ]


def test_a_lock_in_an_aggregation_freezes_its_output_schema() -> None:
    files = Identity("tool_aggregator", "files")
    row = AdoptionRow("locked", OLD, OLD, promoted_schema=OLD_OUTPUT, shown_schema=OLD_OUTPUT)
    layer = tracked(aggregating(aggregate("files", operation("read"), outputSchema=NEW_OUTPUT, lockSchema=True)))
    result = rendered(layer, listings=[listing("fs", tool("read", "path"))], adoption={files: row})
    entry = entry_of(result, *files)
    assert (entry.locked, entry.definition["outputSchema"]) == (True, OLD_OUTPUT)


def test_an_output_schema_that_an_override_states_is_shown_at_once() -> None:
    row = AdoptionRow("validated", OLD, OLD, promoted_schema=OLD_OUTPUT, shown_schema=OLD_OUTPUT)
    result = rendered(
        local(overriding("fs", "read", outputSchema=NEW_OUTPUT)),
        listings=[listing("fs", tool("read", output=OLD_OUTPUT))],
        adoption={READ: row},
    )
    assert entry_of(result, "fs", "read").definition["outputSchema"] == NEW_OUTPUT


def test_overrides_describe_tools_only_where_that_is_asked_for_and_it_is_said() -> None:
    layer = tracked(overriding("fs", "read", description="d", inputSchema={"type": "object"}))
    without = rendered(layer, listings=[Listing("fs")])
    assert (without.intended, without.descriptor_source) == ((), "live")
    asked = rendered(layer, listings=[Listing("fs")], settings=Settings(from_overrides=True))
    assert names(asked) == {"fs::read": "read"}
    assert asked.descriptor_source == "overrides"
    assert [problem.subject for problem in asked.errors if problem.rule == "V3"] == ["fs::read"]


def test_overrides_never_add_to_a_server_that_was_listed() -> None:
    layer = tracked(overriding("fs", "gone", inputSchema={"type": "object"}))
    result = rendered(layer, listings=[listing("fs")], settings=Settings(from_overrides=True))
    assert result.intended == ()


def busy() -> dict[str, Any]:
    """A render in which everything happens."""
    layers = [
        tracked(overriding("fs", "list", enabled=False)),
        tracked(
            aggregating(
                aggregate("files", operation("read"), operation("nope", server=None), lockSchema=True),
                hiddenTools=[{"server": "mem", "tool": "secret", "reason": "private"}],
            ),
            "tool_aggregations.json",
        ),
        missing_layer(LayerKind.LOCAL, "tool_overrides.local.json"),
    ]
    listings = [
        listing("fs", tool("read", "path", output=NEW_OUTPUT), tool("list"), tool("same")),
        listing("mem", tool("secret"), tool("same")),
    ]
    row = AdoptionRow("pending", NEW, OLD, ok=2, evidence=EVENT_IDS, promoted_schema=OLD_OUTPUT)
    return rendered(*layers, listings=listings, adoption={READ: row}).payload()


def test_the_same_inputs_give_the_same_bytes() -> None:
    assert canonical(busy()) == canonical(busy())


@pytest.mark.parametrize("seed", ["0", "1", "2"])
def test_another_process_with_another_locale_and_time_zone_gives_the_same_bytes(seed: str) -> None:
    script = f"from {__name__} import busy; from ledger.canon.digest import digest; print(digest(busy()))"
    elsewhere = {"PYTHONHASHSEED": seed, "LANG": "tr_TR.UTF-8", "LC_ALL": "C", "TZ": "Pacific/Kiritimati"}
    command = [sys.executable, "-c", script]
    root = Path(__file__).resolve().parents[3]
    answer = subprocess.run(command, env=elsewhere, cwd=root, capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == digest(busy())


def backwards(value: Any) -> Any:
    """The same JSON value, with the keys of its objects in another order."""
    if isinstance(value, dict):
        return {key: backwards(inner) for key, inner in reversed(value.items())}
    return [backwards(inner) for inner in value] if isinstance(value, list) else value


def test_neither_the_order_of_keys_nor_that_of_a_listing_changes_the_bytes() -> None:
    document = aggregating(
        aggregate("files", operation("read"), hideTools=[{"server": "fs", "tool": "read"}]),
        aggregate("more", operation("write")),
    )
    tools = [tool("read", "path", output=OLD_OUTPUT), tool("write"), tool("list")]
    one = rendered(tracked(document), listings=[listing("fs", *tools)])
    other = rendered(tracked(backwards(document)), listings=[listing("fs", *map(backwards, reversed(tools)))])
    assert canonical(one.payload()) == canonical(other.payload())


def test_the_payload_is_what_the_event_accepts() -> None:
    payload = busy()
    for entry in payload["intended"]["tools"]:
        known = Operation.model_fields
        kept = [{key: one[key] for key in one if key in known} for one in entry.get("operations", [])]
        entry.update({"operations": kept} if kept else {})
    event = RenderCompleted.model_validate(payload)
    assert len(event.intended.tools) == 4
    assert event.settings == {
        "SCHEMA_SUCCESS_THRESHOLD": 2,
        "SCHEMA_FAILURE_THRESHOLD": 2,
        "SCHEMA_STABLE_RETENTION": 10,
        "FROM_OVERRIDES": False,
        "HIDDEN_SERVERS": [],
    }


def test_the_layers_are_the_inputs_of_the_payload() -> None:
    inputs = busy()["inputs"]
    assert [(one["layer"], one["name"], one.get("missing", False)) for one in inputs] == [
        ("embedded", "defaults.json", False),
        ("tracked", "tool_aggregations.json", False),
        ("tracked", "tool_overrides.json", False),
        ("local", "tool_overrides.local.json", True),
    ]


def test_a_wrong_layer_makes_the_input_invalid() -> None:
    result = rendered(tracked({"servers": {"fs": []}}, "x.json"), listings=[listing("fs", tool("read"))])
    assert [problem.file for problem in result.invalid_input] == ["x.json"]
    assert result.errors[: len(result.invalid_input)] == result.invalid_input


def test_flags_are_recorded_with_the_thresholds() -> None:
    settings = Settings(success_threshold=5, flags={"USE_INTENDED_CATALOG": True})
    assert settings.payload()["SCHEMA_SUCCESS_THRESHOLD"] == 5
    assert settings.payload()["USE_INTENDED_CATALOG"] is True


def test_ten_thousand_tools_are_rendered_without_work_that_grows_with_their_square() -> None:
    """Every look-up is by identity: at this size a single scan per tool would take minutes."""
    count = 10_000
    listings = [listing(f"s{k}", *(tool(f"t{k}_{i}") for i in range(count // 10))) for k in range(10)]
    said = {f"s{k}": {"tools": {f"t{k}_{i}": {"enabled": i % 10 > 0} for i in range(count // 10)}} for k in range(10)}
    wrapping = [operation(f"t{i}", f"t0_{i}", "s0") for i in range(count // 10)]
    result = rendered(
        tracked({"schemaVersion": 2, "servers": said}),
        tracked(aggregating(aggregate("everything", *wrapping)), "tool_aggregations.json"),
        listings=listings,
    )
    assert len(result.intended) == count - count // 10 + 1
    assert len(result.hidden) == count // 10
