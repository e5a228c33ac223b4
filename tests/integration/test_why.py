"""`catledger why`: the verdict, every cause in order, and the events that prove them, now and at earlier moments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.told import capture_failed, entry, health, listing, record, rendered, served
from tests.parts import tool

if TYPE_CHECKING:
    from tests.integration.command import Command

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}}


def asked(catledger: Command, *words: str) -> dict[str, Any]:
    said = catledger("why", *words, "--json")
    assert said.code in (0, 3), said
    answer: dict[str, Any] = said.json
    assert said.code == (3 if answer["verdict"] == "unknown" else 0)
    return answer


def causes(answer: dict[str, Any]) -> dict[str, list[int]]:
    """The reasons in their order, each with the positions that prove it."""
    return {each["reason"]: [event["seq"] for event in each["evidence"]] for each in answer["causes"]}


@pytest.fixture
def fallen(catledger: Command) -> Command:
    """Listed, rendered and served; then the server goes down and the gateway leaves one tool out."""
    left_out = [{"name": "write", "server": "fs", "tool": "write", "reason": "server_down"}]
    record(
        catledger,
        listing("fs", tool("read"), tool("write")),
        rendered(entry("fs", "read"), entry("fs", "write")),
        served(entry("fs", "read"), entry("fs", "write")),
        health("fs", "down"),
        served(entry("fs", "read"), omitted=left_out),
    )
    return catledger


def test_a_tool_that_is_served_is_present_since_it_was(fallen: Command) -> None:
    answer = asked(fallen, "read")
    assert (answer["format"], answer["verdict"], answer["basis"]) == ("catledger/why/v1", "present", "served")
    assert answer["since"]["seq"] == 3
    assert answer["last_present"]["seq"] == 5
    assert answer["causes"] == []


def test_a_tool_of_a_fallen_server_is_missing_with_the_event_that_tells(fallen: Command) -> None:
    answer = asked(fallen, "write")
    assert (answer["verdict"], answer["reason"], answer["tool"]) == ("missing", "server_down", "fs::write")
    assert answer["since"]["seq"] == 5
    assert answer["last_present"]["seq"] == 4
    assert 4 in causes(answer)["server_down"]
    assert "catledger log --server fs" in answer["next_steps"]
    assert answer["coverage"]["last_complete"]["seq"] == 1


def test_asked_at_every_earlier_position_the_answer_is_the_one_that_was_right_then(fallen: Command) -> None:
    told = [(asked(fallen, "write", "--as-of", str(seq))) for seq in range(1, 6)]
    assert [each["verdict"] for each in told] == ["present", "present", "present", "present", "missing"]
    assert [each["basis"] for each in told] == ["listed", "listed", "served", "served", "served"]


def test_causes_that_hold_at_once_are_all_told_the_most_specific_first(catledger: Command) -> None:
    hidden = [{"server": "fs", "tool": "write", "reason": "hidden_by_override", "layer": "local"}]
    record(
        catledger,
        listing("fs", tool("read"), tool("write")),
        rendered(entry("fs", "read"), hidden=hidden),
        served(entry("fs", "read")),
        health("fs", "down"),
    )
    answer = asked(catledger, "write")
    assert answer["verdict"] == "missing"
    assert list(causes(answer).items())[:2] == [("hidden_by_override", [2]), ("server_down", [4])]
    assert "local" in answer["causes"][0]["summary"]


def test_a_renamed_tool_is_told_with_its_new_name(catledger: Command) -> None:
    old, new = ({"name": name, "description": "Ask", "inputSchema": SCHEMA} for name in ("old", "new"))
    record(catledger, listing("fs", old), listing("fs", new))
    answer = asked(catledger, "old")
    assert (answer["verdict"], answer["reason"], answer["candidates"]) == ("missing", "renamed", ["fs::new"])
    assert causes(answer)["renamed"] == [2]
    assert "catledger why fs::new" in answer["next_steps"]
    assert asked(catledger, "new")["verdict"] == "present"


def test_only_a_complete_listing_removes_a_tool(catledger: Command) -> None:
    record(catledger, listing("fs", tool("read"), tool("write")), listing("fs", tool("read"), outcome="partial"))
    assert asked(catledger, "write")["verdict"] == "present"
    record(catledger, capture_failed("fs"))
    failing = asked(catledger, "write")
    assert (failing["verdict"], causes(failing)) == ("unknown", {"capture_failed": [3]})
    record(catledger, listing("fs", tool("read")))
    gone = asked(catledger, "write")
    assert (gone["verdict"], causes(gone)) == ("missing", {"not_listed": [4]})
    assert gone["last_present"]["seq"] == 3


def test_a_tool_that_came_back_is_present_with_a_note(catledger: Command) -> None:
    record(catledger, listing("fs", tool("a")), listing("fs", tool("b")), listing("fs", tool("a"), tool("b")))
    answer = asked(catledger, "a")
    assert (answer["verdict"], answer["since"]["seq"]) == ("present", 3)
    assert any("listed again at 3" in note for note in answer["notes"])


def test_a_definition_that_was_refused_is_the_reason(catledger: Command) -> None:
    rejected = [{"name": "write", "reason": "inputSchema is missing"}]
    record(catledger, listing("fs", tool("write")), listing("fs", tool("read"), rejected=rejected))
    assert causes(asked(catledger, "write")) == {"invalid_definition": [2]}


def test_a_tool_that_appeared_after_the_render_waits_for_the_next(catledger: Command) -> None:
    record(
        catledger,
        listing("fs", tool("read")),
        rendered(entry("fs", "read")),
        served(entry("fs", "read")),
        listing("fs", tool("read"), tool("late")),
    )
    assert causes(asked(catledger, "late")) == {"not_rendered_yet": [4]}


def test_a_tool_rendered_since_the_last_serving_waits_for_it(catledger: Command) -> None:
    record(
        catledger,
        listing("fs", tool("read"), tool("late")),
        rendered(entry("fs", "read")),
        served(entry("fs", "read")),
        rendered(entry("fs", "read"), entry("fs", "late")),
    )
    assert causes(asked(catledger, "late")) == {"not_served_yet": [4]}


def test_a_fallback_schema_degrades_and_does_not_remove(catledger: Command) -> None:
    record(
        catledger,
        listing("fs", tool("read")),
        rendered(entry("fs", "read")),
        served({**entry("fs", "read"), "schema_source": "generic_wrapper"}),
    )
    answer = asked(catledger, "read")
    assert (answer["verdict"], answer["reason"]) == ("degraded", "schema_fallback")


def test_a_server_that_was_never_listed_leaves_the_answer_open(catledger: Command) -> None:
    record(catledger, rendered(entry("fs", "read")), capture_failed("fs"))
    answer = asked(catledger, "read")
    assert (answer["verdict"], answer["basis"]) == ("unknown", "none")
    assert list(causes(answer)) == ["capture_failed", "never_captured"]


def test_a_waiver_is_told_and_hides_no_cause(fallen: Command) -> None:
    assert fallen("waive", "write", "--reason", "known", "--until", "2099-01-01").code == 0
    told = list(causes(asked(fallen, "write")))
    assert told[0] == "server_down"
    assert told[-1] == "waived"
    assert "waived" not in causes(asked(fallen, "write", "--as-of", "5"))


def test_a_name_of_two_tools_is_refused_with_both_and_one_nobody_saw_with_the_nearest(catledger: Command) -> None:
    record(catledger, listing("fs", tool("read")), listing("mem", tool("read")))
    said = catledger("why", "read")
    assert said.code == 2
    assert "fs::read" in said.err
    assert "mem::read" in said.err
    assert asked(catledger, "mem::read")["verdict"] == "present"
    unseen = catledger("why", "raed")
    assert unseen.code == 3
    assert "read" in unseen.err


def test_the_text_begins_with_the_verdict_and_keeps_to_80_columns(fallen: Command) -> None:
    said = fallen("why", "write")
    assert said.out.startswith("missing: fs::write, server_down (basis: served)\n")
    assert max(map(len, said.out.splitlines())) <= 80
    assert "as of 5, recorded " in said.out


def test_a_waiver_that_has_ended_no_longer_passes_the_gate_though_nothing_more_was_recorded(fallen: Command) -> None:
    from freezegun import freeze_time

    fallen("waive", "write", "--reason", "known", "--until", "2099-01-01")
    assert fallen("check").code == 0
    with freeze_time("2099-01-02"):
        assert fallen("check").code == 1
