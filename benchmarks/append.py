"""append_single, append_batch: durable appends of 1 KB payloads, beside raw INSERTs and `eventsourcing`.

Ours begins with the dictionary a producer handed in and ends with the receipt: validation, redaction, chain, guards,
indexes, projections of a catalog with 1,000 tools. The raw baselines insert rows that were made before the clock runs.
"""

from __future__ import annotations

from contextlib import ExitStack, closing
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from benchmarks.figure import rate
from benchmarks.journal import Journals
from benchmarks.ledgers import CATALOG, require_folded, settings_in
from benchmarks.measure import OURS, alternate
from benchmarks.raw import RawColumns, RawEvents
from benchmarks.workload import Workload, kilobyte_lines
from ledger.bootstrap import open_ledger

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from benchmarks.figure import Figure
    from benchmarks.ledgers import Bench
    from benchmarks.measure import Contestant, Stopwatch, Work
    from benchmarks.workload import Line
    from ledger.config import Settings

FIGURES = ("append_single", "append_batch")

BATCH = 1_000
_STEADY = 3


class Writer(Protocol):
    """Whoever appends: `ready` makes of lines what `write` then puts into one durable transaction."""

    def ready(self, lines: Iterable[Line]) -> Any: ...

    def write(self, prepared: Any) -> None: ...

    def close(self) -> None: ...


class FileWriter(Writer, Protocol):
    """One who appends to a SQLite file."""

    path: Path


class LedgerWriter:
    """Ours, with a catalog of 1,000 tools behind it."""

    def __init__(self, settings: Settings) -> None:
        self.path = settings.path
        self._ledger = open_ledger(settings)
        self._recorder = self._ledger.recorder()
        self._recorder.record(CATALOG, Workload().opening())

    def ready(self, lines: Iterable[Line]) -> list[Line]:
        return list(lines)

    def write(self, lines: list[Line]) -> None:
        self._recorder.record(CATALOG, lines)

    def close(self) -> None:
        require_folded(self._ledger)
        self._ledger.close()


def measure(bench: Bench, wanted: Collection[str]) -> Iterator[Figure]:
    scale = bench.scale
    folder = bench.folder / "append"
    folder.mkdir()
    writers: dict[str, FileWriter] = {
        OURS: LedgerWriter(settings_in(folder / "ours")),
        "raw": RawEvents(folder / "raw.db"),
        "raw_columns": RawColumns(folder / "raw-columns.db"),
        "eventsourcing": Journals(folder / "eventsourcing.db"),
    }
    with ExitStack() as stack:
        for writer in writers.values():
            stack.enter_context(closing(writer))
            warm_log(writer)
        for name, size, commits in (("append_single", 1, scale.commits), ("append_batch", BATCH, scale.batches)):
            if name in wanted:
                contestants = {each: appending(writer, size, commits) for each, writer in writers.items()}
                yield rate(name, alternate(contestants, scale.rounds))


def appending(writer: Writer, size: int, commits: int) -> Contestant:
    """A contestant that appends so many transactions of so many events per round; all are given the same lines."""
    lines = kilobyte_lines()

    def prepare(_: int) -> Work:
        prepared = [writer.ready(islice(lines, size)) for _ in range(commits)]

        def work(_: Stopwatch) -> int:
            for each in prepared:
                writer.write(each)
            return size * commits

        return work

    return prepare


def warm_log(writer: FileWriter) -> None:
    """Write until the write-ahead log is used again instead of growing: a commit onto a growing one costs far more."""
    lines = kilobyte_lines()
    log = Path(f"{writer.path}-wal")
    largest, steady = 0, 0
    while steady < _STEADY:
        writer.write(writer.ready(islice(lines, BATCH)))
        size = log.stat().st_size if log.exists() else 0  # there is none where SQLite is too old for it
        # batches differ by a few pages
        steady = steady + 1 if size <= 1.05 * largest else 0
        largest = max(largest, size)
