"""`catledger waive`: accepted drift is marked, passes the gate, and comes back when the waiver ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.integration.told import entry, listing, record, rendered, served
from tests.parts import tool

if TYPE_CHECKING:
    from tests.integration.command import Command

FAR = "2099-01-01"


@pytest.fixture
def drifted(catledger: Command) -> Command:
    """`fs::write` should be served and is not."""
    record(
        catledger,
        listing("fs", tool("read"), tool("write")),
        rendered(entry("fs", "read"), entry("fs", "write")),
        served(entry("fs", "read")),
    )
    assert catledger("check").code == 1
    return catledger


@pytest.mark.parametrize(
    ("subject", "recorded"), [("write", "fs::write"), ("fs::write", "fs::write"), ("fs", "fs"), ("all", "all")]
)
def test_a_waived_drift_stays_marked_and_passes_the_gate(drifted: Command, subject: str, recorded: str) -> None:
    said = drifted("waive", subject, "--reason", "write comes back on Monday", "--until", FAR)
    assert said.code == 0, said
    assert said.out == f"waived {recorded} until 2099-01-01T00:00:00.000000Z; recorded at 4\n"
    (only,) = drifted("drift", "--open", "--json").json["drift"]
    assert only["waived"]["subject"] == recorded
    assert only["waived"]["reason"] == "write comes back on Monday"
    assert only["waived"]["approved_by"]
    assert drifted("check").code == 0


def test_a_waiver_whose_end_has_passed_revokes_the_one_before(drifted: Command) -> None:
    drifted("waive", "write", "--reason", "for now", "--until", FAR)
    assert drifted("waive", "write", "--reason", "no more", "--until", "1 hour ago").code == 0
    assert "waived" not in drifted("drift", "--open", "--json").json["drift"][0]
    assert drifted("check").code == 1


def test_a_waiver_for_one_tool_says_nothing_of_another(drifted: Command) -> None:
    drifted("waive", "read", "--reason", "for now", "--until", FAR)
    assert drifted("check").code == 1


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("waive", "wirte", "--reason", "x", "--until", FAR), 3, "write"),
        (("waive", "write", "--reason", " ", "--until", FAR), 2, "--reason"),
        (("waive", "write", "--reason", "x", "--until", "someday"), 2, "cannot be understood"),
        (("waive", "write", "--reason", "x"), 2, "--until"),
    ],
)
def test_what_cannot_be_waived_is_refused_and_nothing_is_recorded(
    drifted: Command, words: tuple[str, ...], code: int, says: str
) -> None:
    said = drifted(*words)
    assert (said.code, says in said.err) == (code, True), said
    assert drifted("status", "--json").code == 0
    assert len(drifted("log", "--jsonl").out.splitlines()) == 3
