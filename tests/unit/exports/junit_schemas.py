"""Two published schemas of JUnit XML, written down again as tables and checked by hand.

`ANT` follows windyroad/JUnit-Schema (JUnit.xsd, the Apache Ant form, the strictest in use), `JENKINS` follows
junit-10.xsd of the Jenkins xUnit plugin. Both are here as far as we come near them: a document with any other
element fails the check.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from xml.etree.ElementTree import Element

ANYTHING = r"(?s:.*)"
# an xs:token after white space was collapsed; the Ant schema asks some for at least one character
TOKEN = r"(?:\S+(?: \S+)*)?"
FULL_TOKEN = r"\S+(?: \S+)*"
INTEGER = r"[+-]?[0-9]{1,9}"
DECIMAL = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
DATE_TIME = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}"
SUREFIRE_TIME = r"(?:(?:[0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(?:\.[0-9]*)?"


@dataclass(frozen=True)
class Form:
    """What an element may hold: a pattern over the names of its children, and one for each attribute."""

    children: str
    required: Mapping[str, str] = field(default_factory=dict)
    optional: Mapping[str, str] = field(default_factory=dict)
    has_text: bool = False


ANT = {
    "testsuites": Form("(testsuite )*"),
    "testsuite": Form(
        "properties (testcase )*system-out system-err ",
        required={
            "name": FULL_TOKEN,
            "timestamp": DATE_TIME,
            "hostname": FULL_TOKEN,
            "tests": INTEGER,
            "failures": INTEGER,
            "errors": INTEGER,
            "time": DECIMAL,
            "package": TOKEN,
            "id": INTEGER,
        },
        optional={"skipped": INTEGER},
    ),
    "properties": Form("(property )*"),
    "property": Form("", required={"name": FULL_TOKEN, "value": ANYTHING}),
    "testcase": Form("(skipped |error |failure )?", required={"name": TOKEN, "classname": TOKEN, "time": DECIMAL}),
    "error": Form("", required={"type": ANYTHING}, optional={"message": ANYTHING}, has_text=True),
    "failure": Form("", required={"type": ANYTHING}, optional={"message": ANYTHING}, has_text=True),
    "system-out": Form("", has_text=True),
    "system-err": Form("", has_text=True),
}

JENKINS = {
    "testsuites": Form(
        "(testsuite )*",
        optional={
            "name": ANYTHING,
            "time": SUREFIRE_TIME,
            "tests": ANYTHING,
            "failures": ANYTHING,
            "errors": ANYTHING,
        },
    ),
    "testsuite": Form(
        "(testsuite |properties |testcase |system-out |system-err )*",
        required={"name": ANYTHING, "tests": ANYTHING, "failures": ANYTHING, "errors": ANYTHING},
        optional={
            "time": SUREFIRE_TIME,
            **dict.fromkeys(("group", "skipped", "timestamp", "hostname", "id", "package"), ANYTHING),
        },
    ),
    "properties": Form("(property )*"),
    "property": Form("", required={"name": ANYTHING, "value": ANYTHING}),
    "testcase": Form(
        "(skipped |error |failure |system-out |system-err )*",
        required={"name": ANYTHING},
        optional=dict.fromkeys(("time", "classname", "group"), ANYTHING),
    ),
    "error": Form("", optional={"type": ANYTHING, "message": ANYTHING}, has_text=True),
    "failure": Form("", optional={"type": ANYTHING, "message": ANYTHING}, has_text=True),
    "system-out": Form("", has_text=True),
    "system-err": Form("", has_text=True),
}


def problems(element: Element, forms: Mapping[str, Form], place: str = "") -> list[str]:
    """Everything in which an element and those below it break the forms."""
    place = f"{place}/{element.tag}"
    form = forms.get(element.tag)
    if form is None:
        return [f"{place}: no such element"]
    allowed = {**form.required, **form.optional}
    found = [f"{place}: {name} is missing" for name in form.required if name not in element.attrib]
    for name, value in element.attrib.items():
        if name not in allowed:
            found.append(f"{place}: {name} is not allowed")
        elif not re.fullmatch(allowed[name], value):
            found.append(f"{place}: {name} is {value!r}")
    children = "".join(f"{child.tag} " for child in element)
    if not re.fullmatch(form.children, children):
        found.append(f"{place}: children are {children}")
    texts = [element.text, *(child.tail for child in element)]
    if not form.has_text and any(text and text.strip() for text in texts):
        found.append(f"{place}: text is not allowed")
    return found + [problem for child in element for problem in problems(child, forms, place)]
