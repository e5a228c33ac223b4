"""The baseline of the `eventsourcing` library: its application on its own SQLite persistence, equally durable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate
from eventsourcing.sqlite import SQLiteFactory

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from uuid import UUID

    from benchmarks.workload import Line

_FULL = 2
_CATALOG = "catalog"


class Journal(Aggregate):
    """What is known of one server: the last fact of each kind about each of its tools."""

    def __init__(self, server: str) -> None:
        self.server = server
        self.last: dict[str, dict[str, Any]] = {}

    class Recorded(Aggregate.Event):
        """A fact, as its producer handed it in."""

        kind: str
        payload: dict[str, Any]

        def apply(self, aggregate: Any) -> None:
            about = aggregate.last.setdefault(self.payload.get("tool", ""), {})
            about[self.kind] = self.payload.get("result") or self.payload.get("outcome")


class Journals:
    """One aggregate per server, written by `Application.save` and folded by its repository."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._application: Application[UUID] = Application(
            env={"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": str(path)}
        )
        _require_durable(self._application)
        self._journals: dict[str, Journal] = {}

    def ready(self, lines: Iterable[Line]) -> list[Line]:
        return list(lines)

    def write(self, lines: Sequence[Line]) -> None:
        """From what producers handed in to one durable transaction, as for ours."""
        touched: dict[str, Journal] = {}
        for line in lines:
            server = line["payload"].get("server", _CATALOG)
            journal = touched[server] = self._journal(server)
            journal.trigger_event(Journal.Recorded, kind=line["kind"], payload=line["payload"])
        self._application.save(*touched.values())

    def fold(self) -> None:
        """Make every aggregate anew from its stored events."""
        for journal in self._journals.values():
            self._application.repository.get(journal.id)

    def _journal(self, server: str) -> Journal:
        if server not in self._journals:
            self._journals[server] = Journal(server)
        return self._journals[server]

    def close(self) -> None:
        self._application.close()


def _require_durable(application: Application[UUID]) -> None:
    """The library leaves SQLite's defaults: make sure that they are what our ledger asks for."""
    factory = application.factory
    assert isinstance(factory, SQLiteFactory)
    with factory.datastore.transaction(commit=False) as cursor:
        cursor.execute("PRAGMA journal_mode")
        assert cursor.fetchone()[0] == "wal"
        cursor.execute("PRAGMA synchronous")
        assert cursor.fetchone()[0] == _FULL
