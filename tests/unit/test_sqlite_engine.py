"""The SQLite engine: which journal is safe, and what an older SQLite does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ledger.store.sqlite import wal_is_safe

ROOT = Path(__file__).parents[2]
WITHOUT_THE_WHEEL = """
import sys
sys.modules["pysqlite3"] = None  # as on a platform that has no wheel
from pathlib import Path
from ledger.store.sqlite import SqliteEngine, driver, wal_is_safe
from tests.parts import note, opened, settings_for
settings = settings_for(Path(sys.argv[1]))
with opened(settings) as ledger:
    ledger.recorder().record("default", [note("a")])
    facts = ledger.store.engine.facts()
print(driver.__name__, wal_is_safe(driver.sqlite_version_info), facts["journal_mode"], facts["synchronous"])
"""


@pytest.mark.parametrize(
    ("version", "is_safe"),
    [
        ((3, 7, 0), False),
        ((3, 40, 1), False),
        ((3, 44, 5), False),
        ((3, 44, 6), True),
        ((3, 50, 6), False),
        ((3, 50, 7), True),
        ((3, 51, 2), False),
        ((3, 51, 3), True),
        ((3, 53, 4), True),
        ((4, 0, 0), True),
    ],
)
def test_wal_is_used_only_where_the_reset_bug_is_fixed(version: tuple[int, ...], is_safe: bool) -> None:
    assert wal_is_safe(version) is is_safe


def test_without_the_wheel_the_standard_module_serves_in_the_mode_that_is_safe_for_it(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_THE_WHEEL, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    name, is_safe, mode, level = done.stdout.split()
    assert name == "sqlite3"
    assert (mode, level) == (("wal", "FULL") if is_safe == "True" else ("delete", "EXTRA"))


def test_an_older_sqlite_takes_a_wal_ledger_over_when_it_has_it_alone(tmp_path: Path) -> None:
    from tests.parts import note, opened, settings_for

    with opened(settings_for(tmp_path)) as ledger:
        ledger.recorder().record("default", [note("in WAL")])
    script = WITHOUT_THE_WHEEL.replace('note("a")', 'note("b")').replace(
        "with opened(settings) as", "with opened(settings, seeded=False) as"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split()[0] == "sqlite3"
    with opened(settings_for(tmp_path)) as ledger:
        from ledger.services.verify import verify

        assert verify(ledger.store).events == 2
