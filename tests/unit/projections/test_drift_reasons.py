"""Why a tool drifts, each reason with the event that proves it; and how reasons change while an entry stays open."""

from __future__ import annotations

import pytest

from ledger.canon.digest import digest
from ledger.projections.causes import REASONS
from ledger.projections.comparison import CATEGORIES
from tests.unit.projections.drift_stories import (
    aggregate,
    from_source,
    given,
    health,
    open_entries,
    proved,
    why,
)
from tests.unit.projections.facts import capture, empty, entry, failure, partial, rendered, served, tool
from tests.unit.projections.story import event, event_id

OTHER = {"type": "object", "properties": {"other": {"type": "string"}}}
OUTPUT = {"type": "object", "properties": {"out": {"type": "string"}}}


def changed(name, **fields):
    return tool(name, inputSchema=OTHER, **fields)


def named(name, like):
    """A tool of this name whose definition is that of another."""
    return {**tool(like), "name": name}


def test_categories_and_reasons_are_the_published_ones():
    """Others match on these words: a word may be added, none may change."""
    categories = "missing extra schema_fallback definition_differs locked hidden_leak unobserved"
    reasons = (
        "server_down server_disabled capture_failed not_listed hidden_by_override hidden_by_aggregate "
        "disabled_by_same_name name_collision renamed moved invalid_definition schema_fallback pending_adoption "
        "locked not_rendered_yet not_served_yet waived never_captured unobserved"
    )
    assert categories.split() == list(CATEGORIES)
    assert reasons.split() == list(REASONS)


# What a server does


@pytest.mark.parametrize(("after", "reason"), [("down", "server_down"), ("disabled", "server_disabled")])
def test_a_missing_tool_of_a_server_that_does_not_serve_is_told_by_the_servers_health(after, reason):
    story = given(capture("a", "x"), rendered("a::x"), health("a", after), served())
    assert why(story, "a::x") == (reason, 3)
    assert proved(story, "a::x") == (reason, event_id(3))


def test_a_missing_tool_of_a_server_that_cannot_be_listed_is_told_by_the_first_failure_of_the_streak():
    story = given(capture("a", "x"), rendered("a::x"), failure("a"), failure("a"), served())
    assert why(story, "a::x") == ("capture_failed", 3)


@pytest.mark.parametrize("served_before", [True, False])
def test_health_changes_the_reason_of_an_open_entry_and_gives_it_back(served_before):
    first = served() if served_before else capture("b", "z")
    story = given(capture("a", "y"), rendered("a::x", "a::y", "b::z"), first)
    assert why(story, "a::x") == ("not_listed", 1)
    story = story.when(health("a", "down")).then({"a::x": {"since": 4, "opened": 2}})
    assert why(story, "a::x") == ("server_down", 4)
    story = story.when(health("a", "disabled"))
    assert why(story, "a::x") == ("server_disabled", 5)
    assert why(story.when(health("a", "up")), "a::x") == ("not_listed", 1)


def test_a_failure_changes_the_reason_and_the_next_listing_gives_it_back():
    story = given(capture("a", "y"), rendered("a::x", "a::y")).when(failure("a"))
    assert why(story, "a::x") == ("capture_failed", 3)
    story.when(failure("a")).then_nothing()
    story = story.when(capture("a", "y"))
    assert why(story, "a::x") == ("not_listed", 1)
    assert why(story.when(failure("a")), "a::x") == ("capture_failed", 5)


def test_the_same_health_once_more_changes_nothing():
    given(capture("a"), rendered("a::x"), health("a", "down")).when(health("a", "down")).then_nothing()


def test_health_and_failures_touch_only_open_entries_of_their_server():
    story = given(capture("a", "y"), capture("b", "y"), rendered("a::x", "a::y", "b::x"))
    story.when(health("b", "down")).then_only("b::x", "@server/b")
    story.when(failure("a")).then_only("a::x", "@server/a")
    story.when(failure("c")).then_only("@server/c", "@servers")


def test_a_server_that_is_down_and_cannot_be_listed_is_down():
    story = given(capture("a", "x"), rendered("a::x"), failure("a"), health("a", "down"), served())
    assert why(story, "a::x") == ("server_down", 4)


def test_a_listing_that_lacks_the_tool_is_newer_than_the_health_before_it():
    story = given(capture("a", "x"), rendered("a::x"), health("a", "down"), capture("a", "y"))
    assert why(story, "a::x") == ("not_listed", 4)


def test_a_tool_that_differs_while_its_server_is_down_is_told_by_that_when_nothing_else_tells():
    story = given(rendered("a::x"), health("a", "down"), served(entry("a::x", definition=changed("x"))))
    assert why(story, "a::x") == ("server_down", 2)


# What listings show


def test_a_tool_that_a_complete_listing_lacks_is_not_listed():
    story = given(capture("a", "x", "y"), rendered("a::x", "a::y"), capture("a", "y"), served("a::y"))
    assert why(story, "a::x") == ("not_listed", 3)


def test_a_tool_that_was_never_listed_is_not_listed_since_the_listing_that_lacks_it():
    assert why(given(capture("a", "y"), rendered("a::x", "a::y")), "a::x") == ("not_listed", 1)


def test_the_listing_that_lost_a_tool_is_told_by_its_position_when_later_ones_hide_its_id():
    story = given(capture("a", "x", "y"), rendered("a::x", "a::y"), capture("a", "y"), capture("a", "y", "z"))
    story = story.when(served("a::y"))
    assert story.rows["a::x"]["reason_seq"] == 3
    assert story.rows["a::x"]["reason_event"] == event_id(3)  # it was open since then, and keeps its proof
    late = given(rendered("a::x"), served("a::x"), capture("a", "x"), capture("a", "y"), capture("a", "z"), served())
    assert (late.rows["a::x"]["reason_seq"], late.rows["a::x"]["reason_event"]) == (4, None)


def test_a_tool_of_a_server_nobody_listed_was_never_captured():
    assert why(given(capture("a", "x"), rendered("a::x", "b::y")), "b::y") == ("never_captured", 2)
    assert why(given(rendered("a::x"), served()), "a::x") == ("never_captured", 1)


def test_a_server_that_only_ever_failed_is_told_by_its_failure():
    story = given(capture("a", "x"), rendered("a::x", "b::y"), failure("b"))
    assert why(story, "b::y") == ("capture_failed", 3)


def test_a_tool_that_only_a_partial_listing_shows_is_unobserved_on_the_listed_basis():
    story = given(capture("a", "x"), rendered("a::x", "a::y", "b::z"))
    story = story.on(partial("a", "y"), partial("b", "z"))
    assert why(story, "a::y") == ("unobserved", 3)
    assert why(story, "b::z") == ("unobserved", 4)
    assert open_entries(story) == {"a::y": "missing", "b::z": "unobserved"}


def test_a_partial_listing_that_lacks_a_tool_too_leaves_it_not_listed():
    story = given(capture("a", "x"), rendered("a::x", "a::y")).when(partial("a", "x"))
    assert why(story, "a::y") == ("not_listed", 1)


def test_a_renamed_tool_is_missing_under_the_old_name_and_extra_under_the_new_for_the_same_reason():
    story = given(capture("a", "old"), rendered("a::old"), capture("a", named("new", "old")))
    assert open_entries(story) == {"a::old": "missing", "a::new": "extra"}
    assert why(story, "a::old") == why(story, "a::new") == ("renamed", 3)
    story.then({"a::old": {"detail": "a::new"}, "a::new": {"detail": "a::old"}})
    story = story.when(served(entry("a::new", definition=named("new", "old"))))
    assert why(story, "a::old") == why(story, "a::new") == ("renamed", 3)


def test_a_tool_that_another_server_lists_now_has_moved():
    story = given(capture("a", "x"), rendered("a::x"), empty("a"))
    assert why(story, "a::x") == ("not_listed", 3)
    story = story.when(capture("b", "x"))
    assert why(story, "a::x") == why(story, "b::x") == ("moved", 4)
    story.then({"a::x": {"detail": "b::x", "opened": 3, "since": 4}, "b::x": {"detail": "a::x"}})


def test_a_tool_has_moved_also_when_the_new_server_is_listed_first():
    story = given(capture("a", "x"), rendered("a::x"), capture("b", "x"))
    assert why(story, "b::x") == ("not_rendered_yet", 3)
    story = story.when(empty("a"))
    assert why(story, "a::x") == why(story, "b::x") == ("moved", 4)


def test_a_tool_that_moves_back_has_moved():
    story = given(capture("a", "x"), rendered("a::x"), empty("a"), capture("b", "x"), rendered("b::x"), empty("b"))
    story = story.when(capture("a", "x"))
    assert why(story, "b::x") == why(story, "a::x") == ("moved", 7)


@pytest.mark.parametrize(
    "elsewhere",
    [
        pytest.param([capture("b", changed("x"))], id="another definition"),
        pytest.param([capture("b", "x"), capture("c", "x")], id="two servers"),
        pytest.param([capture("b", named("z", "x"))], id="another name"),
    ],
)
def test_without_one_match_on_one_other_server_a_tool_has_not_moved(elsewhere):
    story = given(capture("a", "x"), rendered("a::x"), empty("a")).on(*elsewhere)
    assert why(story, "a::x") == ("not_listed", 3)


def test_a_tool_that_the_other_server_listed_all_along_has_not_moved():
    story = given(capture("b", "x"), capture("a", "x"), rendered("a::x", "b::x"), empty("a"))
    assert why(story, "a::x") == ("not_listed", 4)


def test_a_tool_whose_definition_was_rejected_is_invalid():
    rejected = [{"name": "x", "reason": "no inputSchema"}]
    story = given(capture("a", "x", "y"), rendered("a::x", "a::y"), capture("a", "y", rejected=rejected))
    assert why(story, "a::x") == ("invalid_definition", 3)
    story.then({"a::x": {"detail": "no inputSchema"}})


def test_a_definition_that_is_rejected_where_it_was_lacking_changes_the_reason():
    story = given(capture("a", "y"), rendered("a::x", "a::y"))
    story = story.when(capture("a", "y", rejected=[{"name": "x", "reason": "no name"}, {"reason": "no object"}]))
    assert why(story, "a::x") == ("invalid_definition", 3)
    assert why(story.when(capture("a", "y")), "a::x") == ("not_listed", 4)


# What was rendered and served when


def test_a_tool_that_was_rendered_after_the_last_serving_waits_to_be_served():
    story = given(rendered("a::x"), served("a::x"), rendered("a::x", "a::y"))
    assert why(story, "a::y") == ("not_served_yet", 3)
    assert why(story.when(health("a", "down")), "a::y") == ("not_served_yet", 3)
    assert why(story.when(served("a::x")), "a::y") == ("never_captured", 3)


def test_a_changed_entry_waits_to_be_served():
    story = given(rendered("a::x"), served("a::x"), rendered(entry("a::x", definition=changed("x"))))
    assert why(story, "a::x") == ("not_served_yet", 3)
    assert why(story.when(served("a::x")), "a::x") == ("unobserved", 2)


def test_a_dropped_entry_waits_not_to_be_served():
    story = given(rendered("a::x", "a::y"), served("a::x", "a::y"), rendered("a::x"))
    assert why(story, "a::y") == ("not_served_yet", 3)
    assert why(story.when(served("a::x", "a::y")), "a::y") == ("unobserved", 2)


def test_a_tool_that_came_after_the_last_render_waits_to_be_rendered():
    story = given(capture("a", "x"), rendered("a::x"), capture("a", "x", "y"))
    assert why(story, "a::y") == ("not_rendered_yet", 3)
    assert why(story.when(served("a::x", "a::y")), "a::y") == ("not_rendered_yet", 3)
    assert why(story.when(rendered("a::x")), "a::y") == ("unobserved", 3)


def test_a_tool_that_was_served_first_after_the_last_render_waits_to_be_rendered():
    assert why(given(rendered("a::x"), served("a::x", "a::y")), "a::y") == ("not_rendered_yet", 2)


def test_a_definition_that_changed_after_the_last_render_waits_to_be_rendered():
    story = given(capture("a", "x"), rendered(from_source("a::x", "x")), capture("a", changed("x")))
    assert why(story, "a::x") == ("not_rendered_yet", 3)
    story = story.when(served(entry("a::x", definition=changed("x"))))
    assert why(story, "a::x") == ("not_rendered_yet", 3)


def test_a_difference_that_no_event_explains_is_shown_by_the_event_that_has_it():
    story = given(capture("a", "x"), rendered("a::x"), served(entry("a::x", definition=changed("x"))))
    assert why(story, "a::x") == ("unobserved", 3)
    story = given(capture("a", changed("x")), rendered("a::x"))
    assert why(story, "a::x") == ("unobserved", 1)


# Schemas


def test_a_schema_fallback_is_told_by_the_fallback_or_by_the_serving_that_shows_it():
    told = entry("a::x", definition=tool("x", outputSchema=OUTPUT))
    weak = served(entry("a::x", definition=tool("x", outputSchema={}), schema_source="generic_wrapper"))
    assert why(given(rendered(told), weak), "a::x") == ("schema_fallback", 2)
    fallback = event("fallback.engaged", server="a", tool="x", step="generic_wrapper")
    assert why(given(rendered(told), fallback, weak), "a::x") == ("schema_fallback", 2)


def test_a_locked_schema_is_told_by_the_render_that_locks_it():
    told = entry("a::x", definition=tool("x", outputSchema=OUTPUT), locked=True)
    story = given(rendered(told), served(entry("a::x", definition=tool("x", outputSchema=OTHER))))
    assert why(story, "a::x") == ("locked", 1)


def test_a_newer_schema_that_is_served_before_it_is_promoted_is_pending_adoption():
    first, second = (tool("x", outputSchema=schema) for schema in (OUTPUT, OTHER))
    told = rendered(from_source("a::x", second, definition=first))
    story = given(
        capture("a", first), rendered(from_source("a::x", first, definition=first)), capture("a", second), told
    )
    assert open_entries(story) == {}
    story = story.when(served(entry("a::x", definition=second)))
    assert why(story, "a::x") == ("pending_adoption", 4)
    story = given(*_failing_schema(first, second, told)).when(served(entry("a::x", definition=second)))
    assert why(story, "a::x") == ("pending_adoption", 4)


def _failing_schema(first, second, told):
    validated = {"server": "a", "tool": "x", "schema_hash": digest(OTHER), "result": "fail"}
    before = rendered(from_source("a::x", first, definition=first))
    return capture("a", first), before, capture("a", second), told, event("schema.validated", **validated)


def test_a_schema_on_probation_is_not_pending_adoption():
    story = given(rendered(entry("a::x", definition=tool("x", outputSchema=OUTPUT))))
    story = story.when(served(entry("a::x", definition=tool("x", outputSchema=OTHER))))
    assert why(story, "a::x") == ("unobserved", 2)


# Aggregates


def test_an_aggregate_is_missing_for_the_reason_of_a_tool_that_it_calls():
    story = given(capture("a", "x"), rendered(aggregate("suite::all", "a::x", "a::y")))
    assert why(story, "suite::all") == ("not_listed", 1)
    story = story.when(health("a", "down"))
    assert why(story, "suite::all") == ("server_down", 3)
    story = story.when(served())
    assert why(story, "suite::all") == ("server_down", 3)


def test_an_aggregate_is_missing_also_because_of_its_own_server():
    story = given(capture("a", "x"), rendered(aggregate("suite::all", "a::x")), served(), health("suite", "down"))
    assert why(story, "suite::all") == ("server_down", 4)


def test_an_aggregate_whose_tools_are_all_there_is_missing_for_no_known_reason():
    story = given(capture("a", "x"), rendered(aggregate("suite::all", "a::x")), served())
    assert why(story, "suite::all") == ("unobserved", 3)
