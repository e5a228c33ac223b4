"""The SQLite engine: one file, opened safely, written by one process at a time."""

from __future__ import annotations

import fcntl
import os
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ledger.clock import Micros, SystemClock
from ledger.errors import (
    DatabaseLocked,
    DiskFull,
    ForeignDatabase,
    LedgerError,
    Misused,
    ReadOnlyStore,
    StoreUnavailable,
    Unreadable,
)
from ledger.store import sql

try:  # the wheel bundles a SQLite with the WAL-reset fix; where there is none the standard module serves
    from pysqlite3 import dbapi2 as driver
except ImportError:
    import sqlite3 as driver

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ledger.store.engine import Connection, Row
    from ledger.store.sql import Sql

APPLICATION_ID = 0x43544C47  # "CTLG"
LOCK_WAIT_S = 30.0
_NETWORK_FILE_SYSTEMS = {
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "9p",
    "fuse.sshfs",
    "afs",
    "ncpfs",
    "glusterfs",
    "ceph",
}
# sqlite.org/wal.html#walresetbug: fixed in 3.51.3, ported back to 3.50.7 and 3.44.6
_WAL_IS_SAFE_SINCE = (3, 51, 3)
_WAL_BACKPORTS = {(3, 50): 7, (3, 44): 6}


def wal_is_safe(version: tuple[int, ...]) -> bool:
    """Whether two connections may checkpoint and write at once without losing pages."""
    backport = _WAL_BACKPORTS.get((version[0], version[1]))
    return version >= _WAL_IS_SAFE_SINCE or (backport is not None and version[2] >= backport)


class SqliteConnection:
    """The driver's connection behind the protocol of engine.py."""

    def __init__(self, raw: Any) -> None:
        self.raw = raw

    def one(self, sql: Sql, *values: object) -> Row | None:
        return self.raw.execute(sql.sqlite, values).fetchone()  # type: ignore[no-any-return]  # untyped driver

    def all(self, sql: Sql, *values: object) -> list[Row]:
        return self.raw.execute(sql.sqlite, values).fetchall()  # type: ignore[no-any-return]  # untyped driver

    def each(self, sql: Sql, *values: object) -> Iterator[Row]:
        return self.raw.execute(sql.sqlite, values)  # type: ignore[no-any-return]  # untyped driver

    def run(self, sql: Sql, *values: object) -> None:
        self.raw.execute(sql.sqlite, values)

    def run_many(self, sql: Sql, rows: Iterable[Row]) -> None:
        self.raw.executemany(sql.sqlite, rows)

    def copy_events(self, rows: list[Row]) -> None:
        self.raw.executemany(sql.EVENT_INSERT.sqlite, rows)


class SqliteEngine:
    """One SQLite file. Not for network file systems, whose locks cannot be trusted."""

    def __init__(
        self, path: Path, *, read_only: bool = False, wait_s: float = LOCK_WAIT_S, force_network: bool = False
    ) -> None:
        self.path = path
        self.location = str(path)
        self._read_only = read_only
        self._wait_s = wait_s
        self._force_network = force_network
        self._connection: SqliteConnection | None = None
        self._turn = threading.RLock()
        self._lock_file = -1

    # -- transactions ---------------------------------------------------------------------------------------------

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        with self._turn, self._queue():
            yield self._open()

    @contextmanager
    def transaction(self, connection: Connection) -> Iterator[None]:
        raw = connection.raw  # type: ignore[attr-defined]  # it is ours
        with self._translated():
            # IMMEDIATE: a deferred transaction that later writes fails at once, whatever the timeout says
            raw.execute("BEGIN IMMEDIATE")
            try:
                yield
                raw.execute("COMMIT")
            except BaseException:
                # after SQLITE_FULL the transaction is already gone; a second rollback would mask the cause
                if raw.in_transaction:
                    raw.execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with self._turn, self._translated():
            connection = self._open()
            if connection.raw.in_transaction:
                yield connection
                return
            connection.raw.execute("BEGIN")
            try:
                yield connection
            finally:
                if connection.raw.in_transaction:
                    connection.raw.execute("ROLLBACK")

    def now_us(self, connection: Connection) -> Micros:  # noqa: ARG002 - the protocol asks the server's clock where there is one
        return SystemClock().now_us()

    @contextmanager
    def _queue(self) -> Iterator[None]:
        """One writer at a time over all processes; SQLite's own busy handler is unfair and waits longer."""
        if self._lock_file < 0:
            self._lock_file = self._open_lock_file()
        deadline = time.monotonic() + self._wait_s
        pause = 0.0002
        while True:
            try:
                fcntl.flock(self._lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise DatabaseLocked(
                        self.location, f"another process has been writing for {self._wait_s:.0f} s"
                    ) from None
                time.sleep(pause)
                pause = min(pause * 1.5, 0.002)
        try:
            yield
        finally:
            fcntl.flock(self._lock_file, fcntl.LOCK_UN)

    def _open_lock_file(self) -> int:
        # A file of its own: opening and closing the database file itself would drop SQLite's POSIX locks.
        try:
            return os.open(f"{self.path}-queue", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise ReadOnlyStore(str(self.path.parent), error.strerror or str(error)) from error

    # -- opening --------------------------------------------------------------------------------------------------

    def revision(self) -> str | None:
        if not self.path.exists() or self.path.is_dir() or self.path.stat().st_size == 0:
            if self.path.is_dir():
                raise ForeignDatabase(self.location, "it is a directory")
            return None
        with self.reading() as connection:
            raw = connection.raw  # type: ignore[attr-defined]  # it is ours
            tables = _tables(raw)
            if not tables:
                return None
            if not {"alembic_version", "events"} <= tables:
                raise Unreadable(self.location, "its tables are missing")
            row = raw.execute("SELECT version_num FROM alembic_version").fetchone()
            return str(row[0]) if row else None

    def create_or_upgrade(self) -> None:
        from ledger.store.migrate import upgrade  # Alembic costs two seconds of start-up  # noqa: PLC0415

        self._refuse_network()
        self._create_file()
        with self.writing() as connection, self._translated():
            raw = connection.raw  # type: ignore[attr-defined]  # it is ours
            upgrade("sqlite://", raw, module=driver, prepare=f"PRAGMA application_id = {APPLICATION_ID}")

    def _create_file(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # 0600 from the first byte; SQLite gives its side files the same mode
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return
        except OSError as error:
            raise ReadOnlyStore(self.location, error.strerror or str(error)) from error

    def _open(self) -> SqliteConnection:
        if self._connection is None:
            with self._translated():
                self._connection = self._connect()
        return self._connection

    def _connect(self) -> SqliteConnection:
        if not self._read_only:
            self._refuse_network()
        raw = driver.connect(self._uri(), uri=True, timeout=self._wait_s, isolation_level=None, check_same_thread=False)
        try:
            self._refuse_foreign(raw)
            self._set_pragmas(raw)
        except BaseException:
            raw.close()
            raise
        return SqliteConnection(raw)

    def _uri(self) -> str:
        # as_uri, but for relative paths as well; quoting keeps `?` and `#` in file names from becoming options
        base = "file:" + quote(str(self.path))
        if not self._read_only:
            return base + "?mode=rw"
        if not os.access(self.path.parent, os.W_OK) and not Path(f"{self.path}-wal").exists():
            # A WAL database needs side files to be read; where none can be made and none is pending, nothing
            # can change underneath either.
            return base + "?mode=ro&immutable=1"
        return base + "?mode=ro"

    def _refuse_foreign(self, raw: Any) -> None:
        """Before anything is set: the journal mode is written into the file, and not every file is ours."""
        (application_id,) = raw.execute("PRAGMA application_id").fetchone()
        if application_id != APPLICATION_ID and (application_id or _tables(raw)):
            raise ForeignDatabase(self.location, f"its application id is {application_id:#x}")

    def _set_pragmas(self, raw: Any) -> None:
        wanted: dict[str, object] = {
            "foreign_keys": 1,
            "recursive_triggers": 1,
            "trusted_schema": 0,
            "cell_size_check": 1,
            "secure_delete": 1,
            "mmap_size": 0,
        }
        for name, value in wanted.items():
            raw.execute(f"PRAGMA {name} = {value}")
        if not self._read_only:
            safe = wal_is_safe(driver.sqlite_version_info)
            wanted |= (
                {"journal_mode": "wal", "synchronous": 2} if safe else {"journal_mode": "delete", "synchronous": 3}
            )
            raw.execute(f"PRAGMA journal_mode = {wanted['journal_mode']}")
            raw.execute(f"PRAGMA synchronous = {wanted['synchronous']}")
        raw.execute("PRAGMA cache_size = -32000")
        # 16 MB of log instead of 4: a checkpoint writes the same hot pages again, and a batch gains a quarter.
        raw.execute("PRAGMA wal_autocheckpoint = 4000")
        for name, value in wanted.items():
            (found,) = raw.execute(f"PRAGMA {name}").fetchone() or (value,)
            if found != value:
                raise StoreUnavailable(self.location, f"SQLite would not set {name} to {value}: it is {found}")

    def _refuse_network(self) -> None:
        kind = _file_system_of(self.path)
        if kind in _NETWORK_FILE_SYSTEMS and not self._force_network:
            error = Misused(f"{self.path} is on a network file system ({kind}), whose locks cannot be trusted")
            error.hint = "put the ledger on a local disk, use PostgreSQL, or set CATLEDGER_FORCE_NETWORK_FS=1"
            raise error

    # -- looking after itself -------------------------------------------------------------------------------------

    def damage(self, connection: Connection) -> list[str]:
        raw = connection.raw  # type: ignore[attr-defined]  # it is ours
        found = [str(line) for (line,) in raw.execute("PRAGMA integrity_check(20)")]
        found += [f"foreign key of {row[0]}" for row in raw.execute("PRAGMA foreign_key_check")]
        return [line for line in found if line != "ok"]

    def schema_text(self, connection: Connection) -> str:
        raw = connection.raw  # type: ignore[attr-defined]  # it is ours
        lines: list[str] = []
        for query in _SCHEMA_QUERIES:
            lines += ["|".join(str(cell) for cell in row) for row in raw.execute(query)]
        return "\n".join(" ".join(line.split()) for line in lines)

    def clean(self, connection: Connection) -> None:
        # secure_delete has overwritten the old pages; the bytes may still stand in the log until it is cut
        connection.raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # type: ignore[attr-defined]  # it is ours

    def facts(self) -> dict[str, str]:
        with self.reading() as connection:
            raw = connection.raw  # type: ignore[attr-defined]  # it is ours
            (mode,) = raw.execute("PRAGMA journal_mode").fetchone()
            (level,) = raw.execute("PRAGMA synchronous").fetchone()
        return {
            "engine": f"SQLite {driver.sqlite_version} ({driver.__name__.partition('.')[0]})",
            "journal_mode": str(mode),
            "synchronous": {1: "NORMAL", 2: "FULL", 3: "EXTRA"}.get(level, str(level)),
        }

    def close(self) -> None:
        with self._turn:
            if self._connection is not None:
                self._connection.raw.close()
                self._connection = None
            if self._lock_file >= 0:
                os.close(self._lock_file)
                self._lock_file = -1

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except driver.Error as error:
            translated = self._translate(error)
            if isinstance(translated, StoreUnavailable) and not isinstance(translated, DatabaseLocked):
                # after a failed write or sync the state of this connection is not to be trusted
                self._discard()
            raise translated from error

    def _discard(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.raw.close()

    def _translate(self, error: Any) -> LedgerError:
        code = getattr(error, "sqlite_errorname", "") or ""
        text = str(error)
        if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")) or "is locked" in text:
            return DatabaseLocked(self.location, text)
        if code == "SQLITE_FULL" or "disk is full" in text:
            return DiskFull(self.location, "there is no room left on the disk; the append did not happen")
        if code.startswith("SQLITE_READONLY") or "readonly" in text:
            return ReadOnlyStore(self.location, text)
        if code == "SQLITE_NOTADB" or "not a database" in text:
            return ForeignDatabase(self.location, text)
        if code.startswith("SQLITE_CORRUPT") or "malformed" in text or "no such table" in text:
            return Unreadable(self.location, text)
        if code.startswith(("SQLITE_IOERR", "SQLITE_CANTOPEN")) or "unable to open" in text or "I/O" in text:
            return StoreUnavailable(self.location, text)
        if code.startswith("SQLITE_CONSTRAINT"):
            return Unreadable(self.location, f"a guard refused the write: {text}")
        return StoreUnavailable(self.location, text)


def _tables(raw: Any) -> set[str]:
    return {name for (name,) in raw.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}


# Structure, not the text of CREATE TABLE: that depends on the tool that wrote it. Guards are our own text.
_SCHEMA_QUERIES = (
    "SELECT 'application_id', application_id FROM pragma_application_id",
    "SELECT 'user_version', user_version FROM pragma_user_version",
    "SELECT 'object', type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%' ORDER BY 2, 3",
    "SELECT 'column', t.name, t.strict, c.name, c.type, c.\"notnull\", c.pk, coalesce(c.dflt_value, '') "
    "FROM pragma_table_list AS t, pragma_table_xinfo(t.name) AS c "
    "WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.cid",
    "SELECT 'index', t.name, i.name, i.\"unique\", i.origin, i.partial, c.seqno, c.name "
    "FROM pragma_table_list AS t, pragma_index_list(t.name) AS i, pragma_index_info(i.name) AS c "
    "WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, i.name, c.seqno",
    "SELECT 'where', name, substr(sql, instr(sql, 'WHERE')) FROM sqlite_schema "
    "WHERE type = 'index' AND instr(sql, 'WHERE') > 0 ORDER BY name",
    "SELECT 'trigger', name, tbl_name, sql FROM sqlite_schema WHERE type IN ('trigger', 'view') ORDER BY name",
)


def _file_system_of(path: Path) -> str:
    """The type of the file system that holds `path`, empty where the system does not say."""
    mounts = Path("/proc/self/mountinfo")
    if not mounts.exists():
        return ""
    target = str(path.absolute())
    best, kind = "", ""
    for line in mounts.read_text(encoding="utf-8", errors="replace").splitlines():
        fields, _, tail = line.partition(" - ")
        point = fields.split()[4]
        inside = target == point or target.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, kind = point, tail.split()[0]
    return kind
