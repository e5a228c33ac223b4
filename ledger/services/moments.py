"""Moments: a position, an event id, a time or "2 hours ago" becomes one position, once, at the edge."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ledger.clock import SystemClock, from_micros, iso, to_micros
from ledger.errors import BadInput, BadTimestamp, NotFound, UnknownPosition
from ledger.store.place import START, Position
from ledger.store.read import position_at, position_claimed, position_of_id, read_event

if TYPE_CHECKING:
    from datetime import tzinfo

    from ledger.clock import Clock
    from ledger.store.engine import Connection
    from ledger.store.store import Catalog

_RELATIVE: Final = re.compile(
    r"(?P<count>\d{1,6})\s*(?P<unit>s|sec|secs|seconds?|m|min|mins|minutes?|h|hours?|d|days?|w|weeks?)\s+ago"
)
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_MAX_SEQ_DIGITS: Final = 11


@dataclass(frozen=True)
class Moment:
    """A position, and how it was found: `understood` is what the reader's words were taken to mean.

    `asked_us` is the time that was asked for, where it was a time: the event may lie long before it.
    """

    seq: Position
    recorded_us: int
    understood: str
    is_claimed: bool = False
    asked_us: int | None = None

    @property
    def judged_us(self) -> int:
        """The time at which what ends with time is judged: a waiver ends though nothing more is recorded."""
        return self.recorded_us if self.asked_us is None else self.asked_us


@dataclass(eq=False)
class BeforeFirst(NotFound):
    """The time asked for lies before anything was recorded."""

    asked: str
    first: str
    last: str
    claims: str | None
    code = "before_first"

    @property
    def hint(self) -> str:  # type: ignore[override]  # computed from what is covered
        covered = f"recorded from {self.first} to {self.last}"
        return covered if self.claims is None else f"{covered}; claims reach back further: try --occurred"

    def __str__(self) -> str:
        return f"nothing was recorded at or before {self.asked}"


def at_head(connection: Connection, catalog: Catalog, clock: Clock | None = None) -> Moment:
    event = read_event(connection, catalog, catalog.seq)
    now_us = (clock or SystemClock()).now_us()
    return Moment(event.seq, event.recorded_us, "now", asked_us=max(now_us, event.recorded_us))


def position_of(
    connection: Connection,
    catalog: Catalog,
    text: str,
    *,
    zone: str | None = None,
    clock: Clock | None = None,
    claimed: bool = False,
) -> Moment:
    """The position that a moment means: the last event recorded (or, `claimed`, said to have occurred) by then."""
    given = text.strip()
    if not claimed and ((given.isascii() and given.isdigit()) or _as_uuid(given)):
        seq = exact_position(connection, catalog, given)
        return Moment(seq, read_event(connection, catalog, seq).recorded_us, f"position {seq}")
    now_us = (clock or SystemClock()).now_us()
    moment_us = to_micros(time_meant(given, from_micros(now_us), zone))
    if moment_us > now_us and (claimed or moment_us > catalog.recorded_us):
        raise BadTimestamp(text, f"lies in the future: it is {iso(now_us)}")
    find = position_claimed if claimed else position_at
    seq = find(connection, catalog, moment_us)
    if seq == START:
        raise _before_first(connection, catalog, moment_us)
    return Moment(seq, read_event(connection, catalog, seq).recorded_us, iso(moment_us), claimed, moment_us)


def exact_position(connection: Connection, catalog: Catalog, text: str) -> Position:
    """The position that a number or an event id names."""
    given = text.strip()
    if given.isascii() and given.isdigit():
        if len(given) > _MAX_SEQ_DIGITS or not 0 < int(given) <= catalog.seq:
            raise UnknownPosition(f"{given[:40]} in {catalog.name}, whose head is {catalog.seq}")
        return Position(int(given))
    event_id = _as_uuid(given)
    if event_id is None:
        raise BadInput("is neither a position nor an event id", text)
    position = position_of_id(connection, catalog, event_id)
    if position is None:
        raise UnknownPosition(f"{event_id} in {catalog.name}")
    return position


def _as_uuid(text: str) -> UUID | None:
    try:
        return UUID(text) if len(text) == 36 else None
    except ValueError:
        return None


def time_meant(text: str, now: datetime, zone: str | None = None) -> datetime:
    """The time that a text means: ISO (UTC without a zone), or relative to `now`."""
    relative = _RELATIVE.fullmatch(text.lower())
    if relative:
        unit = _UNITS[relative["unit"][0]]
        return now - timedelta(**{unit: int(relative["count"])})
    if text.lower() == "now":
        return now
    try:
        moment = datetime.fromisoformat(text)
        return moment if moment.tzinfo else moment.replace(tzinfo=_zone(zone))
    except (ValueError, OverflowError):
        raise BadTimestamp(text, "cannot be understood as a moment") from None


def _zone(name: str | None) -> tzinfo:
    if name is None:
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        raise BadInput("is no known time zone, such as Europe/Berlin", name) from None


def _before_first(connection: Connection, catalog: Catalog, moment_us: int) -> BeforeFirst:
    first = read_event(connection, catalog, 1)
    claims = first.claimed_us is not None and first.claimed_us <= moment_us
    return BeforeFirst(iso(moment_us), iso(first.recorded_us), iso(catalog.recorded_us), "yes" if claims else None)
