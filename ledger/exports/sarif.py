"""Gates as SARIF 2.1.0 (OASIS), with what GitHub code scanning asks beyond the schema."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING
from urllib.parse import quote

from ledger.exports.gates import Finding, Gate, Severity, concluded, one_line, readable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ledger.canon.jsontext import Json

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "notice": "note"}


def to_sarif(gates: Sequence[Gate], *, tool_version: str, artifact: str = "catalog") -> bytes:
    """The log as ASCII bytes.

    `artifact` is the file the check is about, relative to the repository: the server config, when there is
    one. GitHub refuses a whole log in which one result has no physical location, so every result names its
    first line; the subject itself is the logical location.
    """
    reported = [(gate, finding) for gate in concluded(gates) for finding in gate.findings]
    rules = sorted({finding.rule for _, finding in reported})
    log: Json = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": _driver(rules, tool_version)},
                "invocations": [_invocation(concluded(gates))],
                "results": [
                    _result(gate, finding, number=rules.index(finding.rule), artifact=artifact)
                    for gate, finding in reported
                ],
            }
        ],
    }
    return json.dumps(log, indent=2).encode("ascii") + b"\n"


def _driver(rules: Sequence[str], tool_version: str) -> Json:
    return {
        "name": "catledger",
        "version": tool_version,
        "rules": [{"id": one_line(rule), "shortDescription": {"text": _message(rule)}} for rule in rules],
    }


def _invocation(gates: Sequence[Gate]) -> Json:
    """Says whether the check could be carried out, which is another question than what it found."""
    hindered = [gate for gate in gates if gate.result in {"unchecked", "damaged"}]
    return {
        "executionSuccessful": not hindered,
        "toolExecutionNotifications": [
            {"level": "error", "message": {"text": _message(f"gate {gate.name}: {gate.result}")}} for gate in hindered
        ],
    }


def _result(gate: Gate, finding: Finding, *, number: int, artifact: str) -> Json:
    return {
        "ruleId": one_line(finding.rule),
        "ruleIndex": number,
        "level": _LEVELS[finding.severity],
        "message": {"text": _message(f"{one_line(finding.subject)}: {finding.message}")},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(one_line(artifact))},
                    "region": {"startLine": 1},
                },
                "logicalLocations": [{"fullyQualifiedName": one_line(finding.subject)}],
            }
        ],
        "partialFingerprints": {"catledgerSubject/v1": _fingerprint(gate, finding)},
        "properties": {
            "gate": one_line(gate.name),
            "evidence": [one_line(text) for text in finding.evidence],
        },
    }


def _message(text: str) -> str:
    """A SARIF message that says only what `text` says: no placeholder (§3.11.5) and no link (§3.11.6)."""
    return readable(text).replace("{", "{{").replace("}", "}}").replace("](", "] (")


def _fingerprint(gate: Gate, finding: Finding) -> str:
    """The same for the same complaint in every run; the message is left out, because its details move."""
    identity = "\0".join((gate.name, finding.rule, finding.subject))
    return hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()
