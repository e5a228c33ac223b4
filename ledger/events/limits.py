"""How large what comes in may be, and the checks that say which limit was passed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ledger.errors import OverLimit

_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"')
_OPENING: Final = frozenset(b"{[")
_ALL_BUT_BRACKETS: Final = bytes(set(range(256)) - set(b"{}[]"))


@dataclass(frozen=True, slots=True)
class Limits:
    """How large things may be. An event counts with the documents that it brings, each once."""

    max_event_bytes: int = 4_000_000
    max_definition_bytes: int = 1_000_000
    max_depth: int = 64
    max_tools: int = 10_000


def check_size(limit: str, allowed: int, found: int, place: str) -> None:
    if found > allowed:
        raise OverLimit(limit, allowed, found, place)


def check_depth(body: bytes, limits: Limits, place: str) -> None:
    """Refuse text nested deeper than allowed; a payload and each of its documents are measured apart."""
    # Depth cannot exceed the number of brackets that open, which is counted at memory speed; most text ends
    # here.
    if body.count(b"{") + body.count(b"[") > limits.max_depth:
        check_size("max_depth", limits.max_depth, depth_of(body), place)


def depth_of(body: bytes) -> int:
    """How deep JSON text is nested: 0 for a scalar, 1 for a flat object or list."""
    level = deepest = 0
    for bracket in _STRING.sub(b"", body).translate(None, _ALL_BUT_BRACKETS):
        if bracket in _OPENING:
            level += 1
            deepest = max(deepest, level)
        else:
            level -= 1
    return deepest
