"""In which spans somebody was watching: promises, observations, and the gaps between them.

A repeating observer promises an interval for what it watches, which is each server by name, and `served`. An
observation under a promise covers until twice the interval after it, any other covers its instant. Rows here:
`session/<id>`, `observer/<actor>` (whose sessions promise what), and `gap/<watch>/<seq>`.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from ledger.clock import MICROS_PER_SECOND, to_micros
from ledger.projections.plain import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ledger.events.fact import Fact
    from ledger.projections.fold import Changes, Row, State

SERVED = "watch/served"
"""The row of what clients get, which is watched like a server."""
# A promise of a lifetime is long enough, and keeps every sum of times within 64 bits.
_LONGEST_US = 100 * 366 * 86_400 * MICROS_PER_SECOND


def observed(state: State, key: str, row: Row, event: Fact) -> tuple[Row, Changes]:
    """The fields of a row that tell of its newest observation, and the gap that this one ends, if any."""
    now, until_before = event.recorded_us, row["covered_until_us"]
    session = _promises(state, event.actor).get(key)
    promise = None if session is None else _promise(state, session)
    until = now + 2 * promise["interval_us"] if promise and promise["interval_us"] else now
    fields: Row = {
        "last_attempt": {"seq": event.seq, "recorded_us": now, "kind": event.kind},
        "covered_until_us": until if until_before is None else max(until, until_before),
        "watched": promise or row["watched"],
        "gap": row["gap"],
    }
    gaps: Changes = {}
    if until_before is not None and now > until_before:
        fields["gap"], gap = _gap_before(state, key, row, event)
        gaps[_gap_key(key, fields["gap"])] = gap
    if until > now:
        fields["gap"] = None
    return fields, gaps


def _promise(state: State, session: str) -> Row:
    return {"session": session, "interval_us": state[f"session/{session}"]["interval_us"]}


def _gap_key(key: str, seq: int) -> str:
    return f"gap/{key.partition('/')[2]}/{seq}"


def _gap_before(state: State, key: str, row: Row, event: Fact) -> tuple[int, Row]:
    """(the event after which it began, the gap) that an observation ends.

    Observations that cover only their instants do not end a gap for good: it grows over them and counts them
    as glimpses. So there are as many gaps as losses of watch, however often somebody looked in between.
    """
    end = {"seq": event.seq, "recorded_us": event.recorded_us}
    if row["gap"] is not None:
        growing = state[_gap_key(key, row["gap"])]
        return row["gap"], {**growing, "to": end, "glimpses": growing["glimpses"] + 1}
    start = {"seq": row["last_attempt"]["seq"], "recorded_us": row["covered_until_us"]}
    was_promised = row["watched"] is not None and row["watched"]["interval_us"] is not None
    reason = "late" if was_promised else "not_watched"
    return start["seq"], {"from": start, "to": end, "reason": reason, "glimpses": 0}


def started(state: State, event: Fact, payload: Mapping[str, Any], row_of: Callable[[str], Row]) -> Changes:
    """A session and its promises, in place of those that its observer made before for the same watches.

    `row_of` gives the row of a watch by its key; from here on it has one, observed or not.
    """
    session = payload.get("session") or f"{event.actor}#{event.seq}"
    keys = list(map(_watch_key, payload.get("watches") or ()))
    before = _promises(state, event.actor)
    kept = {key: other for key, other in before.items() if other != session}
    promises = kept | dict.fromkeys(keys, session)
    changes: Changes = {
        f"session/{each}": {**state[f"session/{each}"], "stopped": event.seq, "reason": "replaced"}
        for each in sorted(set(before.values()) - set(promises.values()))
    }
    interval_us = _interval_us(payload.get("interval_s"))
    changes[f"session/{session}"] = {
        "actor": event.actor,
        "watches": payload.get("watches") or [],
        "interval_us": interval_us,
        "started": event.seq,
        "stopped": None,
        "reason": None,
    }
    if promises != before:
        changes[f"observer/{event.actor}"] = {"watches": promises}
    watched = {"session": session, "interval_us": interval_us}
    rows = {key: {**row_of(key), "watched": watched} for key in keys}
    return changes | {key: row for key, row in rows.items() if row != state.get(key)}


def _watch_key(watch: str) -> str:
    return SERVED if watch == "served" else f"server/{watch}"


def _interval_us(seconds: float | None) -> int | None:
    return None if seconds is None else round(min(seconds * MICROS_PER_SECOND, _LONGEST_US))


def _promises(state: State, actor: str) -> Mapping[str, str]:
    """The keys of what an observer watches → the session in which it promised to."""
    promises: Mapping[str, str] = state.get(f"observer/{actor}", {}).get("watches", {})
    return promises


def stopped(state: State, event: Fact, payload: Mapping[str, Any]) -> Changes:
    """The end of a session, or of all of an observer's where it names none; what was covered ends with it."""
    named = payload.get("session")
    sessions = {named} if named else set(_promises(state, event.actor).values())
    changes: Changes = {}
    for session in sorted(sessions):
        row = state.get(f"session/{session}")
        if row is not None and row["stopped"] is None:
            changes[f"session/{session}"] = {**row, "stopped": event.seq, "reason": payload.get("reason")}
            changes |= _uncovered(state, session, row["watches"], event.recorded_us)
            changes |= _unpromised(state, row["actor"], sessions)
    return changes


def _uncovered(state: State, session: str, watches: list[str], now: int) -> Changes:
    changes: Changes = {}
    for key in map(_watch_key, watches):
        row = state.get(key)
        if row is not None and row["watched"] is not None and row["watched"]["session"] == session:
            until = row["covered_until_us"]
            ended = None if until is None else min(until, now)
            changes[key] = {**row, "watched": None, "covered_until_us": ended}
    return changes


def _unpromised(state: State, actor: str, sessions: set[str]) -> Changes:
    before = _promises(state, actor)
    promises = {key: session for key, session in before.items() if session not in sessions}
    if promises == before:
        return {}
    return {f"observer/{actor}": {"watches": promises} if promises else None}


def lost(state: State, event: Fact, payload: Mapping[str, Any]) -> Changes:
    """The gap an observer tells of itself, for all it watches; for all there is where it promised nothing.

    Its times are the observer's own, so no event is where it began; `to` names the event that tells.
    """
    start, end = _micros(payload.get("from")), _micros(payload.get("to"))
    changes: Changes = {}
    for key in sorted(_promises(state, event.actor)) or _all_watches(state):
        last = state[key]["last_attempt"]
        begun = start if start is not None or last is None else last["recorded_us"]
        changes[_gap_key(key, event.seq)] = {
            "from": {"seq": None, "recorded_us": begun},
            "to": {"seq": event.seq, "recorded_us": event.recorded_us if end is None else end},
            "reason": payload.get("reason") or "unknown",
            "dropped": plain(payload.get("dropped")),
            "glimpses": 0,
        }
    return changes


def _all_watches(state: State) -> list[str]:
    return sorted(key for key in state if key == SERVED or key.startswith("server/"))


def _micros(moment: str | None) -> int | None:
    return None if moment is None else to_micros(datetime.fromisoformat(moment))


def corrected(state: State, event: Fact, payload: Mapping[str, Any]) -> Changes:
    """The same promises after recorded time was set back: what they had still to run, they run from there."""
    changes: Changes = {}
    for key in _all_watches(state):
        until = state[key]["covered_until_us"]
        if until is None or until <= event.recorded_us:
            continue
        shifted = event.recorded_us + max(0, until - payload["before_us"])
        if shifted != until:
            # A gap of the old time cannot grow into the new one.
            changes[key] = {**state[key], "covered_until_us": shifted, "gap": None}
    return changes
