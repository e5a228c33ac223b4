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

    `servers` is the configuration order; a server that is not in it comes after those that are. Within a server a
    tool's own name goes before another tool's alias. Should the longer name be taken as well, two tools have one
    name: rule V4 finds them.
    """
    positions = {server: position for position, server in enumerate(servers)}

    def order(wish: Wish) -> tuple[int, str, bool, str]:
        server, tool = wish.identity
        return positions.get(server, len(positions)), server, wish.name != tool, tool

    taken: dict[str, Identity] = {}
    later: list[Wish] = []
    for wish in sorted(wishes, key=order):
        if taken.setdefault(wish.name, wish.identity) != wish.identity:
            later.append(wish)
    names = {identity: name for name, identity in taken.items()}
    problems: list[Problem] = []
    for wish in later:
        prefixed = f"{wish.identity.server}.{wish.identity.tool}"
        names[wish.identity] = prefixed
        problems.append(_prefixed(wish, taken[wish.name], prefixed))
    return Names(names, tuple(problems))


def _prefixed(wish: Wish, holder: Identity, prefixed: str) -> Problem:
    reason = f"the name {wish.name} belongs to {holder}; this one is shown as {prefixed}"
    return Problem(RuleId.PREFIXED_NAME, str(wish.identity), reason, "notice")
