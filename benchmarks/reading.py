"""scan, verify: all events in order, decoded, and proved; beside the driver's own fetch of the same rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from benchmarks.figure import rate
from benchmarks.ledgers import CATALOG, driver_of
from benchmarks.measure import OURS, alternate
from benchmarks.raw import fetch_events
from ledger.bootstrap import open_ledger
from ledger.services.verify import verify
from ledger.store.read import fact, read_forward
from ledger.store.store import find_catalog

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from benchmarks.figure import Figure
    from benchmarks.ledgers import Bench
    from benchmarks.measure import Contestant, Stopwatch, Work
    from ledger.bootstrap import Ledger

FIGURES = ("scan", "verify")


def measure(bench: Bench, wanted: Collection[str]) -> Iterator[Figure]:
    with open_ledger(bench.built(bench.scale.events).settings, read_only=True) as ledger:
        for name, ours in (("scan", _scanning(ledger)), ("verify", _verifying(ledger))):
            if name in wanted:
                contestants = {OURS: ours, "raw": fetching(ledger)}
                yield rate(name, alternate(contestants, bench.scale.rounds))


def fetching(ledger: Ledger) -> Contestant:
    """The baseline: every row of the events, touched and dropped."""

    def work(_: Stopwatch) -> int:
        count = 0
        with ledger.store.engine.reading() as connection:
            for _row in fetch_events(driver_of(connection)):
                count += 1
        return count

    return _always(work)


def _scanning(ledger: Ledger) -> Contestant:
    def work(_: Stopwatch) -> int:
        with ledger.store.engine.reading() as connection:
            catalog = find_catalog(connection, CATALOG)
            for row in read_forward(connection, catalog):
                fact(row)
        return catalog.seq

    return _always(work)


def _verifying(ledger: Ledger) -> Contestant:
    store = replace(ledger.store, projector=_Apart())

    def work(_: Stopwatch) -> int:
        found = verify(store)
        assert found.result == "verified", found.checks
        return found.events

    return _always(work)


def _always(work: Work) -> Contestant:
    return lambda _: work


class _Apart:
    """A projector that has nothing to say: verification is measured without the projections, which `rebuild` folds."""

    def project(self, *_: object) -> None:
        raise AssertionError("nothing is appended here")

    def refold(self, *_: object) -> None:
        raise AssertionError("nothing is erased here")

    def unequal(self, *_: object) -> list[str]:
        return []
