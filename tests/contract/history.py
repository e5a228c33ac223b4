"""A scripted history of every kind, the same on every engine: what parity is judged by."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.parts import NOON, StepClock, capture, event_id, note, tool

if TYPE_CHECKING:
    from ledger.bootstrap import Ledger

SAMPLES = Path(__file__).parents[1] / "replay" / "every-kind.v1.jsonl"
_UNREPEATABLE = {"payload.erased", "ledger.restored", "clock.corrected"}


def samples() -> list[dict[str, Any]]:
    """One line of every kind."""
    return [json.loads(line) for line in SAMPLES.read_text(encoding="utf-8").splitlines()]


def write_history(ledger: Ledger, clock: StepClock, events: int = 1_000) -> None:
    """Record at least `events` events of every kind, with an erasure and a clock step, in batches of uneven sizes."""
    from ledger.services.erase import erase_event

    recorder = ledger.recorder()
    lines = [line for line in samples() if line["kind"] not in _UNREPEATABLE]
    number = 0
    while number < events:
        batch = []
        for size in range(number % 7 + 1):
            number += 1
            line = lines[number % len(lines)] if number % 3 else _made(number)
            batch.append({**line, "event_id": event_id(number)})
            if number % 5 == 0:
                batch[-1]["occurred_at"] = f"2026-01-{size + 1:02d}T00:00:{number % 60:02d}.000001Z"
        recorder.record("default", batch)
        if number % 31 == 0:
            clock.at -= 5_000_000
    erase_event(ledger.store, recorder, "default", 17, "a person asked for it")
    clock.at = NOON
    correction = {"before_us": NOON + 1, "after_us": NOON, "reason": "the clock was stepped"}
    recorder.record("default", [{"kind": "clock.corrected", "payload": correction, "event_id": event_id(900_001)}])
    recorder.record("default", [note("after the step", event_id=event_id(900_002))])


def _made(number: int) -> dict[str, Any]:
    """A capture that changes now and then, with values that are easy to get wrong."""
    odd = {
        "default": 2**63 + number,
        "maximum": 2**53 + 1,
        "number": 1e21,
        "minus": -0.0,
        "text": "\u0000\u2028é e\u0301 \U0001f600",
    }
    tools = [tool(f"tool_{index}", description="v" + str(number // 40)) for index in range(number % 9)]
    return capture(f"server-{number % 4}", *tools, tool("odd", inputSchema={"type": "object", "x": odd}))
