"""The strict parser: what it accepts means one thing only."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.canon.jsontext import DEEPEST, MAX_DEPTH, check_value, parse
from ledger.errors import BadInput, OverLimit
from tests.unit.canon.strategies import texts, values

if TYPE_CHECKING:
    from collections.abc import Iterator

MEGABYTE = 1_000_000


def styles(value: Any) -> Iterator[str]:
    yield json.dumps(value)
    yield json.dumps(value, ensure_ascii=False)
    yield json.dumps(value, separators=(",", ":"))
    yield json.dumps(value, indent=1, ensure_ascii=False)
    yield f"\r\n\t {json.dumps(value)} \n"


@given(values)
def test_a_valid_text_has_the_value_that_the_standard_library_reads(value: Any) -> None:
    for text in styles(value):
        expected = json.loads(text)
        assert repr(parse(text)) == repr(expected)
        assert repr(parse(text.encode())) == repr(expected)


@given(st.text('{}[]":,\\/ue019.-+ \n\tntrflasNaIi') | st.binary())
def test_what_is_accepted_is_also_json_to_the_standard_library_and_means_the_same(raw: str | bytes) -> None:
    try:
        value = parse(raw)
    except (BadInput, OverLimit):
        return
    assert repr(value) == repr(json.loads(raw))


@given(values, st.data())
def test_a_damaged_text_is_refused_or_read_as_the_standard_library_reads_it(value: Any, data: st.DataObject) -> None:
    text = json.dumps(value)
    at = data.draw(st.integers(0, len(text)))
    damaged = (
        text[:at] + data.draw(st.sampled_from(["", "{", "[", '"', "\\", ",", "0", "NaN", "\x00"])) + text[at + 1 :]
    )
    try:
        found = parse(damaged)
    except (BadInput, OverLimit):
        return
    assert repr(found) == repr(json.loads(damaged))


@given(values)
def test_text_and_its_bytes_are_read_alike(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False)
    assert repr(parse(text)) == repr(parse(text.encode()))


@given(st.dictionaries(texts, st.integers(), min_size=1), st.data())
def test_a_key_that_stands_twice_is_refused_wherever_it_stands(members: dict[str, int], data: st.DataObject) -> None:
    pairs = [*members.items(), data.draw(st.sampled_from(list(members.items())))]
    pairs = data.draw(st.permutations(pairs))
    written = ", ".join(f"{json.dumps(key)}: {number}" for key, number in pairs)
    with pytest.raises(BadInput, match="twice"):
        parse(f'{{"outer": [{{{written}}}]}}')


def test_a_key_that_stands_twice_is_named_by_its_json_pointer() -> None:
    with pytest.raises(BadInput) as refusal:
        parse('{"tools": [{"name": 1}, {"a/b": 1, "c": 2, "a\\/b": 1}]}')
    assert refusal.value.place == "/tools/1/a~1b"


@pytest.mark.parametrize("raw", [b"\xff", b'"\xc3"', b'"\xed\xa0\x80"', b'{"a": "\xf8"}', '"x"'.encode("utf-16")])
def test_what_is_not_utf_8_is_refused(raw: bytes) -> None:
    with pytest.raises(BadInput, match=r"byte \d+: not valid UTF-8"):
        parse(raw)


@pytest.mark.parametrize("text", ['"\\ud800"', '["\\udc00x"]', '{"a": "\\ud83d\\ud83d"}', '{"\\ud800": 1}', '"\ud800"'])
def test_half_of_a_surrogate_pair_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="half of a surrogate pair"):
        parse(text)


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}'])
def test_nan_and_infinity_are_refused(text: str) -> None:
    with pytest.raises(BadInput, match="NaN and Infinity"):
        parse(text)


@pytest.mark.parametrize("text", ["1e309", "[-1e400]", "1" * 400 + ".0", "1e99999999999999999999"])
def test_a_number_that_no_double_can_hold_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="too big for a double"):
        parse(text)


@pytest.mark.parametrize("digits", [641, 4_300, 4_301, 5_000, MEGABYTE])
def test_an_integer_with_too_many_digits_is_bad_input_and_no_python_error(digits: int) -> None:
    with pytest.raises(BadInput, match="more than 640 digits"):
        parse('{"n": -' + "9" * digits + "}")


def test_long_integers_are_read_whatever_limit_the_interpreter_has() -> None:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)  # the lowest that Python accepts
    try:
        assert parse("9" * 640) == 10**640 - 1
    finally:
        sys.set_int_max_str_digits(before)


@pytest.mark.parametrize("number", [2**53 + 1, 2**63, 2**64, -(2**63) - 1, -9_999_999_999_999_999_999, 10**30 + 1])
def test_integers_stay_exact(number: int) -> None:
    assert parse(f"[{number}]") == [number]


def test_numbers_keep_their_python_type() -> None:
    assert repr(parse("[1, 1.0, 1e2, -0, -0.0]")) == "[1, 1.0, 100.0, 0, -0.0]"


@pytest.mark.parametrize("text", ["{} x", "1 2", "[] []", "nullnull", '"a""b"', "01", "1."])
def test_text_after_the_value_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="text follows"):
        parse(text)


@pytest.mark.parametrize(
    "text",
    ["", " ", "{", "[1,]", "{'a':1}", '{"a" 1}', '"\n"', '"\\x"', "+1", ".5", "True", "\ufeff1", "/**/1", "\x001"],
)
def test_what_is_not_json_is_refused_with_line_and_column(text: str) -> None:
    with pytest.raises(BadInput, match=r"line \d+, column \d+: not JSON"):
        parse(text)


def test_the_place_of_a_mistake_counts_lines_and_columns_from_one() -> None:
    with pytest.raises(BadInput) as refusal:
        parse('{\n  "a": oops\n}')
    assert refusal.value.place == "line 2, column 8"


@pytest.mark.parametrize("opener", ["[", '{"a":', '[{"a":[1, "]}", '], ids=["lists", "objects", "mixed"])
@pytest.mark.parametrize("spelling", ["", "\\u0061"], ids=["fast", "careful"])
def test_the_depth_limit_is_exact_on_both_paths(opener: str, spelling: str) -> None:
    closer = {"[": "]", "{": "}"}
    per_round = sum(opener.replace("]}", "").count(bracket) for bracket in closer)
    rounds = 60 // per_round
    tail = "".join(closer[bracket] for bracket in reversed(opener.replace('"]}"', "")) if bracket in closer)
    text = opener * rounds + f'"{spelling}"' + tail * rounds
    depth = rounds * per_round
    assert parse(text, max_depth=depth) == json.loads(text)
    with pytest.raises(OverLimit) as refusal:
        parse(text, max_depth=depth - 1)
    assert (refusal.value.limit, refusal.value.allowed, refusal.value.found) == ("max_depth", depth - 1, depth)


def test_brackets_inside_strings_do_not_count_as_depth() -> None:
    text = json.dumps(["[" * 500, '\\"[[[' * 200, {"{" * 300: "\\"}])
    assert parse(text.replace("[[[", "\\u005b[[", 1), max_depth=2) == json.loads(text)
    assert parse(text, max_depth=2) == json.loads(text)


def test_depth_hidden_behind_a_duplicate_key_is_refused_too() -> None:
    with pytest.raises(OverLimit):
        parse('{"a": ' + "[" * 900 + "]" * 900 + ', "a": 1}')


def test_no_caller_can_ask_for_more_depth_than_the_walks_can_bear() -> None:
    with pytest.raises(OverLimit) as refusal:
        parse("[" * 5_000 + "]" * 5_000, max_depth=10_000)
    assert refusal.value.allowed == DEEPEST


@pytest.mark.parametrize(
    "text",
    [
        "[" * (10 * MEGABYTE),
        '{"a":' * (2 * MEGABYTE),
        "[" * 64 + '"' + '\\"' * (4 * MEGABYTE),
        '"' * (8 * MEGABYTE),
        "\\" * (8 * MEGABYTE),
        "[" + "9" * (8 * MEGABYTE),
        "-" * (8 * MEGABYTE),
        "[" + '"\\ud800",' * MEGABYTE + "1]",
        "[" + "NaN," * MEGABYTE + "1]",
        "[" + "1e999," * MEGABYTE + "1]",
        '{"a":1' + ',"a":1' * MEGABYTE + "}",
    ],
    ids=lambda text: text[:6] + " and so on",
)
def test_megabytes_of_hostile_text_are_refused_without_a_python_error(text: str) -> None:
    """None of them takes more than a few seconds on the slowest machine: each is read a fixed number of times."""
    with pytest.raises((BadInput, OverLimit)):
        parse(text)


def test_a_hostile_key_does_not_make_a_huge_message() -> None:
    with pytest.raises(BadInput) as refusal:
        parse(json.dumps({"k" * MEGABYTE: float("nan")}))
    assert len(str(refusal.value)) < 1_000


def test_a_refused_key_that_is_half_a_pair_can_still_be_printed() -> None:
    with pytest.raises(BadInput) as refusal:
        check_value({"\ud800": 1})
    str(refusal.value).encode()


@given(values)
def test_every_json_value_passes_the_check_for_values(value: Any) -> None:
    check_value(value)


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"a": [{"b": {1, 2}}]}, "/a/0/b"),
        ([1, (2,)], "/1"),
        ({"a": b"x"}, "/a"),
        ({"a": {1: 2}}, "/a"),
        ([float("nan")], "/0"),
        ({"a/b": float("-inf")}, "/a~1b"),
        (["\ud800"], "/0"),
        ([10**640], "/0"),
        (object(), ""),
    ],
)
def test_a_python_value_that_is_not_json_is_refused_with_its_pointer(value: Any, place: str) -> None:
    with pytest.raises(BadInput) as refusal:
        check_value(value)
    assert refusal.value.place == place


def test_a_python_value_may_be_as_deep_as_the_limit_and_no_deeper() -> None:
    value: Any = 1
    for _ in range(MAX_DEPTH):
        value = [value]
    check_value(value)
    with pytest.raises(OverLimit) as refusal:
        check_value({"x": value})
    assert refusal.value.place.startswith("/x/0/0")


def test_a_python_value_that_holds_itself_is_refused() -> None:
    loop: dict[str, Any] = {}
    loop["a"] = [loop, loop]
    with pytest.raises(OverLimit):
        check_value(loop)
