"""Documents: stored once under their digest, named by events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ledger.canon.stored import load
from ledger.errors import Unreadable
from ledger.events.documents import ERASED
from ledger.store import sql

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledger.canon.jsontext import Json
    from ledger.events.documents import Document, Erased
    from ledger.store.engine import Connection

_REMEMBERED = 200_000


class Documents:
    """Writes documents, and remembers which are stored: a poll that repeats itself costs no query."""

    def __init__(self) -> None:
        self._stored: set[str] = set()
        self._pending: set[str] = set()

    def write(self, connection: Connection, documents: Iterable[Document]) -> None:
        """Store what is not there yet; call `committed` once the transaction has ended well."""
        self._pending.clear()  # whatever an append before us left here was rolled back
        missing: list[tuple[bytes, str, bytes]] = []
        for document in documents:
            if document.digest in self._stored or document.under in self._stored:
                continue
            key = key_of(document.digest)
            if connection.one(sql.DOCUMENT_KNOWN, key) is None:
                missing.append((key, document.role, document.body))
            self._pending.add(document.digest)
        # sorted: two writers of different catalogs that share documents must not wait for each other in a circle
        connection.run_many(sql.DOCUMENT_INSERT, sorted(missing))

    def committed(self) -> None:
        if len(self._stored) > _REMEMBERED:
            self._stored.clear()
        self._stored |= self._pending
        self._pending.clear()


def key_of(digest: str) -> bytes:
    """The key under which a document is stored: the raw hash of its `jcs1-sha256:` digest."""
    return bytes.fromhex(digest.rpartition(":")[2])


def read_document(connection: Connection, digest: str) -> Json | Erased:
    """The value of a document; an erased one reads as ERASED."""
    row = connection.one(sql.DOCUMENT_AT, key_of(digest))
    if row is None:
        raise Unreadable(digest, "the document is not in this ledger")
    body = row[1]
    return ERASED if body is None else load(body)
