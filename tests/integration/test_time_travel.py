"""The commands that read projections, now and at past moments."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.integration.told import entry, record, rendered, served
from tests.parts import capture, event_id, note, tool

if TYPE_CHECKING:
    from tests.integration.command import Command


@pytest.fixture
def story(catledger: Command) -> Command:
    """Two tools are listed, rendered and served; then one is left out because its server went down."""
    record(
        catledger,
        {**capture("fs", "read", "write"), "occurred_at": "2026-01-01T00:00:00Z", "event_id": event_id(1)},
        rendered(entry("fs", "read"), entry("fs", "write")),
        served(entry("fs", "read"), entry("fs", "write")),
        {"kind": "health.changed", "payload": {"server": "fs", "after": "down", "reason": "exit 1"}},
        served(
            entry("fs", "read"), omitted=[{"name": "write", "server": "fs", "tool": "write", "reason": "server_down"}]
        ),
        {**capture("fs", "read", "write", "list"), "occurred_at": "2026-02-01T00:00:00Z"},
    )
    return catledger


def test_a_catalog_is_what_it_was_at_every_position(story: Command) -> None:
    def names(projection: str, *options: str) -> list[str]:
        return [each["name"] for each in story("catalog", projection, "--json", *options).json["tools"]]

    assert names("live") == ["read"]
    assert names("live", "--as-of", "3") == ["read", "write"]
    assert names("descriptors", "--as-of", event_id(1)) == ["read", "write"]
    assert names("descriptors", "--occurred", "2026-01-15") == ["read", "write"]
    assert names("descriptors", "--occurred", "2026-02-01T00:00:00Z") == ["list", "read", "write"]
    assert story("catalog", "live", "--as-of", "2").code == 3


def test_the_json_of_a_catalog_has_the_promised_fields(story: Command) -> None:
    answer = story("catalog", "live", "--json", "--full").json
    assert answer["format"] == "catledger/catalog/v1"
    assert answer["as_of"]["seq"] == answer["head"]["seq"] == 6
    assert answer["digest"].startswith("rows1-sha256:")
    (only,) = answer["tools"]
    assert only["definition"] == tool("read")
    assert only["definition_hash"].startswith("jcs1-sha256:")
    assert answer["omitted"][0]["reason"] == "server_down"
    assert answer["coverage"] == [{"server": "fs", "last_complete": answer["coverage"][0]["last_complete"]}]


def test_every_text_answer_states_its_position_and_the_head(story: Command) -> None:
    for words in (("catalog", "live"), ("schemas",), ("drift",), ("changes", "--since", "1"), ("check",)):
        said = story(*words)
        assert "as of 6, recorded " in said.out, words
        assert "head 6" in said.out


def test_drift_shows_what_opened_and_why(story: Command) -> None:
    answer = story("drift", "--open", "--json").json
    assert answer["basis"] == "served"
    (only,) = answer["drift"]
    assert (only["key"], only["category"], only["reason"]) == ("fs::write", "missing", "server_down")
    assert only["opened"] == 5
    assert story("drift", "--open").code == 0


def test_check_fails_on_open_drift_and_says_which(story: Command) -> None:
    said = story("check", "--format", "json")
    assert said.code == 1
    gates = {gate["name"]: gate for gate in said.json["gates"]}
    assert gates["projections"]["result"] == "pass"
    assert gates["parity"]["findings"][0]["subject"] == "fs::write"


@pytest.mark.parametrize("form", ["junit", "sarif", "github", "text"])
def test_check_speaks_every_format(story: Command, form: str) -> None:
    said = story("check", "--format", form)
    assert said.code == 1
    assert "write" in said.out


def test_a_waiver_marks_and_does_not_hide(story: Command) -> None:
    waiver = {"subject": "fs::write", "reason": "maintenance", "until": "2999-01-01T00:00:00Z", "approved_by": "ops"}
    record(story, {"kind": "drift.waived", "payload": waiver})
    (only,) = story("drift", "--open", "--json").json["drift"]
    assert only["waived"]["reason"] == "maintenance"
    gates = {gate["name"]: gate["result"] for gate in story("check", "--format", "json").json["gates"]}
    assert gates["parity"] == "pass"
    record(story, {"kind": "drift.waived", "payload": {**waiver, "until": "2020-01-01T00:00:00Z"}})
    assert story("check").code == 1


def test_changes_tell_what_is_different_since_a_moment(story: Command) -> None:
    rows = story("changes", "--since", "3", "--json").json["changes"]
    told = {(each["projection"], each["key"], each["change"]) for each in rows}
    assert ("live", "fs::write", "removed") in told
    assert ("descriptors", "fs::list", "added") in told
    assert story("changes", "--since", "6", "--json").json["changes"] == []


def test_rebuild_check_says_equal_and_names_what_is_not(story: Command) -> None:
    import sqlite3

    assert story("rebuild", "--check").code == 0
    assert story("rebuild", "--bisect").code == 0
    with sqlite3.connect(story.home / "ledger.db") as raw:
        raw.execute(
            "UPDATE projection_versions SET state = x'7b7d' WHERE place = (SELECT max(place) FROM projection_versions)"
        )
    raw.close()
    assert story("rebuild", "--check").code == 1
    parted = story("rebuild", "--bisect")
    assert parted.code == 1
    assert "parts at event" in parted.out
    assert story("verify", "--json").json["result"] == "incomplete"
    assert story("rebuild").code == 0
    assert story("rebuild", "--check").code == 0


def test_rebuilding_an_unknown_projection_is_an_error(story: Command) -> None:
    said = story("rebuild", "nosuch")
    assert said.code == 2
    assert "descriptors" in said.err


def test_status_is_one_screen(story: Command) -> None:
    said = story("status")
    assert said.code == 0
    assert len(said.out.splitlines()) < 24
    assert "1 open" in said.out
    answer = story("status", "--json").json
    assert answer["catalogs"][0]["receipt"]["is_current"]


def test_show_tells_what_an_event_changed(story: Command) -> None:
    changed = story("show", "5", "--json").json["changed"]
    assert {"live", "drift"} <= {each["projection"] for each in changed}


def test_a_head_ahead_of_the_clock_warns_in_every_answer(story: Command) -> None:
    from freezegun import freeze_time

    with freeze_time("2026-01-01"):
        said = story("status")
        assert story("catalog", "live").err.startswith("warning: the head was recorded")
    assert said.code == 0


def test_log_filters_and_counts_from_the_newest(story: Command) -> None:
    record(story, note("x"), note("y"))

    def seqs(*options: str) -> list[int]:
        return [json.loads(line)["seq"] for line in story("log", "--jsonl", *options).out.splitlines()]

    assert seqs("--limit", "2") == [7, 8]
    assert seqs("--kind", "descriptors.captured") == [1, 6]
    assert seqs("--server", "fs") == [1, 4, 6]
    assert seqs("--since", "6") == [7, 8]
    assert seqs("--until", "2") == [1, 2]


def test_hostile_text_is_escaped_on_the_terminal(catledger: Command) -> None:
    record(catledger, capture("fs", tool("evil\u202egnp", description="\x1b[2J")))
    said = catledger("catalog", "descriptors")
    assert "\u202e" not in said.out
    assert "\x1b" not in said.out


@pytest.mark.parametrize(
    ("words", "code", "near"),
    [
        (("catalog", "descriptors", "--server", "fx"), 3, "fs"),
        (("catalog", "descriptors", "--tool", "reed"), 3, "read"),
        (("drift", "--tool", "reed"), 3, "read"),
        (("drift", "--open", "--tool", "reed"), 3, "read"),
        (("show", "reed"), 2, "position"),
        (("catalog", "live", "--as-of", "2026-01-01", "--tz", "Nowhere/Land"), 2, "time zone"),
        (("log", "--kind", "live.serve"), 2, "live.served"),
        (("catalog", "live", "--as-of", "3", "--occurred", "2026-01-01"), 2, "--as-of"),
    ],
)
def test_a_name_that_was_never_seen_is_no_empty_answer(
    story: Command, words: tuple[str, ...], code: int, near: str
) -> None:
    said = story(*words)
    assert said.code == code, said
    assert near in said.err


def test_check_is_an_alarm_when_the_tail_is_lost(story: Command) -> None:
    import shutil

    shutil.copy(story.home / "ledger.db", story.home / "old.db")
    record(story, note("more"))
    shutil.copy(story.home / "old.db", story.home / "ledger.db")
    said = story("check", "--format", "json")
    assert said.code == 4
    assert said.json["gates"][0]["findings"][0]["rule"] == "tail-lost"


def test_an_erased_event_is_marked_in_the_log(story: Command) -> None:
    assert story("erase", "4", "--reason", "asked to").code == 0
    assert "(erased)" in story("log").out.splitlines()[3]
