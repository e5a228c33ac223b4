"""The projections' tables: rows with their history, read at any position."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from ledger.store import sql
from ledger.store.place import LAST_SEQ, place, seq_of
from ledger.store.read import fact, read_forward

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ledger.events.fact import Fact
    from ledger.projections.fold import Fold, Row
    from ledger.store.engine import Connection
    from ledger.store.store import Catalog

_EVENTS_AT_ONCE = 1_000


class ProjectionRow(NamedTuple):
    """A projection as it is stored; `stalled` is the reason it stopped at `position`."""

    projection_id: int
    name: str
    version: int
    position: int
    stalled: str | None


class Version(NamedTuple):
    """A row of a projection from a position on; `state` None says that the key is gone."""

    projection: str
    key: str
    seq: int
    state: bytes | None


def read_projections(connection: Connection, catalog: Catalog) -> dict[str, ProjectionRow]:
    rows = (ProjectionRow(*row) for row in connection.all(sql.PROJECTIONS, catalog.catalog_id))
    return {row.name: row for row in rows}


def create_projection(connection: Connection, catalog: Catalog, fold: Fold, position: int = 0) -> ProjectionRow:
    row = connection.one(sql.PROJECTION_INSERT, catalog.catalog_id, fold.NAME, fold.VERSION, position, None)
    assert row is not None
    return ProjectionRow(row[0], fold.NAME, fold.VERSION, position, None)


def delete_projection(connection: Connection, projection_id: int) -> None:
    for _, key_id in connection.all(sql.KEYS, projection_id):
        connection.run(sql.VERSIONS_DELETE, place(key_id, 0), place(key_id, LAST_SEQ))
    connection.run(sql.KEYS_DELETE, projection_id)
    connection.run(sql.PROJECTION_DELETE, projection_id)


def move_projection(connection: Connection, row: ProjectionRow) -> None:
    connection.run(sql.PROJECTION_MOVE, row.position, row.stalled, row.projection_id)


class KeyIds:
    """The ids of a catalog's keys, looked up or made when first needed."""

    def __init__(self) -> None:
        self._ids: dict[tuple[int, str], int] = {}

    def of(self, connection: Connection, projection_id: int, key: str) -> int:
        known = self._ids.get((projection_id, key))
        if known is None:
            row = connection.one(sql.KEY_BY_NAME, projection_id, key) or connection.one(
                sql.KEY_INSERT, projection_id, key
            )
            assert row is not None
            known = self._ids[projection_id, key] = row[0]
        return known


def save_versions(
    connection: Connection, rows: dict[str, ProjectionRow], key_ids: KeyIds, versions: Iterable[Version]
) -> None:
    ids = {name: row.projection_id for name, row in rows.items()}
    connection.run_many(
        sql.VERSION_INSERT,
        [(place(key_ids.of(connection, ids[projection], key), seq), state) for projection, key, seq, state in versions],
    )


def read_states(connection: Connection, projection_id: int, seq: int) -> dict[str, Row]:
    """Every row as it stood at `seq`."""
    return {key: row for key, _, row in read_rows(connection, projection_id, seq)}


def read_rows(connection: Connection, projection_id: int, seq: int) -> Iterator[tuple[str, int, Row]]:
    """(key, the position that made it so, row) of every key that stood at `seq`, in order of keys."""
    loads = orjson.loads
    for key, at, state in connection.all(sql.ROWS_AS_OF, seq, projection_id):
        if state is not None:
            yield key, seq_of(at), loads(state)


def read_version(connection: Connection, projection_id: int, key: str, seq: int) -> tuple[int, Row | None] | None:
    """(the position that made it so, row) of one key at `seq`, also where it went away; None if it never was."""
    found = connection.one(sql.KEY_BY_NAME, projection_id, key)
    if found is None:
        return None
    row = connection.one(sql.VERSION_AT, place(found[0], 0), place(found[0], seq))
    return None if row is None else (seq_of(row[0]), None if row[1] is None else orjson.loads(row[1]))


def read_row(connection: Connection, projection_id: int, key: str, seq: int) -> tuple[int, Row] | None:
    """(the position that made it so, row) of one key at `seq`; None where there was none."""
    found = read_version(connection, projection_id, key, seq)
    return None if found is None or found[1] is None else (found[0], found[1])


def read_history(
    connection: Connection, projection_id: int, key: str, first: int = 0, last: int = LAST_SEQ
) -> Iterator[tuple[int, Row | None]]:
    """(position, row) for every change of a key; None where it went away."""
    found = connection.one(sql.KEY_BY_NAME, projection_id, key)
    if found is None:
        return
    for at, state in connection.all(sql.VERSIONS_OF_KEY, place(found[0], first), place(found[0], last)):
        yield seq_of(at), None if state is None else orjson.loads(state)


def list_keys(connection: Connection, projection_id: int) -> list[tuple[str, int]]:
    """Every key there ever was, with its id."""
    return [(key, key_id) for key, key_id in connection.all(sql.KEYS, projection_id)]


def state_digest(rows: Iterable[tuple[str, Any]]) -> str:
    """One digest of a state: keys and rows, each with its length, in order of keys."""
    digest = hashlib.sha256()
    for key, row in sorted(rows):
        state = row if isinstance(row, bytes) else orjson.dumps(row, option=orjson.OPT_SORT_KEYS)
        name = key.encode()
        digest.update(b"%d:%b%d:%b" % (len(name), name, len(state), state))
    return "rows1-sha256:" + digest.hexdigest()


def batches(connection: Connection, catalog: Catalog, first: int = 1, last: int | None = None) -> Iterator[list[Fact]]:
    """The events of a catalog as facts, a thousand at a time."""
    batch: list[Fact] = []
    for row in read_forward(connection, catalog, first, last):
        batch.append(fact(row))
        if len(batch) >= _EVENTS_AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch
