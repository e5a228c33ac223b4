"""Time and randomness enter here, and only through what is passed in."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from typing import NewType, Protocol

Micros = NewType("Micros", int)

MICROS_PER_SECOND = 1_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Clock(Protocol):
    """Whatever can say what time it is."""

    def now_us(self) -> Micros:
        """Microseconds since 1970 in UTC."""
        ...


class Entropy(Protocol):
    """Whatever can produce unpredictable bytes."""

    def token(self, size: int) -> bytes: ...


class SystemClock:
    """The machine's clock."""

    def now_us(self) -> Micros:
        # time.time, not time_ns: freezegun reaches both, and a float of seconds has microsecond precision until 2255
        return Micros(round(time.time() * MICROS_PER_SECOND))


class SystemEntropy:
    """The machine's source of randomness."""

    def token(self, size: int) -> bytes:
        return os.urandom(size)


def to_micros(moment: datetime) -> Micros:
    """Exact microseconds of an aware datetime; float timestamps would round."""
    delta = moment - _EPOCH
    return Micros((delta.days * 86_400 + delta.seconds) * MICROS_PER_SECOND + delta.microseconds)


def from_micros(micros: int) -> datetime:
    seconds, rest = divmod(micros, MICROS_PER_SECOND)
    return datetime.fromtimestamp(seconds, UTC).replace(microsecond=rest)


def iso(micros: int) -> str:
    """`2026-11-18T07:41:00.000000Z`: one width, so that text sorts as time."""
    return from_micros(micros).isoformat(timespec="microseconds").replace("+00:00", "Z")


ID_RANDOM_BYTES = 10


def new_event_id(at: Micros, random: bytes) -> bytes:
    """A UUIDv7 stamped with `at`, so that ids sort by recorded time; `random` are ID_RANDOM_BYTES bytes."""
    stamp = ((at // 1_000) & 0xFFFF_FFFF_FFFF).to_bytes(6, "big")
    return stamp + bytes((0x70 | random[0] & 0x0F, random[1], 0x80 | random[2] & 0x3F)) + random[3:]


def id_text(event_id: bytes) -> str:
    """The usual form of an id; `uuid.UUID` costs three times as much, and every event pays."""
    text = event_id.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
