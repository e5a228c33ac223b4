"""Following: events and drift are printed as they are recorded, by a process that only reads."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.parts import capture, note, opened, settings_for

if TYPE_CHECKING:
    from ledger.bootstrap import Ledger

ROOT = Path(__file__).parents[2]


def _follow(ledger: Ledger, *words: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "CATLEDGER_STATE_HOME": str(ledger.settings.state_home)}
    return subprocess.Popen(
        [sys.executable, "-m", "cli.main", *words, "--follow", "--jsonl"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )


def _end(follower: subprocess.Popen[str]) -> None:
    assert follower.stdout is not None
    follower.send_signal(signal.SIGINT)
    assert follower.wait(timeout=20) == 130
    follower.stdout.close()


def test_log_goes_on_with_events_that_are_recorded_later(tmp_path: Path) -> None:
    with opened(settings_for(tmp_path), seeded=False) as ledger:
        recorder = ledger.recorder()
        recorder.record("default", [note("before")])
        follower = _follow(ledger, "log")
        assert follower.stdout is not None
        assert json.loads(follower.stdout.readline())["seq"] == 1
        recorder.record("default", [note("after"), note("and after")])
        assert [json.loads(follower.stdout.readline())["seq"] for _ in range(2)] == [2, 3]
        _end(follower)


@pytest.mark.parametrize("tool", ["read", "fs::read"])
def test_drift_goes_on_with_entries_that_open_later(tmp_path: Path, tool: str) -> None:
    definition = {"name": "read", "inputSchema": {"type": "object"}}
    entry = {"name": "read", "server": "fs", "tool": "read", "definition": definition}
    with opened(settings_for(tmp_path), seeded=False) as ledger:
        recorder = ledger.recorder()
        recorder.record(
            "default",
            [
                {"kind": "render.completed", "payload": {"intended": {"tools": [entry]}}},
                capture("fs", definition),
                capture("fs"),
                capture("fs", definition),
            ],
        )
        follower = _follow(ledger, "drift", "--tool", tool)
        assert follower.stdout is not None
        seen = [json.loads(follower.stdout.readline()) for _ in range(2)]
        assert [(each["seq"], each["state"]) for each in seen[-2:]][-1] == (4, "closed")
        recorder.record("default", [capture("fs", "other")])
        later = json.loads(follower.stdout.readline())
        assert (later["seq"], later["key"], later["state"]) == (5, "fs::read", "open")
        _end(follower)
