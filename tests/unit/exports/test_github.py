"""GitHub annotations and the step summary."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.exports.gates import SEVERITIES, Finding, Gate, Severity
from ledger.exports.github import (
    SUMMARY_BYTES,
    escape_data,
    escape_property,
    to_annotations,
    to_summary,
)
from tests.unit.exports.samples import ALL, DAMAGED, FAILED, HOSTILE_GATE, PASSED, UNCHECKED, gates

COMMAND = re.compile(r"::(error|warning|notice) title=([^:,\r\n]*)::([^\r\n]*)")


def many(count: int, severity: Severity) -> Gate:
    findings = tuple(Finding("rule", f"fs::tool{i}", "message", severity) for i in range(count))
    return Gate(severity, "fail" if severity == "error" else "pass", findings)


def counts(text: str) -> dict[str, int]:
    return {severity: text.count(f"::{severity} ") for severity in SEVERITIES}


def test_a_finding_is_one_command_with_its_evidence_in_the_message() -> None:
    error, notice = to_annotations([FAILED]).splitlines()
    assert error == (
        "::error title=schema_escalated github%3A%3Asearch::two failures in a row"
        "%0Aenum of `mode` lost `fast`%0Aseq 41 schema.validated%0Aseq 43 schema.validated"
    )
    assert notice == "::notice title=drift_waived fs%3A%3Awrite::waived until 2026-12-01"


def test_gates_that_pass_say_nothing() -> None:
    assert to_annotations([PASSED]) == ""


@pytest.mark.parametrize("gate", [UNCHECKED, DAMAGED])
def test_a_gate_that_could_not_be_checked_is_an_error(gate: Gate) -> None:
    assert counts(to_annotations([PASSED, gate])) == {"error": 1, "warning": 0, "notice": 0}


def test_no_gates_at_all_are_an_error() -> None:
    assert counts(to_annotations([])) == {"error": 1, "warning": 0, "notice": 0}


def test_ten_of_each_are_all_shown() -> None:
    text = to_annotations([many(10, severity) for severity in SEVERITIES])
    assert counts(text) == {"error": 10, "warning": 10, "notice": 10}
    assert "not shown" not in text


def test_more_than_ten_are_cut_and_the_last_line_says_how_many() -> None:
    text = to_annotations([many(12, "error"), many(11, "warning"), many(10, "notice")])
    assert counts(text) == {"error": 10, "warning": 10, "notice": 10}
    assert text.splitlines()[-1] == (
        "::notice title=catledger::2 errors, 1 warning, 1 notice not shown here: see the step summary"
    )


def test_errors_come_first() -> None:
    text = to_annotations([many(1, "notice"), many(1, "warning"), many(1, "error")])
    assert [COMMAND.fullmatch(line)[1] for line in text.splitlines()] == list(SEVERITIES)  # type: ignore[index]


@given(gates)
def test_any_gates_make_commands_and_nothing_else(some: list[Gate]) -> None:
    text = to_annotations(some)
    assert all(COMMAND.fullmatch(line) for line in text.split("\n")[:-1])
    assert all(count <= 10 for count in counts(text).values())


def test_text_is_escaped_as_the_toolkit_escapes_it() -> None:
    assert escape_data("100%\r\na:b,c") == "100%25%0D%0Aa:b,c"
    assert escape_property("100%\r\na:b,c") == "100%25%0D%0Aa%3Ab%2Cc"


@given(st.text())
def test_the_runner_reads_back_what_was_escaped(text: str) -> None:
    shown = escape_property(text)
    for sign, code in [(":", "%3A"), (",", "%2C"), ("\r", "%0D"), ("\n", "%0A"), ("%", "%25")]:
        shown = shown.replace(code, sign)
    assert shown == text


def test_the_summary_has_the_verdict_first_and_a_row_for_each_finding() -> None:
    lines = to_summary(ALL).splitlines()
    assert lines[0] == "### catledger check: damaged"
    assert "| parity | pass | 0 |" in lines
    assert (
        r"| error | schemas / schema\_escalated | github\:\:search "
        r"| two failures in a row<br>enum of \`mode\` lost \`fast\` "
        r"| seq 41 schema\.validated<br>seq 43 schema\.validated |"
    ) in lines


def test_the_summary_keeps_hostile_text_inert() -> None:
    summary = to_summary([HOSTILE_GATE])
    rows = [line for line in summary.splitlines() if line.startswith("| error ")]
    assert len(rows) == 1
    assert r"\<b\>" in rows[0]
    assert r"\[x\]\(http\:\/\/e\.example\)" in rows[0]
    assert len(re.findall(r"(?<!\\)\|", rows[0])) == 6


@given(gates)
def test_any_summary_has_only_whole_rows(some: list[Gate]) -> None:
    body = to_summary(some).split("\n")
    assert all(line == "" or line.startswith(("|", "###")) for line in body)
    assert all(len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) in {0, 4, 6} for line in body)


def test_a_summary_stays_within_one_mebibyte_and_says_what_it_left_out() -> None:
    findings = tuple(Finding("rule", f"fs::tool{i}", "é" * 500) for i in range(2_000))
    summary = to_summary([Gate("parity", "fail", findings)])
    assert SUMMARY_BYTES - 2_000 < len(summary.encode()) <= SUMMARY_BYTES
    shown = summary.count("| error |")
    assert summary.endswith(f"\n\n{2_000 - shown} more: run `catledger check --json` for all of them\n")
