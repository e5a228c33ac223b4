"""Text from outside, made safe to print."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.canon.printable import printable
from ledger.canon.words import shortened

any_text = st.text(st.characters(codec=None))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", r"\x1b[31mred"),
        ("a\nb\rc\td", r"a\nb\rc\td"),
        ("\x00\x7f\x85\x9f", r"\x00\x7f\x85\x9f"),
        ("user\u202etxt.exe", r"user\u202etxt.exe"),
        ("pay\u200bpal\ufeff", r"pay\u200bpal\ufeff"),
        ("a\u2028b\u2029c", r"a\u2028b\u2029c"),
        ("\ud800", r"\ud800"),
        ("\U000e0041", r"\U000e0041"),
        ("\uffff", r"\uffff"),
    ],
)
def test_what_cannot_be_seen_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize("text", ["", "plain", "naïve", "日本語", "עברית", "⚠️ careful", r"^\d+$", "a b", "`|<&"])
def test_honest_text_stays_as_it_is(text: str) -> None:
    assert printable(text) == text


def test_no_control_format_surrogate_or_separator_character_survives() -> None:
    """The tables of this Python's Unicode are the judge."""
    unseen = [
        character
        for character in map(chr, range(sys.maxunicode + 1))
        if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    ]
    # these format characters are drawn: signs that stand around Arabic, Syriac, Kaithi and Egyptian text
    drawn = {"Arabic", "Syriac", "Kaithi", "Egyptian"}
    survivors = [unicodedata.name(character, "?") for character in unseen if not printable(character).isascii()]
    assert {name.split()[0].capitalize() for name in survivors} <= drawn


@given(any_text)
def test_printable_text_can_be_encoded_and_needs_no_second_pass(text: str) -> None:
    shown = printable(text)
    assert printable(shown) == shown
    assert shown.encode("utf-8").decode("utf-8") == shown
    assert len(shown.splitlines()) <= 1


@given(any_text, st.integers(10, 80))
def test_shortened_text_is_printable_and_short(text: str, longest: int) -> None:
    shown = shortened(text, longest)
    assert len(shown) <= longest
    assert printable(shown) == shown
    assert shown == printable(text) or "…" in shown
