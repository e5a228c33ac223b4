"""Starting writers, killing them, and reading what they were told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from tests.faults.invariants import Acknowledged

if TYPE_CHECKING:
    from ledger.config import Settings

ROOT = Path(__file__).parents[2]


def start_writer(settings: Settings, name: str, count: int, batch: int = 1) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        "-m",
        "tests.faults.writer",
        str(settings.state_home),
        name,
        str(count),
        str(batch),
    ]
    if not settings.is_file:
        command.append(settings.database)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment)


def finish(writer: subprocess.Popen[str]) -> Acknowledged:
    """Read to the end; the writer must end well."""
    out, _ = writer.communicate(timeout=120)
    assert writer.returncode == 0
    return told(out)


def kill_after(writer: subprocess.Popen[str], acknowledgements: int, delay_s: float) -> Acknowledged:
    """`kill -9` a little after so many acknowledgements."""
    assert writer.stdout is not None
    lines: list[str] = []
    while sum(line.startswith("ACK") for line in lines) < acknowledgements:
        line = writer.stdout.readline()
        if not line:
            break
        lines.append(line)
    killer = threading.Timer(delay_s, os.kill, (writer.pid, signal.SIGKILL))
    killer.start()
    lines += writer.stdout.readlines()
    writer.wait()
    writer.stdout.close()
    killer.join()
    return told("".join(lines))


def told(out: str) -> Acknowledged:
    known = Acknowledged()
    for line in out.splitlines():
        word, *ids = line.split()
        if word == "TRY":
            known.in_flight = set(ids)
        elif word == "ACK":
            known.ids += ids
            known.in_flight = set()
    return known
