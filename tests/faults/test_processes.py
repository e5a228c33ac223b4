"""Processes that die, and processes that write at once."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from ledger.services.verify import verify
from ledger.store.read import StoredEvent, read_forward
from ledger.store.store import find_catalog
from tests.faults.campaigns import kill_writers
from tests.faults.children import finish, start_writer
from tests.faults.invariants import Acknowledged, assert_sound
from tests.parts import note, opened

if TYPE_CHECKING:
    from ledger.config import Settings


def test_what_was_acknowledged_survives_a_kill(settings: Settings) -> None:
    """Kills at random moments, one history; what was committed and not acknowledged is at most the batch in flight."""
    outcome, known = kill_writers(settings, 8 if settings.is_file else 4, seed=20261118)
    assert outcome.unseen == 0
    assert_sound(settings, known)


def test_many_writers_make_one_chain_without_gaps(settings: Settings) -> None:
    """With a reader that follows, and a process that opens and closes all the time."""
    names = ("a", "b", "c", "d")
    with opened(settings, seeded=False) as ledger:
        ledger.recorder().record("default", [note("first")])
    writers = [start_writer(settings, name, 40) for name in names]
    seen: list[int] = []
    with opened(settings, seeded=False, read_only=True) as reader:
        while any(writer.poll() is None for writer in writers):
            with reader.store.engine.reading() as connection:
                catalog = find_catalog(connection, None)
                fresh = [StoredEvent(*row).seq for row in read_forward(connection, catalog, len(seen) + 1)]
            seen += fresh
            with opened(settings, seeded=False, read_only=True):
                pass
    told = [finish(writer) for writer in writers]
    assert seen == list(range(1, len(seen) + 1))
    with opened(settings, seeded=False) as ledger, ledger.store.engine.reading() as connection:
        catalog = find_catalog(connection, None)
        ids = [StoredEvent(*row).header().event_id for row in read_forward(connection, catalog)]
    assert len(ids) == 1 + 4 * 40
    for each in told:
        assert [event for event in ids if event in set(each.ids)] == each.ids
    with opened(settings, seeded=False) as ledger:
        assert verify(ledger.store).result == "verified"


def test_our_own_helpers_never_open_the_database_file(sqlite_settings: Settings) -> None:
    """Closing any descriptor of the file would drop SQLite's locks; another process could then delete the WAL."""
    with opened(sqlite_settings, seeded=False) as ledger:
        recorder = ledger.recorder()
        recorder.record("default", [note("a")])
        verify(ledger.store)
        ledger.store.engine.facts()
        with opened(sqlite_settings, seeded=False, read_only=True) as other:
            verify(other.store)
        recorder.record("default", [note("b")])
        assert sqlite_settings.path.with_name("ledger.db-wal").exists()
    with opened(sqlite_settings, seeded=False) as ledger:
        assert verify(ledger.store).events == 2


def test_a_kill_while_the_ledger_is_created_leaves_nothing_half_made(sqlite_settings: Settings) -> None:
    import os
    import signal
    import subprocess
    import sys

    from tests.faults.children import ROOT

    for delay in (0.0, 0.3, 0.6, 0.9, 1.2):
        child = subprocess.Popen(
            [sys.executable, "-m", "cli.main", "--db", str(sqlite_settings.path), "init"],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            child.wait(timeout=delay)
        except subprocess.TimeoutExpired:
            os.kill(child.pid, signal.SIGKILL)
            child.wait()
    assert_sound(sqlite_settings, Acknowledged(), expected=("unchecked",))


def test_a_kill_during_a_rebuild_leaves_the_old_rows_serving_and_nothing_else(settings: Settings) -> None:
    import os
    import signal
    import subprocess
    import sys

    from tests.faults.children import ROOT

    known = finish(start_writer(settings, "w", 150, batch=50))
    script = (
        "import sys; from pathlib import Path; from tests.parts import *\n"
        "from ledger.projections.rebuild import rebuild\n"
        "with opened(settings_for(Path(sys.argv[1]), url=sys.argv[2] or None), seeded=False) as ledger:\n"
        "    print('ready', flush=True)\n"
        "    while True: rebuild(ledger.store, ledger.runner, 'default')\n"
    )
    url = "" if settings.is_file else settings.database
    random.seed(3)
    for _ in range(5):
        child = subprocess.Popen(
            [sys.executable, "-c", script, str(settings.state_home), url], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        try:
            child.wait(timeout=random.uniform(0.01, 0.15))
        except subprocess.TimeoutExpired:
            os.kill(child.pid, signal.SIGKILL)
            child.wait()
        child.stdout.close()
        with opened(settings, seeded=False, read_only=True) as ledger, ledger.store.engine.reading() as connection:
            from ledger.projections.rows import read_projections

            catalog = find_catalog(connection, None)
            rows = read_projections(connection, catalog)
            assert {row.position for row in rows.values()} == {150}
            raw = connection.raw  # type: ignore[attr-defined]
            owners = "SELECT projection_id FROM projections"
            orphans = f"SELECT count(*) FROM projection_keys WHERE projection_id NOT IN ({owners})"
            assert raw.execute(orphans).fetchone()[0] == 0
    assert_sound(settings, known)


@pytest.mark.parametrize("batch", [1, 50])
def test_a_writer_that_ends_well_has_everything_acknowledged(settings: Settings, batch: int) -> None:
    assert_sound(settings, finish(start_writer(settings, "w", 100, batch=batch)))
