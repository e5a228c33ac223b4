"""Changes of a tool definition in words.

What is quoted here was written by whoever wrote the definition, and may be hostile: it is shortened, and what
cannot be seen is escaped.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ledger.canon.changes import ABSENT, Absent, Change, Reading, lost_and_gained
from ledger.canon.pointer import join, resolve, split
from ledger.canon.printable import printable
from ledger.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ledger.canon.jsontext import Json

LONGEST_QUOTE = 60


def in_words(changes: Sequence[Change], *, before: Json, after: Json, reading: Reading = "definition") -> list[str]:
    """One line for each thing that changed, as a person would say it; changed prose comes last.

    `changes` are those from `before` to `after`, found with the same `reading`. What has no words of its own
    is named by its JSON pointer. The lines are for people: their wording may differ between versions.
    """
    story = _Story(changes, before, after)
    lines = [line for change in sorted(changes, key=_is_prose) for line in story.told(change, reading)]
    return list(dict.fromkeys(lines))


def shortened(text: str, longest: int = LONGEST_QUOTE) -> str:
    """`text` made printable and, where it is longer, cut in its middle to `longest` characters."""
    if len(text) > longest:
        # the ends are enough, because escaping never makes text shorter; a megabyte need not be escaped
        text = f"{text[:longest]}…{text[-longest:]}"
    text = printable(text)
    if len(text) <= longest:
        return text
    tail = longest // 3
    return f"{text[: longest - tail - 1]}…{text[-tail:]}"


def brief(value: Json | Absent) -> str:
    """A JSON value in at most about 60 characters: as JSON if it is small, else what it is and how large."""
    match value:
        case Absent():
            return "nothing"
        case str():
            return '"' + shortened(value).replace('"', '\\"') + '"'
        case int() if not _is_small(value):
            return f"an integer of {value.bit_length()} bits"
        case list() if len(value) > 8 or not all(map(_is_small, value)):
            return f"a list of {_counted(len(value), 'item')}"
        case dict() if len(value) > 8 or not all(map(_is_small, value.values())):
            return f"an object of {_counted(len(value), 'field')}"
        case _:
            return shortened(json.dumps(value, ensure_ascii=False))


# Explicit ranges, because the tables of `unicodedata` differ between versions of Python. U+FE0F is left as it
# is: it follows emoji in honest text.
_BACKTICK = r"\x60"
_PLAIN_KEYWORD = re.compile(r"[$A-Za-z_][A-Za-z0-9_-]{0,39}", re.ASCII)

_ROOTS = {"inputSchema": "input schema", "outputSchema": "output schema"}
_PROSE = {"description", "title", "$comment", "examples"}
_TYPING = {"type", "$ref", "anyOf", "oneOf"}
_PARTS = {
    **{"anyOf": "alternative", "oneOf": "alternative", "allOf": "condition"},
    **{"items": "item", "prefixItems": "item"},
}
_NAMED_SCHEMAS = {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
_LONE_SCHEMAS = {
    *("items", "additionalItems", "unevaluatedItems", "additionalProperties", "unevaluatedProperties"),
    *("not", "if", "then", "else", "contains", "propertyNames", "contentSchema"),
}


class _Story:
    """The changes from one definition to another, with both at hand to explain them."""

    def __init__(self, changes: Iterable[Change], before: Json, after: Json) -> None:
        self._changes = {change.path: change for change in changes}
        self._before = before
        self._after = after
        self._names: dict[tuple[tuple[str, ...], bool], set[str]] = {}

    def told(self, change: Change, reading: Reading) -> list[str]:
        tokens = split(change.path)
        match reading, tokens:
            case "schema", _:
                return self._in_schema(_Spot((), "schema"), tokens, change)
            case "definition", ("inputSchema" | "outputSchema" as key, *rest):
                return self._in_schema(_Spot((key,), _ROOTS[key]), tuple(rest), change)
            case "definition", ("annotations", *names):
                return _of_annotations(names, change)
            case "definition", ("description" | "icons" as key, *rest):
                return [f"{key} {'changed' if rest else _deed(change)}"]
            case "definition", ("name" | "title" as key,):
                return [_sentence(key, change)]
            case _:
                return [_by_pointer(change)]

    def _in_schema(self, spot: _Spot, tokens: tuple[str, ...], change: Change) -> list[str]:
        step = _step(tokens)
        while step and len(step) < len(tokens):
            spot, tokens = spot.down(step), tokens[len(step) :]
            step = _step(tokens)
        match tokens:
            case ():
                return [f"{spot.root} {_deed(change)}"]
            case (keyword,):
                return self._of_keyword(spot, keyword, change)
            case ("properties", key):
                return [self._of_property(spot, key, change)]
            case (keyword, _) if step and keyword in _PARTS:
                return [_sentence(f"{_PARTS[keyword]} of {spot.subject}", change, show=_type_or_brief)]
            case (keyword, key) if step:
                what = f"{keyword} {_named(key)} of {spot.subject}"
                return [_sentence(what, change, show=_type_or_brief)]
            case _:
                return [_by_pointer(change)]

    def _of_keyword(self, spot: _Spot, keyword: str, change: Change) -> list[str]:
        match keyword:
            case "properties":
                return self._of_properties(spot, change)
            case "required":
                return self._of_required(spot, change)
            case "enum":
                return _of_enum(spot, change)
            case "additionalProperties":
                return [_of_unknown_fields(spot, change)]
            case _ if keyword in _TYPING:
                return [self._of_type(spot, keyword, change)]
            case _ if keyword in _PROSE:
                return [f"{keyword} of {spot.subject} {_deed(change)}"]
            case _:
                show = _type_or_brief if keyword in _LONE_SCHEMAS else brief
                return [_sentence(f"{_keyword(keyword)} of {spot.subject}", change, show=show)]

    def _of_property(self, spot: _Spot, key: str, change: Change) -> str:
        subject = spot.down(("properties", key)).subject
        if change.before is not ABSENT and change.after is not ABSENT:
            return _sentence(f"schema of {subject}", change)
        required = self._required(spot, before=change.after is ABSENT)
        return f"{'required' if key in required else 'optional'} {spot.part} {subject} {_deed(change)}"

    def _of_properties(self, spot: _Spot, change: Change) -> list[str]:
        """All properties at once, when the keyword itself came or went."""
        match change.before, change.after:
            case dict() as gone, Absent() if gone:
                return [self._of_property(spot, key, Change("", gone[key], ABSENT)) for key in sorted(gone)]
            case Absent(), dict() as new if new:
                return [self._of_property(spot, key, Change("", ABSENT, new[key])) for key in sorted(new)]
            case _:
                return [_sentence(f"properties of {spot.subject}", change)]

    def _of_required(self, spot: _Spot, change: Change) -> list[str]:
        was, now = self._required(spot, before=True), self._required(spot, before=False)
        if was == now:  # not lists of names, then
            return [_sentence(f"required of {spot.subject}", change)]
        turned = [(name, "required") for name in now - was] + [(name, "optional") for name in was - now]
        return [
            f"{spot.part} {spot.down(('properties', name)).subject} became {state}"
            for name, state in sorted(turned)
            if not self._has_come_or_gone(spot, name)
        ]

    def _required(self, spot: _Spot, *, before: bool) -> set[str]:
        # kept, because a schema may have ten thousand properties that all ask
        key = (spot.tokens, before)
        if key not in self._names:
            self._names[key] = self._required_names(spot, before=before)
        return self._names[key]

    def _required_names(self, spot: _Spot, *, before: bool) -> set[str]:
        change = self._changes.get(join((*spot.tokens, "required")))
        # positions in a path count in the later value, so only there can it be looked up; an earlier one that
        # has no change of its own was the same
        now = _looked_up(self._after, (*spot.tokens, "required"))
        names = change.before if change is not None and before else now
        return {name for name in names if isinstance(name, str)} if isinstance(names, list) else set()

    def _has_come_or_gone(self, spot: _Spot, name: str) -> bool:
        """Whether a property was added or removed: then its own line says if it was required."""
        own = self._changes.get(join((*spot.tokens, "properties", name)))
        if own is not None:
            return own.before is ABSENT or own.after is ABSENT
        whole = self._changes.get(join((*spot.tokens, "properties")))
        return whole is not None and any(
            isinstance(side, dict) and name in side for side in (whole.before, whole.after)
        )

    def _of_type(self, spot: _Spot, keyword: str, change: Change) -> str:
        """A type is told as a whole: `type`, `anyOf` and `$ref` often replace each other."""
        was, now = _type(_looked_up(self._before, spot.tokens)), _type(_looked_up(self._after, spot.tokens))
        if any(token.isdecimal() for token in spot.tokens):  # below a list the earlier place is not known
            was = _type({keyword: change.before} if change.before is not ABSENT else {})
        if was == now:
            return _sentence(f"{keyword} of {spot.subject}", change)
        return f"type of {spot.subject} changed from {was} to {now}"


@dataclass(frozen=True, slots=True)
class _Spot:
    """A schema in a definition: where it lies, and what people call it."""

    tokens: tuple[str, ...]
    root: str
    name: str = ""
    asides: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        asides = f" ({', '.join(self.asides)})" if self.asides else ""
        return (_named(self.name) if self.name else f"the {self.root}") + asides

    @property
    def part(self) -> str:
        """What to call a property of this schema."""
        if self.root == "output schema":
            return "output field"
        return "argument" if self.root == "input schema" and not self.name and not self.asides else "field"

    def down(self, step: Sequence[str]) -> _Spot:
        spot = replace(self, tokens=(*self.tokens, *step))
        match step:
            case ("properties", key):
                return replace(spot, name=f"{self.name}.{key}" if self.name else key)
            case ("items",):
                return replace(spot, name=f"{self.name}[]")
            case ("items" | "prefixItems", position):
                return replace(spot, name=f"{self.name}[{position}]")
            case (keyword,):
                return replace(spot, asides=(*self.asides, keyword))
            case _:
                return replace(spot, asides=(*self.asides, f"{step[0]} {shortened(step[1])}"))


def _step(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """The tokens that lead from a schema to the next one below it; none if these lead to something else."""
    match tokens:
        case (keyword, _, *_) if keyword in _NAMED_SCHEMAS:
            return tokens[:2]
        case (keyword, position, *_) if keyword in _PARTS and position.isdecimal():
            return tokens[:2]
        case (keyword, *_) if keyword in _LONE_SCHEMAS:
            return tokens[:1]
        case _:
            return ()


def _of_enum(spot: _Spot, change: Change) -> list[str]:
    match change.before, change.after:
        case list() as was, list() as now:
            lost, gained = lost_and_gained(was, now)
            return [
                f"enum of {spot.subject} {verb} {_listed(values)}"
                for verb, values in (("lost", lost), ("gained", gained))
                if values
            ]
        case Absent(), list() as now:
            return [f"enum of {spot.subject} added: {_listed(now)}"]
        case list(), Absent():
            return [f"enum of {spot.subject} removed"]
        case _:
            return [_sentence(f"enum of {spot.subject}", change)]


def _of_unknown_fields(spot: _Spot, change: Change) -> str:
    unknown = "unknown arguments" if spot.part == "argument" else f"unknown fields of {spot.subject}"
    if change.after is False and _accepts_anything(change.before):
        return f"{unknown} are no longer accepted"
    if change.before is False and _accepts_anything(change.after):
        return f"{unknown} are accepted now"
    return _sentence(f"additionalProperties of {spot.subject}", change, show=_type_or_brief)


def _accepts_anything(schema: Json | Absent) -> bool:
    return schema is ABSENT or schema is True or schema == {}


def _of_annotations(names: Sequence[str], change: Change) -> list[str]:
    match names, change.before, change.after:
        case [], dict() as gone, Absent() if gone:
            return [_sentence(_annotation(key), Change("", gone[key], ABSENT)) for key in sorted(gone)]
        case [], Absent(), dict() as new if new:
            return [_sentence(_annotation(key), Change("", ABSENT, new[key])) for key in sorted(new)]
        case [key], _, _:
            return [_sentence(_annotation(key), change)]
        case _:
            return [_by_pointer(change)]


def _annotation(key: str) -> str:
    return f"annotation {_keyword(key)}"


def _type(schema: Json | Absent, *, is_nested: bool = False) -> str:
    """The type of a schema in words; looks one level into alternatives, no deeper."""
    match schema:
        case {"type": str() as name}:
            return shortened(name)
        case {"type": [*names]}:
            return _alternatives(shortened(name) if isinstance(name, str) else brief(name) for name in names)
        case {"anyOf": [*parts]} | {"oneOf": [*parts]} if not is_nested:
            return _alternatives(_type(part, is_nested=True) for part in parts)
        case {"$ref": str() as target}:
            return shortened(target.rpartition("/")[2])
        case _:
            return "any"


def _type_or_brief(schema: Json | Absent) -> str:
    type_ = _type(schema)
    return brief(schema) if type_ == "any" else type_


def _alternatives(types: Iterable[str]) -> str:
    return shortened(" or ".join(dict.fromkeys(types))) or "none"


def _deed(change: Change) -> str:
    return "added" if change.before is ABSENT else "removed" if change.after is ABSENT else "changed"


def _sentence(what: str, change: Change, *, show: Callable[[Json | Absent], str] = brief) -> str:
    if change.before is ABSENT:
        return f"{what} added: {show(change.after)}"
    if change.after is ABSENT:
        return f"{what} removed (was {show(change.before)})"
    return f"{what} changed from {show(change.before)} to {show(change.after)}"


def _by_pointer(change: Change) -> str:
    return _sentence(_named(change.path) if change.path else "the whole value", change)


def _named(text: str) -> str:
    """A name from outside between backticks, which it cannot close."""
    return f"`{shortened(text).replace('`', _BACKTICK)}`"


def _keyword(text: str) -> str:
    return text if _PLAIN_KEYWORD.fullmatch(text) else _named(text)


def _listed(values: Sequence[Json]) -> str:
    shown = [_named(value) if isinstance(value, str) else brief(value) for value in values[:5]]
    rest = len(values) - len(shown)
    return (", ".join(shown) or "nothing") + (f" and {rest} more" if rest else "")


def _is_small(value: Json) -> bool:
    if isinstance(value, int):
        return value.bit_length() <= 256  # Python refuses to print the largest integers
    return not isinstance(value, list | dict)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _looked_up(value: Json, tokens: Iterable[str]) -> Json | Absent:
    try:
        return resolve(value, join(tokens))
    except BadInput:
        return ABSENT


def _is_prose(change: Change) -> bool:
    parent, _, key = change.path.rpartition("/")
    return key in _PROSE and not parent.endswith("/properties")
