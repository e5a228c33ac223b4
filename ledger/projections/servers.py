"""Health, discovery, captures and flaps of each server, and in which spans somebody was watching.

Keys: `server/<server>`, `watch/served` for what clients get, `discovery/<source>`, and those of coverage.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ledger.canon.digest import digest
from ledger.projections.coverage import SERVED, corrected, lost, observed, started, stopped
from ledger.projections.plain import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ledger.events.fact import Fact
    from ledger.projections.fold import Changes, Documents, Row, State

NAME = "servers"
VERSION = 1
NEEDS: tuple[str, ...] = ()

# A row is stored again at every capture: a server's long complaints are in the event.
_LONGEST_TEXT = 200


def fold(state: State, event: Fact, views: Mapping[str, State], documents: Documents) -> Changes:  # noqa: ARG001
    """The rows after a fact about a server, or about watching."""
    return {} if event.payload is None else _OF_KIND[event.kind](state, event, event.payload)


def _captured(state: State, event: Fact, payload: Mapping[str, Any]) -> Changes:
    key = f"server/{payload['server']}"
    row = _row(state, key, event.seq)
    coverage, gaps = observed(state, key, row, event)
    captured: Row = {
        **row,
        **coverage,
        "failures": 0,
        "captures": row["captures"] + 1,
        "launch": _fingerprint(payload.get("launch")) or row["launch"],
        "about": payload.get("about") or row["about"],
    }
    if payload["outcome"] != "partial":
        captured["last_complete"] = {"seq": event.seq, "recorded_us": event.recorded_us}
    return gaps | {key: captured}


def _failed(state: State, event: Fact, payload: Mapping[str, Any]) -> Changes:
    """A server that did not answer was observed all the same: somebody was watching, and saw just that."""
    key, error = f"server/{payload['server']}", payload["error"]
    row = _row(state, key, event.seq)
    coverage, gaps = observed(state, key, row, event)
    failure = {
        "seq": event.seq,
        "stage": payload["stage"],
        "code": plain(error.get("code")),
        "message": _short(error.get("message")),
    }
    failed = {**row, **coverage, "failures": row["failures"] + 1, "last_failure": failure}
    return gaps | {key: failed}


def _judged(state: State, event: Fact, payload: Mapping[str, Any]) -> Changes:
    """A change of health; falling from an answering server to one that is down is a flap."""
    key = f"server/{payload['server']}"
    row = _row(state, key, event.seq)
    health, after = row["health"], payload["after"]
    before = payload.get("before") if health["state"] == "unknown" else health["state"]
    since = health["since"] if health["state"] == after else event.seq
    has_fallen = after == "down" and before in ("up", "degraded")
    judged = {
        **row,
        "health": {"state": after, "since": since, "reason": _short(payload.get("reason"))},
        "flaps": row["flaps"] + has_fallen,
    }
    return {} if judged == state.get(key) else {key: judged}


def _served(state: State, event: Fact, payload: Mapping[str, Any]) -> Changes:  # noqa: ARG001
    row = _row(state, SERVED, event.seq)
    coverage, gaps = observed(state, SERVED, row, event)
    return gaps | {SERVED: {**row, **coverage, "servings": row["servings"] + 1}}


def _started(state: State, event: Fact, payload: Mapping[str, Any]) -> Changes:
    return started(state, event, payload, lambda key: _row(state, key, event.seq))


def _discovered(state: State, event: Fact, payload: Mapping[str, Any]) -> Changes:  # noqa: ARG001
    """What a source found takes the place of what it had found."""
    found = {"servers": _names(payload), "seq": event.seq, "reset": None}
    return {_discovery_key(payload): found}


def _reset(state: State, event: Fact, payload: Mapping[str, Any]) -> Changes:
    """What a source had found is dropped: the servers named, or all of them."""
    key = _discovery_key(payload)
    before = state.get(key, {"servers": [], "seq": None})
    dropped = before["servers"] if payload.get("servers") is None else _names(payload)
    left = [server for server in before["servers"] if server not in dropped]
    return {key: {"servers": left, "seq": before["seq"], "reset": event.seq}}


def _row(state: State, key: str, seq: int) -> Row:
    """The row of what is watched, or that of one nobody has heard of."""
    known = state.get(key)
    if known is not None:
        return known
    unseen: Row = {
        "last_attempt": None,
        "watched": None,
        "covered_until_us": None,
        "gap": None,
        "first_seen": seq,
    }
    if key == SERVED:
        return unseen | {"servings": 0}
    return unseen | {
        "health": {"state": "unknown", "since": seq, "reason": None},
        "last_complete": None,
        "failures": 0,
        "last_failure": None,
        "captures": 0,
        "flaps": 0,
        "launch": None,
        "about": None,
    }


def _fingerprint(launch: dict[str, Any] | str | None) -> str | None:
    """What tells one way to start or reach a server from another."""
    return str(launch.get("fingerprint") or digest(launch)) if isinstance(launch, dict) else launch


def _short(text: str | None) -> str | None:
    return text if text is None or len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"


def _discovery_key(payload: Mapping[str, Any]) -> str:
    return f"discovery/{payload.get('source') or ''}"


def _names(payload: Mapping[str, Any]) -> list[str]:
    """Only names: what else discovery says of a server is in the event."""
    return [each if isinstance(each, str) else each["name"] for each in payload.get("servers") or ()]


_OF_KIND: Mapping[str, Callable[[State, Fact, Mapping[str, Any]], Changes]] = {
    "descriptors.captured": _captured,
    "capture.failed": _failed,
    "health.changed": _judged,
    "live.served": _served,
    "discovery.updated": _discovered,
    "discovery.reset": _reset,
    "recording.started": _started,
    "recording.stopped": stopped,
    "recording.gap": lost,
    "clock.corrected": corrected,
}
KINDS = frozenset(_OF_KIND)
