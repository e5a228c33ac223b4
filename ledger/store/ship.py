"""A chain as JSON lines: what leaves a ledger, and what another one takes in byte for byte.

The first line names the format and the chain, the last one the head. Between them stand events in order, each after the
documents it is the first to name. Envelopes, payloads and documents are strings that hold the stored bytes exactly, so
that a stranger hashes what is there and never JSON that was parsed and written again.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import orjson

from ledger.canon.stored import load
from ledger.errors import BadInput, ChainBroken, Misused
from ledger.events.envelope import decode
from ledger.events.unpack import NAMING_KINDS, nested, references
from ledger.store import sql
from ledger.store.append import create_catalog, move_head
from ledger.store.chain import Walked, beginning, hash_at, require_erasures, walk
from ledger.store.documents import key_of
from ledger.store.erase import blank_documents, blank_events
from ledger.store.place import place, seq_of
from ledger.store.read import fact, read_forward
from ledger.store.store import Catalog, check_catalog_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ledger.events.fact import Fact
    from ledger.store.engine import Connection, Row
    from ledger.store.store import Store

FORMAT = "catledger/chain/v1"
_FOLD_AT_ONCE = 1_000


def export_chain(connection: Connection, catalog: Catalog) -> Iterator[bytes]:
    """The lines of a chain; the same bytes from either engine."""
    yield _line({"chain_id": catalog.chain_id.hex(), "format": FORMAT})
    sent = _Sent()
    rows = read_forward(connection, catalog)
    for row in rows:
        kind, digest, salt, envelope, payload = row[2], row[5], row[6], row[7], row[8]
        if payload is not None and kind in NAMING_KINDS:
            yield from _documents(connection, references(kind, load(payload)), sent)
        yield _line(
            {
                "envelope": envelope.decode(),
                "hash": digest.hex(),
                "payload": None if payload is None else payload.decode(),
                "salt": None if salt is None else salt.hex(),
            }
        )
    yield _line({"head": {"epoch": catalog.epoch, "hash": catalog.hash.hex(), "seq": catalog.seq}})


class _Sent:
    """What an export has written, and in which roles it has followed what a document names in turn."""

    def __init__(self) -> None:
        self.documents: set[bytes] = set()
        self.followed: set[tuple[bytes, str]] = set()


def _documents(connection: Connection, named: list[tuple[str, str]], sent: _Sent) -> Iterator[bytes]:
    waiting = list(reversed(named))
    while waiting:
        digest, role = waiting.pop()
        key = key_of(digest)
        if (key, role) in sent.followed:
            continue
        sent.followed.add((key, role))
        row = connection.one(sql.DOCUMENT_AT, key)
        if row is None:
            raise ChainBroken("documents", 0, f"{digest} is named by an event and missing")
        stored_role, body = row
        if key not in sent.documents:
            sent.documents.add(key)
            text = None if body is None else body.decode()
            yield _line({"body": text, "document": digest, "role": stored_role})
        if role == "list" and body is not None:
            waiting.extend(reversed(nested(role, load(body))))


def _line(value: dict[str, Any]) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS) + b"\n"


class Imported:
    """What an import did."""

    def __init__(self, catalog: str, appended: int, known: int, head: Catalog) -> None:
        self.catalog = catalog
        self.appended = appended
        self.known = known
        self.head = head.head


def import_chain(store: Store, lines: Iterable[bytes], label: str | None) -> Imported:
    """Take in a chain, or the part of it that is new here. All or nothing."""
    with store.engine.writing() as connection:
        with store.engine.transaction(connection):
            reader = _Import(store, connection, label)
            for number, line in enumerate(lines, 1):
                reader.take(number, line)
            result = reader.finish()
        store.receipts.note(result.head)
    return result


class _Import:
    """One import as it goes through its lines."""

    # 1. the first line names the format and a chain; the last one the head: a file cut short is refused
    # 2. every event is proved by the same walk that verifies a stored chain
    # 3. events that are already here must be the same ones
    # 4. every document has the bytes its digest says and every named one is there
    # 5. what is blank was blanked by an event of the chain
    # 6. only a chain that came from elsewhere grows here: the ledger that began it alone appends to it

    def __init__(self, store: Store, connection: Connection, label: str | None) -> None:
        self._store = store
        self._connection = connection
        self._label = label
        self._catalog: Catalog | None = None
        self._walked: Walked | None = None
        self._known = 0
        self._appended = 0
        self._blank_documents: set[str] = set()
        self._named_by_lists: set[str] = set()
        self._ended = False
        self._rows: list[Row] = []
        self._erasures: list[tuple[int, dict[str, Any]]] = []

    def take(self, number: int, line: bytes) -> None:
        value = _parsed(number, line)
        if self._catalog is None:
            self._begin(number, value)
        elif self._ended:
            raise BadInput("text after the head line", f"line {number}")
        elif "document" in value:
            self._document(number, value)
        elif "envelope" in value:
            self._event(number, value)
        elif "head" in value:
            self._end(number, value["head"])
        else:
            raise BadInput("neither a document, an event nor the head", f"line {number}")

    def _begin(self, number: int, value: dict[str, Any]) -> None:
        if value.get("format") != FORMAT:
            raise BadInput(f"the first line must say format {FORMAT}", f"line {number}")
        chain_id = _hex(number, value.get("chain_id"), 16)
        row = self._connection.one(sql.CATALOG_BY_CHAIN, chain_id)
        if row is not None:
            self._catalog = Catalog(*row)
        else:
            name = check_catalog_name(self._label or f"chain-{chain_id.hex()[:8]}")
            if self._connection.one(sql.CATALOG_BY_NAME, name) is not None:
                raise Misused(f"catalog {name} holds another chain")
            self._catalog = create_catalog(self._connection, name, chain_id, is_remote=True)
        self._walked = beginning(self._catalog)

    def _document(self, number: int, value: dict[str, Any]) -> None:
        digest, body, role = value["document"], value.get("body"), value.get("role")
        if not isinstance(digest, str) or not isinstance(role, str):
            raise BadInput("a document line needs its digest and role", f"line {number}")
        key = key_of(digest)
        if body is None:
            self._blank_documents.add(digest)
        elif hashlib.sha256(body.encode()).digest() != key:
            raise ChainBroken("documents", 0, f"{digest} has other bytes than its digest says (line {number})")
        if role == "list" and body is not None:
            self._named_by_lists.update(name for name, _ in nested(role, load(body.encode())))
        if self._connection.one(sql.DOCUMENT_KNOWN, key) is None:
            self._connection.run(sql.DOCUMENT_INSERT, key, role, None if body is None else body.encode())

    def _event(self, number: int, value: dict[str, Any]) -> None:
        catalog, walked = self._here()
        envelope = value["envelope"].encode()
        header = decode(envelope)
        payload = None if value.get("payload") is None else value["payload"].encode()
        salt = None if value.get("salt") is None else _hex(number, value["salt"], 16)
        claimed = walked.claimed_us
        if header.occurred_at is not None and (claimed is None or header.occurred_at > claimed):
            claimed = header.occurred_at
        row = (
            place(catalog.catalog_id, header.seq),
            bytes.fromhex(header.event_id.replace("-", "")),
            header.kind,
            header.recorded_at,
            claimed,
            _hex(number, value.get("hash"), 32),
            salt,
            envelope,
            payload,
        )
        walk([row], catalog, walked, self._require_document)
        if header.kind == "payload.erased" and payload is not None:
            self._erasures.append((header.seq, orjson.loads(payload)))
        if header.seq <= catalog.seq:
            self._same_as_stored(row)
            return
        if not catalog.is_remote:
            raise Misused(
                f"chain {header.chain_id} is written by this ledger (catalog {catalog.name}); it cannot grow by import"
            )
        self._rows.append((row[0], catalog.catalog_id, *row[1:]))
        self._appended += 1
        if len(self._rows) >= _FOLD_AT_ONCE:
            self._flush()

    def _same_as_stored(self, row: Row) -> None:
        catalog, _ = self._here()
        stored = self._connection.one(sql.EVENT_AT, row[0])
        if stored is None or stored[5] != row[5]:
            raise ChainBroken(catalog.name, seq_of(row[0]), "is another event here: the chains have forked")
        self._known += 1

    def _flush(self) -> None:
        if self._rows:
            self._connection.copy_events(self._rows)
            self._rows = []

    def _end(self, number: int, head: Any) -> None:
        catalog, walked = self._here()
        if head != {"epoch": walked.epoch, "hash": walked.hash.hex(), "seq": walked.seq}:
            raise ChainBroken(catalog.name, walked.seq, f"is not the head that line {number} states")
        self._ended = True

    def finish(self) -> Imported:
        if not self._ended:
            raise BadInput("the head line is missing: the file was cut short", "end of file")
        catalog, walked = self._here()
        self._flush()
        after = catalog
        if walked.seq > catalog.seq:
            after = catalog._replace(
                epoch=walked.epoch,
                seq=walked.seq,
                hash=walked.hash,
                recorded_us=walked.recorded_us,
                claimed_us=walked.claimed_us,
            )
            move_head(self._connection, after)
        require_erasures(walked)
        for digest in sorted(self._blank_documents - walked.erased_documents):
            raise ChainBroken("documents", 0, f"{digest} is blank, and no event says that it was erased")
        for digest in sorted(self._named_by_lists):
            self._require_document(digest)
        self._apply_erasures(after)
        if after.seq > catalog.seq:
            for batch in self._new_events(after, catalog.seq + 1):
                self._project(after, batch)
        return Imported(after.name, self._appended, self._known, after)

    def _project(self, catalog: Catalog, batch: list[Fact]) -> None:
        first, last = batch[0].seq, batch[-1].seq
        before = catalog._replace(seq=first - 1, hash=hash_at(self._connection, catalog, first - 1))
        after = catalog._replace(seq=last, hash=hash_at(self._connection, catalog, last))
        self._store.projector.project(self._connection, before, after, batch)

    def _apply_erasures(self, catalog: Catalog) -> None:
        for seq, payload in self._erasures:
            targets = [int(target["seq"]) for target in payload.get("targets", ())]
            digests = [str(digest) for digest in payload.get("documents", ())]
            erased_here = blank_events(self._connection, catalog, targets, by_seq=seq)
            blank_documents(self._connection, catalog, digests, by_seq=seq)
            if erased_here and seq <= catalog.seq:
                self._store.projector.refold(self._connection, catalog)

    def _require_document(self, digest: str) -> None:
        if self._connection.one(sql.DOCUMENT_KNOWN, key_of(digest)) is None:
            raise ChainBroken("documents", 0, f"{digest} is named by an event and missing")

    def _new_events(self, catalog: Catalog, first: int) -> Iterator[list[Fact]]:
        batch: list[Fact] = []
        for row in read_forward(self._connection, catalog, first):
            batch.append(fact(row))
            if len(batch) >= _FOLD_AT_ONCE:
                yield batch
                batch = []
        if batch:
            yield batch

    def _here(self) -> tuple[Catalog, Walked]:
        assert self._catalog is not None
        assert self._walked is not None
        return self._catalog, self._walked


def _parsed(number: int, line: bytes) -> dict[str, Any]:
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise BadInput(f"not JSON: {error}", f"line {number}") from error
    if not isinstance(value, dict):
        raise BadInput("not a JSON object", f"line {number}")
    return value


def _hex(number: int, text: object, size: int) -> bytes:
    try:
        value = bytes.fromhex(text) if isinstance(text, str) else b""
    except ValueError:
        value = b""
    if len(value) != size:
        raise BadInput(f"expected {size} bytes in hexadecimal", f"line {number}")
    return value
