"""What clients were served last, what was left out and why; never what a server listed.

Keys: `server::tool` (`?::name` where nobody knows whose it is), `omitted/` before such a key or a mere name,
and `@serving`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ledger.projections.entries import (
    ExposedNames,
    entry_key,
    entry_row,
    reasoned_row,
    standing_entries,
    standing_under,
)
from ledger.projections.whole_lists import Item, Replacement, replaced_by, replaced_by_none, replaced_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledger.events.fact import Fact
    from ledger.projections.fold import Changes, Documents, Row, State

NAME = "live"
VERSION = 1
KINDS = frozenset({"live.served"})
NEEDS: tuple[str, ...] = ("intended",)

_NEVER_SERVED: Row = {"list": None, "omitted": None, "tools": 0, "exact": False}
_OMITTED_FIELDS = ("name", "server", "tool", "reason", "detail", "cause")


def fold(state: State, event: Fact, views: Mapping[str, State], documents: Documents) -> Changes:
    """The rows after a serving; one that repeats the last is one row."""
    payload = event.payload
    if payload is None:
        return {}
    last = state.get("@serving", _NEVER_SERVED)
    # Names were understood through one render; after another they may mean other tools.
    render = views["intended"].get("@render", {}).get("list")
    names_hold = last.get("names_of", render) == render
    before = last if last["exact"] and names_hold else _NEVER_SERVED
    if before["list"] == payload["tools"] and before["omitted"] == payload.get("omitted"):
        marks = {name: last[name] for name in ("exact", "names_of") if name in last}
        return {"@serving": _serving_row(state, event, last, {}) | marks}

    names = ExposedNames(views["intended"])
    entries = _entries(state, payload["tools"], before, names, documents)
    changes = replaced_rows(state, entries, lambda item, row: entry_row(names.identified(item), row, event.seq))
    serving = _serving_row(state, event, last, changes)
    if payload.get("omitted") is None:
        omitted = replaced_by_none(last["omitted"], standing_under("omitted/", state))
    else:
        omitted = _omitted(state, payload["omitted"], before, names, documents)
    changes |= replaced_rows(state, omitted, lambda item, row: _omitted_row(names.identified(item), row, event.seq))

    serving["exact"] = entries.exact and omitted.exact
    if entries.erased or omitted.erased:
        serving["erased"] = True
    if names.were_asked or "names_of" in before:
        serving["names_of"] = render
    return changes | {"@serving": serving}


def _serving_row(state: State, event: Fact, last: Row, entries: Changes) -> Row:
    """The serving itself, with the delta of its entries against the serving before."""
    payload: Mapping[str, Any] = event.payload or {}
    removed = sum(row is None for row in entries.values())
    added = sum(key not in state for key in entries)
    return {
        "seq": event.seq,
        "recorded_us": event.recorded_us,
        "list": payload["tools"],
        "omitted": payload.get("omitted"),
        "trigger": payload.get("trigger"),
        "added": added,
        "removed": removed,
        "changed": len(entries) - added - removed,
        "tools": last["tools"] + added - removed,
    }


def _entries(state: State, tools: str, before: Row, names: ExposedNames, documents: Documents) -> Replacement:
    def key_of(item: Item) -> str:
        return entry_key(names.identified(item))

    return replaced_by(tools, before["list"], documents, key_of, standing_entries(state))


def _omitted(state: State, omitted: str, before: Row, names: ExposedNames, documents: Documents) -> Replacement:
    def key_of(item: Item) -> str:
        return _omitted_key(names.identified(item))

    return replaced_by(omitted, before["omitted"], documents, key_of, standing_under("omitted/", state))


def _omitted_key(omission: Mapping[str, Any]) -> str:
    """`server::tool`, or the one name that is known; the door sees to it that there is one."""
    server, tool, name = (omission.get(field) for field in ("server", "tool", "name"))
    return f"omitted/{name or tool}" if server is None else f"omitted/{server}::{tool or name}"


def _omitted_row(omission: Mapping[str, Any], before: Row | None, seq: int) -> Row:
    return reasoned_row({name: omission.get(name) for name in _OMITTED_FIELDS}, before, seq)
