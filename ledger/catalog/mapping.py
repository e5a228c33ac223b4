"""Argument and response mappings: compiled at render, carried out at each call."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from ledger.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ledger.canon.jsontext import Json
    from ledger.catalog.problems import Place

Path = tuple[str, ...]


class Nothing(Enum):
    """The type of `NOTHING`."""

    NOTHING = "nothing"


NOTHING: Final = Nothing.NOTHING
"""Stands where there is no value; JSON's null is a value."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One value's way: from a literal, else from `source`, else from `default`, to `target`."""

    target: Path
    source: Path | None = None
    literal: Json | Nothing = NOTHING
    default: Json | Nothing = NOTHING
    required: bool = False
    allow_null: bool = True
    strip_if_null: bool = True


@dataclass(frozen=True, slots=True)
class Flaw:
    """Why a mapping does not compile, and where."""

    place: Place
    reason: str


def compile_rules(written: Sequence[Json], place: Place) -> tuple[tuple[Rule, ...], tuple[Flaw, ...]]:
    """The rules that can be carried out, and what is wrong with the others."""
    rules: list[Rule] = []
    flaws: list[Flaw] = []
    targets = _Targets()
    for index, item in enumerate(written):
        at = place.at(index)
        fields = item if isinstance(item, dict) else {}
        found = list(_flaws(fields, at))
        if not found:
            rule = _rule(fields)
            found = list(targets.claim(rule.target, at))
            rules.append(rule)
        flaws.extend(found)
    return tuple(rules), tuple(flaws)


def carry_out(rules: Sequence[Rule], given: Json) -> dict[str, Json]:
    """Build a new object from `given` by the rules; BadInput names the first one that cannot be kept.

    A null counts as given: `allowNull: false` refuses it, `stripIfNull` (the default) leaves it out.
    """
    built: dict[str, Json] = {}
    for rule in rules:
        value = _value(rule, given)
        if value is NOTHING or (value is None and rule.strip_if_null):
            continue
        _put(built, rule.target, value)
    return built


def read(value: Json, path: Path) -> Json | Nothing:
    """What stands at a dotted path, through objects by key and through lists by position."""
    for part in path:
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return NOTHING
    return value


def dotted(path: Path) -> str:
    return ".".join(path)


def _value(rule: Rule, given: Json) -> Json | Nothing:
    # 1. a literal beats everything; 2. what was given; 3. the default; 4. a required value must be there
    if rule.literal is not NOTHING:
        return rule.literal
    found = read(given, rule.source) if rule.source is not None else NOTHING
    if found is NOTHING:
        found = rule.default
    place = dotted(rule.source or rule.target)
    if found is NOTHING and rule.required:
        raise BadInput("is required", place=place)
    if found is None and not rule.allow_null:
        raise BadInput("must not be null", place=place)
    return found


def _put(built: dict[str, Json], target: Path, value: Json) -> None:
    inner = built
    for part in target[:-1]:
        below = inner.setdefault(part, {})
        if not isinstance(below, dict):  # two rules disagree; `compile_rules` has reported it
            raise BadInput("lies inside a value that another mapping sets", place=dotted(target))
        inner = below
    inner[target[-1]] = value


def _rule(fields: Mapping[str, Json]) -> Rule:
    source = fields.get("source", fields.get("from"))
    return Rule(
        target=_path(fields["target"]),
        source=_path(source) if source is not None else None,
        literal=fields.get("literal", fields.get("value", NOTHING)),
        default=fields.get("default", NOTHING),
        required=fields.get("required") is True,
        allow_null=fields.get("allowNull") is not False,
        strip_if_null=fields.get("stripIfNull") is not False,
    )


def _flaws(fields: Mapping[str, Json], place: Place) -> Iterator[Flaw]:
    if "target" not in fields:
        yield Flaw(place, "has no target")
    for field in ("target", "source", "from"):
        if field in fields and not all(_path(fields[field])):
            yield Flaw(place.at(field), "is not a dotted path: a part of it is empty")
    for one, other in (("source", "from"), ("literal", "value")):
        if one in fields and other in fields and fields[one] != fields[other]:
            yield Flaw(place, f"gives both {one} and {other}, and they differ")
    if not fields.keys() & {"source", "from", "literal", "value", "default"}:
        yield Flaw(place, "leads from nowhere: it has neither a source nor a literal nor a default")


def _path(written: Json) -> Path:
    return tuple(str(written).split("."))


class _Targets:
    """The targets claimed so far: no two may be the same, or lie one inside the other."""

    def __init__(self) -> None:
        self._claimed: set[Path] = set()
        self._opened: set[Path] = set()

    def claim(self, target: Path, place: Place) -> Iterator[Flaw]:
        outer = {target[:length] for length in range(1, len(target))}
        if target in self._claimed or target in self._opened or outer & self._claimed:
            yield Flaw(place.at("target"), f"{dotted(target)} is set by an earlier mapping too")
        self._claimed.add(target)
        self._opened |= outer
