"""Erase: blank a payload or a document on purpose, and record that it was done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ledger.canon.stored import load
from ledger.errors import BadInput, RemoteChain, UnknownDocument
from ledger.events.documents import ERASED
from ledger.events.unpack import NAMING_KINDS, nested, references
from ledger.store import sql
from ledger.store.append import append_inside
from ledger.store.documents import key_of, read_document
from ledger.store.erase import blank_documents, blank_events
from ledger.store.read import read_event, read_forward
from ledger.store.store import LEDGER_CATALOG, find_catalog, list_catalogs

if TYPE_CHECKING:
    from ledger.canon.jsontext import Json
    from ledger.services.record import Recorder
    from ledger.store.engine import Connection
    from ledger.store.receipts import Head
    from ledger.store.store import Catalog, Store


@dataclass(frozen=True)
class Erased:
    """What was blanked, and the positions of the events that say so."""

    target: str
    by: tuple[tuple[str, int], ...]


def erase_event(store: Store, recorder: Recorder, catalog: str | None, seq: int, reason: str) -> Erased:
    """Blank the payload and salt of one event; the chain stays whole, and its digest cannot be guessed from."""
    with store.engine.writing() as connection:
        with store.engine.transaction(connection):
            found = find_catalog(connection, catalog)
            if found.is_remote:
                raise RemoteChain(found.name)
            event = read_event(connection, found, seq)
            if event.is_erased:
                raise BadInput("its payload is already erased", f"event {seq}")
            if event.kind == "payload.erased":
                raise BadInput("an erasure cannot be erased: it is what explains the blank", f"event {seq}")
            payload: dict[str, Json] = {
                "reason": reason,
                "targets": [{"event_id": event.header().event_id, "seq": seq}],
            }
            position, head = _say(store, recorder, connection, found, payload)
            blank_events(connection, found, [seq], by_seq=position)
            store.projector.refold(connection, _now(connection, found))
        store.receipts.note(head)
        store.engine.clean(connection)
    return Erased(f"{found.name}:{seq}", ((found.name, position),))


def erase_document(store: Store, recorder: Recorder, digest: str, reason: str) -> Erased:
    """Blank one document. Every chain that is written here says so: any of them may name it."""
    by: list[tuple[str, int]] = []
    heads: list[Head] = []
    with store.engine.writing() as connection:
        with store.engine.transaction(connection):
            row = connection.one(sql.DOCUMENT_AT, key_of(digest))
            if row is None:
                raise UnknownDocument(digest)
            if row[1] is None:
                raise BadInput("the document is already erased", digest)
            own = [each for each in list_catalogs(connection) if not each.is_remote and each.name != LEDGER_CATALOG]
            if not own:
                raise BadInput("no chain here is written by this ledger: erase it where the chain comes from", digest)
            for catalog in list_catalogs(connection):
                if catalog.is_remote and _names(connection, catalog, digest):
                    raise RemoteChain(catalog.name)
            for catalog in own:
                position, head = _say(store, recorder, connection, catalog, {"reason": reason, "documents": [digest]})
                by.append((catalog.name, position))
                heads.append(head)
            blank_documents(connection, own[0], [digest], by_seq=by[0][1])
            for catalog in list_catalogs(connection):
                store.projector.refold(connection, catalog)
        for head in heads:
            store.receipts.note(head)
        store.engine.clean(connection)
    return Erased(digest, tuple(by))


def _say(
    store: Store, recorder: Recorder, connection: Connection, catalog: Catalog, payload: dict[str, Json]
) -> tuple[int, Head]:
    draft = recorder.draft({"kind": "payload.erased", "payload": payload})
    appended = append_inside(store, connection, catalog.name, [draft])
    return appended.positions[0], appended.head


def _names(connection: Connection, catalog: Catalog, digest: str) -> bool:
    """Whether an event of the chain names the document, itself or through a list."""
    looked_at: set[str] = set()
    for row in read_forward(connection, catalog):
        kind, payload = row[2], row[8]
        waiting = references(kind, load(payload)) if kind in NAMING_KINDS and payload is not None else []
        while waiting:
            name, role = waiting.pop()
            if name == digest:
                return True
            if role == "list" and name not in looked_at:
                looked_at.add(name)
                listed = read_document(connection, name)
                waiting += [] if listed is ERASED else nested(role, listed)
    return False


def _now(connection: Connection, catalog: Catalog) -> Catalog:
    return find_catalog(connection, catalog.name)
