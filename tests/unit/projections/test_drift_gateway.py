"""Why a tool drifts from what a gateway serves: what it says of what it left out, who has a name, what leaks."""

from __future__ import annotations

import pytest

from ledger.projections.causes import REASONS
from tests.unit.projections.drift_stories import given, health, hidden, omitted, open_entries, proved, why
from tests.unit.projections.facts import capture, empty, entry, rendered, served, tool
from tests.unit.projections.story import event_id

# What the gateway says of what it left out


@pytest.mark.parametrize("reason", [name for name in REASONS if name != "waived"])
def test_what_the_gateway_says_is_the_reason(reason):
    story = given(rendered("a::x"), served(omitted=[omitted("a::x", reason, detail="as told")]))
    assert why(story, "a::x") == (reason, 2)
    story.then({"a::x": {"detail": "as told"}})


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("health_gate", "server_down"),
        ("Unhealthy", "server_down"),
        ("discovery-failure", "capture_failed"),
        ("hidden", "hidden_by_override"),
        ("collision", "name_collision"),
        ("invalid schema", "invalid_definition"),
        ("never_seen", "never_captured"),
        ("hidden_by_aggregate: fs_suite", "hidden_by_aggregate"),
    ],
)
def test_words_of_other_gateways_are_understood(said, meant):
    story = given(capture("a", "x"), rendered("a::x"), served(omitted=[omitted("a::x", said)]))
    assert why(story, "a::x") == (meant, 3)


def test_the_cause_that_the_gateway_names_is_the_proof():
    cause = event_id(77)
    story = given(rendered("a::x"), served(omitted=[omitted("a::x", "server_down", cause=cause)]))
    assert proved(story, "a::x") == ("server_down", cause)


@pytest.mark.parametrize("place", [{"server": "a", "tool": "x"}, {"server": "a", "name": "find"}, {"name": "find"}])
def test_a_tool_may_be_left_out_by_who_it_is_or_by_the_name_that_clients_see(place):
    story = given(rendered(entry("a::x", "find")), served(omitted=[{**place, "reason": "server_down"}]))
    assert why(story, "a::x") == ("server_down", 2)


def test_a_name_that_two_entries_have_may_be_left_out_for_both():
    told = rendered(entry("a::x", "find"), entry("b::x", "find"))
    story = given(told, served(omitted=[{"name": "find", "reason": "name_collision"}]))
    assert why(story, "a::x") == why(story, "b::x") == ("name_collision", 2)


def test_words_that_nobody_understands_are_kept_and_explain_nothing():
    story = given(capture("a", "x"), rendered("a::x"), served(omitted=[omitted("a::x", "policy 7")]))
    assert why(story, "a::x") == ("unobserved", 3)
    story.then({"a::x": {"detail": "policy 7"}})
    assert why(story.when(health("a", "down")), "a::x") == ("server_down", 4)


def test_nobody_but_a_reader_can_say_that_a_drift_is_waived():
    story = given(capture("a", "x"), rendered("a::x"), served(omitted=[omitted("a::x", "waived")]))
    assert why(story, "a::x") == ("unobserved", 3)


def test_what_the_gateway_said_stands_until_something_newer_happens_to_the_server():
    said = served(omitted=[omitted("a::x", "hidden_by_override")])
    story = given(capture("a", "x"), rendered("a::x"), health("a", "down"), said)
    assert why(story, "a::x") == ("hidden_by_override", 4)
    story = story.on(health("a", "up"), health("a", "down"))
    assert why(story, "a::x") == ("server_down", 6)
    assert why(story.when(said), "a::x") == ("hidden_by_override", 4)


def test_a_tool_whose_server_recovered_since_the_serving_waits_to_be_served():
    said = served(omitted=[omitted("a::x", "server_down")])
    story = given(capture("a", "x"), rendered("a::x"), health("a", "down"), said, health("a", "up"))
    assert why(story, "a::x") == ("not_served_yet", 5)
    assert why(story.when(said), "a::x") == ("server_down", 4)
    assert open_entries(story.when(served("a::x"))) == {}


def test_a_tool_whose_server_is_still_down_waits_for_nothing():
    said = served(omitted=[omitted("a::x", "server_down")])
    story = given(health("a", "down"), rendered("a::x"), said, capture("a", "x"))
    assert why(story, "a::x") == ("server_down", 3)


def test_what_is_left_out_for_another_reason_in_the_same_list_changes_the_reason():
    story = given(capture("a", "x"), rendered("a::x"), served(omitted=[omitted("a::x", "server_down")]))
    story = story.when(served(omitted=[omitted("a::x", "hidden_by_aggregate")]))
    assert why(story, "a::x") == ("hidden_by_aggregate", 4)
    story.then({"a::x": {"opened": 3, "since": 4}})


# What follows from names


def test_a_missing_tool_whose_name_another_has_lost_a_collision():
    story = given(capture("b", "x"), rendered("a::w", "b::x"), served("a::w", entry("a::v", "x")))
    assert why(story, "b::x") == ("name_collision", 3)
    story.then({"b::x": {"detail": "a::v"}})


def test_a_tool_that_is_served_under_another_name_because_its_own_is_taken_lost_a_collision():
    story = given(rendered("b::x"), served(entry("a::x"), entry("b::x", "b.x", definition=tool("x"))))
    assert why(story, "b::x") == ("name_collision", 2)
    assert why(given(rendered("b::x"), served(entry("b::x", "b.x"))), "b::x") == ("unobserved", 2)


def test_a_name_that_is_given_back_and_taken_again_changes_the_reason():
    shown = entry("b::x", "b.x", definition=tool("x"))
    story = given(rendered("b::x"), served(shown))
    assert why(story, "b::x") == ("unobserved", 2)
    story = story.when(served("a::x", shown))
    assert why(story, "b::x") == ("name_collision", 3)
    assert why(story.when(served(shown)), "b::x") == ("unobserved", 2)


def test_a_missing_tool_may_be_struck_by_a_rule_that_hides_its_name_on_another_server():
    told = rendered("mem::list", hidden=hidden("fs::list"))
    story = given(capture("mem", "list"), told, served())
    assert why(story, "mem::list") == ("disabled_by_same_name", 2)
    story.then({"mem::list": {"detail": "fs::list"}})


def test_names_explain_only_what_listings_leave_unexplained():
    told = rendered("mem::list", hidden=hidden("fs::list"))
    assert why(given(empty("mem"), told, served()), "mem::list") == ("not_listed", 1)


# Hidden tools that are served


@pytest.mark.parametrize(
    ("reason", "meant"),
    [
        ("hidden_by_override", "hidden_by_override"),
        ("hidden_by_aggregate: fs_suite", "hidden_by_aggregate"),
        ("disabled_by_same_name", "disabled_by_same_name"),
        ("server_disabled", "server_disabled"),
        ("not for clients", "hidden_by_override"),
    ],
)
def test_a_leak_is_told_by_what_hides_the_tool(reason, meant):
    story = given(rendered(hidden=hidden("a::x", reason=reason, layer="local")), served("a::x"))
    assert why(story, "a::x") == (meant, 1)
    story.then({"a::x": {"category": "hidden_leak", "detail": "local"}})


def test_a_tool_that_was_hidden_after_the_last_serving_waits_not_to_be_served():
    story = given(rendered("a::x"), served("a::x"), rendered(hidden=hidden("a::x")))
    assert why(story, "a::x") == ("not_served_yet", 3)
    assert why(story.when(served("a::x")), "a::x") == ("hidden_by_override", 3)


def test_a_proof_stays_the_first_one_while_the_reason_holds():
    said = [served(omitted=[omitted("a::x", "server_down", detail=each)]) for each in ("one", "two")]
    story = given(rendered("a::x")).on(*said)
    story.then({"a::x": {"reason_seq": 2, "detail": "two", "since": 2}})
