"""Damage to the files themselves: bits, torn tails, full disks, read-only places."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ledger.errors import DatabaseLocked, DiskFull, ReadOnlyStore, ReceiptNotWritten
from ledger.services.verify import Verification, verify
from ledger.store.store import find_catalog
from tests.faults.campaigns import flip_bits, look, tear_wal
from tests.faults.children import ROOT, finish, start_writer
from tests.faults.invariants import Acknowledged, assert_sound
from tests.parts import event_id, note, opened, settings_for

if TYPE_CHECKING:
    from ledger.config import Settings

FLIPS = 250
TEARS = 120


def test_a_flipped_bit_is_found_or_changes_nothing(tmp_path: Path) -> None:
    outcome = flip_bits(tmp_path / "ledger", FLIPS, seed=1)
    assert outcome.unseen == 0
    assert outcome.detected > FLIPS // 10


def test_a_damaged_wal_gives_an_exact_prefix_and_the_receipt_names_what_is_missing(tmp_path: Path) -> None:
    outcome = tear_wal(tmp_path / "ledger", TEARS, seed=2)
    assert outcome.unseen == 0
    assert outcome.damaged > TEARS // 4
    # The proof that the receipt earns its keep: without it these shorter chains are perfectly valid.
    assert outcome.unseen_without_receipt > outcome.damaged // 2


def test_a_deleted_wal_is_found(tmp_path: Path) -> None:
    settings = settings_for(tmp_path / "ledger")
    tear_wal(settings.state_home, 1, seed=3)  # leaves the main file of a killed writer and a damaged log
    Path(f"{settings.path}-wal").unlink()
    Path(f"{settings.path}-shm").unlink(missing_ok=True)
    seen, _ = look(settings)
    assert isinstance(seen, Verification)
    assert seen.result == "mismatch"
    assert any("missing (2..41)" in check.detail for check in seen.checks)


def test_a_full_disk_fails_the_append_and_nothing_else(sqlite_settings: Settings) -> None:
    """`max_page_count` stands in for a full disk: SQLite answers with the same error."""
    with opened(sqlite_settings, seeded=False) as ledger:
        recorder = ledger.recorder()
        ids = [event_id(1)]
        recorder.record("default", [note("small", event_id=ids[0])])
        with ledger.store.engine.writing() as connection:
            raw = connection.raw  # type: ignore[attr-defined]
            (pages,) = raw.execute("PRAGMA page_count").fetchone()
            raw.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(DiskFull, match="the append did not happen"):
            recorder.record("default", [note("x" * 200_000)])
        with ledger.store.engine.reading() as connection:
            assert find_catalog(connection, None).seq == 1
        recorder.record("default", [note("after", event_id=event_id(2))])
        ids.append(event_id(2))
    assert_sound(sqlite_settings, Acknowledged(ids))


def test_a_file_size_limit_in_the_middle_of_writing_loses_nothing(sqlite_settings: Settings) -> None:
    """RLIMIT_FSIZE stands in for a quota: writes fail with EFBIG at any byte."""
    known = finish(start_writer(sqlite_settings, "a", 20))
    limit = os.stat(sqlite_settings.path).st_size + 60_000
    script = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
        "from tests.faults.writer import main\n"
        "from ledger.errors import Unreachable\n"
        "try: main(sys.argv[1], 'b', 100000, 1, None)\n"
        "except Unreachable as error: print('DONE', file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(sqlite_settings.state_home)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
    )
    from tests.faults.children import told

    assert "DONE" in done.stderr, done.stderr
    more = told(done.stdout)
    assert_sound(sqlite_settings, Acknowledged(known.ids + more.ids, more.in_flight))


def test_a_receipt_that_cannot_be_written_says_that_the_events_are_committed(
    sqlite_settings: Settings,
) -> None:
    with opened(sqlite_settings, seeded=False) as ledger:
        recorder = ledger.recorder()
        head = recorder.record("default", [note("a")]).head
        in_the_way = sqlite_settings.receipts_dir / f"{head.chain_id.hex()}.new"
        in_the_way.mkdir()
        line = note("b", event_id=event_id(7))
        with pytest.raises(ReceiptNotWritten, match="committed, but"):
            recorder.record("default", [line])
        in_the_way.rmdir()
        assert recorder.record("default", [line]).duplicates == 1


def test_a_locked_ledger_is_reported_as_such(sqlite_settings: Settings) -> None:
    from dataclasses import replace

    from ledger.store.sqlite import driver

    impatient = replace(sqlite_settings, lock_wait_s=0.2)
    with opened(impatient) as ledger:
        ledger.recorder().record("default", [note("a")])
        other = driver.connect(str(impatient.path), isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DatabaseLocked):
            ledger.recorder().record("default", [note("b")])
        other.execute("ROLLBACK")
        other.close()
        assert ledger.recorder().record("default", [note("b")]).positions == (2,)


def test_a_writer_waits_for_a_stranger_and_then_goes_on(sqlite_settings: Settings) -> None:
    """A deferred transaction would have read before the stranger's commit, and then fail at once for ever."""
    import threading

    from ledger.store.sqlite import driver

    with opened(sqlite_settings) as ledger:
        recorder = ledger.recorder()
        recorder.record("default", [note("a")])
        stranger = driver.connect(str(sqlite_settings.path), isolation_level=None, check_same_thread=False)
        stranger.execute("BEGIN IMMEDIATE")
        stranger.execute("INSERT INTO meta VALUES ('stranger', 'was here')")
        leaving = threading.Timer(0.3, stranger.execute, ("COMMIT",))
        leaving.start()
        assert recorder.record("default", [note("b")]).positions == (2,)
        leaving.join()
        stranger.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_place_is_reported_as_such(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o500)
    with pytest.raises(ReadOnlyStore):
        opened(settings_for(tmp_path / "closed" / "home"))


def test_a_ledger_on_read_only_media_can_be_read_and_verified() -> None:
    """As somebody who may write neither the file nor its folder; root becomes nobody first."""
    folder = Path(tempfile.mkdtemp(prefix="catledger-ro-"))
    settings = settings_for(folder / "home")
    with opened(settings) as ledger:
        ledger.recorder().record("default", [note("a")])
        verify(ledger.store)  # whatever is imported late is imported now: nobody may not read everything
    for path in [*folder.rglob("*"), folder]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = sorted(path.name for path in settings.state_home.iterdir())
    child = os.fork()
    if child == 0:
        if os.geteuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        try:
            with opened(settings, read_only=True) as ledger:
                os._exit({"verified": 0}.get(verify(ledger.store).result, 7))
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(9)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert sorted(path.name for path in settings.state_home.iterdir()) == before
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o700)
    shutil.rmtree(folder)


def test_the_files_keep_others_out(sqlite_settings: Settings) -> None:
    with opened(sqlite_settings, seeded=False) as ledger:
        ledger.recorder().record("default", [note("a")])
        modes = {
            path.name: path.stat().st_mode & 0o077 for path in sqlite_settings.state_home.rglob("*") if path.is_file()
        }
    assert modes
    assert set(modes.values()) == {0}
