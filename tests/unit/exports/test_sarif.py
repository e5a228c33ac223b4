"""SARIF 2.1.0, judged by a strict subset of the published schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.exports.gates import Finding, Gate
from ledger.exports.sarif import to_sarif
from tests.unit.exports.samples import ALL, DAMAGED, FAILED, HOSTILE_GATE, PASSED, UNCHECKED, WARNED, gates

SCHEMA = jsonschema_rs.Draft202012Validator(
    json.loads(Path(__file__).with_name("sarif-2.1.0-subset.json").read_text("utf-8")),
    validate_formats=True,
    offline=True,
)


def run(*some: Gate, **options: Any) -> Any:
    log = json.loads(to_sarif(some, tool_version="0.1.0", **options))
    SCHEMA.validate(log)
    return log["runs"][0]


@given(gates, st.text(st.characters(codec=None), min_size=1))
def test_any_gates_make_a_valid_log(some: list[Gate], artifact: str) -> None:
    written = run(*some, artifact=artifact)
    rules = written["tool"]["driver"]["rules"]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in written["results"])


@pytest.mark.parametrize("key", ["version", "runs"])
def test_the_schema_does_find_faults(key: str) -> None:
    log = json.loads(to_sarif(ALL, tool_version="0.1.0"))
    assert SCHEMA.is_valid(log)
    assert not SCHEMA.is_valid({name: value for name, value in log.items() if name != key})
    log["runs"][0]["results"][0]["level"] = "notice"
    assert not SCHEMA.is_valid(log)


def test_each_finding_is_a_result_with_its_rule_and_level() -> None:
    results = run(FAILED, WARNED)["results"]
    assert [(result["ruleId"], result["level"]) for result in results] == [
        ("schema_escalated", "error"),
        ("drift_waived", "note"),
        ("drift_persistent", "warning"),
    ]
    assert results[0]["properties"] == {
        "gate": "schemas",
        "evidence": ["seq 41 schema.validated", "seq 43 schema.validated"],
    }


def test_every_result_has_the_physical_location_that_github_demands() -> None:
    (result,) = run(DAMAGED, artifact="conf/my servers.json")["results"]
    (location,) = result["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "conf/my%20servers.json"},
        "region": {"startLine": 1},
    }
    assert location["logicalLocations"] == [{"fullyQualifiedName": "default"}]


@pytest.mark.parametrize("gate", [UNCHECKED, DAMAGED])
def test_a_gate_that_could_not_be_checked_makes_the_execution_unsuccessful(gate: Gate) -> None:
    written = run(PASSED, gate)
    (invocation,) = written["invocations"]
    assert invocation["executionSuccessful"] is False
    assert len(invocation["toolExecutionNotifications"]) == 1
    assert [result["level"] for result in written["results"]] == ["error"]


def test_a_failed_gate_is_a_successful_execution() -> None:
    (invocation,) = run(PASSED, FAILED)["invocations"]
    assert invocation == {"executionSuccessful": True, "toolExecutionNotifications": []}


def test_no_gates_at_all_make_an_unsuccessful_execution() -> None:
    assert run()["invocations"][0]["executionSuccessful"] is False


def test_the_fingerprint_stays_when_only_the_message_moves() -> None:
    def fingerprint(subject: str, message: str) -> Any:
        (result,) = run(Gate("parity", "fail", (Finding("missing", subject, message),)))["results"]
        return result["partialFingerprints"]

    assert fingerprint("fs::read", "since seq 4") == fingerprint("fs::read", "since seq 9")
    assert fingerprint("fs::read", "since seq 4") != fingerprint("fs::write", "since seq 4")


def test_hostile_text_is_neither_a_placeholder_nor_a_link() -> None:
    (result,) = run(HOSTILE_GATE)["results"]
    message = result["message"]["text"]
    assert "`{{0}}`[x] (http://e.example)" in message
    assert r"\x1b[31m\u202e" in message


def test_the_bytes_are_ascii_and_the_same_every_time() -> None:
    assert to_sarif([HOSTILE_GATE], tool_version="0.1.0").isascii()
    assert to_sarif(ALL, tool_version="0.1.0") == to_sarif(list(ALL), tool_version="0.1.0")
