"""Gates to write in every format: the usual, the empty and the hostile."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from ledger.exports.gates import SEVERITIES, Finding, Gate

HOSTILE = "]]>\x00\x1b[31m\u202e<b>&amp;\r\n::error::%0A|`{0}`[x](http://e.example)\ud800\uffff"

PASSED = Gate("parity", "pass")
WARNED = Gate("drift", "pass", (Finding("drift_persistent", "fs::read", "open for 3 days", "warning"),))
FAILED = Gate(
    "schemas",
    "fail",
    (
        Finding(
            "schema_escalated",
            "github::search",
            "two failures in a row\nenum of `mode` lost `fast`",
            evidence=("seq 41 schema.validated", "seq 43 schema.validated"),
        ),
        Finding("drift_waived", "fs::write", "waived until 2026-12-01", "notice"),
    ),
)
UNCHECKED = Gate("projections", "unchecked")
DAMAGED = Gate("chain", "damaged", (Finding("tail_lost", "default", "head is 3, the receipt says 7"),))
ALL = [PASSED, WARNED, FAILED, UNCHECKED, DAMAGED]
HOSTILE_GATE = Gate(HOSTILE, "fail", (Finding(HOSTILE, HOSTILE, HOSTILE, "error", (HOSTILE,)),))

_text = st.text(st.characters(codec=None), max_size=12) | st.just(HOSTILE)


def _gate(name: str, result: Any, findings: tuple[Finding, ...]) -> Gate:
    if result == "pass":
        findings = tuple(finding for finding in findings if finding.severity != "error")
    return Gate(name, result, findings)


findings = st.builds(Finding, _text, _text, _text, st.sampled_from(SEVERITIES), st.lists(_text, max_size=2).map(tuple))
gates = st.lists(
    st.builds(
        _gate,
        _text,
        st.sampled_from(["pass", "fail", "unchecked", "damaged"]),
        st.lists(findings, max_size=4).map(tuple),
    ),
    max_size=4,
)
