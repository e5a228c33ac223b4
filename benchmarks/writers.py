"""writers: eight processes, each event a durable transaction of its own; beside one process of raw INSERTs."""

from __future__ import annotations

import multiprocessing
import time
from contextlib import ExitStack, closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.append import LedgerWriter, appending, warm_log
from benchmarks.figure import rate
from benchmarks.ledgers import CATALOG, settings_in
from benchmarks.measure import OURS, alternate
from benchmarks.raw import RawEvents
from benchmarks.workload import SEED, kilobyte_lines
from ledger.bootstrap import open_ledger
from ledger.store.store import find_catalog

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from multiprocessing.connection import Connection as Pipe

    from benchmarks.figure import Figure
    from benchmarks.ledgers import Bench
    from benchmarks.measure import Stopwatch, Work
    from ledger.config import Settings

FIGURES = ("writers",)

PROCESSES: Final = 8


def measure(bench: Bench, wanted: Collection[str]) -> Iterator[Figure]:
    if "writers" not in wanted:
        return
    scale = bench.scale
    folder = bench.folder / "writers"
    settings = settings_in(folder)
    with closing(LedgerWriter(settings)) as first:
        warm_log(first)
    before = _head(settings)
    with ExitStack() as stack:
        pipes = stack.enter_context(_writers(folder))
        raw = stack.enter_context(closing(RawEvents(folder / "raw.db")))
        warm_log(raw)
        contestants = {
            OURS: lambda _: _writing(pipes, scale.writes),
            "raw": appending(raw, 1, PROCESSES * scale.writes),
        }
        rounds = alternate(contestants, scale.rounds)
    # one more of each: it opened its ledger with it
    expected = before + PROCESSES * (scale.writes * scale.rounds + 1)
    yield rate("writers", rounds, lost=expected - _head(settings))


@contextmanager
def _writers(home: Path) -> Iterator[list[Pipe]]:
    """Eight processes with an open ledger, each waiting at its pipe for how many events to write."""
    context = multiprocessing.get_context("spawn")
    pipes, processes = [], []
    for number in range(PROCESSES):
        ours, theirs = context.Pipe()
        process = context.Process(target=_write, args=(theirs, str(home), number), daemon=True)
        process.start()
        theirs.close()
        pipes.append(ours)
        processes.append(process)
    for pipe in pipes:
        pipe.recv()
    yield pipes
    for pipe in pipes:
        pipe.send(0)
    for process in processes:
        process.join()


def _writing(pipes: list[Pipe], writes: int) -> Work:
    def work(watch: Stopwatch) -> int:
        for pipe in pipes:
            pipe.send(writes)
        watch.cpu_s += sum(pipe.recv() for pipe in pipes)
        return writes * len(pipes)

    return work


def _write(pipe: Pipe, home: str, number: int) -> None:
    """The life of one writer: it is told how many events to write, and tells the CPU seconds that it took."""
    lines = kilobyte_lines(SEED + number)
    with open_ledger(settings_in(Path(home))) as ledger:
        recorder = ledger.recorder()
        recorder.record(CATALOG, islice(lines, 1))
        pipe.send(None)
        while count := pipe.recv():
            began = time.process_time()
            for line in islice(lines, count):
                recorder.record(CATALOG, [line])
            pipe.send(time.process_time() - began)


def _head(settings: Settings) -> int:
    with open_ledger(settings, read_only=True) as ledger, ledger.store.engine.reading() as connection:
        return find_catalog(connection, CATALOG).seq
