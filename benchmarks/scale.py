"""How much is measured: everything, or small enough for a look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Scale:
    """Sizes of one run.

    `events` and `hundredth` are those of the ledgers that are read, `memory` and `tenth` of those by which the peak of
    memory is compared. `commits` and `batches` are transactions per round, `writes` those of each of the eight writers,
    `looks` are reads as of a moment, `launches` the rounds of starting a program, and `repeats` the captures that a
    repeated one is measured by.
    """

    is_quick: bool
    events: int
    hundredth: int
    memory: int
    tenth: int
    rounds: int
    commits: int
    batches: int
    writes: int
    looks: int
    launches: int
    repeats: int


FULL: Final = Scale(
    is_quick=False,
    events=1_000_000,
    hundredth=10_000,
    memory=1_000_000,
    tenth=100_000,
    rounds=5,
    commits=1_000,
    batches=20,
    writes=100,
    looks=50,
    launches=15,
    repeats=2_000,
)
QUICK: Final = Scale(
    is_quick=True,
    events=5_000,
    hundredth=1_000,
    memory=20_000,
    tenth=5_000,
    rounds=3,
    commits=60,
    batches=2,
    writes=8,
    looks=4,
    launches=3,
    repeats=300,
)
