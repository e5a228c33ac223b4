"""When an entry opens and closes, against what it is compared, and which category it has."""

from __future__ import annotations

import pytest

from ledger.projections.episodes import observations
from tests.unit.projections.drift_stories import aggregate, basis, given, health, hidden, open_entries
from tests.unit.projections.facts import capture, empty, entry, failure, partial, rendered, served, tool, us
from tests.unit.projections.story import event

OTHER = {"type": "object", "properties": {"other": {"type": "string"}}}
OUTPUT = {"type": "object", "properties": {"out": {"type": "string"}}}


def changed(name, **fields):
    """The tool of this name with another input schema."""
    return tool(name, inputSchema=OTHER, **fields)


# The basis


def test_without_a_serving_and_without_a_whole_listing_there_is_no_basis_and_no_entry():
    story = given(rendered("a::x"), partial("a", "y"), failure("b"), health("a", "down"))
    assert basis(story) == "none"
    assert open_entries(story) == {}


@pytest.mark.parametrize("told", [capture("a", "x"), empty("a")])
def test_a_whole_listing_makes_the_listed_basis(told):
    given().when(told).then({"@basis": {"basis": "listed", "seq": 1}})


def test_the_first_serving_makes_the_served_basis_for_good():
    story = given(capture("a", "x")).when(served("a::x")).then({"@basis": {"basis": "served", "seq": 2}})
    story.on(capture("a", "y"), served()).then({"@basis": {"basis": "served", "seq": 2}})


def test_the_basis_switches_from_listed_to_served_and_entries_with_it():
    story = given(capture("a", "x", "z"), rendered("a::x", "a::y"))
    assert open_entries(story) == {"a::y": "missing", "a::z": "extra"}
    story = story.when(served("a::y"))
    assert open_entries(story) == {"a::x": "missing"}
    story.then({"a::y": {"state": "closed", "closed": 3}, "a::z": {"state": "closed", "closed": 3}})


def test_without_a_render_nothing_is_intended_and_nothing_drifts():
    story = given(capture("a", "x"), served("a::y"), event("render.refused", reason="descriptors_stale"))
    assert open_entries(story) == {}


def test_the_first_render_is_compared_with_all_that_was_served_before():
    story = given(served("a::x", "a::y")).when(rendered("a::y", "a::z"))
    assert open_entries(story) == {"a::x": "extra", "a::z": "missing"}


def test_the_first_render_is_compared_with_all_that_was_listed_before():
    story = given(capture("a", "x", "y"), capture("b", "z")).when(rendered("a::y", "b::z"))
    assert open_entries(story) == {"a::x": "extra"}


def test_on_the_served_basis_a_listing_opens_and_closes_nothing():
    story = given(rendered("a::x", "a::y"), served("a::x"))
    assert open_entries(story) == open_entries(story.on(capture("a", "z"), capture("a", "x", "y"), empty("a")))


# Opening and closing


def test_an_entry_opens_where_the_two_part_and_closes_where_they_meet():
    story = given(rendered("a::x"), served("a::x"), served())
    story.then({"a::x": {"state": "open", "category": "missing", "opened": 3, "opened_us": us(2), "since": 3}})
    story = story.when(served("a::x"))
    story.then({"a::x": {"state": "closed", "category": "missing", "opened": 3, "closed": 4, "closed_us": us(3)}})


def test_an_entry_that_parts_again_is_a_new_one():
    story = given(rendered("a::x"), served(), served("a::x")).when(served())
    story.then({"a::x": {"state": "open", "opened": 4, "since": 4, "closed": "absent", "seen": "absent"}})


def test_an_entry_that_closes_leaves_the_index_of_open_ones():
    story = given(rendered("a::x", "a::y", "b::z"), served())
    story.then({"@open": {"servers": ["a", "b"]}, "@open/a": {"keys": ["a::x", "a::y"]}})
    story = story.when(served("a::x")).then({"@open/a": {"keys": ["a::y"]}})
    story.when(served("a::x", "a::y")).then({"@open": {"servers": ["b"]}, "@open/a": None})


def test_an_entry_also_opens_and_closes_by_a_render():
    story = given(rendered("a::x"), served("a::x")).when(rendered("a::x", "a::y"))
    story.then({"a::y": {"state": "open", "opened": 3}})
    story.when(rendered("a::x")).then({"a::y": {"state": "closed", "closed": 4}})


def test_an_entry_also_opens_and_closes_by_an_empty_listing():
    story = given(capture("a", "x"), rendered("a::x")).when(empty("a"))
    assert open_entries(story) == {"a::x": "missing"}
    assert open_entries(story.when(capture("a", "x"))) == {}


@pytest.mark.parametrize("told", [failure("a"), partial("a", "y"), partial("a"), health("a", "down")])
def test_failures_partial_listings_and_health_open_and_close_nothing(told):
    story = given(capture("a", "x"), rendered("a::x", "a::y"))
    assert open_entries(story) == {"a::y": "missing"} == open_entries(story.when(told))


def test_a_partial_listing_does_not_count_for_a_later_render_either():
    """The basis is the last complete listing: a partial one neither adds to it nor changes it."""
    story = given(capture("a", "x"), rendered("a::x"), partial("a", changed("x"), "y"))
    assert open_entries(story.when(rendered("a::x", "a::y"))) == {"a::y": "missing"}


def test_a_complete_listing_confirms_what_a_partial_one_added():
    story = given(capture("a", "x"), rendered("a::x", "a::y"), partial("a", "y"))
    assert open_entries(story.when(capture("a", "x", "y"))) == {}


def test_an_entry_stays_open_while_its_category_changes():
    story = given(rendered("a::x"), served()).when(served(entry("a::x", definition=changed("x"))))
    story.then({"a::x": {"state": "open", "category": "definition_differs", "opened": 2, "since": 3}})


def test_the_same_serving_and_the_same_render_once_more_change_nothing():
    story = given(rendered("a::x", "a::y"), served("a::y"))
    story.when(served("a::y")).then_nothing()
    story.when(rendered("a::x", "a::y")).then_nothing()


def test_the_same_listing_once_more_changes_nothing():
    story = given(capture("a", "x", "y"), rendered("a::x", "a::z"))
    story.when(capture("a", "x", "y")).then_nothing()


def test_validations_fallbacks_and_notes_are_none_of_its_business():
    story = given(rendered("a::x"), served())
    facts = {"server": "a", "tool": "x"}
    story.when(event("schema.validated", **facts, schema_hash="h", result="fail")).then_nothing()
    story.when(event("fallback.engaged", **facts, step="generic_wrapper")).then_nothing()
    story.when(event("note.added", text="…")).then_nothing()


# Categories, on the served basis


def test_a_tool_that_is_intended_and_not_served_is_missing():
    assert open_entries(given(rendered("a::x", "a::y"), served("a::x"))) == {"a::y": "missing"}


def test_a_tool_that_is_served_and_not_intended_is_extra():
    assert open_entries(given(rendered("a::x"), served("a::x", "a::y"))) == {"a::y": "extra"}


def test_a_tool_of_the_same_name_on_another_server_is_another_tool():
    story = given(rendered("a::x"), served("b::x"))
    assert open_entries(story) == {"a::x": "missing", "b::x": "extra"}


@pytest.mark.parametrize(
    ("definition", "parts"),
    [
        (tool("x", description="does more"), ["description"]),
        (tool("x", inputSchema=OTHER), ["inputSchema"]),
        (tool("x", outputSchema=OTHER), ["outputSchema"]),
        (tool("x", title="X", annotations={"readOnlyHint": True}), ["annotations", "title"]),
        (tool("x", **{"x-vendor": None}), ["x-vendor"]),
    ],
)
def test_any_field_that_differs_is_a_difference_and_is_named(definition, parts):
    story = given(rendered("a::x"), served(entry("a::x", definition=definition)))
    story.then({"a::x": {"category": "definition_differs", "parts": parts}})


def test_one_and_true_are_not_the_same():
    told = [entry("a::x", definition=tool("x", flag=value)) for value in (1, True)]
    given(rendered(told[0]), served(told[1])).then({"a::x": {"parts": ["flag"]}})


def test_another_exposed_name_is_a_difference():
    found = entry("a::x", "a.x", definition=tool("x"))
    story = given(rendered("a::x"), served(found))
    story.then({"a::x": {"category": "definition_differs", "parts": ["name"], "name": "x", "actual_name": "a.x"}})


def test_parts_follow_what_is_served():
    story = given(rendered("a::x"), served(entry("a::x", definition=changed("x"))))
    story = story.when(served(entry("a::x", definition=tool("x", description="does more"))))
    story.then({"a::x": {"parts": ["description"], "opened": 2, "since": 2}})


@pytest.mark.parametrize("source", ["prior_override", "generic_wrapper"])
def test_a_weaker_output_schema_than_intended_is_a_schema_fallback(source):
    weak = entry("a::x", definition=tool("x", outputSchema={"type": "object"}), schema_source=source)
    story = given(rendered(entry("a::x", definition=tool("x", outputSchema=OUTPUT))), served(weak))
    story.then({"a::x": {"category": "schema_fallback", "parts": ["outputSchema"]}})


def test_a_fallback_that_serves_what_is_intended_is_no_drift():
    told = entry("a::x", definition=tool("x", outputSchema=OUTPUT))
    assert open_entries(given(rendered(told), served({**told, "schema_source": "prior_override"}))) == {}


def test_a_fallback_does_not_excuse_another_field():
    other = entry("a::x", definition=tool("x", description="more"), schema_source="generic_wrapper")
    given(rendered("a::x"), served(other)).then({"a::x": {"category": "definition_differs"}})


@pytest.mark.parametrize("by", ["entry", "render"])
def test_another_output_schema_than_the_locked_one_is_locked(by):
    told = entry("a::x", definition=tool("x", outputSchema=OUTPUT), **({"locked": True} if by == "entry" else {}))
    locks = {"locked": [{"server": "a", "tool": "x"}]} if by == "render" else {}
    found = entry("a::x", definition=tool("x", outputSchema=OTHER))
    given(rendered(told, **locks), served(found)).then({"a::x": {"category": "locked", "parts": ["outputSchema"]}})


def test_a_lock_holds_the_output_schema_and_nothing_else():
    told = entry("a::x", locked=True)
    found = entry("a::x", definition=changed("x", outputSchema=OUTPUT))
    given(rendered(told), served(found)).then({"a::x": {"category": "definition_differs"}})


def test_a_hidden_tool_that_is_served_is_a_leak():
    story = given(rendered("a::x", hidden=hidden("a::y")), served("a::x", "a::y", "b::y"))
    assert open_entries(story) == {"a::y": "hidden_leak", "b::y": "extra"}
    assert open_entries(story.when(served("a::x"))) == {}


def test_a_tool_that_is_hidden_on_every_server_leaks_on_any():
    story = given(capture("b", "y"), rendered(hidden=hidden("y")), served("a::y", "b::y"))
    assert open_entries(story) == {"a::y": "hidden_leak", "b::y": "hidden_leak"}
    assert open_entries(story.when(rendered())) == {"a::y": "extra", "b::y": "extra"}


def test_a_gateway_that_knows_only_names_leaks_a_hidden_tool_by_its_name():
    story = given(rendered("a::x", hidden=hidden("a::y")), served(entry("x"), entry("y"), entry("z")))
    assert open_entries(story) == {"?::y": "hidden_leak", "?::z": "extra"}


def test_a_tool_that_becomes_hidden_while_it_is_served_turns_into_a_leak():
    story = given(rendered("a::x"), served("a::x", "a::y")).when(rendered("a::x", hidden=hidden("a::y")))
    story.then({"a::y": {"category": "hidden_leak", "opened": 2, "since": 3}})
    story.when(rendered("a::x")).then({"a::y": {"category": "extra"}})


def test_a_tool_that_becomes_hidden_by_a_render_that_drops_it_is_a_leak_at_once():
    story = given(rendered("a::x", "a::y"), served("a::x", "a::y"))
    assert open_entries(story.when(rendered("a::x", hidden=hidden("a::y")))) == {"a::y": "hidden_leak"}


def test_a_mere_name_is_understood_anew_after_a_render():
    """A serving of names means other tools once a render gives the names to others."""
    story = given(rendered(entry("a::x", "find")), served(entry("find", definition=tool("find"))))
    assert open_entries(story) == {}
    story = story.when(rendered(entry("b::x", "find")))
    assert open_entries(story) == {"a::x": "extra", "b::x": "missing"}
    story = story.when(served(entry("find", definition=tool("find"))))
    assert open_entries(story) == {}


def test_a_mere_name_that_two_tools_have_after_a_render_is_neither_of_them():
    names = served(entry("x"))
    story = given(rendered("a::x"), names, rendered("a::x", "b::x"))
    assert open_entries(story) == {"b::x": "missing"}
    assert open_entries(story.when(names)) == {"?::x": "extra", "a::x": "missing", "b::x": "missing"}


def test_a_name_that_is_no_longer_served_is_missed_where_it_belonged():
    story = given(rendered("a::x", "a::y"), served(entry("x"), entry("y")))
    assert open_entries(story.when(served(entry("x")))) == {"a::y": "missing"}


# How often it was seen


def seen(story, key):
    return observations(story.rows[key], story.states["servers"])


def test_an_entry_counts_the_servings_while_it_is_open_without_being_stored_again():
    story = given(rendered("a::x"), served())
    assert seen(story, "a::x") == 1
    story = story.when(served()).then_nothing().when(served())
    assert seen(story, "a::x") == 3
    story = story.when(served("a::x"))
    assert seen(story, "a::x") == 3
    assert seen(story.on(served("a::x")), "a::x") == 3


def test_an_entry_counts_the_listings_of_its_own_server():
    story = given(capture("a", "y"), rendered("a::x", "a::y"), capture("b", "z"))
    assert seen(story, "a::x") == 0
    story = story.on(capture("a", "y"), capture("a", "y"), failure("a"))
    assert seen(story, "a::x") == 2
    story = story.when(capture("a", "x", "y"))
    assert (story.rows["a::x"]["seen"], seen(story, "a::x")) == (2, 2)


def test_an_entry_that_another_server_opens_was_not_seen_yet():
    story = given(rendered("a::x", "b::y"), capture("a", "x"))
    assert open_entries(story) == {"b::y": "unobserved"}
    assert seen(story, "b::y") == 0


def test_an_entry_that_outlives_a_switch_of_the_basis_goes_on_counting():
    story = given(capture("a", "x"), rendered("a::x", "a::y"), capture("a", "x"), served("a::x"), served("a::x"))
    assert seen(story, "a::y") == 3
    story.when(served("a::x", "a::y")).then({"a::y": {"seen": 3}})


def test_an_aggregate_counts_the_listings_of_a_server_that_it_calls():
    story = given(capture("a", "x"), rendered(aggregate("suite::all", "a::x", "a::y")), capture("a", "x"))
    assert seen(story, "suite::all") == 1
