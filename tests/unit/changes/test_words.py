"""How changes read."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.canon.changes import Reading, changes
from ledger.canon.printable import printable
from ledger.canon.words import LONGEST_QUOTE, brief, in_words
from tests.unit.changes.jsonvalues import definitions, plain, schemas


def words(before: Any, after: Any, reading: Reading = "definition") -> list[str]:
    return in_words(changes(before, after, reading=reading), before=before, after=after, reading=reading)


def tool(**schema: Any) -> dict[str, Any]:
    return {"name": "search", "inputSchema": {"type": "object", **schema}}


def argument(**schema: Any) -> dict[str, Any]:
    return tool(properties={"mode": schema})


STRING = {"type": "string"}
URL = {"url": STRING}

ARGUMENTS = [
    (tool(properties={}), tool(properties=URL, required=["url"]), ["required argument `url` added"]),
    (tool(), tool(properties=URL, required=["url"]), ["required argument `url` added"]),
    (tool(properties={}), tool(properties=URL), ["optional argument `url` added"]),
    (
        tool(properties=URL, required=["url"]),
        tool(properties={}, required=[]),
        ["required argument `url` removed"],
    ),
    (tool(properties=URL, required=["url"]), tool(), ["required argument `url` removed"]),
    (tool(properties=URL), tool(properties={}), ["optional argument `url` removed"]),
    # some real servers leave the name in `required` when the argument is gone
    (
        tool(properties=URL, required=["url"]),
        tool(properties={}, required=["url"]),
        ["required argument `url` removed"],
    ),
    (tool(properties=URL, required=["url"]), tool(properties=URL), ["argument `url` became optional"]),
    (tool(properties=URL), tool(properties=URL, required=["url"]), ["argument `url` became required"]),
    (tool(required=["a", "b"]), tool(required=["b", "a"]), []),
    (tool(), tool(properties={}), ["properties of the input schema added: {}"]),
    (tool(required=["a"]), tool(required=7), ["argument `a` became optional"]),
    (tool(required=7), tool(required=8), ["required of the input schema changed from 7 to 8"]),
    (
        tool(additionalProperties=False),
        tool(additionalProperties=True),
        ["unknown arguments are accepted now"],
    ),
    (tool(), tool(additionalProperties=False), ["unknown arguments are no longer accepted"]),
    (
        argument(additionalProperties={}),
        argument(additionalProperties=False),
        ["unknown fields of `mode` are no longer accepted"],
    ),
    (
        argument(additionalProperties=False),
        argument(additionalProperties=STRING),
        ["additionalProperties of `mode` changed from false to string"],
    ),
]

NESTED = [
    (
        tool(properties={"options": {"properties": {}}}),
        tool(properties={"options": {"properties": URL, "required": ["url"]}}),
        ["required field `options.url` added"],
    ),
    (
        tool(properties={"list": {"items": {"properties": URL}}}),
        tool(properties={"list": {"items": {"properties": URL, "required": ["url"]}}}),
        ["field `list[].url` became required"],
    ),
    (
        tool(properties={"pair": {"prefixItems": [STRING, STRING]}}),
        tool(properties={"pair": {"prefixItems": [STRING, {"type": "null"}]}}),
        ["type of `pair[1]` changed from string to null"],
    ),
    (
        tool(**{"$defs": {"Page": {"properties": {}}}}),
        tool(**{"$defs": {"Page": {"properties": URL}}}),
        ["optional field `url` ($defs Page) added"],
    ),
    (
        tool(**{"$defs": {}}),
        tool(**{"$defs": {"Page": True}}),
        ["$defs `Page` of the input schema added: true"],
    ),
    (
        argument(anyOf=[STRING, {"properties": {}}]),
        argument(anyOf=[{"type": "null"}, STRING, {"properties": URL}]),
        ["alternative of `mode` added: null", "optional field `mode.url` (anyOf 2) added"],
    ),
    (
        argument(anyOf=[{"const": 1}, {"type": "integer", "not": {"minimum": 1}}]),
        argument(anyOf=[{"type": "string", "not": {"minimum": 2}}]),
        [
            "const of `mode` (anyOf 0) removed (was 1)",
            'not of `mode` (anyOf 0) added: {"minimum": 2}',
            "type of `mode` (anyOf 0) changed from any to string",
            "alternative of `mode` removed (was integer)",
        ],
    ),
]

KEYWORDS = [
    (argument(type="integer"), argument(type="string"), ["type of `mode` changed from integer to string"]),
    (argument(type="integer"), argument(), ["type of `mode` changed from integer to any"]),
    (
        argument(type=["string", "null"]),
        argument(type="string"),
        ["type of `mode` changed from string or null to string"],
    ),
    (
        argument(type="string"),
        argument(anyOf=[STRING, {"type": "null"}]),
        ["type of `mode` changed from string to string or null"],
    ),
    (
        argument(type="string"),
        argument(**{"$ref": "#/$defs/Mode"}),
        ["type of `mode` changed from string to Mode"],
    ),
    (argument(enum=["fast", "slow"]), argument(enum=["slow"]), ["enum of `mode` lost `fast`"]),
    (
        argument(enum=["fast", 1]),
        argument(enum=[True, "fast"]),
        ["enum of `mode` lost 1", "enum of `mode` gained true"],
    ),
    (argument(), argument(enum=["a", None]), ["enum of `mode` added: `a`, null"]),
    (argument(enum=["a"]), argument(), ["enum of `mode` removed"]),
    (
        argument(enum=[]),
        argument(enum=list("abcdefg")),
        ["enum of `mode` gained `a`, `b`, `c`, `d`, `e` and 2 more"],
    ),
    (argument(minimum=1), argument(minimum=2.5), ["minimum of `mode` changed from 1 to 2.5"]),
    (argument(), argument(maxLength=9), ["maxLength of `mode` added: 9"]),
    (argument(default=[]), argument(), ["default of `mode` removed (was [])"]),
    (
        argument(default={"a": 1}),
        argument(default={"a": 2}),
        ["`/inputSchema/properties/mode/default/a` changed from 1 to 2"],
    ),
    (argument(description="a"), argument(description="b"), ["description of `mode` changed"]),
    (tool(title="a"), tool(), ["title of the input schema removed"]),
    (tool(properties={"mode": True}), argument(), ["schema of `mode` changed from true to {}"]),
]

DEFINITIONS = [
    ({"description": "a"}, {"description": "b"}, ["description changed"]),
    ({}, {"description": "b"}, ["description added"]),
    ({"title": "a"}, {"title": "b"}, ['title changed from "a" to "b"']),
    ({"name": "a"}, {"name": "b"}, ['name changed from "a" to "b"']),
    ({"icons": [{"src": "a"}]}, {"icons": [{"src": "b"}, {"src": "c"}]}, ["icons changed"]),
    ({"outputSchema": STRING}, {}, ["output schema removed"]),
    ({}, {"outputSchema": STRING}, ["output schema added"]),
    (
        {"outputSchema": {"properties": {}}},
        {"outputSchema": {"properties": URL}},
        ["optional output field `url` added"],
    ),
    (
        {"annotations": {"readOnlyHint": True}},
        {"annotations": {"readOnlyHint": False}},
        ["annotation readOnlyHint changed from true to false"],
    ),
    (
        {},
        {"annotations": {"readOnlyHint": True, "title": "Go"}},
        ["annotation readOnlyHint added: true", 'annotation title added: "Go"'],
    ),
    ({}, {"annotations": {}}, ["`/annotations` added: {}"]),
    ({"annotations": {"title": "Go"}}, {}, ['annotation title removed (was "Go")']),
    (
        {},
        {"execution": {"taskSupport": "optional"}},
        ['`/execution` added: {"taskSupport": "optional"}'],
    ),
    ({"_meta": {"a": [1]}}, {"_meta": {"a": [2]}}, ["`/_meta/a/0` changed from 1 to 2"]),
    ([], 1, ["the whole value changed from [] to 1"]),
]


@pytest.mark.parametrize(("before", "after", "expected"), ARGUMENTS)
def test_changed_arguments_are_told_with_whether_they_are_required(
    before: Any, after: Any, expected: list[str]
) -> None:
    assert words(before, after) == expected


@pytest.mark.parametrize(("before", "after", "expected"), NESTED)
def test_what_lies_below_an_argument_is_named_by_its_path(before: Any, after: Any, expected: list[str]) -> None:
    assert words(before, after) == expected


@pytest.mark.parametrize(("before", "after", "expected"), KEYWORDS)
def test_changed_keywords_are_told_with_their_argument(before: Any, after: Any, expected: list[str]) -> None:
    assert words(before, after) == expected


@pytest.mark.parametrize(("before", "after", "expected"), DEFINITIONS)
def test_the_rest_of_a_definition_has_words_or_a_pointer(before: Any, after: Any, expected: list[str]) -> None:
    assert words(before, after) == expected


def test_changed_prose_is_told_last() -> None:
    before = {"description": "a", "inputSchema": {"title": "a", "properties": {"title": {}}}}
    after = {"description": "b", "inputSchema": {"title": "b", "properties": {}}}
    assert words(before, after) == [
        "optional argument `title` removed",
        "description changed",
        "title of the input schema changed",
    ]


def test_a_schema_by_itself_has_fields() -> None:
    assert words({"properties": {}}, {"properties": URL}, "schema") == ["optional field `url` added"]
    assert words({}, True, "schema") == ["schema changed"]


def test_plain_json_is_told_by_pointers() -> None:
    assert words({"inputSchema": 1}, {"inputSchema": 2}, "plain") == ["`/inputSchema` changed from 1 to 2"]


def test_long_text_is_cut_in_its_middle() -> None:
    (line,) = words({"title": "a"}, {"title": "b" * 50 + "c" * 1_000_000 + "d" * 50})
    assert line == f'title changed from "a" to "{"b" * 39}…{"d" * 20}"'


def test_a_name_cannot_close_its_quotes_or_move_the_text() -> None:
    (line,) = words(tool(properties={}), tool(properties={"`x`\n\u202e\x1b[31m": {}}))
    assert line == r"optional argument `\x60x\x60\n\u202e\x1b[31m` added"


def test_a_keyword_from_outside_is_quoted() -> None:
    (line,) = words(argument(), argument(**{"x`\r": 1}))
    assert line == r"`x\x60\r` of `mode` added: 1"


def test_large_values_are_told_by_their_size() -> None:
    assert brief(list(range(9))) == "a list of 9 items"
    assert brief([[]]) == "a list of 1 item"
    assert brief({"a": {}}) == "an object of 1 field"
    assert brief(10**10_000) == "an integer of 33220 bits"
    assert brief([10**10_000]) == "a list of 1 item"
    assert brief(2**53) == "9007199254740992"


def test_ten_thousand_new_arguments_take_no_quadratic_time() -> None:
    names = [f"argument{i}" for i in range(10_000)]
    started = time.process_time()
    lines = words(tool(properties={}), tool(properties=dict.fromkeys(names, STRING), required=names))
    assert time.process_time() - started < 5
    assert len(lines) == len(names)


@given(definitions, definitions)
def test_words_of_any_definition_can_be_printed_and_are_short(before: Any, after: Any) -> None:
    check_lines(words(before, after), has_changes=bool(changes(before, after)))


@given(schemas, schemas)
def test_words_of_any_schema_can_be_printed_and_are_short(before: Any, after: Any) -> None:
    check_lines(words(before, after, "schema"), has_changes=bool(changes(before, after, reading="schema")))


@given(plain, plain)
def test_words_of_any_value_can_be_printed_and_are_short(before: Any, after: Any) -> None:
    check_lines(words(before, after), has_changes=bool(changes(before, after)))


@given(st.text(st.characters(codec=None), max_size=200))
def test_a_hostile_name_makes_one_printable_line(name: str) -> None:
    check_lines(words(tool(properties={}), tool(properties={name: {}})), has_changes=True)


def check_lines(lines: list[str], *, has_changes: bool) -> None:
    assert bool(lines) == has_changes
    assert len(set(lines)) == len(lines)
    for line in lines:
        assert line == printable(line)
        assert len(line) < 8 * LONGEST_QUOTE
