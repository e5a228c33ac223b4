"""Versions set aside while a projection is built beside the one that serves: a private file that nobody sees."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from ledger.projections.rows import Version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType


class Scratch:
    """Holds versions outside memory. The operating system forgets the file with the process, whatever ends it."""

    def __init__(self) -> None:
        # An empty name is SQLite's private temporary database, unlinked as soon as it is opened.
        self._raw = sqlite3.connect("", isolation_level=None)
        self._raw.execute("PRAGMA journal_mode = OFF")
        self._raw.execute("CREATE TABLE versions (projection TEXT, key TEXT, seq INTEGER, state BLOB)")
        self._raw.execute("BEGIN")

    def add(self, versions: Iterable[Version]) -> None:
        self._raw.executemany("INSERT INTO versions VALUES (?, ?, ?, ?)", versions)

    def of(self, projection: str) -> Iterator[Version]:
        """The versions of a projection, key by key, each in order of position."""
        rows = self._raw.execute(
            "SELECT projection, key, seq, state FROM versions WHERE projection = ? ORDER BY key, seq",
            (projection,),
        )
        return (Version(*row) for row in rows)

    def __enter__(self) -> Scratch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._raw.close()
