"""JUnit XML, judged by the two schemas that are in use."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from hypothesis import given

from ledger.exports.junit import to_junit
from tests.unit.exports.junit_schemas import ANT, JENKINS, problems
from tests.unit.exports.samples import ALL, DAMAGED, FAILED, HOSTILE_GATE, PASSED, UNCHECKED, WARNED, gates

if TYPE_CHECKING:
    from ledger.exports.gates import Gate
    from tests.unit.exports.junit_schemas import Form

AT = 1_795_000_000_123_456
SCHEMAS = pytest.mark.parametrize("schema", [ANT, JENKINS], ids=["ant", "jenkins"])


def suites(*some: Gate) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(to_junit(some, at_us=AT)))


@SCHEMAS
@given(some=gates)
def test_any_gates_make_a_valid_document(schema: dict[str, Form], some: list[Gate]) -> None:
    assert problems(ElementTree.fromstring(to_junit(some, at_us=AT)), schema) == []


@SCHEMAS
def test_the_check_of_the_schema_does_find_faults(schema: dict[str, Form]) -> None:
    document = ElementTree.fromstring(to_junit(ALL, at_us=AT))
    for suite in document:
        suite.set("colour", "red")
        del suite.attrib["tests"]
        ElementTree.SubElement(suite, "testcase", name="a").append(ElementTree.Element("passed"))
    found = "\n".join(problems(document, schema))
    for fault in (
        "colour is not allowed",
        "tests is missing",
        "passed: no such element",
        "children are passed",
    ):
        assert fault in found


def test_a_gate_that_passes_is_one_test_that_passes() -> None:
    (suite,) = suites(PASSED)
    assert (suite.get("name"), suite.get("tests"), suite.get("failures"), suite.get("errors")) == (
        "parity",
        "1",
        "0",
        "0",
    )
    (case,) = suite.findall("testcase")
    assert list(case) == []


def test_each_error_of_a_failed_gate_is_a_test_that_failed() -> None:
    (suite,) = suites(FAILED)
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", "1", "0")
    (failure,) = suite.findall("testcase/failure")
    assert failure.get("type") == "schema_escalated"
    assert failure.get("message") == "two failures in a row"
    assert failure.text == (
        "two failures in a row\nenum of `mode` lost `fast`\nseq 41 schema.validated\nseq 43 schema.validated"
    )


def test_what_is_no_error_is_written_as_output() -> None:
    failed, warned = suites(FAILED, WARNED)
    assert failed.findtext("system-out") == "notice: drift_waived fs::write: waived until 2026-12-01"
    assert warned.findtext("system-out") == "warning: drift_persistent fs::read: open for 3 days"
    assert warned.get("failures") == "0"


@pytest.mark.parametrize("gate", [UNCHECKED, DAMAGED])
def test_a_gate_that_could_not_be_checked_is_an_error_and_never_a_skipped_test(gate: Gate) -> None:
    (suite,) = suites(gate)
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", "0", "1")
    assert len(suite.findall("testcase/error")) == 1


def test_no_gates_at_all_are_an_error() -> None:
    (suite,) = suites()
    assert suite.get("errors") == "1"


def test_hostile_text_stays_text() -> None:
    document = to_junit([HOSTILE_GATE], at_us=AT)
    assert document.isascii()
    (suite,) = ElementTree.fromstring(document)
    (failure,) = suite.findall("testcase/failure")
    assert r"]]>\x00\x1b[31m\u202e<b>&amp;\r" in (failure.text or "")
    assert [element.tag for element in suite.iter()].count("b") == 0


def test_the_same_gates_at_the_same_moment_make_the_same_bytes() -> None:
    assert to_junit(ALL, at_us=AT) == to_junit(list(ALL), at_us=AT)
    assert suites(PASSED)[0].get("timestamp") == "2026-11-18T11:06:40"
