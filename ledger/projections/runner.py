"""Runs the folds inside the store's transaction and saves what they changed, rows and position together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ledger.projections.cache import DocumentCache
from ledger.projections.folding import Folding
from ledger.projections.rows import (
    KeyIds,
    ProjectionRow,
    batches,
    create_projection,
    delete_projection,
    move_projection,
    read_projections,
    read_states,
    save_versions,
)
from ledger.store import sql
from ledger.store.place import place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ledger.events.fact import Fact
    from ledger.projections.fold import Fold
    from ledger.store.engine import Connection
    from ledger.store.store import Catalog

# Behind by more than this, reading the rows again is shorter than folding the events that others wrote.
_CATCH_UP_AT_MOST = 2_000


@dataclass
class _Memory:
    """What is remembered of a catalog between two appends: the head it belongs to, and the rows as they were loaded."""

    hash: bytes
    rows: dict[str, ProjectionRow]
    folding: Folding
    documents: DocumentCache
    key_ids: KeyIds = field(default_factory=KeyIds)

    def moving(self) -> list[ProjectionRow]:
        """The projections that were neither stalled nor frozen when they were loaded."""
        return [row for row in self.rows.values() if row.stalled is None and row.name in self._loaded]

    def __post_init__(self) -> None:
        folded = {each.NAME for each in self.folding.folds}
        self._loaded = {name for name in self.rows if name in folded and name not in self.folding.idle}


class Runner:
    """The store's projector: keeps the states of the catalogs it writes in memory.

    A projection of another version than the code's is frozen, one that failed is stalled: neither is touched until it
    is rebuilt.
    """

    def __init__(self, folds: Sequence[Fold] | None = None) -> None:
        self._folds = folds
        self._memories: dict[int, _Memory] = {}

    @property
    def folds(self) -> Sequence[Fold]:
        """The projections; loaded when first asked for, because most readers never fold."""
        if self._folds is None:
            from ledger.projections.all import FOLDS  # noqa: PLC0415

            self._folds = FOLDS
        return self._folds

    @folds.setter
    def folds(self, folds: Sequence[Fold]) -> None:
        self._folds = folds
        self._memories.clear()

    def project(self, connection: Connection, before: Catalog, after: Catalog, events: Sequence[Fact]) -> None:
        memory = self._memory_at(connection, before)
        save_versions(connection, memory.rows, memory.key_ids, memory.folding.advance(events))
        self._save_positions(connection, after, memory)
        memory.hash = after.hash
        # Only now: an append that failed half-way leaves nothing remembered, and the next one starts from the rows.
        self._memories[before.catalog_id] = memory

    def refold(self, connection: Connection, catalog: Catalog) -> None:
        """Fold the whole catalog again inside the open transaction, in place of what is stored."""
        for row in read_projections(connection, catalog).values():
            delete_projection(connection, row.projection_id)
        memory = self._load(connection, catalog._replace(seq=0))
        for batch in batches(connection, catalog):
            save_versions(connection, memory.rows, memory.key_ids, memory.folding.advance(batch))
        self._save_positions(connection, catalog, memory)
        memory.hash = catalog.hash
        self._memories[catalog.catalog_id] = memory

    def unequal(self, connection: Connection, catalog: Catalog) -> list[str]:
        from ledger.projections.equality import compare  # noqa: PLC0415 - only verification folds from zero

        return [str(each) for each in compare(connection, catalog, self.folds)]

    def forget(self, catalog_id: int) -> None:
        """Drop what is remembered: the rows were put in place by other hands."""
        self._memories.pop(catalog_id, None)

    def _memory_at(self, connection: Connection, before: Catalog) -> _Memory:
        memory = self._memories.pop(before.catalog_id, None)
        if memory is not None:
            memory.documents.connection = connection
            if self._in_step(connection, memory, before, read_projections(connection, before)):
                return memory
        return self._load(connection, before)

    def _in_step(
        self, connection: Connection, memory: _Memory, before: Catalog, stored: dict[str, ProjectionRow]
    ) -> bool:
        if memory.hash == before.hash:
            return stored == self._expected(memory)
        behind = before.seq - memory.folding.position
        if not 0 < behind <= _CATCH_UP_AT_MOST or memory.folding.position == 0:
            return False
        row = connection.one(sql.EVENT_AT, place(before.catalog_id, memory.folding.position))
        if row is None or row[5] != memory.hash:
            return False  # another history: the append we remember was rolled back
        for batch in batches(connection, before, memory.folding.position + 1):
            memory.folding.advance(batch)
        memory.hash = before.hash
        return stored == self._expected(memory)

    def _load(self, connection: Connection, before: Catalog) -> _Memory:
        rows = read_projections(connection, before)
        if before.seq == 0:
            rows |= {
                each.NAME: create_projection(connection, before, each) for each in self.folds if each.NAME not in rows
            }
        idle: dict[str, str] = {}
        for each in self.folds:
            row = rows.get(each.NAME)
            if row is None or row.version != each.VERSION or row.position != before.seq or row.stalled is not None:
                idle[each.NAME] = "it waits for a rebuild"
        documents = DocumentCache(connection)
        folding = Folding(self.folds, documents, position=before.seq, idle=idle)
        for each in self.folds:
            if each.NAME not in idle:
                folding.states[each.NAME] = read_states(connection, rows[each.NAME].projection_id, before.seq)
        return _Memory(before.hash, rows, folding, documents)

    def _save_positions(self, connection: Connection, catalog: Catalog, memory: _Memory) -> None:
        moving = memory.moving()
        if len(moving) == len(memory.rows) and not memory.folding.idle:
            # The usual case: all of them go on together, and one statement says so.
            connection.run(sql.PROJECTIONS_MOVE, memory.folding.position, catalog.catalog_id)
            return
        for row in moving:
            move_projection(connection, self._moved(memory, row))

    def _expected(self, memory: _Memory) -> dict[str, ProjectionRow]:
        """The rows as they must be stored now, if nobody else has touched them."""
        return memory.rows | {row.name: self._moved(memory, row) for row in memory.moving()}

    def _moved(self, memory: _Memory, row: ProjectionRow) -> ProjectionRow:
        return row._replace(position=memory.folding.position_of(row.name), stalled=memory.folding.idle.get(row.name))
