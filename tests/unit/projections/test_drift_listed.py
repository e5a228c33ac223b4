"""What drifts from what servers list: before any serving, the last complete listings are what is real."""

from __future__ import annotations

from ledger.canon.digest import nameless_digest
from tests.unit.projections.drift_stories import aggregate, from_source, given, hidden, open_entries
from tests.unit.projections.facts import capture, empty, entry, partial, rendered, served, tool

OTHER = {"type": "object", "properties": {"other": {"type": "string"}}}
OUTPUT = {"type": "object", "properties": {"out": {"type": "string"}}}


def changed(name, **fields):
    """The tool of this name with another input schema."""
    return tool(name, inputSchema=OTHER, **fields)


def test_a_tool_that_a_whole_listing_lacks_is_missing_and_one_that_no_render_has_is_extra():
    story = given(capture("a", "x"), rendered("a::x", "a::y")).when(capture("a", "x", "z"))
    assert open_entries(story) == {"a::y": "missing", "a::z": "extra"}


def test_a_tool_of_a_server_that_was_never_listed_whole_is_unobserved():
    story = given(capture("a", "x"), rendered("a::x", "b::y"))
    assert open_entries(story) == {"b::y": "unobserved"}
    assert open_entries(story.when(partial("b", "y"))) == {"b::y": "unobserved"}
    story = story.when(capture("b", "z"))
    story.then({"b::y": {"category": "missing", "opened": 2, "since": 3}, "b::z": {"category": "extra"}})
    assert open_entries(story.when(capture("b", "y"))) == {}


def test_the_descriptor_that_an_entry_was_rendered_from_decides_not_its_overridden_text():
    told = from_source("a::x", "x", definition=tool("x", description="our own words"))
    story = given(capture("a", "x"), rendered(told))
    assert open_entries(story) == {}
    assert open_entries(story.when(capture("a", changed("x")))) == {"a::x": "definition_differs"}


def test_only_the_parts_that_the_server_changed_are_named():
    told = from_source("a::x", "x", definition=tool("x", description="our own words"))
    story = given(capture("a", "x"), rendered(told), capture("a", changed("x")))
    story.then({"a::x": {"parts": ["inputSchema"]}})
    story = story.when(capture("a", changed("x", title="X")))
    story.then({"a::x": {"parts": ["inputSchema", "title"]}})


def test_a_source_may_be_named_without_its_name():
    told = entry("a::x", definition=tool("x", description="ours"), source_digest=nameless_digest(tool("x")))
    story = given(capture("a", "x"), rendered(told))
    assert open_entries(story) == {}
    story = story.when(capture("a", changed("x"))).then({"a::x": {"parts": ["inputSchema"]}})
    story.when(capture("a", changed("x", title="X"))).then({"a::x": {"parts": ["inputSchema", "title"]}})


def test_without_a_source_the_definition_without_its_name_decides():
    told = entry("a::x", "find", definition={**tool("x"), "name": "find"})
    story = given(capture("a", "x"), rendered(told))
    assert open_entries(story) == {}
    story.when(capture("a", changed("x"))).then({"a::x": {"category": "definition_differs", "parts": ["inputSchema"]}})


def test_a_source_that_only_its_producer_can_read_is_no_source():
    assert open_entries(given(capture("a", "x"), rendered(entry("a::x", source_digest="rev-7")))) == {}


def test_a_source_that_was_never_captured_differs_from_what_is_listed():
    told = from_source("a::x", changed("x"), definition=tool("x", title="X"))
    given(capture("a", "x"), rendered(told)).then({"a::x": {"category": "definition_differs", "parts": ["title"]}})


def test_another_output_schema_than_the_locked_one_is_locked_on_the_listed_basis_too():
    told = from_source("a::x", tool("x", outputSchema=OUTPUT), definition=tool("x"), locked=True)
    story = given(capture("a", tool("x", outputSchema=OUTPUT)), rendered(told))
    story.when(capture("a", tool("x", outputSchema=OTHER))).then({"a::x": {"category": "locked"}})


def test_a_hidden_tool_may_be_listed():
    story = given(capture("a", "x", "y"), rendered("a::x", hidden=hidden("a::y")))
    assert open_entries(story) == {}
    assert open_entries(story.when(rendered("a::x"))) == {"a::y": "extra"}


def test_another_exposed_name_is_no_difference_to_what_is_listed():
    told = entry("a::x", "a.x", definition=tool("x"))
    assert open_entries(given(capture("a", "x"), rendered(told))) == {}


# Aggregates, on the listed basis


def test_an_aggregate_agrees_when_every_tool_that_it_calls_is_listed():
    story = given(capture("a", "x", "y"), rendered(aggregate("suite::all", "a::x", "a::y")))
    assert open_entries(story) == {}
    story = story.when(capture("a", "x"))
    story.then({"suite::all": {"category": "missing", "parts": ["a::y"]}})
    assert open_entries(story.when(capture("a", "x", "y"))) == {}


def test_an_aggregate_does_not_mind_how_the_tools_that_it_calls_change():
    story = given(capture("a", "x"), rendered(aggregate("suite::all", "a::x")))
    assert open_entries(story.when(capture("a", changed("x")))) == {}


def test_an_aggregate_that_calls_a_server_nobody_listed_is_unobserved():
    story = given(capture("a", "x"), rendered(aggregate("suite::all", "a::x", "b::y")))
    story.then({"suite::all": {"category": "unobserved", "parts": ["b::y"]}})
    assert open_entries(story.when(capture("b", "y"))) == {}


def test_an_operation_that_names_no_server_is_met_by_any():
    story = given(capture("a", "x"), rendered(aggregate("suite::all", "x")))
    assert open_entries(story) == {}
    story = story.when(empty("a"))
    assert open_entries(story) == {"suite::all": "missing"}
    assert open_entries(story.when(capture("b", "x"))) == {}


def test_a_tool_that_an_aggregate_calls_is_not_extra():
    story = given(capture("a", "x"), rendered(aggregate("suite::all", "a::x")))
    assert open_entries(story.when(rendered())) == {"a::x": "extra"}
    assert open_entries(story.when(rendered()).when(rendered(aggregate("suite::all", "a::x")))) == {}


def test_against_what_is_served_an_aggregate_is_a_tool_like_any_other():
    story = given(rendered(aggregate("suite::all", "a::x")), served("suite::all"))
    assert open_entries(story) == {}
    assert open_entries(story.when(served())) == {"suite::all": "missing"}
