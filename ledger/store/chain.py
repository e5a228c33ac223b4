"""Proving that no event was changed, removed or reordered."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import orjson

from ledger.canon.stored import load
from ledger.errors import ChainBroken
from ledger.events.envelope import EVENT_PREFIX, PAYLOAD_PREFIX, first_previous
from ledger.events.unpack import NAMING_KINDS, nested, references
from ledger.store import sql
from ledger.store.documents import key_of
from ledger.store.place import place, seq_of
from ledger.store.read import read_forward

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from ledger.store.engine import Connection, Row
    from ledger.store.store import Catalog

_REMEMBERED: Final = 50_000


@dataclass
class Walked:
    """What a walk over a stretch of a chain has proved, and where it ended."""

    catalog: str
    seq: int
    hash: bytes
    epoch: int
    recorded_us: int
    claimed_us: int | None
    events: int = 0
    erased: list[int] = field(default_factory=list)
    said_erased: set[int] = field(default_factory=set)
    erased_documents: set[str] = field(default_factory=set)


def beginning(catalog: Catalog) -> Walked:
    return Walked(catalog.name, 0, first_previous(catalog.chain_id), 0, 0, None)


def walk(  # noqa: PLR0912 - one numbered procedure: splitting it would hide its order and cost a call per event
    rows: Iterable[Row], catalog: Catalog, walked: Walked, named: Callable[[str], None] | None = None
) -> Walked:
    """Prove rows in position order, going on from `walked`; raises ChainBroken at the first that does not fit.

    `named` is told every document that an event names.
    """
    # For each event:
    # 1. positions are consecutive: nothing was removed
    # 2. its hash recomputes from its predecessor's hash and its own bytes: nothing was changed or reordered
    # 3. the envelope names this chain and this position, and its epoch never falls
    # 4. every column that is queried equals the envelope
    # 5. recorded time does not decrease but where a correction says so, claimed time is the running maximum
    # 6. the payload's bytes are the ones the envelope commits to, or absent: `require_erasures` proves afterwards
    #    that an event of the chain says so
    chain_id = catalog.chain_id.hex()
    sha256, loads = hashlib.sha256, orjson.loads
    name = catalog.name
    seq, previous, epoch = walked.seq, walked.hash, walked.epoch
    recorded_before, claimed_before = walked.recorded_us, walked.claimed_us
    for at, event_id, kind, recorded_us, claimed_us, digest, salt, envelope, payload in rows:
        seq += 1
        if not (type(envelope) is type(digest) is type(event_id) is bytes):
            raise ChainBroken(name, seq, "has a column of another type than it was stored with")
        if seq_of(at) != seq:
            raise ChainBroken(name, seq, f"is missing: the next one stored is {seq_of(at)}")
        if sha256(EVENT_PREFIX + previous + envelope).digest() != digest:
            raise ChainBroken(name, seq, "does not match its hash: it or its predecessor was changed")
        header = loads(envelope)
        if header["chain_id"] != chain_id or header["seq"] != seq or header["epoch"] < epoch:
            raise ChainBroken(name, seq, "belongs to another chain or position")
        epoch = header["epoch"]
        if (
            header["recorded_at"] != recorded_us
            or header["kind"] != kind
            or header["event_id"].replace("-", "") != event_id.hex()
        ):
            raise ChainBroken(name, seq, "has a column that differs from its envelope")
        if recorded_us < recorded_before and kind != "clock.corrected":
            raise ChainBroken(name, seq, "was recorded before its predecessor")
        occurred = header["occurred_at"]
        if occurred is not None and (claimed_before is None or occurred > claimed_before):
            claimed_before = occurred
        if claimed_us != claimed_before:
            raise ChainBroken(name, seq, "has a claimed time that differs from its envelope")
        if payload is None or salt is None:
            if payload is not None or salt is not None:
                raise ChainBroken(name, seq, "is half erased")
            walked.erased.append(seq)
        elif sha256(PAYLOAD_PREFIX + salt + payload).hexdigest() != header["payload_digest"]:
            raise ChainBroken(name, seq, "has another payload than its envelope commits to")
        elif kind == "payload.erased":
            _note_erasure(load(payload), walked)
        elif named is not None and kind in NAMING_KINDS:
            for document, _ in references(kind, load(payload)):
                named(document)
        previous, recorded_before = digest, recorded_us
    walked.events += seq - walked.seq
    walked.seq, walked.hash, walked.epoch = seq, previous, epoch
    walked.recorded_us, walked.claimed_us = recorded_before, claimed_before
    return walked


def _note_erasure(payload: dict[str, Any], walked: Walked) -> None:
    walked.said_erased.update(int(target["seq"]) for target in payload.get("targets", ()))
    walked.erased_documents.update(payload.get("documents", ()))


def require_erasures(walked: Walked) -> None:
    """A payload that is absent must have been erased by an event of the same chain."""
    for seq in walked.erased:
        if seq not in walked.said_erased:
            raise ChainBroken(walked.catalog, seq, "has no payload, and no event says that it was erased")


def prove_chain(connection: Connection, catalog: Catalog, *, progress: Callable[[int], None] | None = None) -> Walked:
    """Prove a whole chain up to the head its row states, and that every document it names is there."""
    # beyond the head as well: a row past it was not put there by an append
    rows = connection.each(sql.EVENTS_FORWARD, place(catalog.catalog_id, 0), place(catalog.catalog_id + 1, 0) - 1)
    present = _Present(connection)
    counted = rows if progress is None else _counted(rows, progress)
    walked = walk(counted, catalog, beginning(catalog), present.require)
    if (walked.seq, walked.hash, walked.epoch) != (catalog.seq, catalog.hash, catalog.epoch):
        raise ChainBroken(
            catalog.name, min(walked.seq, catalog.seq) + 1, "is where the stored head and the events part"
        )
    if (walked.recorded_us, walked.claimed_us) != (catalog.recorded_us, catalog.claimed_us):
        raise ChainBroken(catalog.name, catalog.seq, "has another time than the stored head")
    require_erasures(walked)
    return walked


def prove_head(connection: Connection, catalog: Catalog) -> None:
    """Prove that the stored head is the hash of the last event; nothing is said of those before it."""
    if hash_at(connection, catalog, catalog.seq) != catalog.hash:
        raise ChainBroken(catalog.name, catalog.seq, "does not match the stored head")


def _counted(rows: Iterable[Row], progress: Callable[[int], None]) -> Iterator[Row]:
    for number, row in enumerate(rows, 1):
        if number % 1_000 == 0:
            progress(1_000)
        yield row


def hash_at(connection: Connection, catalog: Catalog, seq: int) -> bytes:
    """The hash of the event at `seq`, recomputed from its bytes and its predecessor's."""
    if seq == 0:
        return first_previous(catalog.chain_id)
    previous = first_previous(catalog.chain_id)
    for row in read_forward(connection, catalog, max(seq - 1, 1), seq):
        if seq_of(row[0]) == seq:
            return hashlib.sha256(EVENT_PREFIX + previous + row[7]).digest()
        previous = row[5]
    raise ChainBroken(catalog.name, seq, "is missing")


class _Present:
    """Requires documents to be there; remembers the last ones asked for, so that polls cost no query."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._seen: set[str] = set()

    def require(self, digest: str) -> None:
        if digest in self._seen:
            return
        if self._connection.one(sql.DOCUMENT_KNOWN, key_of(digest)) is None:
            raise ChainBroken("documents", 0, f"{digest} is named by an event and missing")
        if len(self._seen) >= _REMEMBERED:
            self._seen.clear()
        self._seen.add(digest)


def prove_documents(connection: Connection, erasable: Collection[str]) -> int:
    """Every stored document has the bytes its digest says or was erased by an event; lists name what is there."""
    present = _Present(connection)
    count = 0
    may_be_blank = {key_of(digest) for digest in erasable}
    for key, role, body in connection.each(sql.DOCUMENTS):
        count += 1
        if body is None:
            if key not in may_be_blank:
                raise ChainBroken("documents", 0, f"{key.hex()} is blank, and no event says that it was erased")
        elif hashlib.sha256(body).digest() != key:
            raise ChainBroken("documents", 0, f"{key.hex()} has other bytes than its digest says")
        elif role == "list":
            for digest, _ in nested(role, load(body)):
                present.require(digest)
    return count
