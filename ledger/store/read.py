"""Reading events: by position, by id, by time; nothing here writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import orjson

from ledger.canon.stored import load
from ledger.errors import UnknownPosition
from ledger.events.envelope import Envelope, decode
from ledger.events.fact import Fact
from ledger.events.upcast import VERSIONS, upcast
from ledger.store import sql
from ledger.store.place import START, Position, place, seq_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from uuid import UUID

    from ledger.canon.jsontext import Json
    from ledger.store.engine import Connection, Row
    from ledger.store.store import Catalog


class StoredEvent(NamedTuple):
    """A row of the events table; the names are those of its columns."""

    place: int
    event_id: bytes
    kind: str
    recorded_us: int
    claimed_us: int | None
    hash: bytes
    salt: bytes | None
    envelope: bytes
    payload: bytes | None

    @property
    def seq(self) -> Position:
        return seq_of(self.place)

    @property
    def is_erased(self) -> bool:
        return self.payload is None

    def header(self) -> Envelope:
        return decode(self.envelope)

    def fields(self) -> dict[str, Json] | None:
        """The stored payload in today's version; None where it was erased."""
        if self.payload is None:
            return None
        header = self.header()
        return upcast(self.kind, header.version, load(self.payload))


def read_forward(connection: Connection, catalog: Catalog, first: int = 1, last: int | None = None) -> Iterator[Row]:
    """Rows in order of position, streamed; plain tuples in the order of `StoredEvent`."""
    end = catalog.seq if last is None else last
    return connection.each(sql.EVENTS_FORWARD, place(catalog.catalog_id, first), place(catalog.catalog_id, end))


def read_backward(
    connection: Connection, catalog: Catalog, last: int, *, first: int = 1, kind: str | None = None
) -> Iterator[Row]:
    """Rows from the newest on, streamed."""
    bounds = place(catalog.catalog_id, first), place(catalog.catalog_id, last)
    if kind is None:
        return connection.each(sql.EVENTS_BACKWARD, *bounds)
    return connection.each(sql.EVENTS_BACKWARD_OF_KIND, *bounds, kind)


def read_event(connection: Connection, catalog: Catalog, seq: int) -> StoredEvent:
    row = connection.one(sql.EVENT_AT, place(catalog.catalog_id, seq)) if 0 < seq <= catalog.seq else None
    if row is None:
        raise UnknownPosition(f"{seq} in {catalog.name}, whose head is {catalog.seq}")
    return StoredEvent(*row)


def position_of_id(connection: Connection, catalog: Catalog, event_id: UUID) -> Position | None:
    row = connection.one(sql.EVENT_PLACE_BY_ID, catalog.catalog_id, event_id.bytes)
    return seq_of(row[0]) if row else None


def fact(row: Row) -> Fact:
    """A stored row as a fold sees it: the hot path of every scan, so the envelope is read as the dictionary it is."""
    at, _, kind, recorded_us, _, _, _, envelope, payload = row
    header = orjson.loads(envelope)
    fields = None if payload is None else load(payload)
    if fields is not None and header["version"] != VERSIONS.get(kind):
        fields = upcast(kind, header["version"], fields)
    return Fact(seq_of(at), header["event_id"], kind, recorded_us, header["occurred_at"], header["actor"], fields)


def position_at(connection: Connection, catalog: Catalog, moment_us: int) -> Position:
    """The last position recorded at or before the moment; START if none.

    Fact time never decreases but at a clock.corrected, so each stretch between two of them is searched by
    halving, the newest first.
    """
    starts = [1, *_corrections(connection, catalog)]
    end = catalog.seq
    for start in reversed(starts):
        found = _last_where(connection, catalog, start, end, lambda recorded_us, _: recorded_us <= moment_us)
        if found >= start:
            return Position(found)
        end = start - 1
    return START


def position_claimed(connection: Connection, catalog: Catalog, moment_us: int) -> Position:
    """The end of the longest prefix in which no claimed time is after the moment; START if none."""
    return Position(
        _last_where(connection, catalog, 1, catalog.seq, lambda _, claimed: claimed is None or claimed <= moment_us)
    )


def _corrections(connection: Connection, catalog: Catalog) -> list[int]:
    rows = connection.all(sql.CLOCK_CORRECTIONS, place(catalog.catalog_id, 1), place(catalog.catalog_id, catalog.seq))
    return [seq_of(at) for (at,) in rows]


def _last_where(
    connection: Connection, catalog: Catalog, first: int, last: int, holds: Callable[[int, int | None], bool]
) -> int:
    """The last seq of first..last for which `holds`, given that it holds for a prefix; first - 1 if for none."""
    low, high = first, last + 1
    while low < high:
        middle = (low + high) // 2
        row = connection.one(sql.EVENT_TIMES_AT, place(catalog.catalog_id, middle))
        if row is not None and holds(*row):
            low = middle + 1
        else:
            high = middle
    return low - 1
