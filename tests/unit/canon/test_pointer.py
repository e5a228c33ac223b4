"""JSON pointers: RFC 6901."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.canon.pointer import escape, join, resolve, split
from ledger.errors import BadInput
from tests.unit.canon.strategies import texts, values

# section 5 of RFC 6901
EXAMPLE: Any = {
    "foo": ["bar", "baz"],
    "": 0,
    "a/b": 1,
    "c%d": 2,
    "e^f": 3,
    "g|h": 4,
    "i\\j": 5,
    'k"l': 6,
    " ": 7,
    "m~n": 8,
}


@pytest.mark.parametrize(
    ("pointer", "found"),
    [
        ("", EXAMPLE),
        ("/foo", ["bar", "baz"]),
        ("/foo/0", "bar"),
        ("/", 0),
        ("/a~1b", 1),
        ("/c%d", 2),
        ("/e^f", 3),
        ("/g|h", 4),
        ("/i\\j", 5),
        ('/k"l', 6),
        ("/ ", 7),
        ("/m~0n", 8),
    ],
)
def test_the_examples_of_the_rfc_resolve_as_it_says(pointer: str, found: Any) -> None:
    assert resolve(EXAMPLE, pointer) == found


@given(st.lists(texts))
def test_splitting_a_joined_pointer_gives_the_parts_back(parts: list[str]) -> None:
    assert split(join(parts)) == tuple(parts)


@given(values)
def test_every_part_of_a_value_is_found_by_its_pointer(value: Any) -> None:
    def parts(path: tuple[str | int, ...], part: Any) -> None:
        assert resolve(value, join(path)) is part
        members = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        for key, child in members:
            parts((*path, key), child)

    parts((), value)


def test_a_tilde_is_escaped_before_a_slash() -> None:
    assert escape("~1/~0") == "~01~1~00"


@pytest.mark.parametrize("pointer", ["a", "#/a", " /a"])
def test_a_pointer_that_does_not_start_with_a_slash_is_refused(pointer: str) -> None:
    with pytest.raises(BadInput, match="starts with /"):
        split(pointer)


@pytest.mark.parametrize("pointer", ["/~", "/a~2", "/~~0"])
def test_a_tilde_that_escapes_nothing_is_refused(pointer: str) -> None:
    with pytest.raises(BadInput, match="~0"):
        split(pointer)


@pytest.mark.parametrize(
    "pointer",
    [
        "/nope",
        "/foo/2",
        "/foo/-",
        "/foo/01",
        "/foo/-1",
        "/foo/+1",
        "/foo/x",
        "/foo/0/0",
        "/foo/²",
        "/foo/" + "9" * 5_000,
    ],
)
def test_a_pointer_to_nothing_is_refused_and_named(pointer: str) -> None:
    with pytest.raises(BadInput) as refusal:
        resolve(EXAMPLE, pointer)
    assert refusal.value.place == pointer
