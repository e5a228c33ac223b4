"""Entries of the drift log: each opens, may change while it is open, and closes; the next time is a new one.

How often an open entry was observed is not in its row, which would then change with every observation: the observer's
own count is, as it was before the entry opened. `observations` makes one of the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ledger.projections.memory import server_of
from ledger.projections.scene import SERVED, Scene, downstream

if TYPE_CHECKING:
    from ledger.projections.causes import Reason
    from ledger.projections.comparison import Difference
    from ledger.projections.fold import Row, State

# The rows of `servers` that count: who watches what is served, and each server under its name.
_GATEWAY: Final = "watch/served"
OPEN: Final = "open"
CLOSED: Final = "closed"
_PROVED: Final = ("category", "reason", "detail", "intended", "actual")


def is_open(row: Row | None) -> bool:
    return row is not None and row["state"] == OPEN


def observations(row: Row, servers: State) -> int:
    """How often reality was looked at while the entry was open; `servers` is that projection at the same position."""
    return int(row["seen"]) if row["state"] == CLOSED else _count(servers, row["observer"]) - int(row["seen_from"])


def opened(scene: Scene, key: str, found: Difference, reason: Reason) -> Row:
    """The row of an entry that this event opens."""
    observer = _observer(scene, key)
    row: Row = {
        "state": OPEN,
        "opened": scene.event.seq,
        "opened_us": scene.event.recorded_us,
        "since": scene.event.seq,
        "observer": observer,
        "seen_from": _count(scene.servers, observer) - _is_observation(scene, observer),
    }
    return row | _told(found, reason)


def still_open(scene: Scene, key: str, before: Row, found: Difference, reason: Reason) -> Row:
    """The row of an entry that stays open; the one before it if nothing that it tells has changed.

    A reason keeps the event that first proved it for as long as it holds.
    """
    told = _told(found, reason)
    if before["reason_seq"] or before["reason_event"]:
        is_proved = all(told[field] == before[field] for field in _PROVED)
        proof = {field: before[field] for field in ("reason_seq", "reason_event")}
        told |= proof if is_proved else {}
    is_same = told["category"] == before["category"] and told["reason"] == before["reason"]
    row = {**before, **told, "since": before["since"] if is_same else scene.event.seq}
    observer = _observer(scene, key)
    if observer != before["observer"]:
        seen = observations(before, scene.servers) + _is_observation(scene, observer)
        row |= {"observer": observer, "seen_from": _count(scene.servers, observer) - seen}
    return row


def closed(scene: Scene, before: Row) -> Row:
    """The row of an entry that this event closes; the observation that finds it closed is not one of it open."""
    return {
        **before,
        "state": CLOSED,
        "closed": scene.event.seq,
        "closed_us": scene.event.recorded_us,
        "seen": observations(before, scene.servers) - _is_observation(scene, before["observer"]),
    }


def _told(found: Difference, reason: Reason) -> Row:
    return {
        **found._asdict(),
        "reason": reason.name,
        "reason_seq": reason.mark.seq,
        "reason_event": reason.mark.event,
        "detail": reason.detail,
    }


def _observer(scene: Scene, key: str) -> str:
    """The row of `servers` that counts how often one could see whether the entry still stands."""
    if scene.basis == SERVED:
        return _GATEWAY
    wanted = scene.wanted(key)
    called = downstream(wanted) if wanted is not None else []
    return f"server/{server_of(called[0] if called else key)}"


def _count(servers: State, observer: str) -> int:
    row = servers.get(observer, {})
    return int(row.get("servings" if observer == _GATEWAY else "captures", 0))


def _is_observation(scene: Scene, observer: str) -> bool:
    """Whether this event is one that the observer counts."""
    payload = scene.event.payload
    if payload is None:
        return False
    if observer == _GATEWAY:
        return scene.event.kind == "live.served"
    return scene.event.kind == "descriptors.captured" and observer == f"server/{payload['server']}"
