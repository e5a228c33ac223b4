"""What each figure has to reach: `ship` by a finished issue, `goal` in the end."""

from __future__ import annotations

from typing import Final, NamedTuple

ITSELF: Final = "ours"
"""A target on the figure's own value, where there is nothing to compare it with."""


class Target(NamedTuple):
    """Bounds of a ratio: at least these, or `at_most`."""

    ship: float
    goal: float
    at_most: bool = False

    def is_shippable(self, value: float) -> bool:
        return value <= self.ship if self.at_most else value >= self.ship

    def is_met(self, value: float) -> bool:
        return value <= self.goal if self.at_most else value >= self.goal


TARGETS: Final[dict[str, dict[str, Target]]] = {
    "append_single": {"raw": Target(0.60, 0.75), "eventsourcing": Target(1.2, 1.4)},
    "append_batch": {"raw": Target(0.28, 0.42), "eventsourcing": Target(1.5, 2.2)},
    "scan": {"raw": Target(0.35, 0.75)},
    "verify": {"raw": Target(0.40, 0.85)},
    "rebuild": {
        "raw": Target(0.20, 0.60),
        "raw_written": Target(0.6, 1.0),
        "eventsourcing": Target(3, 8),
    },
    "asof_growth": {"hundredth": Target(1.5, 1.1, at_most=True)},
    "asof_floor": {"raw": Target(3.5, 2, at_most=True)},
    "writers": {"raw": Target(0.60, 0.65), "lost": Target(0, 0, at_most=True)},
    "pg_single": {"raw": Target(0.35, 0.65)},
    "pg_batch": {"raw": Target(0.25, 0.5)},
    "cold_help": {"typer": Target(1.2, 1.1, at_most=True)},
    "cold_log": {"python": Target(30, 8, at_most=True)},
    "size_repeat": {ITSELF: Target(1_200, 600, at_most=True)},
    "size_event": {"producers": Target(2, 0.5, at_most=True)},
    "memory_record": {"tenth": Target(1.2, 1.05, at_most=True)},
    "memory_verify": {"tenth": Target(1.2, 1.05, at_most=True)},
    "memory_rebuild": {"tenth": Target(1.2, 1.05, at_most=True)},
}
