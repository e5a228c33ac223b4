"""Two small integers in one key: (catalog, seq) of an event, (key, seq) of a projection's row."""

from __future__ import annotations

from typing import NewType

Position = NewType("Position", int)

START = Position(0)
SEQ_BITS = 36
SEQ_SPAN = 1 << SEQ_BITS
LAST_SEQ = SEQ_SPAN - 1


def place(owner_id: int, seq: int) -> int:
    return owner_id << SEQ_BITS | seq


def seq_of(at: int) -> Position:
    return Position(at & LAST_SEQ)


def owner_of(at: int) -> int:
    return at >> SEQ_BITS
