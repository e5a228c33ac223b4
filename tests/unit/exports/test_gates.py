"""What gates add up to."""

from __future__ import annotations

import pytest
from hypothesis import given

from ledger.exports.gates import Finding, Gate, concluded, readable, worst
from tests.unit.exports.samples import ALL, DAMAGED, FAILED, PASSED, UNCHECKED, WARNED, gates


def test_the_worst_result_counts_in_the_order_of_the_exit_codes() -> None:
    assert worst(ALL) == "damaged"
    assert worst([PASSED, UNCHECKED, FAILED]) == "fail"
    assert worst([PASSED, UNCHECKED]) == "unchecked"
    assert worst([PASSED, WARNED]) == "pass"


def test_no_gates_at_all_are_not_a_pass() -> None:
    assert worst([]) == "unchecked"
    assert worst(concluded([])) == "unchecked"


def test_a_gate_that_passes_cannot_hold_an_error() -> None:
    with pytest.raises(ValueError, match="parity passes"):
        Gate("parity", "pass", (Finding("rule", "fs::read", "message"),))


@given(gates)
def test_every_bad_result_ends_up_as_an_error_and_no_result_changes(some: list[Gate]) -> None:
    answered = concluded(some)
    assert worst(answered) == worst(some)
    for gate in answered:
        has_error = any(finding.severity == "error" for finding in gate.findings)
        assert has_error == (gate.result != "pass")


def test_an_error_that_is_there_already_needs_no_other() -> None:
    assert concluded([FAILED, DAMAGED]) == (FAILED, DAMAGED)


def test_a_message_keeps_its_lines_and_nothing_else_unseen() -> None:
    assert readable("a\nb\r\x1b\u2028") == "a\nb\\r\\x1b\\u2028"
