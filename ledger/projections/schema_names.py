"""What producers call output schemas: their own strings, kept as aliases of digests.

Row `@aliases/<server>` → {tool: [[name, digest], …]}, of each tool the newest four. Only entries teach
them: those of a render, and those that were served.
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


def digest_of(state: State, key: str, name: str) -> str:
    """The digest that producers mean by `name` when they speak of this tool, or the name itself."""
    wanted = short(name)
    return Aliases(state).of(key).get(wanted, wanted)


class Aliases:
    """The aliases as an event finds them and as it leaves them; `changes` are the rows that it changes."""

    def __init__(self, state: State) -> None:
        self.changes: Changes = {}
        self._state = state

    def of(self, key: str) -> Mapping[str, str]:
        """The digests by the names that producers have for them, of one tool, oldest first."""
        server, _, tool = key.partition("::")
        return dict(self._row(server).get(tool, ()))

    def learn(self, key: str, name: str, digest: str) -> None:
        """Keep `name` as an alias; a digest is no alias of another one."""
        names, wanted = self.of(key), short(name)
        if is_digest(name) or names.get(wanted) == digest:
            return
        others = [[known, meant] for known, meant in names.items() if known != wanted]
        server, _, tool = key.partition("::")
        self.changes[_row_of(server)] = {**self._row(server), tool: [*others, [wanted, digest]][-_KEPT:]}

    def _row(self, server: str) -> Row:
        key = _row_of(server)
        return self.changes.get(key) or self._state.get(key) or {}


def _row_of(server: str) -> str:
    return f"@aliases/{server}"
