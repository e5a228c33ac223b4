"""Changes: what is different now from how it was at a moment, over all projections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ledger.projections.rows import read_projections
from ledger.services.views import read_view

if TYPE_CHECKING:
    from ledger.projections.fold import Row
    from ledger.services.moments import Moment
    from ledger.store.engine import Connection
    from ledger.store.store import Catalog

# Rows that only say when something was last seen change at every poll; they are no news.
_NO_NEWS = {"servers": ("servings", "last_attempt", "last_complete", "captures", "covered_until_us")}
_NO_NEWS_KEYS = ("@",)


def changes_between(connection: Connection, catalog: Catalog, before: Moment, after: Moment) -> list[dict[str, Any]]:
    """Every row that differs, projection by projection, those with the fewest changes first."""
    groups: list[tuple[str, list[dict[str, Any]]]] = []
    for name in read_projections(connection, catalog):
        one, two = (read_view(connection, catalog, name, moment) for moment in (before, after))
        keys = sorted(one.rows.keys() | two.rows.keys())
        found = [_change(name, key, one.rows.get(key), two.rows.get(key), two.since) for key in keys]
        groups.append((name, [each for each in found if each is not None]))
    groups.sort(key=lambda group: (len(group[1]), group[0]))
    return [change for _, found in groups for change in found]


def _change(
    projection: str, key: str, before: Row | None, after: Row | None, since: dict[str, int]
) -> dict[str, Any] | None:
    if key.startswith(_NO_NEWS_KEYS):
        return None
    one, two = _news(projection, before), _news(projection, after)
    if one == two:
        return None
    change = "added" if one is None else "removed" if two is None else "changed"
    fields = sorted(name for name in {*(one or {}), *(two or {})} if (one or {}).get(name) != (two or {}).get(name))
    fields = [name for name in fields if name not in {"since", "seen"}]
    if change == "changed" and not fields:
        return None
    what = {name: {"before": (one or {}).get(name), "after": (two or {}).get(name)} for name in fields}
    return {
        "projection": projection,
        "key": key,
        "change": change,
        "seq": since.get(key),
        "fields": what if change == "changed" else {},
    }


def _news(projection: str, row: Row | None) -> Row | None:
    if row is None:
        return None
    ignored = _NO_NEWS.get(projection, ())
    return {name: value for name, value in row.items() if name not in ignored}
