"""size_repeat, size_event: bytes on disk, with indexes and history, beside the producers' own JSON lines."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING

from benchmarks.figure import quantity
from benchmarks.ledgers import CATALOG, settings_in
from benchmarks.workload import Workload, listing_of, producer_bytes
from ledger.bootstrap import open_ledger

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from benchmarks.figure import Figure
    from benchmarks.ledgers import Bench
    from ledger.canon.jsontext import Json
    from ledger.config import Settings

FIGURES = ("size_repeat", "size_event")

_TOOLS = 500
_AT_ONCE = 100


def measure(bench: Bench, wanted: Collection[str]) -> Iterator[Figure]:
    if "size_repeat" in wanted:
        yield quantity("size_repeat", "bytes", _repeated(bench))
    if "size_event" in wanted:
        events = bench.scale.tenth
        inline = sum(map(producer_bytes, Workload().lines(events))) / events
        stored = bench.built(events).settings.path.stat().st_size / events
        yield quantity("size_event", "bytes", stored, producers=inline)


def _repeated(bench: Bench) -> float:
    """By how much the ledger grows for each poll of a watcher that brings nothing new."""
    settings = settings_in(bench.folder / "size_repeat")
    with open_ledger(settings) as ledger:
        server: Json = listing_of(1)["payload"]["server"]
        watching: dict[str, Json] = {"session": "bench", "watches": [server], "interval_s": 60}
        ledger.recorder().record(CATALOG, [{"kind": "recording.started", "payload": watching}])
    before = _size_with(settings, _AT_ONCE)
    return (_size_with(settings, bench.scale.repeats) - before) / bench.scale.repeats


def _size_with(settings: Settings, captures: int) -> int:
    """The size of the file after so many captures more; closing it has emptied the write-ahead log into it."""
    line = listing_of(_TOOLS)
    with open_ledger(settings) as ledger:
        recorder = ledger.recorder()
        for _ in range(captures // _AT_ONCE):
            recorder.record(CATALOG, repeat(line, _AT_ONCE))
    return settings.path.stat().st_size
