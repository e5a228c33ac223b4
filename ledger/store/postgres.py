"""The PostgreSQL engine: a team's store, written by many machines, one chain at a time."""

from __future__ import annotations

import itertools
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ledger.clock import Micros
from ledger.errors import (
    BadConfig,
    DatabaseLocked,
    DiskFull,
    ForeignDatabase,
    LedgerError,
    ReadOnlyStore,
    StoreUnavailable,
    Unreadable,
)

try:
    import psycopg
    from psycopg import errors as pg
except ImportError as missing:  # an extra: most ledgers are files
    raise BadConfig("--db", "PostgreSQL needs the extra `catledger[postgres]`") from missing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ledger.store.engine import Connection, Row
    from ledger.store.sql import Sql

LOCK_WAIT_S = 30.0
_FETCH_AT_ONCE = 2_000
_EVENT_COLUMNS = "place, catalog_id, event_id, kind, recorded_us, claimed_us, hash, salt, envelope, payload"
_COPY_FROM = 8  # below this many rows one INSERT trip is shorter than opening a COPY
_TABLES = (
    "alembic_version",
    "catalogs",
    "documents",
    "erased_documents",
    "erased_events",
    "events",
    "meta",
    "projection_keys",
    "projection_versions",
    "projections",
)


class PostgresConnection:
    """psycopg's connection behind the protocol of engine.py."""

    def __init__(self, raw: psycopg.Connection[Any]) -> None:
        self.raw = raw
        self._cursor_numbers = itertools.count()

    def one(self, sql: Sql, *values: object) -> Row | None:
        return self.raw.execute(sql.postgres.encode(), values).fetchone()

    def all(self, sql: Sql, *values: object) -> list[Row]:
        return self.raw.execute(sql.postgres.encode(), values).fetchall()

    def each(self, sql: Sql, *values: object) -> Iterator[Row]:
        # A cursor of the server, so that other statements may run while this one is read.
        with self.raw.cursor(name=f"ledger_{next(self._cursor_numbers)}", binary=True) as cursor:
            cursor.itersize = _FETCH_AT_ONCE
            cursor.execute(sql.postgres.encode(), values)
            yield from cursor

    def run(self, sql: Sql, *values: object) -> None:
        self.raw.execute(sql.postgres.encode(), values)

    def run_many(self, sql: Sql, rows: Iterable[Row]) -> None:
        with self.raw.cursor() as cursor:
            cursor.executemany(sql.postgres.encode(), rows)

    def copy_events(self, rows: list[Row]) -> None:
        with self.raw.cursor() as cursor:
            if len(rows) < _COPY_FROM:
                marks = ", ".join(["%s"] * 10)
                cursor.executemany(f"INSERT INTO events ({_EVENT_COLUMNS}) VALUES ({marks})".encode(), rows)
                return
            with cursor.copy(f"COPY events ({_EVENT_COLUMNS}) FROM STDIN (FORMAT BINARY)".encode()) as copy:
                copy.set_types(["int8", "int8", "bytea", "text", "int8", "int8", "bytea", "bytea", "bytea", "bytea"])
                for row in rows:
                    copy.write_row(row)


class PostgresEngine:
    """One PostgreSQL database. `url` is a libpq URL; the password never reaches a message."""

    def __init__(self, url: str, *, read_only: bool = False, wait_s: float = LOCK_WAIT_S) -> None:
        parts = urlsplit(url)
        self._url = url.replace("postgresql+psycopg://", "postgresql://", 1)
        self.location = f"postgresql://{parts.hostname or ''}{parts.path}"
        self._read_only = read_only
        self._wait_s = wait_s
        self._connection: PostgresConnection | None = None
        self._turn = threading.RLock()

    # -- transactions ---------------------------------------------------------------------------------------------

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        # No queue of our own: the catalog's row is the lock, and writers of different catalogs never wait.
        with self._turn:
            yield self._open()

    @contextmanager
    def transaction(self, connection: Connection) -> Iterator[None]:
        raw = connection.raw  # type: ignore[attr-defined]  # it is ours
        with self._translated():
            raw.execute("BEGIN")
            try:
                yield
                raw.execute("COMMIT")
            except BaseException:
                if not raw.closed and raw.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                    raw.execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with self._turn, self._translated():
            connection = self._open()
            raw = connection.raw
            if raw.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                yield connection
                return
            raw.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            try:
                yield connection
            finally:
                if not raw.closed:
                    raw.execute("ROLLBACK")

    def now_us(self, connection: Connection) -> Micros:
        raw = connection.raw  # type: ignore[attr-defined]  # it is ours
        row = raw.execute("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint").fetchone()
        return Micros(row[0])

    # -- opening --------------------------------------------------------------------------------------------------

    def revision(self) -> str | None:
        with self.reading() as connection:
            raw = connection.raw  # type: ignore[attr-defined]  # it is ours
            found = raw.execute(
                "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename"
            ).fetchall()
            tables = {name for (name,) in found}
            if not tables:
                return None
            if not {"alembic_version", "catalogs", "events", "meta"} <= tables:
                raise ForeignDatabase(self.location, f"it has tables of another kind ({min(tables)}, …)")
            row = raw.execute("SELECT version_num FROM alembic_version").fetchone()
            return str(row[0]) if row else None

    def create_or_upgrade(self) -> None:
        from ledger.store.migrate import upgrade  # Alembic costs two seconds of start-up  # noqa: PLC0415

        # A connection of its own: SQLAlchemy wants to own the transaction.
        with self._translated(), psycopg.connect(self._url, connect_timeout=10) as raw:
            upgrade("postgresql+psycopg://", raw, prepare="SELECT pg_advisory_xact_lock(1129598023)")

    def _open(self) -> PostgresConnection:
        if self._connection is None or self._connection.raw.closed:
            with self._translated():
                self._connection = self._connect()
        return self._connection

    def _connect(self) -> PostgresConnection:
        raw = psycopg.connect(self._url, autocommit=True, connect_timeout=10, application_name="catledger")
        raw.execute(f"SET lock_timeout = '{int(self._wait_s * 1000)}ms'")
        # A writer that hangs must not hold a head for ever.
        raw.execute("SET idle_in_transaction_session_timeout = '60s'")
        if self._read_only:
            raw.execute("SET default_transaction_read_only = on")
        else:
            raw.execute("SET synchronous_commit = on")
        return PostgresConnection(raw)

    # -- looking after itself -------------------------------------------------------------------------------------

    def damage(self, connection: Connection) -> list[str]:
        """PostgreSQL checks its pages when it reads them, if checksums are on; the walk has read every one."""
        raw = connection.raw  # type: ignore[attr-defined]  # it is ours
        rows = raw.execute(
            "SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
            "JOIN pg_namespace n ON n.oid = c.relnamespace "
            "WHERE n.nspname = current_schema() AND NOT (i.indisvalid AND i.indisready) ORDER BY 1"
        ).fetchall()
        return [f"index {name} is not valid" for (name,) in rows]

    def schema_text(self, connection: Connection) -> str:
        raw = connection.raw  # type: ignore[attr-defined]  # it is ours
        lines: list[str] = []
        for query in _SCHEMA_QUERIES:
            lines += ["|".join(str(cell) for cell in row) for row in raw.execute(query, [list(_TABLES)]).fetchall()]
        return "\n".join(" ".join(line.split()) for line in lines)

    def clean(self, connection: Connection) -> None:
        # Dead rows keep the bytes until they are rewritten; the log keeps them until it is recycled, which is the
        # server's business and said in the docs.
        connection.raw.execute("VACUUM FULL events, documents")  # type: ignore[attr-defined]  # it is ours

    def facts(self) -> dict[str, str]:
        with self.reading() as connection:
            raw = connection.raw  # type: ignore[attr-defined]  # it is ours
            (version,) = raw.execute("SHOW server_version").fetchone()
            (synchronous,) = raw.execute("SHOW synchronous_commit").fetchone()
            (fsync,) = raw.execute("SHOW fsync").fetchone()
        return {"engine": f"PostgreSQL {version}", "synchronous_commit": synchronous, "fsync": fsync}

    def close(self) -> None:
        with self._turn:
            if self._connection is not None:
                self._connection.raw.close()
                self._connection = None

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise self._translate(error) from error

    def _translate(self, error: psycopg.Error) -> LedgerError:
        text = str(error).strip().partition("\n")[0] or type(error).__name__
        match error:
            case pg.LockNotAvailable() | pg.DeadlockDetected() | pg.SerializationFailure():
                return DatabaseLocked(self.location, text)
            case pg.DiskFull():
                return DiskFull(self.location, text)
            case pg.ReadOnlySqlTransaction() | pg.InsufficientPrivilege():
                return ReadOnlyStore(self.location, text)
            case pg.RaiseException() | pg.UniqueViolation():
                return Unreadable(self.location, f"a guard refused the write: {text}")
            case pg.DataCorrupted() | pg.IndexCorrupted() | pg.UndefinedTable():
                return Unreadable(self.location, text)
            case _:
                return StoreUnavailable(self.location, text)


# What protects and what is queried, as the server's own catalog describes it; the same text on every version.
_SCHEMA_QUERIES = (
    "SELECT 'column', table_name, column_name, data_type, is_nullable, coalesce(collation_name, '') "
    "FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ANY(%s) ORDER BY 2, 3",
    "SELECT 'index', tablename, indexname, replace(indexdef, current_schema() || '.', '') FROM pg_indexes "
    "WHERE schemaname = current_schema() AND tablename = ANY(%s) ORDER BY 2, 3",
    "SELECT 'trigger', c.relname, t.tgname, t.tgenabled, t.tgtype, p.prosrc FROM pg_trigger t "
    "JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid "
    "JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE n.nspname = current_schema() AND NOT t.tgisinternal AND c.relname = ANY(%s) ORDER BY 2, 3",
)
