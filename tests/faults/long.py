"""The long fault set: `python -m tests.faults.long [--scale N]` runs every campaign and writes its table.

The last rows are the proof that the set is worth something: the same torn logs, judged without the receipt, pass.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from tests.faults.campaigns import flip_bits, kill_writers, tear_wal
from tests.parts import settings_for

ROOT = Path(__file__).parents[2]


class Row(NamedTuple):
    fault: str
    cases: int
    detected: str
    lost: int
    seed: int


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="a part of the full numbers, e.g. 0.01")
    parser.add_argument("--seed", type=int, default=20261118)
    options = parser.parse_args()
    rows = _campaigns(options.scale, options.seed)
    print(f"{'fault':<34}{'cases':>8}{'detected':>14}{'lost':>6}  seed")
    for row in rows:
        print(f"{row.fault:<34}{row.cases:>8}{row.detected:>14}{row.lost:>6}  {row.seed}")
    failed = _tests()
    lost = sum(row.lost for row in rows[:-1])
    worthless = rows[-1].lost == 0
    print("the receipt proves nothing here: no loss without it" if worthless else "")
    return 1 if lost or worthless or failed else 0


def _campaigns(scale: float, seed: int) -> list[Row]:
    def many(full: int) -> int:
        return max(10, int(full * scale))

    with tempfile.TemporaryDirectory(prefix="catledger-faults-") as folder:
        home = Path(folder)
        kills, _ = kill_writers(settings_for(home / "kills"), many(2_000), seed)
        flips = flip_bits(home / "flips", many(20_000), seed)
        tears = tear_wal(home / "tears", many(3_000), seed)
    return [
        Row("kill -9 (SQLite)", kills.cases, f"{kills.damaged} unacked", kills.unseen, seed),
        Row("bit flips", flips.cases, str(flips.detected), flips.unseen, seed),
        Row("torn WAL", tears.cases, str(tears.detected), tears.unseen, seed),
        Row("torn WAL, receipts not looked at", tears.cases, "-", tears.unseen_without_receipt, seed),
    ]


def _tests() -> int:
    """The rest of the set: tamper rows, full disks, writers and honesty, on both engines."""
    return subprocess.run([sys.executable, "-m", "pytest", "-q", "tests/faults"], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
