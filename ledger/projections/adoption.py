"""Schema adoption of one tool: the table of states, as functions from a row and an event to the next row.

A row is {state, hash, promoted, ok, bad, escalated, promotable, stable, quiet, in_render, evidence: [event
id], last_error: {pointer, keyword, seq}?, last_fallback: {seq, step}?, notes: {count, seq, hash, result}?,
waiting: {hash, ok, evidence}?}, every field always there, null where `?` stands. `notes` counts what moved
no streak and tells the last one; `waiting` holds the passes of a schema that no render has shown yet.
Numbers in brackets are rows of the specification's table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ledger.projections.fold import Row

PENDING: Final = "pending"
VALIDATED: Final = "validated"
FAILED: Final = "failed"
UNTYPED: Final = "untyped"
LOCKED: Final = "locked"

ON_TRIAL: Final = frozenset((PENDING, VALIDATED, FAILED))
"""The states in which a validation of the row's own schema moves a streak."""

PASS: Final = "pass"
FAIL: Final = "fail"
LOCK_HELD: Final = "lock_held"
"""What a note says where a lock kept a changed schema from being tried."""


class Thresholds(NamedTuple):
    """After how many passes a schema may be promoted, failures it escalates, and renders it is quiet."""

    success: int = 2
    failure: int = 2
    quiet: int = 10


class Sight(NamedTuple):
    """What a render shows of one tool: its candidate, its lock, and the evidence cited if it is promoted."""

    seq: int
    hash: str | None
    locked: bool = False
    cited: Sequence[str] | None = None


_UNTRIED: Final[Row] = {
    "ok": 0,
    "bad": 0,
    "escalated": False,
    "promotable": False,
    "stable": 0,
    "quiet": False,
    "evidence": [],
    "last_error": None,
    "waiting": None,
}
_UNKNOWN: Final[Row] = {
    **_UNTRIED,
    "state": UNTYPED,
    "hash": None,
    "promoted": None,
    "in_render": False,
    "last_fallback": None,
    "notes": None,
}


def rendered(row: Row | None, sight: Sight, limits: Thresholds) -> Row:
    """The row after a render that shows the tool; a lock goes before everything, then a missing schema."""
    if sight.locked:
        return _locked(_UNKNOWN if row is None else _held(row, sight), sight)
    if sight.hash is None:
        return _without_schema(row or _UNKNOWN)
    if row is None or row["state"] == LOCKED:
        return _begun(row or _UNKNOWN, sight.hash)
    if row["hash"] != sight.hash:
        return _changed(row, sight.hash, sight, limits)
    if row["state"] == VALIDATED:
        return _stood(row, limits)
    return _judged(row, sight, limits)


def is_settled(row: Row) -> bool:
    """Whether a render with the same schema, without a lock, under the same thresholds changes nothing."""
    state = row["state"]
    if not row["in_render"] or row["waiting"] is not None:
        return False
    if state == VALIDATED:
        return bool(row["quiet"])
    if state in (PENDING, FAILED):
        return row["promoted"] is not None and not row["promotable"]
    return bool(state == UNTYPED)


def not_rendered(row: Row, limits: Thresholds) -> Row:
    """The row after a render without the tool [15]: as it was, and no gate looks at it."""
    return {**under(row, limits), "in_render": False}


def under(row: Row, limits: Thresholds) -> Row:
    """The row under these thresholds; a higher one for failures forgives nothing that has escalated."""
    if row["state"] not in (PENDING, FAILED):
        return row
    earned = row["ok"] >= limits.success
    escalated = row["bad"] >= limits.failure or (row["escalated"] and not earned)
    return {**row, "promotable": earned, "escalated": escalated}


def known_by(row: Row, names: Mapping[str, str]) -> Row:
    """The row with the schemas that producers named in their own way under their digests."""
    waiting = row["waiting"]
    if waiting is not None and waiting["hash"] in names:
        row = {**row, "waiting": {**waiting, "hash": names[waiting["hash"]]}}
    if row["hash"] in names or row["promoted"] in names:
        renamed = {field: names.get(row[field], row[field]) for field in ("hash", "promoted")}
        row = {**row, **renamed}
    return row


def not_rendered_yet(schema: str) -> Row:
    """The row of a tool whose answers are validated before any render has shown it [3]."""
    return {**_UNKNOWN, "state": PENDING, "hash": schema}


def passed(row: Row, event_id: str, success: int) -> Row:
    """The row after a pass of its own schema [7, 8]; `success` is the threshold."""
    ok = row["ok"] + 1
    if row["state"] == VALIDATED:
        return {**row, "ok": ok, "bad": 0}
    earned = ok >= success
    return {
        **row,
        "ok": ok,
        "bad": 0,
        "promotable": earned,
        "escalated": row["escalated"] and not earned,
        "evidence": [*row["evidence"], event_id][-success:],
    }


def failed(row: Row, seq: int, error: Mapping[str, Any], failure: int) -> Row:
    """The row after a failure of its own schema [9]; `failure` is the threshold."""
    bad = row["bad"] + 1
    return {
        **row,
        "state": FAILED,
        "ok": 0,
        "bad": bad,
        "promotable": False,
        # A single pass in between forgives nothing: only enough of them in a row do [7].
        "escalated": row["escalated"] or bad >= failure,
        "quiet": False,
        "evidence": [],
        "last_error": {"pointer": error.get("pointer"), "keyword": error.get("keyword"), "seq": seq},
    }


def noted(row: Row, seq: int, schema: str | None, result: str) -> Row:
    """The row after something that moves no streak [14]: how often that was, and the last one."""
    before = row["notes"]
    count = 1 if before is None else before["count"] + 1
    return {**row, "notes": {"count": count, "seq": seq, "hash": schema, "result": result}}


def kept_waiting(row: Row, event_id: str, schema: str, result: str, success: int) -> Row:
    """The row after a validation of the schema that the next render may find as its candidate [4]."""
    before = row["waiting"]
    known = before is not None and before["hash"] == schema
    if result == FAIL:
        return {**row, "waiting": None} if known else row
    ok, evidence = (before["ok"], before["evidence"]) if known else (0, [])
    waiting = {"hash": schema, "ok": ok + 1, "evidence": [*evidence, event_id][-success:]}
    return {**row, "waiting": waiting}


def fallen_back(row: Row, seq: int, step: str) -> Row:
    """The row after a weaker schema was served [16]; a fallback is no failure."""
    return {**row, "last_fallback": {"seq": seq, "step": step}}


def _locked(row: Row, sight: Sight) -> Row:
    """Under a lock [12]: the newest schema is shown, nothing is tried, nothing is promoted."""
    return {
        **row,
        "state": LOCKED,
        "hash": sight.hash,
        "escalated": False,
        "promotable": False,
        "quiet": False,
        "waiting": None,
        "in_render": True,
    }


def _held(row: Row, sight: Sight) -> Row:
    return row if row["hash"] == sight.hash else noted(row, sight.seq, sight.hash, LOCK_HELD)


def _without_schema(row: Row) -> Row:
    """No output schema [1, 6]; the promoted one is kept for the diff."""
    return {**row, **_UNTRIED, "state": UNTYPED, "hash": None, "in_render": True}


def _begun(row: Row, schema: str) -> Row:
    """A schema without a streak: the first one [2], the promoted one again [5], one whose lock is gone [13].

    A tool's first schema is promoted at once, on probation.
    """
    returned = row["promoted"] == schema
    return {
        **row,
        **_UNTRIED,
        "state": VALIDATED if returned else PENDING,
        "hash": schema,
        "promoted": row["promoted"] or schema,
        "in_render": True,
    }


def _changed(row: Row, schema: str, sight: Sight, limits: Thresholds) -> Row:
    """Another schema than at the last render [4], unless the server went back to the promoted one [5]."""
    begun = _begun(row, schema)
    if begun["state"] == VALIDATED:
        return begun
    return _promoted(_with_waiting(begun, row["waiting"], limits), sight, limits)


def _judged(row: Row, sight: Sight, limits: Thresholds) -> Row:
    """The same schema, on trial: promoted if the render says so and it is earned [10], else as it was."""
    tried = _with_waiting(under(row, limits), row["waiting"], limits)
    return _promoted(
        {**tried, "promoted": row["promoted"] or row["hash"], "waiting": None, "in_render": True},
        sight,
        limits,
    )


def _stood(row: Row, limits: Thresholds) -> Row:
    """A validated schema that is still there [11]; counting stops when it is quiet, nothing needs more."""
    stable = row["stable"] if row["stable"] >= limits.quiet else row["stable"] + 1
    return {**row, "stable": stable, "quiet": stable >= limits.quiet, "waiting": None, "in_render": True}


def _promoted(row: Row, sight: Sight, limits: Thresholds) -> Row:
    """Promotion [10]: only where the render cites it, and only if enough passes stand behind it."""
    if sight.cited is None or not row["promotable"]:
        return row
    return {
        **row,
        "state": VALIDATED,
        "promoted": row["hash"],
        "promotable": False,
        "escalated": False,
        "stable": 1,
        "quiet": limits.quiet <= 1,
        "evidence": list(sight.cited)[-limits.success :] or row["evidence"],
    }


def _with_waiting(row: Row, waiting: Mapping[str, Any] | None, limits: Thresholds) -> Row:
    """Passes that were counted before the render knew the schema count for it, unless it has failed since."""
    if waiting is None or waiting["hash"] != row["hash"] or row["bad"]:
        return row
    evidence = [*row["evidence"], *waiting["evidence"]][-limits.success :]
    return under({**row, "ok": row["ok"] + waiting["ok"], "evidence": evidence}, limits)
