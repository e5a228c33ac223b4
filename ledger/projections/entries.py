"""Entries of a catalog as rows, and who a tool is of which only a name is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ledger.projections.whole_lists import Standing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledger.projections.fold import Row, State

NOBODY = "?"
"""Stands for the server of a tool that only a name is known of."""


def entry_key(entry: Mapping[str, Any]) -> str:
    """`server::tool`; an aggregate has no tool, so its server and name; without a server `?::name`."""
    server = entry.get("server")
    if server is None:
        return f"{NOBODY}::{entry['name']}"
    return f"{server}::{entry.get('tool') or entry['name']}"


def entry_row(entry: Mapping[str, Any], before: Row | None, seq: int) -> Row:
    """The stored entry with `since`, the event from which on it was exactly so."""
    if before is not None and before == {**entry, "since": before["since"]}:
        return before
    return {**entry, "since": seq}


def standing_entries(state: State) -> Standing:
    """The rows of a state that are entries: those with a definition."""
    return Standing(state.__contains__, lambda: [key for key, row in state.items() if "definition" in row])


def standing_under(prefix: str, state: State) -> Standing:
    """The rows of a state that stand beside its entries, under a prefix."""

    def keys() -> list[str]:
        return [key for key, row in state.items() if key.startswith(prefix) and "definition" not in row]

    return Standing(state.__contains__, keys)


def reasoned_row(fields: Row, before: Row | None, seq: int) -> Row:
    """A row with a reason; `since` is when it began to stand for this reason, whatever else changes."""
    is_same = before is not None and before["reason"] == fields["reason"]
    return {**fields, "since": before["since"] if before is not None and is_same else seq}


class ExposedNames:
    """The names of the intended catalog, to find who a tool is that only a name is known of."""

    def __init__(self, intended: State) -> None:
        self._intended = intended
        self._rows: dict[str, Row | None] | None = None
        self.were_asked = False

    def identified(self, entry: Mapping[str, Any]) -> Mapping[str, Any]:
        """The entry with server and tool of the one intended tool that is exposed under its name, `by_name`.

        An entry that says its server, or whose name none or several have, is returned as it is.
        """
        if entry.get("server") is not None or entry.get("name") is None:
            return entry
        row = self._row(entry["name"])
        if row is None or row.get("server") is None:
            return entry
        return {**entry, "server": row["server"], "tool": row.get("tool") or row["name"], "by_name": True}

    def _row(self, name: str) -> Row | None:
        self.were_asked = True
        if self._rows is None:
            self._rows = {}
            for row in self._intended.values():
                if "definition" in row:
                    self._rows[row["name"]] = None if row["name"] in self._rows else row
        return self._rows.get(name)
