"""A process that appends and says what was acknowledged: `python -m tests.faults.writer HOME NAME COUNT BATCH`."""

from __future__ import annotations

import os
import sys
from itertools import islice
from pathlib import Path

from tests.parts import capture, opened, settings_for


def main(home: str, name: str, count: int, batch: int, url: str | None) -> None:
    """Print `TRY id…` before and `ACK id…` after each append, so that the reader knows what was in flight."""
    with opened(settings_for(Path(home), url=url), seeded=False) as ledger:
        recorder = ledger.recorder()
        numbers = iter(range(count))
        while chunk := list(islice(numbers, batch)):
            ids = [f"{hash_of(name):08x}-0000-7000-8000-{number:012x}" for number in chunk]
            lines = [
                {**capture(f"s-{name}", "read", f"tool_{number % 5}"), "event_id": each}
                for number, each in zip(chunk, ids, strict=True)
            ]
            say("TRY", ids)
            recorder.record("default", lines)
            say("ACK", ids)


def say(word: str, ids: list[str]) -> None:
    """One write: a kill between two of them would leave half a line."""
    os.write(1, f"{word} {' '.join(ids)}\n".encode())


def hash_of(name: str) -> int:
    return sum(ord(letter) << (8 * index) for index, letter in enumerate(name)) & 0xFFFF_FFFF


if __name__ == "__main__":
    main(
        sys.argv[1],
        sys.argv[2],
        int(sys.argv[3]),
        int(sys.argv[4]),
        sys.argv[5] if len(sys.argv) > 5 else None,
    )
