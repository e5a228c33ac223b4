"""What producers call output schemas: their own strings, kept as aliases of digests.

Row `@aliases/<server>` → {tool: [[name, digest], …]}, of each tool the newest four. Only entries teach an alias: those
of a render and those that were served.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final

from ledger.canon.digest import is_digest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledger.projections.fold import Changes, Row, State

_KEPT: Final = 4
_LONGEST: Final = 128


def short(name: str) -> str:
    """A name that fits into a row: there are producers that name a schema by its whole text."""
    return name if len(name) <= _LONGEST else "long-sha256:" + sha256(name.encode()).hexdigest()


def digest_of(state: State, server: str, tool: str, name: str) -> str:
    """The digest that a tool's producers mean by `name`, or the name itself."""
    names = state.get(f"@aliases/{server}")
    if names is None:
        return short(name)
    wanted = short(name)
    return next((digest for known, digest in names.get(tool, ()) if known == wanted), wanted)


class Aliases:
    """The aliases as an event finds them and as it leaves them; `changes` are the rows that it changes."""

    def __init__(self, state: State) -> None:
        self.changes: Changes = {}
        self._state = state

    def learn(self, server: str, tool: str, name: str, digest: str) -> None:
        """Keep `name` as an alias; a digest is no alias of another one."""
        names = self.of(server, tool)
        wanted = short(name)
        if names.get(wanted) == digest or is_digest(name):
            return
        others = [[known, meant] for known, meant in names.items() if known != wanted]
        self.changes[f"@aliases/{server}"] = {**self._row(server), tool: [*others, [wanted, digest]][-_KEPT:]}

    def of(self, server: str, tool: str) -> Mapping[str, str]:
        """The tool's aliases, oldest first."""
        return dict(self._row(server).get(tool, ()))

    def _row(self, server: str) -> Row:
        key = f"@aliases/{server}"
        return self.changes.get(key) or self._state.get(key) or {}
