"""Append: one transaction that numbers, links and stores events, and folds the projections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from ledger.clock import ID_RANDOM_BYTES, id_text, new_event_id
from ledger.errors import IdempotencyConflict, RemoteChain, StaleAppend
from ledger.events.envelope import decode, encode, event_hash, first_previous, payload_digest
from ledger.events.fact import Fact
from ledger.store import sql
from ledger.store.place import START, Position, place, seq_of
from ledger.store.store import Catalog, refuse_lost_tail

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ledger.canon.jsontext import Json
    from ledger.clock import Entropy, Micros
    from ledger.events.documents import Document
    from ledger.store.engine import Connection, Row
    from ledger.store.receipts import Head
    from ledger.store.store import Store

SALT_BYTES = 16
CHAIN_ID_BYTES = 16


class AnyPosition:
    """The append does not care who wrote before: captures, whose order does not matter."""


ANY: Final = AnyPosition()
EMPTY: Final = START


class Draft(NamedTuple):
    """An event ready to be stored: validated, redacted, packed. `payload` are the canonical bytes of `fields`."""

    kind: str
    version: int
    event_id: bytes | None
    occurred_us: int | None
    actor: str
    producer: dict[str, str]
    correlation_id: str | None
    causation: tuple[str, ...]
    payload: bytes
    fields: dict[str, Json]
    documents: Sequence[Document]


@dataclass(frozen=True, slots=True)
class Appended:
    """Where the events are now: one position per draft, in order; `duplicates` were there before."""

    catalog: str
    positions: tuple[Position, ...]
    duplicates: int
    head: Head


def append(store: Store, catalog: str, drafts: Sequence[Draft], *, expecting: Position | AnyPosition = ANY) -> Appended:
    """Append all drafts or none. When this returns, they survive `kill -9` and, if the disk syncs, a power cut."""
    with store.engine.writing() as connection:
        with store.engine.transaction(connection):
            appended = append_inside(store, connection, catalog, drafts, expecting=expecting)
        store.documents.committed()
        store.receipts.note(appended.head)
    return appended


def append_inside(
    store: Store,
    connection: Connection,
    catalog: str,
    drafts: Sequence[Draft],
    *,
    expecting: Position | AnyPosition = ANY,
) -> Appended:
    """The same within a transaction that is already open; the caller notes the receipt after the commit."""
    before = _lock_head(store, connection, catalog)
    if not isinstance(expecting, AnyPosition) and before.seq != expecting:
        raise StaleAppend(catalog, expecting, before.seq)
    now = store.clock.now_us() if store.clock is not None else store.engine.now_us(connection)
    batch = _Batch(before, now)
    salts = _Tokens(store.entropy, SALT_BYTES, len(drafts))
    ids = _Tokens(store.entropy, ID_RANDOM_BYTES, sum(draft.event_id is None for draft in drafts))
    positions: list[Position] = []
    for draft in drafts:
        event_id = draft.event_id or new_event_id(now, ids.next())
        known = _known(connection, batch, event_id) if draft.event_id is not None else None
        if known is not None:
            _require_same(connection, batch, draft, known)
            positions.append(known)
            continue
        positions.append(batch.add(draft, event_id, salts.next()))
    if batch.rows:
        _write(store, connection, before, batch)
    return Appended(catalog, tuple(positions), len(drafts) - len(batch.rows), batch.head())


class _Tokens:
    """Random bytes for a whole batch, drawn at once: each draw is a call into the kernel."""

    def __init__(self, entropy: Entropy, size: int, count: int) -> None:
        self._bytes = entropy.token(size * count)
        self._size = size
        self._at = 0

    def next(self) -> bytes:
        self._at += self._size
        return self._bytes[self._at - self._size : self._at]


def _lock_head(store: Store, connection: Connection, name: str) -> Catalog:
    row = connection.one(sql.CATALOG_FOR_UPDATE, name)
    if row is None:
        return create_catalog(connection, name, store.entropy.token(CHAIN_ID_BYTES), is_remote=False)
    catalog = Catalog(*row)
    if catalog.is_remote:
        raise RemoteChain(name)
    refuse_lost_tail(catalog, store.receipts.of(catalog.chain_id))
    return catalog


def create_catalog(connection: Connection, name: str, chain_id: bytes, *, is_remote: bool) -> Catalog:
    (last_id,) = connection.one(sql.CATALOG_LAST_ID) or (None,)
    catalog = Catalog(
        catalog_id=(last_id or 0) + 1,
        name=name,
        chain_id=chain_id,
        is_remote=int(is_remote),
        epoch=0,
        seq=0,
        hash=first_previous(chain_id),
        recorded_us=0,
        claimed_us=None,
    )
    connection.run(sql.CATALOG_INSERT, *catalog)
    return catalog


class _Batch:
    """The rows of one append as they grow, and the head that moves with them."""

    def __init__(self, before: Catalog, now: Micros) -> None:
        self._before = before
        self.catalog_id = before.catalog_id
        self._chain_id = before.chain_id.hex()
        self._now: int = now
        self.seq = before.seq
        self.hash = before.hash
        self.recorded_us = before.recorded_us
        self.claimed_us = before.claimed_us
        self.rows: list[Row] = []
        self.seqs: dict[bytes, Position] = {}
        self.facts: list[Fact] = []
        self.documents: dict[str, Document] = {}

    def add(self, draft: Draft, event_id: bytes, salt: bytes) -> Position:
        before = self._before
        # Fact time never runs backwards within a chain, but for the event that records its correction.
        held = self.recorded_us > self._now and draft.kind != "clock.corrected"
        recorded_us = self.recorded_us if held else self._now
        self.recorded_us = recorded_us
        if draft.occurred_us is not None and (self.claimed_us is None or draft.occurred_us > self.claimed_us):
            self.claimed_us = draft.occurred_us
        self.seq += 1
        text = id_text(event_id)
        envelope = encode(
            actor=draft.actor,
            causation=draft.causation,
            chain_id=self._chain_id,
            clock_behind_us=recorded_us - self._now if held else 0,
            correlation_id=draft.correlation_id,
            epoch=before.epoch,
            event_id=text,
            kind=draft.kind,
            occurred_at=draft.occurred_us,
            payload_digest=payload_digest(salt, draft.payload).hex(),
            producer=draft.producer,
            recorded_at=recorded_us,
            seq=self.seq,
            version=draft.version,
        )
        self.hash = event_hash(self.hash, envelope)
        self.rows.append(
            (
                place(self.catalog_id, self.seq),
                self.catalog_id,
                event_id,
                draft.kind,
                recorded_us,
                self.claimed_us,
                self.hash,
                salt,
                envelope,
                draft.payload,
            )
        )
        self.facts.append(Fact(self.seq, text, draft.kind, recorded_us, draft.occurred_us, draft.actor, draft.fields))
        for document in draft.documents:
            self.documents[document.digest] = document
        self.seqs[event_id] = Position(self.seq)
        return Position(self.seq)

    def row_at(self, seq: Position) -> Row | None:
        """The row of this batch at `seq`, None where it was stored before."""
        return self.rows[seq - self._before.seq - 1] if seq > self._before.seq else None

    def after(self) -> Catalog:
        return self._before._replace(
            seq=self.seq, hash=self.hash, recorded_us=self.recorded_us, claimed_us=self.claimed_us
        )

    def head(self) -> Head:
        return self.after().head


def _known(connection: Connection, batch: _Batch, event_id: bytes) -> Position | None:
    if event_id in batch.seqs:
        return batch.seqs[event_id]
    row = connection.one(sql.EVENT_PLACE_BY_ID, batch.catalog_id, event_id)
    return seq_of(row[0]) if row else None


def _require_same(connection: Connection, batch: _Batch, draft: Draft, seq: Position) -> None:
    """The same id must carry the same content; where the first was erased, a retry cannot be told apart and passes."""
    row = batch.row_at(seq) or connection.one(sql.EVENT_AT, place(batch.catalog_id, seq))
    assert row is not None
    envelope, salt, payload = row[-2], row[-3], row[-1]
    first = decode(envelope)
    same = (
        first.kind == draft.kind
        and first.version == draft.version
        and first.occurred_at == draft.occurred_us
        and first.actor == draft.actor
        and first.correlation_id == draft.correlation_id
        and tuple(first.causation) == draft.causation
        and (payload is None or payload_digest(salt, draft.payload).hex() == first.payload_digest)
    )
    if not same:
        raise IdempotencyConflict(first.event_id, seq)


def _write(store: Store, connection: Connection, before: Catalog, batch: _Batch) -> None:
    after = batch.after()
    store.documents.write(connection, batch.documents.values())
    connection.copy_events(batch.rows)
    move_head(connection, after)
    store.projector.project(connection, before, after, batch.facts)


def move_head(connection: Connection, after: Catalog) -> None:
    connection.run(
        sql.HEAD_MOVE,
        after.epoch,
        after.seq,
        after.hash,
        after.recorded_us,
        after.claimed_us,
        after.catalog_id,
    )
