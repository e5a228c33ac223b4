"""JSON pointers (RFC 6901): how a place inside a JSON value is written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ledger.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledger.canon.jsontext import Json

_BAD_ESCAPE = re.compile(r"~(?![01])")
_INDEX = re.compile(r"0|[1-9][0-9]{0,17}")


def escape(part: str) -> str:
    """One reference token, with `~` and `/` written so that they do not end it."""
    # the order matters: the `~` of a written `~1` must not be escaped again
    return part.replace("~", "~0").replace("/", "~1")


def join(parts: Iterable[str | int]) -> str:
    """The pointer that leads through these keys and indexes; of none, the whole value: an empty text."""
    return "".join(f"/{escape(str(part))}" for part in parts)


def split(text: str) -> tuple[str, ...]:
    """The keys and indexes of a pointer, all as text: only the value tells an index from a key."""
    if not text:
        return ()
    if not text.startswith("/"):
        raise BadInput("a JSON pointer is empty or starts with /", place=text)
    if _BAD_ESCAPE.search(text):
        raise BadInput("a ~ in a JSON pointer must be written ~0, a / inside a key ~1", place=text)
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in text[1:].split("/"))


def resolve(value: Json, pointer: str) -> Json:
    """What stands at `pointer`; BadInput if nothing does."""
    for part in split(pointer):
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and _INDEX.fullmatch(part) and int(part) < len(value):
            value = value[int(part)]
        else:
            raise BadInput("nothing stands at this JSON pointer", place=pointer)
    return value
