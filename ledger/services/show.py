"""Show: what surrounds one event, and what it did to the projections."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from ledger.projections.rows import list_keys, read_projections
from ledger.store import sql
from ledger.store.place import place
from ledger.store.read import StoredEvent, read_forward

if TYPE_CHECKING:
    from ledger.store.engine import Connection
    from ledger.store.store import Catalog


def neighbours(connection: Connection, catalog: Catalog, seq: int) -> list[dict[str, object]]:
    """The events before and after, as far as there are any."""
    rows = read_forward(connection, catalog, max(1, seq - 1), min(catalog.seq, seq + 1))
    events = (StoredEvent(*row) for row in rows)
    return [
        {"seq": int(event.seq), "kind": event.kind, "hash": event.hash.hex()} for event in events if event.seq != seq
    ]


def changed_rows(connection: Connection, catalog: Catalog, seq: int) -> list[dict[str, str]]:
    """Every row that this event set or removed: one seek per key."""
    changed: list[dict[str, str]] = []
    for name, row in read_projections(connection, catalog).items():
        for key, key_id in list_keys(connection, row.projection_id):
            for _, state in connection.all(sql.VERSIONS_OF_KEY, place(key_id, seq), place(key_id, seq)):
                what = "removed" if state is None else orjson.dumps(orjson.loads(state)).decode()
                changed.append({"projection": name, "key": key, "change": what})
    return changed
