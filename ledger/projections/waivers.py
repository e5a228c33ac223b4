"""Waivers: drift that somebody accepted until a moment. They mark entries and hide none.

The fold keeps what was said, under `waiver/<subject>`; whether it holds depends on the time that is asked for.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from ledger.clock import to_micros
from ledger.projections.memory import server_of

if TYPE_CHECKING:
    from ledger.events.fact import Fact
    from ledger.projections.fold import Changes, Row, State

EVERYTHING: Final = "all"


def waived(event: Fact) -> Changes:
    """The row of a waiver; it takes the place of what was said about the same subject before."""
    payload = event.payload or {}
    until = payload.get("until")
    row: Row = {
        "reason": payload.get("reason"),
        "until_us": None if until is None else to_micros(datetime.fromisoformat(until)),
        "approved_by": payload.get("approved_by"),
        "seq": event.seq,
        "event": event.event_id,
    }
    return {f"waiver/{payload['subject']}": row}


def waiver_of(drift: State, key: str, at_us: int) -> Row | None:
    """The waiver that holds for an entry at a moment, with its `subject`; the narrowest if there are several.

    Narrowest is the tool by its key, then by the name that clients see, then its server, then `all`. A waiver holds
    until its moment and not in it; without one it holds until it is revoked. This only reads.
    """
    entry = drift.get(key) or {}
    for subject in (key, entry.get("name"), server_of(key), EVERYTHING):
        row = drift.get(f"waiver/{subject}")
        if row is not None and (row["until_us"] is None or at_us < row["until_us"]):
            return {"subject": subject, **row}
    return None
