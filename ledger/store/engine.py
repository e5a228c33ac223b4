"""What the store asks of an engine; SQLite and PostgreSQL each answer in a module of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager

    from ledger.clock import Micros
    from ledger.store.sql import Sql

Row = tuple[Any, ...]


class Connection(Protocol):
    """A driver's cursor with the few calls we make; every value is bound."""

    def one(self, sql: Sql, *values: object) -> Row | None: ...

    def all(self, sql: Sql, *values: object) -> list[Row]: ...

    def each(self, sql: Sql, *values: object) -> Iterator[Row]:
        """Stream rows; memory does not grow with their number."""
        ...

    def run(self, sql: Sql, *values: object) -> None: ...

    def run_many(self, sql: Sql, rows: Iterable[Row]) -> None: ...

    def copy_events(self, rows: list[Row]) -> None:
        """Insert rows of `events` the fastest way the engine has; the guards see every one."""
        ...


class Engine(Protocol):
    """One database. Errors of the driver come out as `LedgerError`s."""

    location: str

    def writing(self) -> AbstractContextManager[Connection]:
        """Wait for the turn to write; receipts are noted before the turn is given up."""
        ...

    def transaction(self, connection: Connection) -> AbstractContextManager[None]:
        """All or nothing: commit at the end, roll back on any error."""
        ...

    def reading(self) -> AbstractContextManager[Connection]:
        """A consistent view that does not change while it is open."""
        ...

    def now_us(self, connection: Connection) -> Micros:
        """The engine's own clock: the server's where there is a server."""
        ...

    def revision(self) -> str | None:
        """The schema revision found, None where there is no ledger; refuses what is not ours."""
        ...

    def create_or_upgrade(self) -> None:
        """Run the migrations."""
        ...

    def damage(self, connection: Connection) -> list[str]:
        """What the engine's own check of its file finds."""
        ...

    def schema_text(self, connection: Connection) -> str:
        """Tables, indexes and guards as the database itself describes them, in a fixed order."""
        ...

    def clean(self, connection: Connection) -> None:
        """After an erasure: let no free page or log keep the bytes."""
        ...

    def facts(self) -> dict[str, str]:
        """Engine, version and durability in force, for people."""
        ...

    def close(self) -> None: ...
