"""Two processes with other zones, languages and hash seeds give the same digests; so do both engines."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ledger.projections.rows import read_projections, read_states, state_digest
from ledger.store.store import find_catalog
from tests.contract.history import write_history
from tests.parts import StepClock, opened, settings_for

if TYPE_CHECKING:
    from ledger.config import Settings

ROOT = Path(__file__).parents[2]
SCRIPT = """
import sys
from pathlib import Path
from tests.laws.test_purity import digests, write
settings = write(Path(sys.argv[1]), None)
print(digests(settings))
"""


def write(home: Path, url: str | None) -> Settings:
    settings, clock = settings_for(home, url=url), StepClock()
    with opened(settings, clock=clock) as ledger:
        write_history(ledger, clock, 200)
    return settings


def digests(settings: Settings) -> dict[str, str]:
    with opened(settings, read_only=True) as ledger, ledger.store.engine.reading() as connection:
        catalog = find_catalog(connection, None)
        return {
            name: state_digest(read_states(connection, row.projection_id, catalog.seq).items())
            for name, row in sorted(read_projections(connection, catalog).items())
        }


def _in_another_world(home: Path, **variables: str) -> str:
    environment = {**os.environ, **variables, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(home)], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_zone_language_and_hash_seed_change_nothing(tmp_path: Path) -> None:
    one = _in_another_world(tmp_path / "a", TZ="Pacific/Kiritimati", LANG="tr_TR.UTF-8", PYTHONHASHSEED="1")
    two = _in_another_world(tmp_path / "b", TZ="America/Adak", LANG="C", PYTHONHASHSEED="4242")
    assert one == two
    assert one.count("rows1-sha256:") == len(digests(settings_for(tmp_path / "a")))


def test_both_engines_give_the_same_digests(tmp_path: Path, postgres_url: str) -> None:
    assert digests(write(tmp_path / "a", None)) == digests(write(tmp_path / "b", postgres_url))


def test_the_hash_of_each_folds_source_is_pinned_to_its_version() -> None:
    """Law 6: whoever changes a fold raises its VERSION, so that stored rows of the old one are not mistaken."""
    from tests.laws.pins import PINS, sources_digest

    assert sources_digest() == PINS, "raise VERSION of the folds you changed, then update tests/laws/pins.py"
