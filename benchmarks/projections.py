"""rebuild, asof_growth, asof_floor: the projections folded from zero, and read as they stood at a past moment."""

from __future__ import annotations

import random
from contextlib import ExitStack, closing
from itertools import islice
from typing import TYPE_CHECKING, Any

import orjson

from benchmarks.apart import rebuild_all
from benchmarks.figure import duration, rate
from benchmarks.journal import Journals
from benchmarks.ledgers import CATALOG, driver_of
from benchmarks.measure import OURS, alternate
from benchmarks.raw import RawFile, fetch_events
from benchmarks.reading import fetching
from benchmarks.workload import OPENING, SEED, Workload
from ledger.bootstrap import open_ledger
from ledger.clock import iso
from ledger.projections.all import FOLDS
from ledger.projections.rows import read_projections
from ledger.services.moments import position_of
from ledger.services.views import read_view
from ledger.store import sql
from ledger.store.read import read_event
from ledger.store.store import find_catalog

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from benchmarks.figure import Figure
    from benchmarks.ledgers import Bench
    from benchmarks.measure import Contestant, Stopwatch, Work
    from ledger.bootstrap import Ledger
    from ledger.services.views import View
    from ledger.store.engine import Connection
    from ledger.store.store import Catalog

FIGURES = ("rebuild", "asof_growth", "asof_floor") if FOLDS else ()

_AT_ONCE = 1_000
_VIEW = "live"
_ROWS = 1_000
_TABLE = "CREATE TABLE projection_versions (place INTEGER PRIMARY KEY, state BLOB) STRICT"
_VERSIONS = "SELECT place, state FROM projection_versions ORDER BY place"
_VERSION = "SELECT place, state FROM projection_versions WHERE place = ?"


def measure(bench: Bench, wanted: Collection[str]) -> Iterator[Figure]:
    if "rebuild" in wanted:
        yield _rebuild(bench)
    asof = [name for name in wanted if name.startswith("asof")]
    if asof:
        yield from (figure for figure in _asof(bench) if figure.name in asof)


# -- rebuild ------------------------------------------------------------------------------------------------------


def _rebuild(bench: Bench) -> Figure:
    folder = bench.folder / "rebuild"
    folder.mkdir()
    with ExitStack() as stack:
        ledger = stack.enter_context(open_ledger(bench.built(bench.scale.events).settings))
        reader = stack.enter_context(open_ledger(ledger.settings, read_only=True))
        journals = stack.enter_context(closing(Journals(folder / "eventsourcing.db")))
        # a tenth: what the library needs per event does not depend on how many there are
        events = _fill(journals, ledger, bench.scale.events // 10)
        contestants: Mapping[str, Contestant] = {
            OURS: _rebuilding(ledger),
            "raw": fetching(reader),
            "raw_written": lambda number: _writing(reader, RawFile(folder / f"written-{number}.db", _TABLE)),
            "eventsourcing": lambda _: _folding(journals, events),
        }
        return rate("rebuild", alternate(contestants, bench.scale.rounds))


def _rebuilding(ledger: Ledger) -> Contestant:
    def work(_: Stopwatch) -> int:
        rebuild_all(ledger)
        with ledger.store.engine.reading() as connection:
            return find_catalog(connection, CATALOG).seq

    return lambda _: work


def _writing(ledger: Ledger, file: RawFile) -> Work:
    """Fetch and decode every event, then insert the very rows that a rebuild writes, in the order of their keys."""

    def work(watch: Stopwatch) -> int:
        with ledger.store.engine.reading() as connection, closing(file):
            count = 0
            for row in fetch_events(driver_of(connection)):
                orjson.loads(row[8])
                count += 1
            file.raw.execute("BEGIN IMMEDIATE")
            for rows in _chunks(driver_of(connection), watch):
                file.raw.executemany("INSERT INTO projection_versions VALUES (?, ?)", rows)
            file.raw.execute("COMMIT")
        file.path.unlink()
        return count

    return work


def _chunks(raw: Any, watch: Stopwatch) -> Iterator[list[tuple[int, bytes]]]:
    """Where the rows come from is no part of inserting them."""
    versions = raw.execute(_VERSIONS)
    while True:
        with watch.paused():
            rows = list(islice(versions, _AT_ONCE))
        if not rows:
            return
        yield rows


def _fill(journals: Journals, ledger: Ledger, events: int) -> int:
    """Give the library the events of the workload as we store them, documents named by digest: it has none."""
    draft = ledger.recorder().draft
    lines = Workload().lines(events)
    while batch := list(islice(lines, _AT_ONCE)):
        journals.write([{"kind": line["kind"], "payload": draft(line).fields} for line in batch])
    return events


def _folding(journals: Journals, events: int) -> Work:
    def work(_: Stopwatch) -> int:
        journals.fold()
        return events

    return work


# -- as of a moment -----------------------------------------------------------------------------------------------


def _asof(bench: Bench) -> Iterator[Figure]:
    scale = bench.scale
    with ExitStack() as stack:
        large = stack.enter_context(open_ledger(bench.built(scale.events).settings, read_only=True))
        small = stack.enter_context(open_ledger(bench.built(scale.hundredth).settings, read_only=True))
        contestants = {
            OURS: _looking_back(large, scale.looks),
            "hundredth": _looking_back(small, scale.looks),
            "raw": _seeking(large, scale.looks),
        }
        rounds = alternate(contestants, scale.rounds)
    yield duration("asof_growth", {name: rounds[name] for name in (OURS, "hundredth")})
    yield duration("asof_floor", {name: rounds[name] for name in (OURS, "raw")})


def _looking_back(ledger: Ledger, looks: int) -> Contestant:
    """From a time as a reader writes it to the catalog that was served then, decoded."""

    def prepare(number: int) -> Work:
        moments = _moments(ledger, looks, number)

        def work(_: Stopwatch) -> int:
            with ledger.store.engine.reading() as connection:
                catalog = find_catalog(connection, CATALOG)
                for moment in moments:
                    _look(connection, catalog, moment)
            return looks

        return work

    return prepare


def _look(connection: Connection, catalog: Catalog, moment: str) -> View:
    return read_view(connection, catalog, _VIEW, position_of(connection, catalog, moment))


def _seeking(ledger: Ledger, looks: int) -> Contestant:
    """The floor: 1,000 rows of the same table, each by its primary key, none decoded."""

    def prepare(number: int) -> Work:
        keys = [_places(ledger, moment) for moment in _moments(ledger, looks, number)]

        def work(_: Stopwatch) -> int:
            with ledger.store.engine.reading() as connection:
                execute = driver_of(connection).execute
                for places in keys:
                    for place in places:
                        execute(_VERSION, (place,)).fetchone()
            return looks

        return work

    return prepare


def _places(ledger: Ledger, moment: str) -> list[int]:
    """The keys of the rows that stood at the moment, a thousand of them at most."""
    with ledger.store.engine.reading() as connection:
        catalog = find_catalog(connection, CATALOG)
        row = read_projections(connection, catalog)[_VIEW]
        found = connection.all(sql.ROWS_AS_OF, position_of(connection, catalog, moment).seq, row.projection_id)
        return [place for _, place, _ in found[:_ROWS]]


def _moments(ledger: Ledger, looks: int, seed: int) -> list[str]:
    """The recorded times of random events, none before the first serving."""
    chosen = random.Random(SEED + seed)
    with ledger.store.engine.reading() as connection:
        catalog = find_catalog(connection, CATALOG)
        seqs = [chosen.randint(OPENING, catalog.seq) for _ in range(looks)]
        return [iso(read_event(connection, catalog, seq).recorded_us) for seq in seqs]
