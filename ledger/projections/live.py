"""What clients were served last, what was left out and why; never what a server listed.

Keys: `server::tool` (`?::name` where nobody knows whose it is), `omitted/…`, and `@serving`.
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
from ledger.projections.whole_lists import NOTHING, Item, Replacement, replaced_by, row_changes, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledger.events.fact import Fact
    from ledger.projections.fold import Changes, Documents, Row, State

NAME = "live"
VERSION = 1
KINDS = frozenset({"live.served"})
NEEDS = ("intended",)

_NEVER_SERVED: Row = {"list": None, "omitted": None, "tools": 0, "exact": False}


def fold(state: State, event: Fact, views: Mapping[str, State], documents: Documents) -> Changes:
    """The rows after a serving; one that repeats the last one is one row."""
    payload = event.payload
    if payload is None:
        return {}
    serving = _Serving(state, event.seq, payload, views["intended"], documents)
    return serving.changes(event.recorded_us)


class _Serving:
    """One serving against the one before it."""

    def __init__(
        self, state: State, seq: int, payload: Mapping[str, Any], intended: State, documents: Documents
    ) -> None:
        self._state = state
        self._seq = seq
        self._payload = payload
        self._documents = documents
        self._last = state.get("@serving", _NEVER_SERVED)
        self._names = ExposedNames(intended)
        # Names were understood through a certain render; after another one they may mean other tools.
        self._render = intended.get("@render", {}).get("list")
        names_hold = self._last.get("names_of", self._render) == self._render
        self._is_comparable = self._last["exact"] and names_hold

    def changes(self, recorded_us: int) -> Changes:
        entries = self._replacement("tools", "list", self._key, standing_entries(self._state))
        omitted = self._replacement("omitted", "omitted", self._omitted_key, standing_under("omitted/", self._state))
        changes = row_changes(self._state, entries, self._row)
        added = sum(key not in self._state for key in changes)
        removed = len(entries.absent)
        row: Row = {
            "seq": self._seq,
            "recorded_us": recorded_us,
            "list": self._payload["tools"],
            "omitted": self._payload.get("omitted"),
            "trigger": self._payload.get("trigger"),
            "added": added,
            "removed": removed,
            "changed": len(changes) - added - removed,
            "tools": self._last["tools"] + added - removed,
            "exact": entries.exact and omitted.exact,
        }
        changes |= row_changes(self._state, omitted, self._omitted_row)
        if entries.erased or omitted.erased:
            row["erased"] = True
        if self._names.was_asked or (self._is_comparable and "names_of" in self._last):
            row["names_of"] = self._render
        return changes | {"@serving": row}
