"""Canonical bytes: the same for the same value, on every path."""

from __future__ import annotations

import uuid
from collections import OrderedDict
from enum import IntEnum, StrEnum
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from ledger.canon.canonical import canonical
from ledger.canon.digest import digest
from ledger.canon.jsontext import DEEPEST, MAX_INT_DIGITS, parse
from ledger.errors import BadInput, OverLimit
from tests.unit.canon.strategies import (
    floats,
    is_same_json,
    nested,
    plain_values,
    scalars,
    shuffled,
    texts,
    values,
    written_plainly,
)


@given(values)
def test_every_value_is_written_as_the_plain_encoder_writes_it(value: Any) -> None:
    assert canonical(value) == written_plainly(value)


@given(plain_values)
def test_a_value_without_floats_is_written_as_the_plain_encoder_writes_it(value: Any) -> None:
    assert canonical(value) == written_plainly(value)


@given(nested(st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | floats | texts))
def test_within_the_domain_of_rfc_8785_the_bytes_are_exactly_its_bytes(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)


@given(floats)
def test_every_float_is_written_as_rfc_8785_writes_it(number: float) -> None:
    assert canonical(number) == rfc8785.dumps(number)


def test_floats_of_every_magnitude_are_written_as_rfc_8785_writes_them() -> None:
    for exponent in range(-330, 308):
        for digits in ("1", "9.5", "1.2345678901234567", "9.999999999999999"):
            number = float(f"{digits}e{exponent}")
            assert canonical([number, -number]) == rfc8785.dumps([number, -number])


def test_every_character_is_written_as_rfc_8785_writes_it() -> None:
    blocks = [range(0, 0xD800), range(0xE000, 0x10000), range(0x10000, 0x11000), range(0x10F000, 0x110000)]
    for block in blocks:
        text = "".join(map(chr, block))
        assert canonical(text) == rfc8785.dumps(text)
        assert canonical({text: 1.5}) == rfc8785.dumps({text: 1.5})


@given(values, st.randoms(use_true_random=False))
def test_the_order_of_keys_never_matters(value: Any, random: Any) -> None:
    assert canonical(shuffled(value, random)) == canonical(value)


@given(values)
def test_parsing_canonical_bytes_gives_the_value_back(value: Any) -> None:
    assert is_same_json(parse(canonical(value)), value)


@given(values)
def test_canonical_bytes_of_parsed_canonical_bytes_are_the_same_bytes(value: Any) -> None:
    once = canonical(value)
    assert canonical(parse(once)) == once


@given(values, values)
def test_equal_bytes_mean_equal_values(one: Any, other: Any) -> None:
    assert (canonical(one) == canonical(other)) <= is_same_json(one, other)


@given(st.dictionaries(texts, scalars, min_size=2, max_size=8))
def test_keys_are_ordered_by_their_utf_16_code_units(members: dict[str, Any]) -> None:
    in_order = sorted(members, key=lambda key: key.encode("utf-16-be"))
    read_back = parse(canonical(members))
    assert isinstance(read_back, dict)
    assert list(read_back) == in_order


def test_nfc_and_nfd_are_different_texts() -> None:
    assert canonical("é") != canonical("e\u0301")


def test_an_integer_and_a_float_of_the_same_large_size_are_different() -> None:
    assert canonical(10**21) == b"1000000000000000000000"
    assert canonical(1e21) == b"1e+21"


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_json_does_not_have_are_refused_with_their_place(number: float) -> None:
    with pytest.raises(BadInput) as refusal:
        canonical({"a": [1, number]})
    assert refusal.value.place == "/a/1"


@pytest.mark.parametrize("value", ["\ud800", ["x", "\udfff"], {"\ud800": 1}, {"\ud800": 1.5}, {"a": "\ud800é"}])
def test_half_of_a_surrogate_pair_is_refused(value: Any) -> None:
    with pytest.raises(BadInput, match="surrogate"):
        canonical(value)


@pytest.mark.parametrize(
    "value", [uuid.UUID(int=1), (1, 2), {1, 2}, b"x", {1: 2}, {None: 1}, object(), 1j, [[uuid.UUID(int=1)]]]
)
def test_types_that_are_not_json_are_refused_even_if_an_encoder_knows_them(value: Any) -> None:
    with pytest.raises(BadInput):
        canonical(value)


def test_subclasses_of_json_types_are_written_as_what_they_are() -> None:
    class Word(StrEnum):
        YES = "yes"

    class Number(IntEnum):
        TWO = 2

    class Half(float):
        pass

    shown = digest("x")
    value: Any = OrderedDict({Word.YES: [Word.YES, Number.TWO, Half(0.5)], "digest": shown})
    assert canonical(value) == f'{{"digest":"{shown}","yes":["yes",2,0.5]}}'.encode()


def test_a_digest_inside_a_value_is_written_like_its_text() -> None:
    assert canonical({"tools": digest(1)}) == canonical({"tools": str(digest(1))})


def test_the_longest_integer_that_parse_accepts_is_written_and_one_more_digit_is_refused() -> None:
    longest = 10**MAX_INT_DIGITS - 1
    assert parse(canonical(-longest)) == -longest
    with pytest.raises(BadInput, match="digits"):
        canonical([longest + 1])


@pytest.mark.parametrize("leaf", [1, 1.5], ids=["without floats", "with floats"])
def test_the_deepest_value_is_written_on_every_path_and_a_deeper_one_is_refused(leaf: Any) -> None:
    value = leaf
    for _ in range(DEEPEST):
        value = [value]
    assert canonical(value).startswith(b"[[[[")
    with pytest.raises(OverLimit) as refusal:
        canonical([value])
    assert refusal.value.limit == "max_depth"


def test_a_value_that_holds_itself_is_refused_at_once() -> None:
    loop: list[Any] = []
    loop += [loop, loop]
    with pytest.raises(OverLimit):
        canonical(loop)


def test_writing_does_not_change_the_value() -> None:
    value: Any = {"b": [1.0, {"z": 1, "a": 2**70}], "a": "x"}
    canonical(value)
    assert list(value) == ["b", "a"]
    assert value == {"b": [1.0, {"z": 1, "a": 2**70}], "a": "x"}
