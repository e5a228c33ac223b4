"""Gates as GitHub workflow commands, and as Markdown for the step summary."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ledger.exports.gates import SEVERITIES, Finding, Gate, Severity, concluded, one_line, readable, worst

if TYPE_CHECKING:
    from collections.abc import Sequence

# GitHub shows this many of each kind per step and drops the rest without a word
ANNOTATIONS_PER_SEVERITY = 10
# GitHub refuses a larger summary outright
SUMMARY_BYTES = 1024 * 1024

_ROOM_FOR_THE_LAST_LINE = 200
_ASCII_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def to_annotations(gates: Sequence[Gate]) -> str:
    """One workflow command per line, errors first, never more of a kind than GitHub shows.

    When some had to be left out, the last notice says how many of each kind; `to_summary` has them all.
    """
    findings = [finding for gate in concluded(gates) for finding in gate.findings]
    of = {severity: [finding for finding in findings if finding.severity == severity] for severity in SEVERITIES}
    shown = {severity: of[severity][:ANNOTATIONS_PER_SEVERITY] for severity in SEVERITIES}
    if any(len(shown[severity]) < len(of[severity]) for severity in SEVERITIES):
        shown["notice"] = shown["notice"][: ANNOTATIONS_PER_SEVERITY - 1]
    lines = [_annotation(finding) for severity in SEVERITIES for finding in shown[severity]]
    hidden = {severity: len(of[severity]) - len(shown[severity]) for severity in SEVERITIES}
    if any(hidden.values()):
        lines.append(_command("notice", title="catledger", message=_not_shown(hidden)))
    return "".join(f"{line}\n" for line in lines)


def to_summary(gates: Sequence[Gate]) -> str:
    """Markdown with every finding, as far as GitHub's limit of 1 MiB reaches; then how many were left out."""
    gates = concluded(gates)
    lines = [f"### catledger check: {worst(gates)}", "", "| gate | result | findings |", "|---|---|---|"]
    lines += [f"| {_inert(gate.name)} | {gate.result} | {len(gate.findings)} |" for gate in gates]
    rows = [_row(gate, finding) for gate in gates for finding in gate.findings]
    if rows:
        lines += ["", "| severity | rule | subject | message | evidence |", "|---|---|---|---|---|"]
    return _within_limit(lines, rows)


def escape_data(text: str) -> str:
    """A message as the runner reads it back; the same three characters as @actions/core."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escape_property(text: str) -> str:
    """A property as the runner reads it back; the same five characters as @actions/core."""
    return escape_data(text).replace(":", "%3A").replace(",", "%2C")


def _annotation(finding: Finding) -> str:
    title = f"{one_line(finding.rule)} {one_line(finding.subject)}"
    message = "\n".join([readable(finding.message), *(one_line(text) for text in finding.evidence)])
    return _command(finding.severity, title=title, message=message)


def _command(severity: Severity, *, title: str, message: str) -> str:
    return f"::{severity} title={escape_property(title)}::{escape_data(message)}"


def _not_shown(hidden: dict[Severity, int]) -> str:
    counts = [f"{n} {severity}{'s' if n != 1 else ''}" for severity, n in hidden.items() if n]
    return f"{', '.join(counts)} not shown here: see the step summary"


def _row(gate: Gate, finding: Finding) -> str:
    evidence = "<br>".join(_inert(text) for text in finding.evidence)
    message = "<br>".join(_inert(line) for line in finding.message.split("\n"))
    rule = f"{_inert(gate.name)} / {_inert(finding.rule)}"
    return f"| {finding.severity} | {rule} | {_inert(finding.subject)} | {message} | {evidence} |"


def _inert(text: str) -> str:
    """Text that Markdown shows as it is: CommonMark lets a backslash stand before any ASCII punctuation."""
    return _ASCII_PUNCTUATION.sub(r"\\\1", one_line(text))


def _within_limit(lines: list[str], rows: list[str]) -> str:
    room = SUMMARY_BYTES - _ROOM_FOR_THE_LAST_LINE - sum(len(line.encode()) + 1 for line in lines)
    kept: list[str] = []
    for row in rows:
        room -= len(row.encode()) + 1
        if room < 0:
            break
        kept.append(row)
    left_out = len(rows) - len(kept)
    ending = ["", f"{left_out} more: run `catledger check --json` for all of them"] if left_out else []
    return "\n".join([*lines, *kept, *ending]) + "\n"
