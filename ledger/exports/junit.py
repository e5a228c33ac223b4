"""Gates as JUnit XML: a suite per gate, a test case per error.

There is no one schema for JUnit XML. This form is valid under both that are widely enforced: the Ant schema
(windyroad/JUnit-Schema, which demands `timestamp`, `hostname`, `properties`, `system-out` and `system-err`)
and the one of the Jenkins xUnit plugin (junit-10.xsd).
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

from ledger.clock import from_micros
from ledger.exports.gates import Finding, Gate, concluded, one_line, readable

if TYPE_CHECKING:
    from collections.abc import Sequence


def to_junit(gates: Sequence[Gate], *, at_us: int) -> bytes:
    """The report as ASCII bytes; `at_us` is when the check ran, to the second, in UTC.

    An unchecked or damaged gate is an `<error>`, not a `<skipped>`: readers of such reports count a skipped
    test as green.
    """
    timestamp = from_micros(at_us).strftime("%Y-%m-%dT%H:%M:%S")
    root = ElementTree.Element("testsuites")
    for number, gate in enumerate(concluded(gates)):
        root.append(_suite(gate, number=number, timestamp=timestamp))
    ElementTree.indent(root)
    # ASCII with character references survives a terminal or a pipe of any encoding
    document: bytes = ElementTree.tostring(root, encoding="us-ascii", xml_declaration=True)
    return document + b"\n"


def _suite(gate: Gate, *, number: int, timestamp: str) -> ElementTree.Element:
    errors = [finding for finding in gate.findings if finding.severity == "error"]
    has_failed = gate.result == "fail"
    suite = ElementTree.Element(
        "testsuite",
        name=_token(gate.name),
        package="catledger",
        id=str(number),
        hostname="localhost",  # the schema's word for "not told": a report should not depend on the machine
        timestamp=timestamp,
        time="0",
        tests=str(max(len(errors), 1)),
        failures=str(len(errors) if has_failed else 0),
        errors=str(0 if has_failed else len(errors)),
    )
    ElementTree.SubElement(suite, "properties")
    for finding in errors:
        _case(suite, gate, name=f"{finding.rule} {finding.subject}").append(_problem(gate, finding))
    if not errors:
        _case(suite, gate, name=gate.name)
    ElementTree.SubElement(suite, "system-out").text = "\n".join(
        _remark(finding) for finding in gate.findings if finding.severity != "error"
    )
    ElementTree.SubElement(suite, "system-err")
    return suite


def _case(suite: ElementTree.Element, gate: Gate, *, name: str) -> ElementTree.Element:
    classname = f"catledger.{_token(gate.name)}"
    return ElementTree.SubElement(suite, "testcase", name=_token(name), classname=classname, time="0")


def _problem(gate: Gate, finding: Finding) -> ElementTree.Element:
    tag = "failure" if gate.result == "fail" else "error"
    message = readable(finding.message)
    problem = ElementTree.Element(tag, type=one_line(finding.rule), message=message.split("\n", 1)[0])
    problem.text = "\n".join([message, *(one_line(text) for text in finding.evidence)])
    return problem


def _remark(finding: Finding) -> str:
    subject = f"{one_line(finding.rule)} {one_line(finding.subject)}"
    return f"{finding.severity}: {subject}: {readable(finding.message)}"


def _token(text: str) -> str:
    """An xs:token of at least one character, as the Ant schema demands of names."""
    return " ".join(one_line(text).split()) or "-"
