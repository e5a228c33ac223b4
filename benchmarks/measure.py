"""Taking time: ours and its baselines in turns, round by round, wall and CPU."""

from __future__ import annotations

import gc
import resource
import time
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

OURS: Final = "ours"


class Stopwatch:
    """Wall and CPU seconds of what happens while it runs; the CPU of children counts once they have ended."""

    def __init__(self) -> None:
        self.wall_s = 0.0
        self.cpu_s = 0.0
        self._wall_before = 0.0
        self._cpu_before = 0.0

    def start(self) -> None:
        self._cpu_before = _cpu_s()
        self._wall_before = time.perf_counter()

    def stop(self) -> None:
        self.wall_s += time.perf_counter() - self._wall_before
        self.cpu_s += _cpu_s() - self._cpu_before

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave out what only the measuring needs."""
        self.stop()
        try:
            yield
        finally:
            self.start()


Work = Callable[[Stopwatch], int]
"""One round of work, timed by the watch it is given; tells how many events (or looks, or launches) it was."""

Contestant = Callable[[int], Work]
"""Prepares the work of a round, by its number; that takes no part in the time."""


class Round(NamedTuple):
    """Seconds per event of one round."""

    wall_s: float
    cpu_s: float


def alternate(contestants: Mapping[str, Contestant], rounds: int) -> dict[str, list[Round]]:
    """Let everybody work once per round, each round beginning with another, so that noise meets them alike."""
    taken: dict[str, list[Round]] = {name: [] for name in contestants}
    names = list(contestants)
    for number in range(rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            work = contestants[name](number)
            gc.collect()
            watch = Stopwatch()
            watch.start()
            count = work(watch)
            watch.stop()
            taken[name].append(Round(watch.wall_s / count, watch.cpu_s / count))
    return taken


def _cpu_s() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
