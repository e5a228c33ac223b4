"""What a server lists and what a catalog holds: captured tools, and entries under the name clients see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ledger.catalog.statement import Identity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ledger.canon.jsontext import Json

EntryKind = Literal["tool", "aggregate"]


@dataclass(frozen=True, slots=True)
class CapturedTool:
    """A tool as its server listed it; `digest` is the digest of the whole definition."""

    definition: Mapping[str, Json]
    digest: str

    @property
    def name(self) -> str:
        return str(self.definition["name"])


@dataclass(frozen=True, slots=True)
class Listing:
    """What one configured server listed; `tools` is None when it never was, which is not an empty list."""

    server: str
    tools: tuple[CapturedTool, ...] | None = None


class Captured:
    """The listings of all servers, in configuration order, by identity. Read-only once made."""

    def __init__(self, listings: Sequence[Listing]) -> None:
        self.servers = tuple(dict.fromkeys(listing.server for listing in listings))
        self.never_listed = frozenset(one.server for one in listings if one.tools is None)
        self._tools = {Identity(one.server, tool.name): tool for one in listings for tool in (one.tools or ())}
        self._homes: dict[str, list[str]] = {}
        for server, tool in self._tools:
            self._homes.setdefault(tool, []).append(server)

    def __contains__(self, identity: Identity) -> bool:
        return identity in self._tools

    def items(self) -> Iterator[tuple[Identity, CapturedTool]]:
        """Every tool, server by server."""
        return iter(self._tools.items())

    def get(self, identity: Identity) -> CapturedTool | None:
        return self._tools.get(identity)

    def servers_with(self, tool: str) -> tuple[str, ...]:
        """The servers that list a tool of this name, in configuration order."""
        return tuple(self._homes.get(tool, ()))


@dataclass(frozen=True, slots=True)
class Entry:
    """A tool in a catalog: `name` is what clients see, also in `definition`; `identity` is who it is.

    `source_digest` names the captured definition it was made from; an aggregate has none, it has operations.
    """

    name: str
    identity: Identity
    definition: Mapping[str, Json]
    kind: EntryKind = "tool"
    source_digest: str | None = None
    operations: tuple[Mapping[str, Json], ...] = ()
    locked: bool = False

    def payload(self) -> dict[str, Json]:
        """As an item of `intended.tools` in `render.completed`; what does not apply is left out."""
        written: dict[str, Json] = {
            "name": self.name,
            "server": self.identity.server,
            "tool": self.identity.tool,
            "definition": dict(self.definition),
            "kind": self.kind,
        }
        if self.source_digest is not None:
            written["source_digest"] = self.source_digest
        if self.operations:
            written["operations"] = [dict(operation) for operation in self.operations]
        if self.locked:
            written["locked"] = True
        return written
