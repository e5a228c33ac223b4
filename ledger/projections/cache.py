"""Documents that folds read, kept for a while: one listing is read by several folds and by many events."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from ledger.store.documents import read_document

if TYPE_CHECKING:
    from ledger.store.engine import Connection

_KEPT = 4_000


class DocumentCache:
    """A resolver for folds; documents never change, so what was read once stays true until it is erased."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._kept: OrderedDict[str, Any] = OrderedDict()

    def __call__(self, digest: str) -> Any:
        if digest in self._kept:
            self._kept.move_to_end(digest)
            return self._kept[digest]
        value = self._kept[digest] = read_document(self.connection, digest)
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return value
