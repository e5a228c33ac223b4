"""Naming: which tool a reader's word means at a position, and by which of its names it was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ledger.errors import AmbiguousName, UnknownName
from ledger.projections.rows import list_keys, read_history, read_projections
from ledger.services.names import nearest
from ledger.services.views import is_tool, read_view

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ledger.services.moments import Moment
    from ledger.services.views import View
    from ledger.store.engine import Connection
    from ledger.store.store import Catalog

_WITH_NAMES = ("live", "intended")
_WITH_TOOLS = (*_WITH_NAMES, "descriptors")
_SAID_OF = ("hidden/", "omitted/")


@dataclass(frozen=True)
class Named:
    """A tool, and the name it was asked for by; `note` says how it was found where that is not plain."""

    key: str
    asked: str
    note: str | None = None


def find_tool(connection: Connection, catalog: Catalog, asked: str, moment: Moment) -> Named:
    """The one tool that is meant: by what clients saw at the moment, by identity, then by names of other times."""
    # 1. the identity, if it was written out
    # 2. the name that clients saw, or should have seen, at the moment
    # 3. the name that a server had for it, at the moment
    # 4. the same names at other times, which the answer then says
    known = _keys(connection, catalog)
    if asked in known:
        return Named(asked, asked)
    views = {name: read_view(connection, catalog, name, moment) for name in _WITH_TOOLS}
    for found in (_exposed(views, asked), _listed(views, asked), _spoken_of(views, asked)):
        if found:
            return Named(_only(asked, found), asked)
    earlier = {key for key in known if key.partition("::")[2] == asked}
    if earlier:
        return Named(_only(asked, earlier), asked, f"{asked} was not there then: the name of another time")
    key, note = _of_other_times(connection, catalog, asked)
    if key is None:
        raise UnknownName("tool", asked, nearest(asked, known | {each.partition("::")[2] for each in known}))
    return Named(key, asked, note)


def _only(asked: str, keys: Iterable[str]) -> str:
    found = sorted(set(keys))
    if len(found) > 1:
        raise AmbiguousName(asked, tuple(found))
    return found[0]


def _keys(connection: Connection, catalog: Catalog) -> set[str]:
    """Every tool that was ever listed, intended, served, or said to be left out."""
    rows = read_projections(connection, catalog)
    keys = (key for name in _WITH_TOOLS if name in rows for key, _ in list_keys(connection, rows[name].projection_id))
    plain = (key.partition("/")[2] if key.startswith(_SAID_OF) else key for key in keys)
    return {key for key in plain if is_tool(key)}


def _exposed(views: dict[str, View], asked: str) -> set[str]:
    for name in _WITH_NAMES:
        found = {key for key, row in views[name].tools().items() if row.get("name") == asked}
        if found:
            return found
    return set()


def _listed(views: dict[str, View], asked: str) -> set[str]:
    rows = views["descriptors"].tools()
    named = {key: row for key, row in rows.items() if key.partition("::")[2] == asked}
    return {key for key, row in named.items() if row["state"] == "listed"} or set(named)


def _spoken_of(views: dict[str, View], asked: str) -> set[str]:
    """What was hidden, or left out of a serving, under this name."""
    rows = ((key, row) for name in _WITH_NAMES for key, row in views[name].rows.items() if key.startswith(_SAID_OF))
    named = [(key.partition("/")[2], row) for key, row in rows]
    return {key for key, row in named if "::" in key and asked in (key.partition("::")[2], row.get("name"))}


def _of_other_times(connection: Connection, catalog: Catalog, asked: str) -> tuple[str | None, str | None]:
    found = dict(_once_exposed(connection, catalog, asked))
    if not found:
        return None, None
    key = _only(asked, found)
    return key, f"clients saw {key} as {asked} at {found[key]}, not then"


def _once_exposed(connection: Connection, catalog: Catalog, asked: str) -> Iterator[tuple[str, int]]:
    """Tools that clients once knew by this name. The last resort: it reads every version of every entry."""
    rows = read_projections(connection, catalog)
    for name in _WITH_NAMES:
        for key, _ in list_keys(connection, rows[name].projection_id) if name in rows else ():
            for seq, row in read_history(connection, rows[name].projection_id, key) if is_tool(key) else ():
                if row is not None and row.get("name") == asked:
                    yield key, seq
