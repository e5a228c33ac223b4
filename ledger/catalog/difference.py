"""Two catalogs, tool by tool and field by field: what was added, removed, changed or renamed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ledger.canon.changes import ABSENT, Change, changes
from ledger.canon.words import brief, in_words, shortened
from ledger.catalog.statement import Identity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ledger.canon.jsontext import Json
    from ledger.catalog.parity import Item

Deed = Literal["added", "removed", "changed", "renamed"]


@dataclass(frozen=True, slots=True)
class ToolChange:
    """One tool that differs; `fields` are pointers into its definition, and `words` says the same to a person.

    `name` is what clients see in the second catalog, or saw in the first when it is gone.
    """

    name: str
    change: Deed
    fields: tuple[Change, ...] = ()
    words: tuple[str, ...] = ()

    def payload(self) -> dict[str, Json]:
        """As an item of `changes` in `diff --json`; a side that has no value lacks the key, since null is a value."""
        return {"name": self.name, "change": self.change, "fields": [_field(one) for one in self.fields]}

    def __str__(self) -> str:
        lines = [f"{self.change}: {shortened(self.name)}", *(f"  {line}" for line in self.words)]
        return "\n".join(lines)


def difference(before: Iterable[Item], after: Iterable[Item]) -> tuple[ToolChange, ...]:
    """What makes `after` of `before`, by name; empty when they agree. The order of tools has no meaning.

    A tool is itself by server and tool, where both catalogs know these; else by the name clients see.
    """
    old, new = list(before), list(after)
    by_identity = {_identity(one): one for one in new if _identity(one) is not None}
    by_name = {one.name: one for one in new}
    found: list[ToolChange] = []
    met: set[int] = set()
    for one in old:
        other = by_identity.get(_identity(one)) if _identity(one) is not None else None
        if other is None:
            other = _namesake(one, by_name.get(one.name))
        if other is None:
            found.append(ToolChange(one.name, "removed"))
            continue
        met.add(id(other))
        changed = _changed(one, other)
        if changed is not None:
            found.append(changed)
    found.extend(ToolChange(one.name, "added") for one in new if id(one) not in met)
    return tuple(sorted(found, key=lambda each: (each.name, each.change)))


def _identity(one: Item) -> Identity | None:
    return None if one.server is None or one.tool is None else Identity(one.server, one.tool)


def _namesake(one: Item, other: Item | None) -> Item | None:
    """The tool of the same name, unless both say who they are: then they are two."""
    both_known = other is not None and _identity(one) is not None and _identity(other) is not None
    return None if both_known else other


def _changed(one: Item, other: Item) -> ToolChange | None:
    deed: Deed = "changed" if one.name == other.name else "renamed"
    if isinstance(one.definition, str) or isinstance(other.definition, str):
        if one.definition == other.definition and deed == "changed":
            return None
        return ToolChange(other.name, deed, _renaming(one, other))
    old, new = _nameless(one.definition), _nameless(other.definition)
    fields = changes(old, new)
    if not fields and deed == "changed":
        return None
    words = in_words(fields, before=old, after=new)
    if deed == "renamed":
        words = [f"name: {brief(one.name)} → {brief(other.name)}", *words]
    return ToolChange(other.name, deed, (*_renaming(one, other), *fields), tuple(words))


def _nameless(definition: Mapping[str, Json]) -> dict[str, Json]:
    """Without the name: what clients see stands in the item, also where the definition has the server's own."""
    return {key: value for key, value in definition.items() if key != "name"}


def _renaming(one: Item, other: Item) -> tuple[Change, ...]:
    return () if one.name == other.name else (Change("/name", one.name, other.name),)


def _field(change: Change) -> dict[str, Json]:
    written: dict[str, Json] = {"path": change.path}
    if change.before is not ABSENT:
        written["before"] = change.before
    if change.after is not ABSENT:
        written["after"] = change.after
    return written
