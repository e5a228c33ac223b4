"""What changed between two JSON values, as a list of changes that can be applied again.

It knows where JSON Schemas lie in a tool definition: there `required`, `enum` and an array of types are sets,
so another order is no change. Any other list is a list, and its items are aligned before they are compared.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from ledger.canon.pointer import escape, split
from ledger.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ledger.canon.jsontext import Json

Reading = Literal["definition", "schema", "plain"]

# Beyond these a part is compared as a whole. Every change repeats the pointer of its parents: without a bound
# the changes of a megabyte could take many gigabytes.
MAX_DEPTH = 64
MAX_POINTER = 1024


class Absent(Enum):
    """The type of `ABSENT`."""

    ABSENT = "absent"

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = Absent.ABSENT
"""Stands where there is no value; JSON's null is a value."""


@dataclass(frozen=True, slots=True)
class Change:
    """One place where two values differ; `before` or `after` is ABSENT when something was added or removed.

    `path` is a JSON pointer. List positions in it count in the value after all changes, except that the last
    one of a removal counts in the value before them. A set that changed is one change, with both sets whole.
    """

    path: str
    before: Json | Absent
    after: Json | Absent


def changes(before: Json, after: Json, *, reading: Reading = "definition") -> list[Change]:
    """What must be done to `before` to make it `after`, in an order that depends on the values alone.

    `reading` says what the two are: tool definitions, schemas, or plain JSON without any sets. Values are
    equal when their canonical bytes are (1 and 1.0 are, 1 and true are not). O(n log n), whatever they hold.
    """
    identities = _Identities()
    identities.learn(before)
    identities.learn(after)
    found: list[Change] = []
    pending = [_Pair("", 0, before, after, _ROOTS[reading])]
    while pending:
        pair = pending.pop()
        parts = _parts(pair, identities)
        if parts is None:
            found.append(Change(pair.path, pair.before, pair.after))
        else:
            pending.extend(reversed(parts))
    return found


def apply(value: Json, changes: Iterable[Change]) -> Json:
    """`value` with the changes made; raises BadInput when one names a place that `value` has not.

    `apply(a, changes(a, b))` is `b`, up to the order of sets. The result shares unchanged parts with `value`.
    """
    edits = _Edits()
    for change in changes:
        edits.include(change)
    return edits.made_to(value, "")


def lost_and_gained(before: Sequence[Json], after: Sequence[Json]) -> tuple[list[Json], list[Json]]:
    """The members that only the first set has, and those that only the second has, each in its own order."""
    identities = _Identities()
    for value in (*before, *after):
        identities.learn(value)
    old = {identities.of(value): value for value in before}
    new = {identities.of(value): value for value in after}
    lost = [value for number, value in old.items() if number not in new]
    return lost, [value for number, value in new.items() if number not in old]


class _Place(Enum):
    """What lies at a place, which decides how it is compared."""

    PLAIN = auto()
    DEFINITION = auto()
    SCHEMA = auto()
    SCHEMAS = auto()
    SET = auto()
    SETS = auto()


_ROOTS: dict[Reading, _Place] = {
    "definition": _Place.DEFINITION,
    "schema": _Place.SCHEMA,
    "plain": _Place.PLAIN,
}
_IN_DEFINITION = {"inputSchema": _Place.SCHEMA, "outputSchema": _Place.SCHEMA}
# the applicators of 2020-12, and those that older drafts had beside them; each may hold one schema or a list
_IN_SCHEMA = {
    **dict.fromkeys(("required", "enum", "type"), _Place.SET),
    **dict.fromkeys(("dependentRequired", "dependencies"), _Place.SETS),
    **dict.fromkeys(("properties", "patternProperties", "dependentSchemas", "$defs", "definitions"), _Place.SCHEMAS),
    **dict.fromkeys(
        ("items", "prefixItems", "additionalItems", "unevaluatedItems", "contains", "contentSchema"),
        _Place.SCHEMA,
    ),
    **dict.fromkeys(("additionalProperties", "unevaluatedProperties", "propertyNames"), _Place.SCHEMA),
    **dict.fromkeys(("allOf", "anyOf", "oneOf", "not", "if", "then", "else"), _Place.SCHEMA),
}


def _member_place(place: _Place, key: str) -> _Place:
    match place:
        case _Place.DEFINITION:
            return _IN_DEFINITION.get(key, _Place.PLAIN)
        # an object in place of a set is a schema: `dependencies` holds either
        case _Place.SCHEMA | _Place.SET:
            return _IN_SCHEMA.get(key, _Place.PLAIN)
        case _Place.SCHEMAS:
            return _Place.SCHEMA
        case _Place.SETS:
            return _Place.SET
        case _Place.PLAIN:
            return _Place.PLAIN


class _Pair(NamedTuple):
    """Two values at one place, still to be compared."""

    path: str
    depth: int
    before: Json | Absent
    after: Json | Absent
    place: _Place

    def part(self, key: str | int, before: Json | Absent, after: Json | Absent, place: _Place) -> _Pair:
        return _Pair(f"{self.path}/{escape(str(key))}", self.depth + 1, before, after, place)


def _parts(pair: _Pair, identities: _Identities) -> list[_Pair] | None:
    """The parts in which a pair differs (none if it is equal), or None if it changed as a whole."""
    before, after = pair.before, pair.after
    if before is ABSENT or after is ABSENT:
        return None
    if identities.of(before) == identities.of(after):
        return []
    is_bounded = pair.depth < MAX_DEPTH and len(pair.path) <= MAX_POINTER
    if isinstance(before, list) and isinstance(after, list):
        if pair.place is _Place.SET:
            return [] if identities.of_all(before) == identities.of_all(after) else None
        return _items(pair, before, after, identities) if is_bounded else None
    if isinstance(before, dict) and isinstance(after, dict) and is_bounded:
        return _members(pair, before, after, identities)
    return None


def _members(pair: _Pair, before: dict[str, Json], after: dict[str, Json], identities: _Identities) -> list[_Pair]:
    return [
        pair.part(key, before.get(key, ABSENT), after.get(key, ABSENT), _member_place(pair.place, key))
        for key in sorted(before.keys() | after.keys())
        if key not in before or key not in after or identities.of(before[key]) != identities.of(after[key])
    ]


def _items(pair: _Pair, before: list[Json], after: list[Json], identities: _Identities) -> list[_Pair]:
    place = _Place.SCHEMA if pair.place in {_Place.SCHEMA, _Place.SCHEMAS} else _Place.PLAIN
    parts: list[_Pair] = []
    for gap in _gaps([identities.of(item) for item in before], [identities.of(item) for item in after]):
        olds, news = range(gap.old, gap.old_end), range(gap.new, gap.new_end)
        met = min(len(olds), len(news))
        parts += [pair.part(j, before[i], after[j], place) for i, j in zip(olds, news, strict=False)]
        parts += [pair.part(i, before[i], ABSENT, place) for i in olds[met:]]
        parts += [pair.part(j, ABSENT, after[j], place) for j in news[met:]]
    return parts


class _Identities:
    """Gives equal JSON values the same number; works without recursion, so depth is no danger."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[object, ...], int] = {}
        # keyed by id(): both values stay alive while they are compared
        self._containers: dict[int, int] = {}

    def learn(self, root: Json) -> None:
        pending: list[tuple[Json, bool]] = [(root, False)]
        while pending:
            value, are_parts_known = pending.pop()
            if not isinstance(value, list | dict):
                continue
            if are_parts_known:
                self._containers[id(value)] = self._number(self._key(value))
            elif id(value) not in self._containers:
                pending.append((value, True))
                parts = value.values() if isinstance(value, dict) else value
                pending.extend((part, False) for part in parts)

    def of(self, value: Json) -> int:
        if isinstance(value, list | dict):
            return self._containers[id(value)]
        return self._number(_scalar_key(value))

    def of_all(self, values: Iterable[Json]) -> set[int]:
        return {self.of(value) for value in values}

    def _key(self, value: list[Json] | dict[str, Json]) -> tuple[object, ...]:
        if isinstance(value, dict):
            return ("object", *((key, self.of(value[key])) for key in sorted(value)))
        return ("list", *(self.of(item) for item in value))

    def _number(self, key: tuple[object, ...]) -> int:
        return self._numbers.setdefault(key, len(self._numbers))


def _scalar_key(value: Json) -> tuple[object, ...]:
    """What makes two scalars equal in canonical JSON: 1.0 is `1` there, as far as doubles count exactly."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return (int, int(value))
    return (type(value), value)


class _Span(NamedTuple):
    """A stretch of the old list, and the stretch of the new one that may have come of it."""

    old: int
    old_end: int
    new: int
    new_end: int


def _gaps(before: Sequence[int], after: Sequence[int]) -> Iterator[_Span]:
    """The stretches between the items that stayed.

    Those are the common start and end, and of the items that occur once on both sides the longest run that
    kept its order (patience diff). Not the shortest diff, but O(n log n), whatever the lists hold.
    """
    middle = _trimmed(before, after, _Span(0, len(before), 0, len(after)))
    old, new = middle.old, middle.new
    for kept_old, kept_new in [*_kept(before, after, middle), (middle.old_end, middle.new_end)]:
        yield _trimmed(before, after, _Span(old, kept_old, new, kept_new))
        old, new = kept_old + 1, kept_new + 1


def _trimmed(before: Sequence[int], after: Sequence[int], span: _Span) -> _Span:
    old, old_end, new, new_end = span
    while old < old_end and new < new_end and before[old] == after[new]:
        old, new = old + 1, new + 1
    while old < old_end and new < new_end and before[old_end - 1] == after[new_end - 1]:
        old_end, new_end = old_end - 1, new_end - 1
    return _Span(old, old_end, new, new_end)


def _kept(before: Sequence[int], after: Sequence[int], span: _Span) -> list[tuple[int, int]]:
    old_counts = Counter(before[span.old : span.old_end])
    new_counts = Counter(after[span.new : span.new_end])
    new_places = {after[j]: j for j in range(span.new, span.new_end) if new_counts[after[j]] == 1}
    unique = [
        (i, new_places[before[i]])
        for i in range(span.old, span.old_end)
        if old_counts[before[i]] == 1 and before[i] in new_places
    ]
    return _longest_rising(unique)


def _longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest selection whose second numbers rise, as its first ones already do."""
    ends: list[int] = []  # the smallest second number with which a run of each length can end
    at: list[int] = []  # which pair that is
    previous: list[int] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        previous.append(at[length - 1] if length else -1)
        if length == len(ends):
            ends.append(place)
            at.append(number)
        else:
            ends[length], at[length] = place, number
    chosen: list[tuple[int, int]] = []
    number = at[-1] if at else -1
    while number >= 0:
        chosen.append(pairs[number])
        number = previous[number]
    return chosen[::-1]


@dataclass(slots=True)
class _Edits:
    """The changes at one place and below it."""

    put: Json | Absent = ABSENT
    is_new: bool = False
    removed: set[str] = field(default_factory=set)
    parts: dict[str, _Edits] = field(default_factory=dict)

    def include(self, change: Change) -> None:
        tokens = split(change.path)
        if len(tokens) > MAX_DEPTH:
            raise BadInput(f"a change lies deeper than {MAX_DEPTH} levels", place=change.path)
        if change.after is ABSENT:
            if not tokens:
                raise BadInput("the whole value cannot be removed")
            self._at(tokens[:-1]).removed.add(tokens[-1])
        else:
            edits = self._at(tokens)
            edits.put, edits.is_new = change.after, change.before is ABSENT

    def made_to(self, value: Json, path: str) -> Json:
        if self.put is not ABSENT:
            return self.put
        if isinstance(value, dict):
            return self._made_to_members(value, path)
        if isinstance(value, list):
            return self._made_to_items(value, path)
        if self.parts or self.removed:
            raise BadInput("a change names a part, but there is neither an object nor a list", place=path)
        return value

    def _at(self, tokens: Iterable[str]) -> _Edits:
        edits = self
        for token in tokens:
            edits = edits.parts.setdefault(token, _Edits())
        return edits

    def _made_to_members(self, value: dict[str, Json], path: str) -> Json:
        for key in self.removed | {key for key, edits in self.parts.items() if not edits.is_new}:
            if key not in value:
                raise BadInput("a change names a member that is not there", place=f"{path}/{escape(key)}")
        result = {key: member for key, member in value.items() if key not in self.removed}
        for key, edits in self.parts.items():
            result[key] = edits.made_to(value.get(key), f"{path}/{escape(key)}")
        return result

    def _made_to_items(self, value: list[Json], path: str) -> Json:
        removed = {_position(token, len(value), path) for token in self.removed}
        size = len(value) - len(removed) + sum(edits.is_new for edits in self.parts.values())
        parts = {_position(token, size, path): edits for token, edits in self.parts.items()}
        stayed = (item for i, item in enumerate(value) if i not in removed)
        result: list[Json] = []
        for i in range(size):
            edits = parts.get(i)
            item = None if edits is not None and edits.is_new else next(stayed)
            result.append(item if edits is None else edits.made_to(item, f"{path}/{i}"))
        return result


_POSITION = re.compile(r"0|[1-9][0-9]{0,8}")


def _position(token: str, size: int, path: str) -> int:
    if not (_POSITION.fullmatch(token) and int(token) < size):
        raise BadInput("a change names an item that is not there", place=f"{path}/{escape(token)}")
    return int(token)
