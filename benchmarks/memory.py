"""memory_record, memory_verify, memory_rebuild: the peak of a process over all events, beside a tenth of them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from benchmarks.figure import quantity
from benchmarks.ledgers import apart
from ledger.projections.all import FOLDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from benchmarks.figure import Figure
    from benchmarks.ledgers import Bench

FIGURES = ("memory_record", "memory_verify", *(("memory_rebuild",) if FOLDS else ()))


def measure(bench: Bench, wanted: Collection[str]) -> Iterator[Figure]:
    for name in FIGURES:
        if name in wanted:
            ours, tenth = _peaks_mb(bench, name.removeprefix("memory_"))
            yield quantity(name, "MB", ours, tenth=tenth)


def _peaks_mb(bench: Bench, verb: str) -> list[float]:
    sizes = (bench.scale.memory, bench.scale.tenth)
    built = [bench.built(events) for events in sizes]
    if verb == "record":
        return [each.peak_mb for each in built]
    # side by side: time does not matter here
    with ThreadPoolExecutor(len(sizes)) as pool:
        return list(pool.map(lambda each, events: apart(verb, each.settings, events), built, sizes))
