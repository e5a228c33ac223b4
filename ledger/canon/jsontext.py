"""Strict reading of JSON: what could be understood in two ways is refused, with its place."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, TypeAlias

import orjson

from ledger.canon.pointer import join
from ledger.errors import BadInput, OverLimit

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

MAX_DEPTH: Final = 64
"""How deeply a value may be nested unless a caller says otherwise; a scalar has depth 0, `[]` depth 1."""

DEEPEST: Final = 128
"""No caller gets more: every walk here then stays well below the recursion limits of Python and orjson."""

MAX_INT_DIGITS: Final = 640
"""Python reads integers up to here whatever `sys.set_int_max_str_digits` says."""


def parse(raw: bytes | str, *, max_depth: int = MAX_DEPTH) -> Json:
    """The value of one JSON text; integers stay exact, other numbers become floats.

    Refused with BadInput: what is not UTF-8 or not JSON, text after the value, a key that stands twice in one
    object, half of a surrogate pair, NaN, a number too big for a double, an integer of more than 640 digits.
    Nesting beyond `max_depth` is OverLimit. Time is linear in the length of the text, whatever it holds.
    """
    limit = min(max_depth, DEEPEST)
    value = _parse_plain(raw)
    if isinstance(value, _Defect):
        return _parse_carefully(raw, limit)
    if _openers(raw) > limit:  # no text is deeper than it has brackets
        _check_depth(value, limit)
    return value


def check_value(value: object, *, max_depth: int = MAX_DEPTH) -> None:
    """Raise unless a Python value is JSON: dicts with str keys, lists, str, int, finite float, bool, None."""
    _check(value, None, 0, min(max_depth, DEEPEST))


def int_is_writable(number: int) -> bool:
    """Whether an integer has few enough digits to be stored and read again anywhere."""
    return -_BEYOND_DIGITS < number < _BEYOND_DIGITS


@dataclass(frozen=True, slots=True)
class _Defect:
    """Stands in a parsed value for something to refuse; the walk that comes after knows its place."""

    reason: str
    key: str | None = None


_BEYOND_DIGITS = 10**MAX_INT_DIGITS
_NOT_PLAIN = _Defect("read it carefully")
_TOO_LONG = _Defect(f"an integer has more than {MAX_INT_DIGITS} digits")
_TOO_BIG = _Defect("a number is too big for a double")
_NO_NUMBER = _Defect("NaN and Infinity are not JSON")
_HALF_PAIR = "a string holds half of a surrogate pair"


def _parse_plain(raw: bytes | str) -> Json | _Defect:
    """The fast path: orjson's reading, where it is proved to have lost nothing.

    orjson keeps the last of two equal keys and rounds integers beyond 64 bits. So its value is written again
    and taken only if the text is the same, spaces apart. A valid text stays valid without the spaces between
    its tokens, so the same text means the same tokens: every member is still there, every number is as it was
    written. Strings are compared without their spaces too, but those orjson reads exactly.
    """
    try:
        octets = raw.encode() if isinstance(raw, str) else raw
        value: Json = orjson.loads(octets)
        again = orjson.dumps(value)
    except (ValueError, TypeError):  # not JSON, not UTF-8, or deeper than orjson goes
        return _NOT_PLAIN
    if again == octets or again.translate(None, b" ") == octets.translate(None, b" \t\n\r"):
        return value
    return _NOT_PLAIN


def _parse_carefully(raw: bytes | str, limit: int) -> Json:
    """The standard library's reading; what it takes and JSON forbids is marked in the value, then refused."""
    text = _decode(raw) if isinstance(raw, bytes) else raw
    if _openers(text) > limit:
        _check_text_depth(text, limit)
    try:
        value: Json = _MARKING.decode(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        if error.msg == "Extra data":
            raise BadInput("text follows the JSON value", place=place) from None
        detail = error.msg[0].lower() + error.msg[1:].removesuffix(" at").removesuffix(" starting")
        raise BadInput(f"not JSON: {detail}", place=place) from None
    check_value(value, max_depth=limit)
    return value


def _decode(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise BadInput("not valid UTF-8", place=f"byte {error.start + 1}") from None


def _openers(text: bytes | str) -> int:
    if isinstance(text, bytes):
        return text.count(b"[") + text.count(b"{")
    return text.count("[") + text.count("{")


_STEPS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_NOT_BRACKETS = bytes(set(range(256)) - _STEPS.keys())


def _check_text_depth(text: str, limit: int) -> None:
    """Refuse deep text before a parser that recurses sees it; text that is not JSON is left to the parser."""
    # once escaped backslashes and then escaped quotes are gone, every second piece lies outside all strings
    outside = "".join(text.replace("\\\\", "").replace('\\"', "").split('"')[::2])
    brackets = outside.encode(errors="surrogatepass").translate(None, _NOT_BRACKETS)
    if any(depth > limit for depth in accumulate(map(_STEPS.__getitem__, brackets))):
        raise _too_deep(limit)


def _check_depth(value: Json, limit: int) -> None:
    """The same for a value that was read from text, which is a tree: level by level is the fastest walk."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(limit):
        level = [
            child
            for node in level
            for child in (node.values() if type(node) is dict else node)
            if type(child) is dict or type(child) is list
        ]
    if level:
        raise _too_deep(limit)


def _too_deep(limit: int, place: str = "") -> OverLimit:
    return OverLimit("max_depth", allowed=limit, found=limit + 1, place=place)


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json] | _Defect:
    members = dict(pairs)
    if len(members) == len(pairs):
        return members
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            break
        seen.add(key)
    return _Defect("a key stands twice in one object", key)


def _integer(digits: str) -> int | _Defect:
    return int(digits) if len(digits.lstrip("-")) <= MAX_INT_DIGITS else _TOO_LONG


def _float(text: str) -> float | _Defect:
    number = float(text)
    return number if math.isfinite(number) else _TOO_BIG


_MARKING = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=lambda _: _NO_NUMBER
)

# (where the parent is, key): cheap to pass along, and only spelled out when something is refused
_Where: TypeAlias = "tuple[_Where, str | int] | None"


def _check(value: object, where: _Where, depth: int, limit: int) -> None:
    if isinstance(value, dict):
        _check_room(where, depth, limit)
        for key, child in value.items():
            if type(key) is not str or not key.isascii():
                _check_key(key, where)
            # most children are ASCII text: the shortcut halves the time of the walk
            if type(child) is not str or not child.isascii():
                _check(child, (where, key), depth + 1, limit)
    elif isinstance(value, list):
        _check_room(where, depth, limit)
        for index, child in enumerate(value):
            if type(child) is not str or not child.isascii():
                _check(child, (where, index), depth + 1, limit)
    else:
        _check_scalar(value, where)


def _check_room(where: _Where, depth: int, limit: int) -> None:
    if depth == limit:
        raise _too_deep(limit, _place(where))


def _check_scalar(value: object, where: _Where) -> None:
    match value:
        case None | bool():
            return
        case str():
            _check_text(value, where)
        case int():
            if not int_is_writable(value):
                raise BadInput(_TOO_LONG.reason, place=_place(where))
        case float():
            if not math.isfinite(value):
                raise BadInput(_NO_NUMBER.reason, place=_place(where))
        case _Defect(reason, key):
            raise BadInput(reason, place=_place(where if key is None else (where, key)))
        case _:
            raise BadInput(f"a value of type {type(value).__name__} is not JSON", place=_place(where))


def _check_key(key: object, where: _Where) -> None:
    if not isinstance(key, str):
        raise BadInput(f"a key is of type {type(key).__name__}, not text", place=_place(where))
    _check_text(key, where)


def _check_text(text: str, where: _Where) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadInput(_HALF_PAIR, place=_place(where)) from None


def _place(where: _Where) -> str:
    """The JSON pointer, made printable and cut: keys are input too, and may be megabytes or half a pair."""
    parts: list[str | int] = []
    while where is not None:
        where, part = where
        parts.append(part)
    pointer = join(reversed(parts)).encode("utf-8", "backslashreplace").decode()
    return pointer if len(pointer) <= 500 else f"{pointer[:500]}…"
