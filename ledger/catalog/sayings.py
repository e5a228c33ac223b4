"""Statements of all layers, indexed so that a tool hears what concerns it and nothing else."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ledger.catalog.layer import Origin
from ledger.catalog.overlay import Overlaid, overlay
from ledger.catalog.statement import Identity, Statement, Weight

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledger.canon.jsontext import Json
    from ledger.catalog.layer import Layer


class Ranked(NamedTuple):
    """A statement after what decides between two: the layer, the weight, the order of files in a layer."""

    layer: int
    weight: Weight
    file: int
    origin: Origin
    statement: Statement


@dataclass(frozen=True, slots=True)
class Hiding:
    """Why a tool is kept from clients, and which layer says so.

    `reason` starts with a word that programs may rely on (`hidden_by_aggregate`, …), and goes on with the
    reason that the layer gives, if it gives one.
    """

    identity: Identity
    reason: str
    origin: Origin

    def payload(self) -> dict[str, Json]:
        """As an item of `hidden` in `render.completed`."""
        server, tool = self.identity
        return {"server": server, "tool": tool, "reason": self.reason, "layer": str(self.origin)}


@dataclass(frozen=True, slots=True)
class Said:
    """All that the layers say about one tool: the fields, who set each, and why it is hidden if it is."""

    fields: Overlaid
    hiding: Hiding | None = None

    @property
    def is_locked(self) -> bool:
        return self.fields.value.get("lockSchema") is True


_NOTHING_SAID = Said(Overlaid())


def ranked(statement: Statement, layer: Layer, file: int) -> Ranked:
    """Give a statement its rank; `file` counts the layers in their order."""
    origin = Origin(layer.kind, statement.place.file, statement.place.pointer)
    return Ranked(layer.kind.rank, statement.weight, file, origin, statement)


class Sayings:
    """What the layers say, by tool. Read-only once made."""

    def __init__(self, statements: Iterable[Ranked]) -> None:
        self._about: dict[tuple[str | None, str | None], list[Ranked]] = defaultdict(list)
        for one in statements:
            self._about[one.statement.server, one.statement.tool].append(one)

    def about(self, identity: Identity) -> Said:
        """The layers' word on one tool of one server, and on no other tool that happens to share its name."""
        server, tool = identity
        scopes = ((None, None), (None, tool), (server, None), (server, tool))
        heard = [one for scope in scopes for one in self._about.get(scope, ())]
        if not heard:
            return _NOTHING_SAID
        heard.sort(key=lambda one: one[:3])
        fields = overlay((one.statement.fields, one.origin) for one in heard)
        return Said(fields, _hiding(identity, heard))

    def named_tools(self) -> tuple[Identity, ...]:
        """The tools that some layer speaks of by server and name, in a fixed order."""
        named = (Identity(server, tool) for server, tool in self._about if server is not None and tool is not None)
        return tuple(sorted(named))


def _hiding(identity: Identity, heard: list[Ranked]) -> Hiding | None:
    last = next((one for one in reversed(heard) if "enabled" in one.statement.fields), None)
    if last is None or last.statement.fields["enabled"] is not False:
        return None
    cause, reason = last.statement.cause, last.statement.reason
    return Hiding(identity, f"{cause}: {reason}" if reason else cause, last.origin)
