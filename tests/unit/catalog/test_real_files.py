"""The starter bundle and the whole history of overrides and aggregations of a real installation."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from ledger.canon.canonical import canonical
from ledger.canon.digest import digest
from ledger.catalog.fragment import fragment
from ledger.catalog.layer import Layer, LayerKind
from ledger.catalog.layers import merge
from ledger.catalog.operation import choose
from ledger.catalog.statement import Identity
from tests.unit.catalog.builders import bundle, rendered, tracked
from tests.unit.catalog.real_files import STELAE, read, real_listings, starter_bundle, versions

OVERRIDES = versions("tool_overrides")
AGGREGATIONS = versions("tool_aggregations")


def test_the_starter_bundle_renders_with_every_problem_named() -> None:
    result = rendered(starter_bundle(), listings=real_listings())
    assert result.invalid_input == ()
    assert [(problem.subject, problem.reason) for problem in result.errors] == [
        ("tool_aggregator::workspace_fs_read", "calls fs::read_file, which is not captured"),
        ("tool_aggregator::workspace_fs_write", "calls fs::delete_file_content, which is not captured"),
        ("tool_aggregator::workspace_fs_write", "calls fs::insert_file_content, which is not captured"),
        ("tool_aggregator::workspace_fs_write", "calls fs::update_file_content, which is not captured"),
        ("tool_aggregator::workspace_shell_control", "calls sh::run_command, which is not captured"),
    ]
    assert all(problem.file == "bundles/starter/catalog.json" for problem in result.errors)
    assert Counter(str(one.rule) for one in result.problems) == {"V3": 5, "V7": 14, "V8": 1, "N2": 1}


def test_the_starter_bundle_has_fifty_six_operations_each_with_a_server_and_a_reference() -> None:
    result = rendered(starter_bundle(), listings=real_listings())
    operations = [operation for entry in result.intended for operation in entry.operations]
    assert len(operations) == 56
    assert all("server" in operation and "downstreamSchemaRef" in operation for operation in operations)
    listed = {(one.server, tool.name): tool.definition for one in real_listings() for tool in one.tools or ()}
    for operation in operations:
        reference: Any = operation["downstreamSchemaRef"]
        schema = listed.get((reference["server"], reference["tool"]), {}).get("outputSchema")
        assert reference["schema_hash"] == (None if schema is None else str(digest(schema)))


def test_each_operation_of_the_starter_bundle_can_be_chosen() -> None:
    result = rendered(starter_bundle(), listings=real_listings())
    for entry in result.intended:
        for operation in entry.operations:
            chosen = choose(result.aggregates[entry.name], {"operation": str(operation["value"]).upper()})
            assert (chosen.value, chosen.tool) == (operation["value"], operation["tool"])


def test_hiding_list_directory_on_one_server_leaves_the_others_of_that_name() -> None:
    result = rendered(starter_bundle(), listings=real_listings())
    hidden = {str(one.identity) for one in result.hidden if one.identity.tool == "list_directory"}
    shown = {str(entry.identity) for entry in result.intended if entry.identity.tool == "list_directory"}
    assert (hidden, shown) == ({"fs::list_directory", "mem::list_directory"}, {"sh::list_directory"})


def test_the_starter_bundle_renders_to_the_same_bytes_each_time() -> None:
    first, second = (rendered(starter_bundle(), listings=real_listings()).payload() for _ in range(2))
    assert canonical(first) == canonical(second)


def test_what_is_left_of_a_moved_bundle_is_understood() -> None:
    found = fragment(bundle(read(STELAE / "bundles" / "starter_bundle.legacy.json")))
    assert [problem.severity for problem in found.problems] == ["warning"]


@pytest.mark.parametrize("path", OVERRIDES + AGGREGATIONS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_version_of_the_history_is_read_without_an_error(path: Any) -> None:
    layer = tracked(read(path), f"{path.parent.name}.json")
    problems = merge([layer]).problems
    as_text = "servers/fetch/tools/fetch/enabled" if path.stem.endswith("8c8e4ec") else ""
    expected = [f"/{as_text}"] if as_text and path.parent.name == "tool_overrides" else []
    assert [problem.pointer for problem in problems] == expected
    assert all(problem.rule == "L2" for problem in problems)


def moments() -> list[tuple[str, Any, Any]]:
    """At each date, the overrides and the aggregations in force."""
    stamped = sorted((path.stem, path) for path in OVERRIDES + AGGREGATIONS)
    overrides: Any = {"servers": {}}
    aggregations: Any = {"schemaVersion": 1, "aggregations": []}
    found = {}
    for stem, path in stamped:
        if path.parent.name == "tool_overrides":
            overrides = read(path)
        else:
            aggregations = read(path)
        found[stem] = (overrides, aggregations)
    return [(stem, *files) for stem, files in found.items()]


def is_visible(overrides: Any, aggregations: Any, server: str, tool: str) -> bool:
    """The rule, written down once more and without the ledger: the last word that is said, unless it is hidden."""
    hidden = [*aggregations.get("hiddenTools", [])]
    hidden += [item for one in aggregations["aggregations"] for item in one.get("hideTools", [])]
    if any((item["server"], item["tool"]) == (server, tool) for item in hidden):
        return False
    master, own = overrides.get("master", {}), overrides["servers"].get(server, {})
    spoken = [
        master,
        master.get("tools", {}).get("*", {}),
        master.get("tools", {}).get(tool, {}),
        overrides.get("tools", {}).get(tool, {}),
        own,
        own.get("tools", {}).get("*", {}),
        own.get("tools", {}).get(tool, {}),
    ]
    words = [word["enabled"] for word in spoken if "enabled" in word]
    return not words or words[-1] not in (False, "false")


def shown(overrides: Any, aggregations: Any) -> tuple[set[Identity], dict[Identity, str]]:
    layers = [
        Layer(LayerKind.TRACKED, "config/tool_overrides.json", overrides),
        Layer(LayerKind.TRACKED, "config/tool_aggregations.json", aggregations),
    ]
    result = rendered(*layers, listings=real_listings())
    hidden = {hiding.identity: str(hiding.origin) for hiding in result.hidden}
    return {entry.identity for entry in result.intended if entry.kind == "tool"}, hidden


def test_visibility_changes_through_the_history_as_the_files_say() -> None:
    listed = [Identity(one.server, tool.name) for one in real_listings() for tool in one.tools or ()]
    steps = [(shown(overrides, rest), (overrides, rest)) for _, overrides, rest in moments()]
    changes = 0
    for ((before, _), old), ((after, hidden), new) in pairwise(steps):
        expected = {one for one in listed if is_visible(*old, *one) != is_visible(*new, *one)}
        assert before ^ after == expected
        assert all(hidden[one].startswith("tracked:config/tool_") for one in before - after)
        changes += len(expected)
    assert changes > 50
