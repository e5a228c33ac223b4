"""What drift remembers between events beside its entries: which are open, and the events that prove reasons.

Rows: `@basis`; `@rendered` and `@served`, the last that said something new; `@server/<server>`, its health, whether
its captures fail, and what it listed; `@servers`; `@uses` and `@uses/<server>`, which aggregates call its tools;
`@open` and `@open/<server>`; `@awaited`, the entries whose reason is newer than the serving. Only the key of an entry,
and of a waiver, has `::` in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ledger.projections.entries import NOBODY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ledger.events.fact import Fact
    from ledger.projections.fold import Changes, Row, State

NEVER_HEARD_OF: Final[Row] = {
    "health": None,
    "failing": None,
    "capture": None,
    "complete": None,
    "partial": None,
    "listing": None,
    "unreadable": False,
}
_MARKS_OF_A_SERVER: Final = ("health", "failing", "capture", "complete", "partial")


class Mark(NamedTuple):
    """An event that proves something: its position, or its id, or both, as far as they are known."""

    seq: int | None
    event: str | None


def marked(event: Fact) -> Row:
    """An event as a row remembers it."""
    return {"seq": event.seq, "event": event.event_id}


class Memory:
    """The rows of drift as the event finds them and as it leaves them; `changes` are those that it changes."""

    def __init__(self, state: State) -> None:
        self.changes: Changes = {}
        self._state = state

    def get(self, key: str) -> Row | None:
        return self.changes[key] if key in self.changes else self._state.get(key)

    def put(self, key: str, row: Row | None) -> None:
        """Remember a row; one that is as it was is no change."""
        if row == self._state.get(key):
            self.changes.pop(key, None)
        else:
            self.changes[key] = row

    def server(self, server: str) -> Row:
        return self.get(f"@server/{server}") or NEVER_HEARD_OF

    def put_server(self, server: str, row: Row) -> None:
        self.put(f"@server/{server}", row)
        servers = self.servers()
        if server not in servers:
            self.put("@servers", {"names": sorted((*servers, server))})

    def servers(self) -> list[str]:
        """Every server that anything was said about."""
        row = self.get("@servers")
        return [] if row is None else row["names"]

    def mark(self, seq: int, server: str) -> Mark:
        """The event at a position, with its id if it is one of those that are remembered."""
        for row in (self.get("@rendered"), self.get("@served")):
            if row is not None and row["seq"] == seq:
                return Mark(seq, row["event"])
        known = self.server(server)
        for name in _MARKS_OF_A_SERVER:
            if known[name] is not None and known[name]["seq"] == seq:
                return Mark(seq, known[name]["event"])
        return Mark(seq, None)

    def callers(self, server: str, tool: str) -> list[str]:
        """The aggregates one of whose operations calls this tool."""
        return [
            aggregate
            for home in (server, NOBODY)
            for aggregate in (self.get(f"@uses/{home}") or {"tools": {}})["tools"].get(tool, ())
        ]

    def callers_of_server(self, server: str) -> set[str]:
        """The aggregates that call any tool of this server."""
        tools = (self.get(f"@uses/{server}") or {"tools": {}})["tools"]
        return {aggregate for aggregates in tools.values() for aggregate in aggregates}

    def put_uses(self, uses: Mapping[str, Mapping[str, list[str]]]) -> None:
        """Remember which aggregates call which tools, server by server, in place of what was remembered."""
        before = (self.get("@uses") or {"servers": []})["servers"]
        for server in sorted({*before, *uses}):
            self.put(f"@uses/{server}", {"tools": uses[server]} if server in uses else None)
        self.put("@uses", {"servers": sorted(uses)} if uses else None)

    def open_keys(self) -> list[str]:
        row = self.get("@open")
        return [] if row is None else [key for server in row["servers"] for key in self.open_of(server)]

    def open_of(self, server: str) -> list[str]:
        row = self.get(f"@open/{server}")
        return [] if row is None else row["keys"]

    def put_open(self, opened: Iterable[str], closed: Iterable[str]) -> None:
        """Move entries into and out of the index of those that are open."""
        come, left = by_server(opened), by_server(closed)
        servers = set((self.get("@open") or {"servers": []})["servers"])
        for server in {**come, **left}:
            keys = {*self.open_of(server), *come.get(server, ())}.difference(left.get(server, ()))
            self.put(f"@open/{server}", {"keys": sorted(keys)} if keys else None)
            servers = servers | {server} if keys else servers - {server}
        self.put("@open", {"servers": sorted(servers)} if servers else None)

    def awaited(self) -> list[str]:
        row = self.get("@awaited")
        return [] if row is None else row["keys"]

    def put_awaited(self, keys: Iterable[str]) -> None:
        found = sorted(keys)
        self.put("@awaited", {"keys": found} if found else None)


def server_of(key: str) -> str:
    return key.partition("::")[0]


def tool_of(key: str) -> str:
    return key.partition("::")[2]


def by_server(keys: Iterable[str]) -> dict[str, list[str]]:
    """Keys under the server of each, in the order given."""
    found: dict[str, list[str]] = {}
    for key in keys:
        found.setdefault(server_of(key), []).append(key)
    return found
