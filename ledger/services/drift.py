"""Drift: where intended and reality part, and the log of how they did; waivers are judged at the moment asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ledger.clock import iso
from ledger.errors import UnknownName
from ledger.projections.episodes import observations
from ledger.projections.rows import list_keys, read_history, read_projections
from ledger.projections.waivers import waiver_of
from ledger.services.names import nearest
from ledger.services.views import is_tool, read_view

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledger.projections.fold import Row
    from ledger.services.moments import Moment
    from ledger.store.engine import Connection
    from ledger.store.store import Catalog


def open_drift(connection: Connection, catalog: Catalog, moment: Moment) -> list[dict[str, Any]]:
    """What stands open at a moment, each with its waiver, if one holds then."""
    rows = read_view(connection, catalog, "drift", moment).rows
    servers = read_view(connection, catalog, "servers", moment).rows
    return [
        entry_fields(key, row, waiver_of(rows, key, moment.judged_us)) | {"seen": observations(row, servers)}
        for key, row in sorted(rows.items())
        if is_tool(key) and row["state"] == "open"
    ]


def require_known_tool(connection: Connection, catalog: Catalog, tool: str) -> None:
    """A tool that was never seen is no empty answer; one that never drifted is."""
    names: set[str] = set()
    for name, row in read_projections(connection, catalog).items():
        keys = [key for key, _ in list_keys(connection, row.projection_id) if is_tool(key)]
        if name in {"descriptors", "intended", "live"}:
            names.update(keys, (key.partition("::")[2] for key in keys))
    if tool not in names:
        raise UnknownName("tool", tool, nearest(tool, names))


def drift_basis(connection: Connection, catalog: Catalog, moment: Moment) -> str:
    """What reality was compared with: what was served, what servers listed, or nothing."""
    row = read_view(connection, catalog, "drift", moment).rows.get("@basis")
    return str(row["basis"]) if row else "none"


def drift_log(
    connection: Connection, catalog: Catalog, first: int, last: int, tool: str | None = None
) -> list[dict[str, Any]]:
    """Every opening, change of reason and closing between two positions, oldest first."""
    row = read_projections(connection, catalog).get("drift")
    if row is None:
        return []
    found: list[dict[str, Any]] = []
    for key, _ in list_keys(connection, row.projection_id):
        if is_tool(key) and (tool is None or tool in (key, key.partition("::")[2])):
            found += _entries(connection, row.projection_id, key, first, last)
    return sorted(found, key=lambda each: (each["seq"], each["key"]))


def _entries(connection: Connection, projection_id: int, key: str, first: int, last: int) -> Iterator[dict[str, Any]]:
    previous: tuple[Any, ...] | None = None
    for seq, row in read_history(connection, projection_id, key, 0, last):
        if row is None:
            continue
        said = (row["state"], row["category"], row["reason"])
        if seq >= first and said != previous:
            yield {"seq": seq, **entry_fields(key, row, None)}
        previous = said


def entry_fields(key: str, row: Row, waiver: Row | None) -> dict[str, Any]:
    server, _, tool = key.partition("::")
    kept = (
        "state",
        "category",
        "reason",
        "reason_event",
        "parts",
        "opened",
        "since",
        "seen",
        "closed",
        "name",
    )
    fields = {"key": key, "server": server, "tool": tool, **{name: row[name] for name in kept if name in row}}
    if row.get("opened_us") is not None:
        fields["opened_at"] = iso(row["opened_us"])
    return fields | ({"waived": waiver} if waiver else {})
