"""Log: events as people and programs read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ledger.clock import iso
from ledger.errors import BadInput
from ledger.events.envelope import first_previous
from ledger.events.unpack import unpack
from ledger.events.upcast import VERSIONS
from ledger.services.names import nearest
from ledger.store.documents import read_document
from ledger.store.read import StoredEvent, read_backward, read_event, read_forward

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledger.store.engine import Connection
    from ledger.store.store import Catalog


def read_log(
    connection: Connection,
    catalog: Catalog,
    *,
    first: int = 1,
    last: int | None = None,
    kind: str | None = None,
    server: str | None = None,
    limit: int | None = None,
) -> Iterator[StoredEvent]:
    """Events of first..last, oldest first; `limit` counts from the newest."""
    if kind is not None and kind not in VERSIONS:
        raise BadInput(f"no kind of event has that name ({', '.join(nearest(kind, VERSIONS)) or 'see the docs'})", kind)
    end = catalog.seq if last is None else min(last, catalog.seq)
    if limit is None and kind is None and server is None:
        yield from (StoredEvent(*row) for row in read_forward(connection, catalog, first, end))
        return
    chosen: list[StoredEvent] = []
    for row in read_backward(connection, catalog, end, first=first, kind=kind):
        event = StoredEvent(*row)
        if server is None or _concerns(event, server):
            chosen.append(event)
            if limit is not None and len(chosen) >= limit:
                break
    yield from reversed(chosen)


def _concerns(event: StoredEvent, server: str) -> bool:
    fields = event.fields()
    return fields is not None and fields.get("server") == server


def event_fields(
    connection: Connection,
    catalog: Catalog,
    event: StoredEvent,
    *,
    payload: bool = False,
    full: bool = False,
) -> dict[str, Any]:
    """One event as the JSON that `log --jsonl` promises: every envelope field, and the catalog's label."""
    header = event.header()._asdict()
    fields: dict[str, Any] = {
        **header,
        "catalog": catalog.name,
        "recorded_at": iso(header["recorded_at"]),
        "occurred_at": None if header["occurred_at"] is None else iso(header["occurred_at"]),
        "prev_hash": _previous_hash(connection, catalog, event),
        "hash": event.hash.hex(),
    }
    if event.is_erased:
        fields["erased"] = True
    if payload or full:
        stored = event.fields()
        if stored is None:
            fields["payload"] = None
        elif full:
            fields["payload"] = unpack(event.kind, stored, lambda digest: read_document(connection, digest))
        else:
            fields["payload"] = stored
    return fields


def _previous_hash(connection: Connection, catalog: Catalog, event: StoredEvent) -> str:
    if event.seq == 1:
        return first_previous(catalog.chain_id).hex()
    return read_event(connection, catalog, event.seq - 1).hash.hex()
