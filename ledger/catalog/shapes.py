"""The shapes that layer files may have, checked value by value with the place of every misfit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from enum import Enum
from typing import TYPE_CHECKING, Final

from ledger.catalog.problems import Place, Problem, invalid, tolerated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ledger.canon.jsontext import Json


class Misfit(Enum):
    """The type of `MISFIT`."""

    MISFIT = "misfit"


MISFIT: Final = Misfit.MISFIT
"""Stands for a value that does not have its shape; it is left out of what is used."""

Shape = Callable[["Json", Place, list[Problem]], "Json | Misfit"]


def anything(value: Json, place: Place, problems: list[Problem]) -> Json | Misfit:  # noqa: ARG001  # a Shape
    return value


def prose(value: Json, place: Place, problems: list[Problem]) -> Json | Misfit:
    """Any text, also an empty one."""
    return value if isinstance(value, str) else _misfit(problems, place, "must be a text", value)


def text(value: Json, place: Place, problems: list[Problem]) -> Json | Misfit:
    """A text that says something."""
    if isinstance(value, str) and value:
        return value
    return _misfit(problems, place, "must be a text that is not empty", value)


def name(value: Json, place: Place, problems: list[Problem]) -> Json | Misfit:
    """The name of a tool: no control characters, which the ledger refuses to record."""
    if isinstance(value, str) and value and not _has_control(value):
        return value
    return _misfit(problems, place, "must be a name: a text without control characters", value)


def server_name(value: Json, place: Place, problems: list[Problem]) -> Json | Misfit:
    """The name of a server: without `::`, which parts server from tool."""
    if isinstance(value, str) and value and "::" not in value and value[-1] != ":" and not _has_control(value):
        return value
    return _misfit(problems, place, "must be a server name: not empty, without `::` or control characters", value)


def flag(value: Json, place: Place, problems: list[Problem]) -> Json | Misfit:
    """True or false; the texts "true" and "false", which real files hold, are taken as meant and reported."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in {"true", "false"}:
        problems.append(tolerated(place, f'is the text "{value}", read as {value.lower()}'))
        return value.lower() == "true"
    return _misfit(problems, place, "must be true or false", value)


def positive(value: Json, place: Place, problems: list[Problem]) -> Json | Misfit:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0:
        return value
    return _misfit(problems, place, "must be a number above 0", value)


def json_object(value: Json, place: Place, problems: list[Problem]) -> Json | Misfit:
    """An object whose inside is not looked at here, such as a JSON Schema."""
    return value if isinstance(value, dict) else _misfit(problems, place, "must be an object", value)


def one_of(*words: str) -> Shape:
    def check(value: Json, place: Place, problems: list[Problem]) -> Json | Misfit:
        if isinstance(value, str) and value in words:
            return value
        return _misfit(problems, place, f"must be one of {', '.join(words)}", value)

    return check


def constant(expected: int) -> Shape:
    """A version number; `true` is not 1."""

    def check(value: Json, place: Place, problems: list[Problem]) -> Json | Misfit:
        if value == expected and not isinstance(value, bool):
            return value
        return _misfit(problems, place, f"must be {expected}", value)

    return check


def nullable(shape: Shape) -> Shape:
    def check(value: Json, place: Place, problems: list[Problem]) -> Json | Misfit:
        return None if value is None else shape(value, place, problems)

    return check


def list_of(shape: Shape, *, at_least: int = 0) -> Shape:
    """A list of things of one shape; those that misfit keep their position as null."""

    def check(value: Json, place: Place, problems: list[Problem]) -> Json | Misfit:
        if not isinstance(value, list):
            return _misfit(problems, place, "must be a list", value)
        if len(value) < at_least:
            return _misfit(problems, place, f"must have at least {at_least} item", value)
        checked = [shape(item, place.at(index), problems) for index, item in enumerate(value)]
        return [None if item is MISFIT else item for item in checked]

    return check


def map_of(shape: Shape, *, key: Shape = text) -> Shape:
    """An object that maps names to things of one shape."""

    def check(value: Json, place: Place, problems: list[Problem]) -> Json | Misfit:
        if not isinstance(value, dict):
            return _misfit(problems, place, "must be an object", value)
        kept: dict[str, Json] = {}
        for label, item in value.items():
            inside = place.at(label)
            checked = shape(item, inside, problems)
            if key(label, inside, problems) is not MISFIT and checked is not MISFIT:
                kept[label] = checked
        return kept

    return check


def record(fields: Mapping[str, Shape], *, required: Sequence[str] = (), others: Shape | None = None) -> Shape:
    """An object with known fields; any other field is an error unless `others` gives its shape."""

    def check(value: Json, place: Place, problems: list[Problem]) -> Json | Misfit:
        if not isinstance(value, dict):
            return _misfit(problems, place, "must be an object", value)
        lacking = [field for field in required if field not in value]
        problems.extend(invalid(place, f"lacks the field {field}") for field in lacking)
        kept: dict[str, Json] = {}
        for label, item in value.items():
            shape = fields.get(label, others)
            if shape is None:
                problems.append(invalid(place.at(label), _unknown(label, fields)))
                continue
            checked = shape(item, place.at(label), problems)
            if checked is not MISFIT:
                kept[label] = checked
        return MISFIT if any(field not in kept for field in required) else kept

    return check


def fitted(shape: Shape, value: Json, place: Place, problems: list[Problem]) -> dict[str, Json]:
    """The usable part of an object; empty when it is none."""
    checked = shape(value, place, problems)
    return checked if isinstance(checked, dict) else {}


def _unknown(label: str, fields: Mapping[str, Shape]) -> str:
    near = get_close_matches(label, sorted(fields), n=1)
    return "is an unknown field" + (f"; did you mean {near[0]}?" if near else "")


def _misfit(problems: list[Problem], place: Place, must: str, value: Json) -> Misfit:
    problems.append(invalid(place, f"{must}, not {_kind(value)}"))
    return MISFIT


def _kind(value: Json) -> str:
    """What a value is, without the value: a layer may hold a secret in the wrong place."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return "a text" if value else "an empty text"
        case int() | float():
            return "a number"
        case list():
            return f"a list of {len(value)}"
        case _:
            return "an object"


def _has_control(value: str) -> bool:
    return any(ord(character) < 32 or 127 <= ord(character) < 160 for character in value)
