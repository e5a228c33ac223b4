"""Layers merged: who wins, what is replaced, and who is remembered as having said it."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

from ledger.catalog.layer import Layer, LayerKind, Origin, embedded_defaults, missing_layer
from ledger.catalog.layers import Layers, merge
from ledger.catalog.statement import Identity
from tests.unit.catalog.builders import (
    aggregate,
    aggregating,
    bundle,
    home,
    local,
    operation,
    overriding,
    tracked,
)

if TYPE_CHECKING:
    from ledger.catalog.sayings import Said

READ = Identity("fs", "read")


def about(*layers: Layer, identity: Identity = READ) -> Said:
    merged = merge(layers)
    assert merged.problems == ()
    return merged.said_about(identity)


def hidden_by(said: Said) -> tuple[str, str] | None:
    return (str(said.hiding.origin), said.hiding.reason) if said.hiding else None


def test_a_later_layer_wins_field_by_field() -> None:
    layers = [
        tracked(overriding("fs", "read", description="tracked", annotations={"title": "T", "readOnlyHint": True})),
        bundle(overriding("fs", "read", description="bundle")),
        home(overriding("fs", "read", annotations={"title": "H"})),
        local(overriding("fs", "read", name="cat")),
    ]
    assert about(*layers).fields.value == {
        "description": "bundle",
        "annotations": {"title": "H", "readOnlyHint": True},
        "name": "cat",
    }


def test_the_order_in_which_layers_are_given_does_not_matter() -> None:
    layers = [
        tracked(overriding("fs", "read", description="tracked")),
        bundle(overriding("fs", "read", description="a"), "bundles/a/catalog.json"),
        bundle(overriding("fs", "read", description="b"), "bundles/b/catalog.json"),
        local(overriding("fs", "read", enabled=False)),
    ]
    answers = [about(*order) for order in permutations(layers)]
    assert all(answer == answers[0] for answer in answers)
    assert answers[0].fields.value["description"] == "b"


def test_objects_merge_deeply_and_lists_replace() -> None:
    low = {"properties": {"a": {"type": "string"}, "b": {"enum": [1, 2]}}, "required": ["a"]}
    high = {"properties": {"b": {"enum": [3]}}, "required": ["b"]}
    said = about(tracked(overriding("fs", "read", inputSchema=low)), local(overriding("fs", "read", inputSchema=high)))
    assert said.fields.value["inputSchema"] == {
        "properties": {"a": {"type": "string"}, "b": {"enum": [3]}},
        "required": ["b"],
    }


def test_every_field_remembers_the_layer_the_file_and_the_place_that_set_it() -> None:
    said = about(
        tracked(overriding("fs", "read", description="x", annotations={"title": "T", "readOnlyHint": True})),
        local(overriding("fs", "read", annotations={"title": "L"})),
    )
    at = "/servers/fs/tools/read"
    assert said.fields.origins == {
        "/description": Origin("tracked", "tool_overrides.json", f"{at}/description"),
        "/annotations/title": Origin("local", "tool_overrides.local.json", f"{at}/annotations/title"),
        "/annotations/readOnlyHint": Origin("tracked", "tool_overrides.json", f"{at}/annotations/readOnlyHint"),
    }


def test_merging_leaves_the_layers_as_they_were() -> None:
    document = overriding("fs", "read", annotations={"title": "T"})
    about(tracked(document), local(overriding("fs", "read", annotations={"title": "L"})))
    assert document == overriding("fs", "read", annotations={"title": "T"})


def test_a_tool_of_the_same_name_on_another_server_is_not_spoken_of() -> None:
    layer = tracked(overriding("fs", "list_directory", enabled=False, description="x"))
    said = about(layer, identity=Identity("mem", "list_directory"))
    assert said == about(identity=Identity("mem", "list_directory"))
    assert said.hiding is None


def test_a_higher_layer_shows_again_what_a_lower_one_hides() -> None:
    hiding = bundle({"toolAggregations": aggregating(hiddenTools=[{"server": "fs", "tool": "read"}])})
    assert hidden_by(about(hiding)) == ("bundle:bundles/demo/catalog.json", "hidden_by_override")
    assert about(hiding, local(overriding("fs", "read", enabled=True))).hiding is None
    assert about(hiding, tracked(overriding("fs", "read", enabled=True))).hiding is not None


def test_within_a_layer_hiding_a_tool_is_the_last_word() -> None:
    hidden = aggregating(hiddenTools=[{"server": "fs", "tool": "read", "reason": "Use the other one"}])
    said = about(
        tracked(hidden, "tool_aggregations.json"),
        tracked(overriding("fs", "read", enabled=True), "tool_overrides.json"),
    )
    assert hidden_by(said) == ("tracked:tool_aggregations.json", "hidden_by_override: Use the other one")


def test_hidden_tools_merge_by_identity_and_the_later_reason_stands() -> None:
    def hiding(reason: str) -> dict[str, Any]:
        return aggregating(hiddenTools=[{"server": "fs", "tool": "read", "reason": reason}])

    said = about(tracked(hiding("first")), home(hiding("second")))
    assert hidden_by(said) == ("catalog:catalog/core.json", "hidden_by_override: second")


def test_a_server_switched_off_hides_its_tools_unless_one_is_switched_on() -> None:
    document = {
        "schemaVersion": 2,
        "servers": {"fs": {"enabled": False, "tools": {"read": {"enabled": True}, "write": {"description": "x"}}}},
    }
    assert about(tracked(document)).hiding is None
    said = about(tracked(document), identity=Identity("fs", "write"))
    assert hidden_by(said) == ("tracked:tool_overrides.json", "server_disabled")


def test_a_server_switched_off_in_a_higher_layer_hides_what_a_lower_one_switched_on() -> None:
    off = {"schemaVersion": 2, "servers": {"fs": {"enabled": False, "tools": {}}}}
    said = about(tracked(overriding("fs", "read", enabled=True)), local(off))
    assert hidden_by(said) == ("local:tool_overrides.local.json", "server_disabled")


def test_everything_can_be_switched_off_and_one_server_on_again() -> None:
    document = {"schemaVersion": 2, "master": {"enabled": False}, "servers": {"fs": {"enabled": True}}}
    assert about(tracked(document)).hiding is None
    assert hidden_by(about(tracked(document), identity=Identity("mem", "x"))) is not None


def test_version_1_switches_a_name_off_on_every_server_and_says_so() -> None:
    document = {"master": {"tools": {"fetch": {"enabled": False}}}}
    for server in ("fetch", "facade"):
        said = about(tracked(document), identity=Identity(server, "fetch"))
        assert hidden_by(said) == ("tracked:tool_overrides.json", "disabled_by_same_name")


def test_what_is_said_of_one_server_outweighs_what_is_said_of_a_name() -> None:
    document = {
        "master": {"tools": {"fetch": {"enabled": False}}},
        "servers": {"facade": {"tools": {"fetch": {"enabled": True}}}},
    }
    assert about(tracked(document), identity=Identity("facade", "fetch")).hiding is None
    assert about(tracked(document), identity=Identity("fetch", "fetch")).hiding is not None


def test_an_aggregate_hides_what_it_wraps() -> None:
    hides = [{"server": "fs", "tool": "read", "reason": "Wrapped by files"}]
    layer = bundle({"toolAggregations": aggregating(aggregate("files", operation("read"), hideTools=hides))})
    assert hidden_by(about(layer)) == (
        "bundle:bundles/demo/catalog.json",
        "hidden_by_aggregate: Wrapped by files",
    )


def test_a_higher_layer_replaces_the_list_of_what_an_aggregate_hides() -> None:
    hides = [{"server": "fs", "tool": "read"}]
    low = tracked(aggregating(aggregate("files", operation("read"), hideTools=hides)))
    high = local(aggregating({"name": "files", "hideTools": []}))
    assert about(low).hiding is not None
    assert about(low, high).hiding is None


def aggregations(*layers: Layer) -> Layers:
    merged = merge(layers)
    assert merged.problems == ()
    return merged


def test_aggregates_merge_by_name_and_a_layer_may_set_a_single_field() -> None:
    merged = aggregations(
        tracked(aggregating(aggregate("files", operation("read")))),
        local(aggregating({"name": "files", "lockSchema": True, "timeoutSeconds": 5})),
    )
    (one,) = merged.aggregations
    assert one.fields.value["timeoutSeconds"] == 5
    assert len(merged.aggregations[0].fields.value["operations"]) == 1  # type: ignore[arg-type]
    said = merged.said_about(Identity("tool_aggregator", "files"))
    assert said.is_locked
    assert str(said.fields.origin_of("/lockSchema")) == "local:tool_overrides.local.json"


def test_an_aggregate_is_described_by_the_layer_above_not_by_an_older_copy_below() -> None:
    copy = tracked(overriding("tool_aggregator", "files", description="an old copy"))
    layer = bundle({"toolAggregations": aggregating(aggregate("files", operation("read")))})
    said = about(copy, layer, identity=Identity("tool_aggregator", "files"))
    assert said.fields.value["description"] == "The aggregate files."


def test_an_aggregate_that_no_layer_completes_is_a_problem() -> None:
    (problem,) = merge([local(aggregating({"name": "files", "description": "d", "inputSchema": {}}))]).problems
    assert (problem.rule, problem.pointer) == ("L1", "/aggregations/0")
    assert "lacks the field operations" in problem.reason


def test_two_files_of_one_layer_may_not_define_an_aggregate_each() -> None:
    first = bundle(aggregating(aggregate("files", operation("read"))), "bundles/a/catalog.json")
    second = bundle(aggregating(aggregate("files", operation("write"))), "bundles/b/catalog.json")
    (problem,) = merge([first, second]).problems
    assert problem.file == "bundles/b/catalog.json"
    assert "also defined at bundles/a/catalog.json#/aggregations/0" in problem.reason


def test_two_layers_may_define_an_aggregate_each_and_the_later_operations_stand() -> None:
    merged = aggregations(
        tracked(aggregating(aggregate("files", operation("read")))),
        local(aggregating(aggregate("files", operation("write")))),
    )
    assert merged.aggregations[0].fields.value["operations"] == [operation("write")]


def test_defaults_of_aggregates_come_from_the_embedded_layer_and_may_be_overridden() -> None:
    assert merge([]).defaults.value["serverName"] == "tool_aggregator"
    merged = merge([tracked(aggregating(defaults={"serverName": "suite"}))])
    assert merged.defaults.value == {
        "selectorField": "operation",
        "caseInsensitiveSelector": True,
        "timeoutSeconds": 60,
        "serverName": "suite",
    }


def test_the_layers_are_recorded_lowest_first_with_those_that_are_missing() -> None:
    merged = merge([missing_layer(LayerKind.LOCAL, "tool_overrides.local.json"), home({}), tracked({})])
    assert [(layer.kind, layer.missing) for layer in merged.inputs] == [
        ("embedded", False),
        ("tracked", False),
        ("catalog", False),
        ("local", True),
    ]


def test_the_embedded_layer_has_no_problems_of_its_own() -> None:
    assert merge([embedded_defaults()]).problems == ()


def test_deleting_the_local_layer_brings_back_what_the_others_say() -> None:
    low = tracked(overriding("fs", "read", description="tracked"))
    changed = about(low, local(overriding("fs", "read", description="mine")))
    reset = about(low, missing_layer(LayerKind.LOCAL, "tool_overrides.local.json"))
    assert (changed.fields.value["description"], reset.fields.value["description"]) == ("mine", "tracked")
