"""What clients should see after the last render that was accepted; one that was refused changes no entry.

Keys: `server::tool` (`?::name` where the entry says no server), `hidden/server::tool`, and `@render`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ledger.projections.entries import (
    NOBODY,
    entry_key,
    entry_row,
    reasoned_row,
    standing_entries,
    standing_under,
)
from ledger.projections.plain import plain
from ledger.projections.whole_lists import Item, Replacement, replaced_by, replaced_by_none, replaced_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledger.events.fact import Fact
    from ledger.projections.fold import Changes, Documents, Row, State

NAME = "intended"
VERSION = 1
KINDS = frozenset({"render.completed", "render.refused"})
NEEDS: tuple[str, ...] = ()

NEVER_RENDERED: Row = {
    "seq": None,
    "list": None,
    "hidden": None,
    "settings": None,
    "descriptor_source": None,
    "problems": 0,
    "tools": 0,
    "exact": False,
}


def fold(state: State, event: Fact, views: Mapping[str, State], documents: Documents) -> Changes:  # noqa: ARG001
    """The rows after a render."""
    payload = event.payload
    if payload is None:
        return {}
    last = state.get("@render", NEVER_RENDERED)
    if event.kind == "render.refused":
        return {"@render": {**last, "refused": {"seq": event.seq, "reason": payload["reason"]}}}
    return _rendered(state, event.seq, payload, last, documents)


def _rendered(state: State, seq: int, payload: Mapping[str, Any], last: Row, documents: Documents) -> Changes:
    tools = payload["intended"]["tools"]
    entries = _entries(state, tools, last, documents)
    hidden = _hidden(state, payload.get("hidden"), last, documents)
    changes = replaced_rows(state, entries, lambda item, before: entry_row(item, before, seq))
    newcomers = [key for key in changes if key not in state]
    row: Row = {
        "seq": seq,
        "list": tools,
        "hidden": payload.get("hidden"),
        "settings": plain(payload.get("settings")),
        "descriptor_source": payload.get("descriptor_source"),
        "problems": len(payload.get("problems") or ()),
        "tools": last["tools"] + len(newcomers) - len(entries.absent),
        "exact": entries.exact and hidden.exact,
    }
    if entries.erased or hidden.erased:
        row["erased"] = True
    changes |= replaced_rows(state, hidden, lambda item, before: _hidden_row(item, before, seq))
    return changes | {"@render": row}


def _entries(state: State, tools: str, last: Row, documents: Documents) -> Replacement:
    before = last["list"] if last["exact"] else None
    return replaced_by(tools, before, documents, entry_key, standing_entries(state))


def _hidden(state: State, digest: str | None, last: Row, documents: Documents) -> Replacement:
    standing = standing_under("hidden/", state)
    if digest is None:
        return replaced_by_none(last["hidden"], standing)
    before = last["hidden"] if last["exact"] else None
    return replaced_by(digest, before, documents, _hidden_key, standing)


def _hidden_key(item: Item) -> str:
    return f"hidden/{item.get('server') or NOBODY}::{item['tool']}"


def _hidden_row(item: Item, before: Row | None, seq: int) -> Row:
    return reasoned_row({"reason": item.get("reason"), "layer": item.get("layer")}, before, seq)
