"""Who gets which name: the first server in configuration order keeps it, the others become `server.tool`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ledger.catalog.problems import Problem, RuleId

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ledger.catalog.statement import Identity


@dataclass(frozen=True, slots=True)
class Wish:
    """A tool and the name it asks for."""

    identity: Identity
    name: str


@dataclass(frozen=True, slots=True)
class Names:
    """The name of each tool, and a notice for each that did not get the one it asked for."""

    of: dict[Identity, str]
    problems: tuple[Problem, ...]


def exposed_names(wishes: Iterable[Wish], servers: Sequence[str]) -> Names:
    """Give every tool a name, the same for the same wishes in any order.

    `servers` is the configuration order; a server that is not in it comes after those that are. Within a
    server a tool's own name goes before another tool's alias. Should the longer name be taken as well, two
    tools have one name: rule V4 finds them.
    """
    positions = {server: position for position, server in enumerate(servers)}

    def order(wish: Wish) -> tuple[int, str, bool, str]:
        server, tool = wish.identity
        return positions.get(server, len(positions)), server, wish.name != tool, tool

    taken: dict[str, Identity] = {}
    in_turn = sorted(wishes, key=order)
    for wish in in_turn:
        taken.setdefault(wish.name, wish.identity)
    later = [wish for wish in in_turn if taken[wish.name] != wish.identity]
    names = {identity: name for name, identity in taken.items()}
    names |= {wish.identity: _prefixed(wish) for wish in later}
    return Names(names, tuple(_notice(wish, taken[wish.name]) for wish in later))


def _prefixed(wish: Wish) -> str:
    return f"{wish.identity.server}.{wish.identity.tool}"


def _notice(wish: Wish, holder: Identity) -> Problem:
    reason = f"the name {wish.name} belongs to {holder}; this one is shown as {_prefixed(wish)}"
    return Problem(RuleId.PREFIXED_NAME, str(wish.identity), reason, "notice")
