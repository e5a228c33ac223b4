"""Ledgers to measure: where they are, and large ones that are recorded once and read by many figures."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson

from ledger.config import load_settings
from ledger.projections.rows import read_projections
from ledger.store.sqlite import SqliteConnection
from ledger.store.store import find_catalog

if TYPE_CHECKING:
    from benchmarks.scale import Scale
    from ledger.bootstrap import Ledger
    from ledger.config import Settings
    from ledger.store.engine import Connection

ROOT: Final = Path(__file__).parents[1]
CATALOG: Final = "bench"


@dataclass(frozen=True)
class Built:
    """A ledger that was recorded in a process of its own, and the peak of that process's memory."""

    settings: Settings
    peak_mb: float


@dataclass(frozen=True)
class Bench:
    """One run: its scale, a folder that is removed afterwards, and the ledgers recorded so far."""

    scale: Scale
    folder: Path
    _built: dict[int, Built] = field(default_factory=dict)

    def built(self, events: int) -> Built:
        """The ledger with so many events of the workload; recorded when it is first asked for."""
        if events not in self._built:
            print(f"recording {events:,} events", file=sys.stderr)
            settings = settings_in(self.folder / f"ledger-{events}")
            self._built[events] = Built(settings, apart("record", settings, events))
        return self._built[events]


def settings_in(home: Path, *, url: str | None = None) -> Settings:
    """Settings of a ledger below `home`, or at `url`, that no environment variable reaches."""
    return load_settings({"CATLEDGER_STATE_HOME": str(home), "HOME": str(home), "USER": "bench"}, db=url)


def apart(verb: str, settings: Settings, events: int) -> float:
    """Do it in a process of its own (see apart.py), and tell that process's peak of memory in MB."""
    command = [sys.executable, "-m", "benchmarks.apart", verb, str(settings.state_home), str(events)]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    answer: dict[str, Any] = orjson.loads(done.stdout)
    return float(answer["peak_mb"])


def require_folded(ledger: Ledger) -> None:
    """Every projection has come along: one that stalled would make what follows look fast."""
    with ledger.store.engine.reading() as connection:
        catalog = find_catalog(connection, CATALOG)
        for row in read_projections(connection, catalog).values():
            if row.stalled is not None or row.position != catalog.seq:
                raise RuntimeError(f"{row.name} stands at {row.position} of {catalog.seq}: {row.stalled}")


def driver_of(connection: Connection) -> Any:
    """The driver's own connection behind one of a SQLite ledger."""
    assert isinstance(connection, SqliteConnection)
    return connection.raw
