"""Real parts with a known clock and known randomness: ledgers on either engine for the tests."""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ledger.bootstrap import Ledger, open_ledger
from ledger.clock import Micros
from ledger.config import Settings, load_settings

if TYPE_CHECKING:
    from pathlib import Path

NOON = 1_794_916_800_000_000  # 2026-11-17T12:00:00Z


class StepClock:
    """A clock that moves only when told, or by `step` at each look."""

    def __init__(self, now_us: int = NOON, step: int = 1_000_000) -> None:
        self.at = now_us
        self.step = step

    def now_us(self) -> Micros:
        self.at += self.step
        return Micros(self.at)


class SeededEntropy:
    """Bytes that look random and are the same every time."""

    def __init__(self, seed: str = "seed") -> None:
        self._seed = seed.encode()
        self._count = 0

    def token(self, size: int) -> bytes:
        out = b""
        while len(out) < size:
            self._count += 1
            out += hashlib.sha256(self._seed + str(self._count).encode()).digest()
        return out[:size]


def settings_for(home: Path, *, url: str | None = None, **changes: Any) -> Settings:
    """Settings for a ledger below `home`, or at `url`, that no environment variable reaches."""
    environment = {"CATLEDGER_STATE_HOME": str(home), "HOME": str(home), "USER": "tester"}
    return replace(load_settings(environment, db=url), **changes)


def opened(settings: Settings, *, seeded: bool = True, read_only: bool = False, clock: Any = None) -> Ledger:
    if not seeded:
        return open_ledger(settings, read_only=read_only)
    return open_ledger(settings, read_only=read_only, clock=clock or StepClock(), entropy=SeededEntropy())


def event_id(number: int) -> str:
    """The same UUID for the same number."""
    return str(uuid.UUID(int=(0x0192_0000_0000_7000_8000 << 48) | number))


def note(text: str = "hello", **line: Any) -> dict[str, Any]:
    return {"kind": "note.added", "payload": {"text": text}, **line}


def tool(name: str, **fields: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object", "properties": {}}, **fields}


def capture(server: str, *tools: dict[str, Any] | str, outcome: str = "complete", **payload: Any) -> dict[str, Any]:
    definitions = [tool(each) if isinstance(each, str) else each for each in tools]
    fields = {"server": server, "outcome": outcome, "tools": definitions, **payload}
    return {"kind": "descriptors.captured", "payload": fields}
