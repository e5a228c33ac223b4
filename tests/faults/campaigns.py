"""Faults in numbers: each campaign does one kind of damage many times and counts what came of it."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ledger.errors import LedgerError
from ledger.services.verify import Verification, verify
from ledger.store.read import StoredEvent, read_forward
from ledger.store.ship import export_chain
from ledger.store.store import find_catalog
from tests.faults.children import ROOT, kill_after, start_writer
from tests.faults.invariants import Acknowledged
from tests.parts import capture, event_id, note, opened, settings_for

if TYPE_CHECKING:
    from ledger.bootstrap import Ledger
    from ledger.config import Settings


@dataclass
class Outcome:
    """`damaged` cases changed history or lost its end; of those, `unseen` went past verification."""

    cases: int
    damaged: int = 0
    detected: int = 0
    unseen: int = 0
    unseen_without_receipt: int = 0


def flip_bits(home: Path, count: int, seed: int) -> Outcome:
    """Flip one bit of a small ledger's file, `count` times; much of the file is empty space, where nothing changes."""
    settings, whole = _small_ledger(home)
    body = settings.path.read_bytes()
    chance = random.Random(seed)
    outcome = Outcome(count)
    for _ in range(count):
        damaged = bytearray(body)
        damaged[chance.randrange(len(body))] ^= 1 << chance.randrange(8)
        _put(settings, bytes(damaged))
        seen, exported = look(settings)
        is_found = isinstance(seen, LedgerError) or seen.result in {"mismatch", "incomplete"}
        outcome.detected += is_found
        outcome.damaged += exported != whole
        outcome.unseen += not is_found and exported != whole
    return outcome


def tear_wal(home: Path, count: int, seed: int) -> Outcome:
    """Cut or flip the log that a killed writer left behind; what is left must be an exact prefix."""
    settings = settings_for(home)
    with opened(settings, seeded=False) as ledger:
        ledger.recorder().record("default", [note("kept")])
    wal = _wal_of_a_killed_writer(settings)
    main = settings.path.read_bytes()
    with opened(settings, read_only=True) as ledger:
        whole = _exported(ledger).splitlines()
    chance = random.Random(seed)
    outcome = Outcome(count)
    for number in range(count):
        damaged = bytearray(wal)
        if number % 2:
            damaged[chance.randrange(32, len(wal))] ^= 1 << chance.randrange(8)
        else:
            del damaged[chance.randrange(len(wal)) :]
        _put(settings, main, bytes(damaged))
        seen, exported = look(settings)
        lines = exported.splitlines()[:-1]
        assert lines == whole[: len(lines)], "what is left is no prefix of what was written"
        if isinstance(seen, LedgerError):
            outcome.detected += 1
        elif len(lines) < len(whole) - 1:
            outcome.damaged += 1
            outcome.detected += seen.result == "mismatch"
            outcome.unseen += seen.result != "mismatch"
            others = [check for check in seen.checks if check.name not in {"anchor", "tail"}]
            outcome.unseen_without_receipt += all(check.result == "ok" for check in others)
    return outcome


def kill_writers(settings: Settings, rounds: int, seed: int) -> tuple[Outcome, Acknowledged]:
    """Kill a writer at a random moment, `rounds` times over one history; count acknowledged events that are gone."""
    chance = random.Random(seed)
    known, outcome = Acknowledged(), Outcome(rounds)
    for number in range(rounds):
        writer = start_writer(settings, f"r{number}", 10_000, batch=chance.choice((1, 1, 7)))
        died = kill_after(writer, chance.randint(1, 12), chance.uniform(0, 0.02))
        with opened(settings, seeded=False) as ledger, ledger.store.engine.reading() as connection:
            catalog = find_catalog(connection, None)
            ids = [StoredEvent(*row).header().event_id for row in read_forward(connection, catalog)]
        stored = set(ids)
        outcome.unseen += len([each for each in (*known.ids, *died.ids) if each not in stored])
        outcome.damaged += bool(stored - set(known.ids) - set(died.ids))  # committed, and nobody was told
        assert len(ids) == len(stored), "an event stands twice"
        assert stored - set(known.ids) - set(died.ids) <= died.in_flight, "an event that nobody wrote"
        known.ids = ids
    return outcome, known


def look(settings: Settings) -> tuple[Verification | LedgerError, bytes]:
    """What verification says of a damaged file, and what can be exported of it."""
    try:
        with opened(settings, read_only=True) as ledger:
            seen = verify(ledger.store)
            broken = {check.name for check in seen.checks if check.result == "mismatch"}
            return seen, b"" if broken & {"chain", "documents"} else _exported(ledger)
    except LedgerError as error:
        return error, b""


def _exported(ledger: Ledger) -> bytes:
    with ledger.store.engine.reading() as connection:
        return b"".join(export_chain(connection, find_catalog(connection, None)))


def _small_ledger(home: Path, events: int = 25) -> tuple[Settings, bytes]:
    settings = settings_for(home)
    with opened(settings) as ledger:
        recorder = ledger.recorder()
        for number in range(events):
            line = capture("fs", "read", f"tool{number % 3}") if number % 4 == 0 else note(f"number {number}")
            recorder.record("default", [{**line, "event_id": event_id(number + 1)}])
        whole = _exported(ledger)
    return settings, whole


def _wal_of_a_killed_writer(settings: Settings) -> bytes:
    script = (
        "import os, sys; from tests.parts import *; from pathlib import Path\n"
        "ledger = opened(settings_for(Path(sys.argv[1])), seeded=False)\n"
        "recorder = ledger.recorder()\n"
        "for number in range(40): recorder.record('default', [note(str(number))])\n"
        "ledger.store.receipts.sync(); os._exit(9)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(settings.state_home)], cwd=ROOT, check=False)
    return Path(f"{settings.path}-wal").read_bytes()


def _put(settings: Settings, body: bytes, wal: bytes | None = None) -> None:
    settings.path.write_bytes(body)
    Path(f"{settings.path}-shm").unlink(missing_ok=True)
    side = Path(f"{settings.path}-wal")
    side.unlink(missing_ok=True)
    if wal is not None:
        side.write_bytes(wal)
