"""Rebuild: fold from zero beside the rows that serve, then switch under the head lock."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import orjson

from ledger.errors import BadInput
from ledger.projections.cache import DocumentCache
from ledger.projections.equality import stored_versions
from ledger.projections.folding import Folding
from ledger.projections.rows import (
    KeyIds,
    batches,
    create_projection,
    delete_projection,
    move_projection,
    read_projections,
    save_versions,
)
from ledger.projections.scratch import Scratch
from ledger.store import sql
from ledger.store.store import Catalog, find_catalog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ledger.projections.fold import Fold
    from ledger.projections.rows import Version
    from ledger.projections.runner import Runner
    from ledger.store.engine import Connection
    from ledger.store.store import Store

_WRITTEN_AT_ONCE = 10_000


@dataclass(frozen=True)
class Rebuilt:
    """What a rebuild did: the projections it put in place, up to which position, and those that stalled again."""

    catalog: str
    position: int
    projections: tuple[str, ...]
    stalled: dict[str, str]


@dataclass(frozen=True)
class Parting:
    """The first event at which what is stored and what folding gives part, and the row they part in."""

    projection: str
    seq: int
    key: str
    stored: Any
    folded: Any


def rebuild(
    store: Store,
    runner: Runner,
    catalog: str | None,
    names: Sequence[str] = (),
    progress: Callable[[int], None] | None = None,
) -> Rebuilt:
    """Fold the catalog from zero and put the named projections (all by default) in place of what is stored.

    Appends go on while it folds; only what was appended meanwhile is folded under the lock. A kill at any moment
    leaves the old rows serving and nothing else.
    """
    chosen = chosen_folds(runner.folds, names)
    with Scratch() as scratch:
        with store.engine.reading() as connection:
            seen = find_catalog(connection, catalog)
            documents = DocumentCache(connection)
            folding = Folding(runner.folds, documents)
            _fold_into(scratch, folding, connection, seen, progress)
        with store.engine.writing() as connection, store.engine.transaction(connection):
            now = Catalog(*(connection.one(sql.CATALOG_FOR_UPDATE, seen.name) or seen))
            documents.connection = connection
            if _was_erased_meanwhile(connection, seen, now):
                runner.refold(connection, now)
                return Rebuilt(now.name, now.seq, tuple(each.NAME for each in runner.folds), {})
            _fold_into(scratch, folding, connection, now, progress)
            _switch(connection, now, chosen, scratch, folding)
            runner.forget(now.catalog_id)
    names_done = tuple(each.NAME for each in chosen)
    stalled = {name: reason for name, reason in folding.idle.items() if name in names_done}
    return Rebuilt(now.name, now.seq, names_done, stalled)


def chosen_folds(folds: Sequence[Fold], names: Sequence[str]) -> list[Fold]:
    """The folds that are named; an unknown name is an error, never "nothing to do"."""
    known = {each.NAME for each in folds}
    for name in names:
        if name not in known:
            raise BadInput(f"no projection has that name (there are {', '.join(sorted(known))})", name)
    return [each for each in folds if not names or each.NAME in names]


def _fold_into(
    scratch: Scratch,
    folding: Folding,
    connection: Connection,
    catalog: Catalog,
    progress: Callable[[int], None] | None,
) -> None:
    for batch in batches(connection, catalog, folding.position + 1):
        scratch.add(folding.advance(batch))
        if progress is not None:
            progress(len(batch))


def _was_erased_meanwhile(connection: Connection, seen: Catalog, now: Catalog) -> bool:
    """An erasure blanks what was already folded: then everything has to be folded again, under the lock."""
    new = batches(connection, now, seen.seq + 1)
    return any(event.kind == "payload.erased" for batch in new for event in batch)


def _switch(
    connection: Connection, catalog: Catalog, chosen: Sequence[Fold], scratch: Scratch, folding: Folding
) -> None:
    old = read_projections(connection, catalog)
    for each in chosen:
        if each.NAME in old:
            delete_projection(connection, old[each.NAME].projection_id)
        row = create_projection(connection, catalog, each)
        versions = scratch.of(each.NAME)
        while chunk := list(islice(versions, _WRITTEN_AT_ONCE)):
            save_versions(connection, {each.NAME: row}, KeyIds(), chunk)
        position = folding.position_of(each.NAME)
        move_projection(connection, row._replace(position=position, stalled=folding.idle.get(each.NAME)))


def bisect(
    connection: Connection,
    catalog: Catalog,
    folds: Sequence[Fold],
    progress: Callable[[int], None] | None = None,
) -> list[Parting]:
    """For each projection that differs from its events, the first event at which it does."""
    stored = read_projections(connection, catalog)
    with Scratch() as scratch:
        _fold_into(scratch, Folding(folds, DocumentCache(connection)), connection, catalog, progress)
        partings = [
            _first_parting(each.NAME, stored_versions(connection, stored[each.NAME]), scratch.of(each.NAME))
            for each in folds
            if each.NAME in stored
        ]
    return [each for each in partings if each is not None]


def _first_parting(name: str, stored: Iterator[Version], folded: Iterator[Version]) -> Parting | None:
    """Both come key by key, in order of position: a merge finds every version that only one of them has."""
    best: Parting | None = None
    left, right = next(stored, None), next(folded, None)
    while left is not None or right is not None:
        if left == right:
            left, right = next(stored, None), next(folded, None)
            continue
        is_left = right is None or (left is not None and (left.key, left.seq) <= (right.key, right.seq))
        same_place = left is not None and right is not None and (left.key, left.seq) == (right.key, right.seq)
        one = left if is_left else right
        assert one is not None
        if best is None or one.seq < best.seq:
            here = _decoded(left) if is_left else None
            there = _decoded(right) if same_place or not is_left else None
            best = Parting(name, one.seq, one.key, here, there)
        if is_left:
            left = next(stored, None)
        if same_place or not is_left:
            right = next(folded, None)
    return best


def _decoded(version: Version | None) -> Any:
    return None if version is None or version.state is None else orjson.loads(version.state)
