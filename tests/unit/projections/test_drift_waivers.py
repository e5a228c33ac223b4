"""Waivers are kept as they were said; whether one holds is asked with a time."""

from __future__ import annotations

import pytest

from ledger.projections.waivers import waiver_of
from tests.unit.projections.drift_stories import given, open_entries, why
from tests.unit.projections.facts import entry, rendered, served, us
from tests.unit.projections.story import event, event_id

UNTIL = "2026-01-01T00:00:00.000000Z"
UNTIL_US = 1_767_225_600_000_000


def waive(subject, until=UNTIL, **fields):
    given_until = {} if until is None else {"until": until}
    return event("drift.waived", subject=subject, **given_until, **fields)


def test_a_waiver_is_kept_with_who_why_and_until_when():
    story = given().when(waive("a::x", reason="known", approved_by="alice")).then_only("waiver/a::x")
    assert story.rows["waiver/a::x"] == {
        "reason": "known",
        "approved_by": "alice",
        "until_us": UNTIL_US,
        "seq": 1,
        "event": event_id(1),
    }


def test_a_waiver_hides_nothing():
    story = given(rendered("a::x"), served()).when(waive("a::x"))
    assert open_entries(story) == {"a::x": "missing"}
    assert why(story, "a::x") == ("never_captured", 1)


def test_a_later_waiver_takes_the_place_of_an_earlier_one():
    story = given(waive("a::x", reason="one"), waive("a::x", until="2020-01-01T00:00:00Z", reason="revoked"))
    story.then({"waiver/a::x": {"reason": "revoked", "seq": 2}})
    assert waiver_of(story.rows, "a::x", us(9)) is None


@pytest.mark.parametrize("subject", ["a::x", "find", "a", "all"])
def test_a_waiver_may_be_for_a_tool_for_the_name_clients_see_for_a_server_or_for_all(subject):
    story = given(rendered(entry("a::x", "find"), "b::y"), served(), waive(subject))
    found = waiver_of(story.rows, "a::x", us(9))
    assert found is not None
    assert (found["subject"], found["seq"]) == (subject, 3)
    assert (waiver_of(story.rows, "b::y", us(9)) is not None) == (subject == "all")


def test_the_narrowest_waiver_that_holds_is_told():
    story = given(rendered(entry("a::x", "find")), served())
    subjects = ["all", "a", "find", "a::x"]
    for subject in subjects:
        story = story.when(waive(subject))
        found = waiver_of(story.rows, "a::x", us(9))
        assert found is not None
        assert found["subject"] == subject
    story = story.when(waive("a::x", until="2020-01-01T00:00:00Z"))
    found = waiver_of(story.rows, "a::x", us(9))
    assert found is not None
    assert found["subject"] == "find"


def test_a_waiver_holds_until_its_moment_and_not_in_it():
    rows = given(waive("all")).rows
    assert waiver_of(rows, "a::x", UNTIL_US - 1) is not None
    assert waiver_of(rows, "a::x", UNTIL_US) is None


def test_a_waiver_without_an_end_holds_until_it_is_revoked():
    story = given(waive("all", until=None))
    assert waiver_of(story.rows, "a::x", UNTIL_US * 2) is not None
    assert waiver_of(story.when(waive("all")).rows, "a::x", UNTIL_US) is None
