"""A figure: our number, its baselines and the ratios between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.measure import OURS
from benchmarks.targets import ITSELF, TARGETS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.measure import Round
    from benchmarks.targets import Target

_MICROS = 1e6


@dataclass(frozen=True)
class Figure:
    """What was measured. `counts` are what a target speaks of beside ratios, such as events lost."""

    name: str
    unit: str
    ours: float
    baselines: dict[str, float] = field(default_factory=dict)
    ratio: dict[str, float] = field(default_factory=dict)
    cpu_us: float | None = None
    baselines_cpu_us: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def targets(self) -> dict[str, Target]:
        return TARGETS[self.name]

    def value(self, against: str) -> float:
        """What a target is held against: a ratio, a count, or the figure itself."""
        if against == ITSELF:
            return self.ours
        return self.counts[against] if against in self.counts else self.ratio[against]

    @property
    def is_met(self) -> bool:
        return all(target.is_met(self.value(name)) for name, target in self.targets.items())

    @property
    def is_shippable(self) -> bool:
        return all(target.is_shippable(self.value(name)) for name, target in self.targets.items())

    def fields(self) -> dict[str, Any]:
        """As results.json has it; `met` speaks of the goal."""
        return {
            "ours": _rounded(self.ours),
            "unit": self.unit,
            "baselines": {name: _rounded(value) for name, value in self.baselines.items()},
            "ratio": {name: _rounded(value) for name, value in self.ratio.items()},
            "cpu_us": None if self.cpu_us is None else _rounded(self.cpu_us),
            "baselines_cpu_us": {name: _rounded(value) for name, value in self.baselines_cpu_us.items()},
            **self.counts,
            "goal": {name: target.goal for name, target in self.targets.items()},
            "ship": {name: target.ship for name, target in self.targets.items()},
            "met": self.is_met,
            "ship_met": self.is_shippable,
        }


def rate(name: str, rounds: Mapping[str, list[Round]], unit: str = "events/s", **counts: int) -> Figure:
    """A figure of speed: its ratio is ours to theirs, and more is better."""
    values = {each: 1 / median(one.wall_s for one in taken) for each, taken in rounds.items()}
    ratio = {each: 1 / paired for each, paired in _paired_ratios(rounds).items()}
    return _figure(name, unit, rounds, values=values, ratio=ratio, counts=counts)


def duration(name: str, rounds: Mapping[str, list[Round]]) -> Figure:
    """A figure of waiting, in milliseconds: its ratio is ours to theirs, and less is better."""
    values = {each: 1_000 * median(one.wall_s for one in taken) for each, taken in rounds.items()}
    return _figure(name, "ms", rounds, values=values, ratio=_paired_ratios(rounds))


def quantity(name: str, unit: str, ours: float, **baselines: float) -> Figure:
    """A figure that is counted and not timed: less is better."""
    return Figure(name, unit, ours, dict(baselines), {each: ours / value for each, value in baselines.items()})


def _paired_ratios(rounds: Mapping[str, list[Round]]) -> dict[str, float]:
    """Our time to theirs, as the median over rounds: what slows a whole round down cancels out."""
    ours = rounds[OURS]
    return {
        name: median(mine.wall_s / theirs.wall_s for mine, theirs in zip(ours, taken, strict=True))
        for name, taken in rounds.items()
        if name != OURS
    }


def _figure(
    name: str,
    unit: str,
    rounds: Mapping[str, list[Round]],
    *,
    values: dict[str, float],
    ratio: dict[str, float],
    counts: dict[str, int] | None = None,
) -> Figure:
    cpu_us = {each: _MICROS * median(one.cpu_s for one in taken) for each, taken in rounds.items()}
    ours, our_cpu_us = values.pop(OURS), cpu_us.pop(OURS)
    return Figure(name, unit, ours, values, ratio, our_cpu_us, cpu_us, counts or {})


def _rounded(value: float) -> float:
    """Four significant digits: more would pretend."""
    return float(f"{value:.4g}")
