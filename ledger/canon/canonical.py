"""Canonical JSON: the one sequence of bytes by which a value is stored, compared and hashed.

The bytes are those of RFC 8785, with one rule of our own: an integer beyond ±(2^53 - 1), which RFC 8785 would
round, is written as its plain decimal digits. A float is written as RFC 8785 says, so 1.0 becomes `1` and
1e21 becomes `1e+21`, while the integer 10^21 keeps its 22 digits.
"""

from __future__ import annotations

import math
from types import NoneType
from typing import TYPE_CHECKING

import orjson
import rfc8785

from ledger.canon.jsontext import DEEPEST, check_value, int_is_writable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledger.canon.jsontext import Json


def canonical(value: Json) -> bytes:
    """The canonical bytes of a JSON value.

    Equal values have equal bytes, whatever the order of their keys. Text is never normalised: é as one code
    point and é as two are different. NaN, half of a surrogate pair and types that are not JSON are BadInput,
    values nested deeper than `jsontext.DEEPEST` OverLimit.
    """
    if not _is_plain(value, DEEPEST):
        return _canonical_by_parts(value)
    try:
        written = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # an integer beyond 64 bits, half of a surrogate pair, or a key that is not text
        return _canonical_by_parts(value)
    if not written.isascii() and _keys_may_be_misplaced(written):
        return _canonical_by_parts(value)
    return written


_PLAIN_SCALARS = frozenset({str, int, bool, NoneType})


def _is_plain(value: Json, room: int) -> bool:
    """Whether orjson can differ from the canonical bytes in the order of keys only.

    It writes floats in its own way, NaN even as null, and it writes types that are not JSON, such as UUIDs.
    What passes here holds neither. Integers and strings it writes as RFC 8785 does, and integers between 53
    and 64 bits as our own rule says.
    """
    if type(value) is dict:
        return room > 0 and _are_plain(value.values(), room - 1)
    if type(value) is list:
        return room > 0 and _are_plain(value, room - 1)
    return type(value) in _PLAIN_SCALARS or isinstance(value, str)


def _are_plain(values: Iterable[Json], room: int) -> bool:
    for value in values:  # noqa: SIM110 - all() over a generator costs twice as much, on the hottest path
        if type(value) not in _PLAIN_SCALARS and not _is_plain(value, room):
            return False
    return True


def _keys_may_be_misplaced(written: bytes) -> bool:
    """Whether sorting by code point, as orjson does, can differ from sorting by UTF-16 code unit.

    It can only where a character above U+FFFF, in UTF-16 a pair that begins with D800..DBFF, meets one in
    U+E000..U+FFFF. In UTF-8 the first begin with F0..F4, the second with EE or EF.
    """
    return any(lead in written for lead in _LEADS_OF_PAIRS) and (b"\xee" in written or b"\xef" in written)


_LEADS_OF_PAIRS = (b"\xf0", b"\xf1", b"\xf2", b"\xf3", b"\xf4")


def _canonical_by_parts(value: Json) -> bytes:
    """The way for every value: keys are sorted and unusual numbers written here, the rest is orjson's."""
    try:
        return orjson.dumps(_in_parts(value, DEEPEST))
    except (TypeError, _NotJson):
        check_value(value, max_depth=DEEPEST)  # says what is wrong, and where
        raise


class _NotJson(Exception):
    """Stops the walk; `check_value` then finds the reason."""


def _in_parts(value: Json, room: int) -> object:
    if isinstance(value, dict | list) and not room:
        raise _NotJson
    if isinstance(value, dict):
        # str.__str__ because orjson takes no subclass of str as a key
        return {str.__str__(key): _in_parts(value[key], room - 1) for key in _sorted_keys(value)}
    if isinstance(value, list):
        return [_in_parts(item, room - 1) for item in value]
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, float):
        return orjson.Fragment(_float_text(value))
    if isinstance(value, int) and int_is_writable(value):
        return value if value.bit_length() < 64 else orjson.Fragment(int.__repr__(value))
    raise _NotJson


def _sorted_keys(members: dict[str, Json]) -> list[str]:
    if "".join(members).isascii():
        return sorted(members)
    # "surrogatepass" leaves it to orjson to refuse half of a pair
    return sorted(members, key=lambda key: key.encode("utf-16-be", "surrogatepass"))


def _float_text(number: float) -> str | bytes:
    if not math.isfinite(number):
        raise _NotJson
    text = float.__repr__(number)
    if "e" in text:
        return rfc8785.dumps(float(number))
    # without an exponent Python and ECMAScript write the same shortest digits, except for the sign of zero
    return "0" if number == 0 else text.removesuffix(".0")
