"""The demo: what `make demo` runs ends well, shows what it should, and leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_demo_runs_to_its_end_and_leaves_nothing_behind(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CATLEDGER_")}
    environment |= {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "TMPDIR": str(tmp_path),
        # a ledger and a setting of somebody else, which the demo must not touch
        "CATLEDGER_DB": str(tmp_path / "of-somebody-else.db"),
        "CATLEDGER_MAX_TOOLS": "1",
    }
    done = subprocess.run(
        ["sh", "examples/demo.sh"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    for shown in (
        "$ catledger record history/monday.jsonl",
        "verified: 17 events",
        "history was rewritten",
        "(exit 4)",
    ):
        assert shown in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_every_line_of_the_history_was_written_by_hand_and_has_an_id_of_its_own() -> None:
    """The demo says positions out loud; they hold because every event is new and in its place."""
    import json

    lines = [
        json.loads(line)
        for day in ("monday", "tuesday")
        for line in (ROOT / f"examples/history/{day}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    ids = [line["event_id"] for line in lines]
    assert ids == [f"01955b04-dc00-7000-8000-{number:012d}" for number in range(1, 18)]
    claimed = [line["occurred_at"] for line in lines]
    assert claimed == sorted(claimed)
