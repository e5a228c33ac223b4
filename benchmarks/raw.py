"""The raw baselines on SQLite: our driver, our file settings, and nothing else of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from ledger.events.envelope import encode
from ledger.store.sqlite import SqliteConnection, SqliteEngine

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from benchmarks.workload import Line

Row = tuple[Any, ...]

_RECORDED_US = 1_794_916_800_000_000


class RawFile:
    """A SQLite file with the settings of a ledger's and tables of our choosing; `raw` is the driver's connection."""

    def __init__(self, path: Path, *statements: str) -> None:
        self.path = path
        path.touch(mode=0o600)
        self._engine = SqliteEngine(path)
        with self._engine.writing() as connection:
            assert isinstance(connection, SqliteConnection)
            self.raw = connection.raw
        for statement in statements:
            self.raw.execute(statement)

    def version(self) -> str:
        """Which SQLite this is, and through which module."""
        return self._engine.facts()["engine"]

    def close(self) -> None:
        self._engine.close()


class RawEvents:
    """Plain inserts of what an event is at the least: a number, an id, a kind, a time and the payload's JSON."""

    _TABLE = (
        "CREATE TABLE events (seq INTEGER PRIMARY KEY, event_id BLOB NOT NULL, kind TEXT NOT NULL, "
        "recorded_us INTEGER NOT NULL, payload BLOB NOT NULL) STRICT"
    )
    _INSERT = "INSERT INTO events VALUES (?, ?, ?, ?, ?)"

    def __init__(self, path: Path) -> None:
        self._file = RawFile(path, self._TABLE)
        self.path = path
        self._seq = 0

    def ready(self, lines: Iterable[Line]) -> list[Row]:
        return [self._row(line) for line in lines]

    def write(self, rows: Sequence[Row]) -> None:
        """One durable transaction."""
        raw = self._file.raw
        if len(rows) == 1:
            raw.execute(self._INSERT, rows[0])
            return
        raw.execute("BEGIN IMMEDIATE")
        raw.executemany(self._INSERT, rows)
        raw.execute("COMMIT")

    def _row(self, line: Line) -> Row:
        self._seq += 1
        return raw_row(self._seq, line)

    def close(self) -> None:
        self._file.close()


class RawColumns(RawEvents):
    """Plain inserts of every column that we store, made before: what our bytes alone cost, without our work."""

    _TABLE = (
        "CREATE TABLE events (place INTEGER PRIMARY KEY, catalog_id INTEGER NOT NULL, event_id BLOB NOT NULL, "
        "kind TEXT NOT NULL, recorded_us INTEGER NOT NULL, claimed_us INTEGER, hash BLOB NOT NULL, salt BLOB, "
        "envelope BLOB NOT NULL, payload BLOB) STRICT"
    )
    _INSERT = "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

    def _row(self, line: Line) -> Row:
        seq, event_id, kind, recorded_us, payload = super()._row(line)
        return seq, 1, event_id, kind, recorded_us, None, bytes(32), bytes(16), _envelope(seq, kind), payload


def raw_row(seq: int, line: Line) -> Row:
    return seq, seq.to_bytes(16), line["kind"], _RECORDED_US + seq, orjson.dumps(line["payload"])


def fetch_events(raw: Any) -> Iterator[Row]:
    """The rows of a ledger's events in order, as the driver hands them out."""
    return raw.execute(  # type: ignore[no-any-return]  # untyped driver
        "SELECT place, event_id, kind, recorded_us, claimed_us, hash, salt, envelope, payload "
        "FROM events ORDER BY place"
    )


def _envelope(seq: int, kind: str) -> bytes:
    return encode(
        actor="cli/bench",
        causation=(),
        chain_id="0" * 32,
        clock_behind_us=0,
        correlation_id=None,
        epoch=0,
        event_id="00000000-0000-7000-8000-000000000000",
        kind=kind,
        occurred_at=None,
        payload_digest="0" * 64,
        producer={"build": "unknown", "name": "unknown", "version": "unknown"},
        recorded_at=_RECORDED_US + seq,
        seq=seq,
        version=1,
    )
