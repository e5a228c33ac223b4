"""Blanking bytes on purpose; only together with the event that says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ledger.store import sql
from ledger.store.documents import key_of
from ledger.store.place import place

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledger.store.engine import Connection
    from ledger.store.store import Catalog


def blank_events(connection: Connection, catalog: Catalog, seqs: Iterable[int], *, by_seq: int) -> int:
    """Blank the payloads and salts at `seqs`; `by_seq` is the event that says so. Returns how many were new."""
    fresh = 0
    for seq in seqs:
        at = place(catalog.catalog_id, seq)
        row = connection.one(sql.EVENT_AT, at)
        if row is None or row[-1] is None:
            continue
        connection.run(sql.ERASED_EVENT_INSERT, at, place(catalog.catalog_id, by_seq))
        connection.run(sql.EVENT_BLANK, at)
        fresh += 1
    return fresh


def blank_documents(connection: Connection, catalog: Catalog, digests: Iterable[str], *, by_seq: int) -> int:
    fresh = 0
    for digest in digests:
        key = key_of(digest)
        row = connection.one(sql.DOCUMENT_AT, key)
        if row is None or row[1] is None:
            continue
        connection.run(sql.ERASED_DOCUMENT_INSERT, key, place(catalog.catalog_id, by_seq))
        connection.run(sql.DOCUMENT_BLANK, key)
        fresh += 1
    return fresh
