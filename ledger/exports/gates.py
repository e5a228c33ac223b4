"""What the gates of `check` found, in the one shape that every output format is written from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ledger.canon.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

Result = Literal["pass", "fail", "unchecked", "damaged"]
Severity = Literal["error", "warning", "notice"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "notice")

_WORST_FIRST: tuple[Result, ...] = ("damaged", "fail", "unchecked", "pass")
_CONCLUSIONS: dict[Result, str] = {
    "fail": "the gate failed",
    "unchecked": "the gate could not be checked: this says nothing about the catalog, and is not a pass",
    "damaged": "the gate met damage: what is stored is not what was written",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a gate has to say about one subject.

    `rule` is a stable id, `subject` a tool (`server::tool`), a server or a file, `evidence` short texts that
    name events or places ("seq 41 descriptors.captured"). All of it may hold text from a hostile definition:
    writers pass it through `one_line` or `readable`.
    """

    rule: str
    subject: str
    message: str
    severity: Severity = "error"
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate's answer; a gate that passes may warn, but holds no finding of severity error."""

    name: str
    result: Result
    findings: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        if self.result == "pass" and any(finding.severity == "error" for finding in self.findings):
            raise ValueError(f"gate {self.name} passes and yet holds an error")


def worst(gates: Sequence[Gate]) -> Result:
    """The result of all gates together; no gates is `unchecked`, because nothing checked is never a pass."""
    results = {gate.result for gate in gates}
    return next((result for result in _WORST_FIRST if result in results), "unchecked")


def concluded(gates: Sequence[Gate]) -> tuple[Gate, ...]:
    """The gates with every bad result spelled out as an error, so that no format can print it as green."""
    return tuple(_concluded(gate) for gate in gates) or (_concluded(Gate("check", "unchecked")),)


def one_line(text: str) -> str:
    """Text for a name or a title: a single line of printable characters."""
    return printable(text)


def readable(text: str) -> str:
    """Text for a message: line breaks stay, everything else that cannot be seen is escaped."""
    return "\n".join(printable(line) for line in text.split("\n"))


def _concluded(gate: Gate) -> Gate:
    if gate.result == "pass" or any(finding.severity == "error" for finding in gate.findings):
        return gate
    conclusion = Finding(f"gate_{gate.result}", gate.name, _CONCLUSIONS[gate.result])
    return Gate(gate.name, gate.result, (*gate.findings, conclusion))
