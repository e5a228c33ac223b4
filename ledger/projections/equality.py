"""The equality law: what is stored is what folding the events from zero gives, rows and history."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ledger.projections.cache import DocumentCache
from ledger.projections.folding import Folding
from ledger.projections.rows import ProjectionRow, Version, batches, list_keys, read_projections, state_digest
from ledger.store import sql
from ledger.store.place import LAST_SEQ, place, seq_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ledger.projections.fold import Fold
    from ledger.store.engine import Connection
    from ledger.store.store import Catalog


@dataclass
class Bag:
    """A multiset of versions as one number: the order in which they are met does not matter, everything else does."""

    total: int = 0
    count: int = 0

    def add(self, version: Version) -> None:
        text = b"%b\0%d\0%b" % (
            version.key.encode(),
            version.seq,
            b"-" if version.state is None else version.state,
        )
        self.total = (self.total + int.from_bytes(hashlib.sha256(text).digest(), "big")) % (1 << 256)
        self.count += 1


@dataclass(frozen=True)
class Unequal:
    """A projection whose stored rows are not the fold of its events."""

    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name} {self.reason}"


def compare(
    connection: Connection,
    catalog: Catalog,
    folds: Sequence[Fold],
    progress: Callable[[int], None] | None = None,
) -> list[Unequal]:
    """Every projection that differs from its events, at the position it claims; an empty list is equality."""
    stored = read_projections(connection, catalog)
    found = [Unequal(each.NAME, "is missing") for each in folds if each.NAME not in stored and catalog.seq]
    found += [
        Unequal(each.NAME, f"was made by version {stored[each.NAME].version}, the code has {each.VERSION}")
        for each in folds
        if each.NAME in stored and stored[each.NAME].version != each.VERSION
    ]
    comparable = [each for each in folds if each.NAME in stored and stored[each.NAME].version == each.VERSION]
    folding, bags = fold_from_zero(connection, catalog, folds, progress)
    for each in comparable:
        found += _difference(connection, stored[each.NAME], folding, bags[each.NAME])
    return found


def fold_from_zero(
    connection: Connection,
    catalog: Catalog,
    folds: Sequence[Fold],
    progress: Callable[[int], None] | None = None,
) -> tuple[Folding, dict[str, Bag]]:
    """Fold every event in memory; the bags hold each projection's history as one number."""
    folding = Folding(folds, DocumentCache(connection))
    bags = {each.NAME: Bag() for each in folds}
    for batch in batches(connection, catalog):
        for version in folding.advance(batch):
            bags[version.projection].add(version)
        if progress is not None:
            progress(len(batch))
    return folding, bags


def _difference(connection: Connection, row: ProjectionRow, folding: Folding, expected: Bag) -> list[Unequal]:
    if row.position != folding.position_of(row.name) or (row.stalled is None) != (row.name not in folding.idle):
        where = f"is at {row.position}, folding stops at {folding.position_of(row.name)}"
        return [Unequal(row.name, where)]
    stored = Bag()
    last: dict[str, bytes | None] = {}
    for version in stored_versions(connection, row):
        stored.add(version)
        last[version.key] = version.state
    present = ((key, state) for key, state in last.items() if state is not None)
    if state_digest(present) != state_digest(folding.states[row.name].items()):
        return [Unequal(row.name, f"has other rows than its events give at {row.position}")]
    if (stored.total, stored.count) != (expected.total, expected.count):
        return [Unequal(row.name, f"has another history than its events give up to {row.position}")]
    return []


def stored_versions(connection: Connection, row: ProjectionRow) -> Iterator[Version]:
    """Every version of a projection, key by key, each in order of position."""
    for key, key_id in list_keys(connection, row.projection_id):
        for at, state in connection.all(sql.VERSIONS_OF_KEY, place(key_id, 0), place(key_id, LAST_SEQ)):
            yield Version(row.name, key, seq_of(at), state)
