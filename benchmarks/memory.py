"""memory_record, memory_verify, memory_rebuild: the peak of a process over all events, beside a tenth of them."""

from __future__ import annotations

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
            verb = name.removeprefix("memory_")
            peaks = [_peak_mb(bench, verb, events) for events in (bench.scale.memory, bench.scale.tenth)]
            yield quantity(name, "MB", peaks[0], tenth=peaks[1])


def _peak_mb(bench: Bench, verb: str, events: int) -> float:
    built = bench.built(events)
    return built.peak_mb if verb == "record" else apart(verb, built.settings, events)
