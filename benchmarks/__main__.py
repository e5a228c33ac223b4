"""`python -m benchmarks`: measures, prints the table, writes results.json. A goal that is missed is no error."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import append, cold, memory, postgres, projections, reading, report, sizes, writers
from benchmarks.ledgers import Bench
from benchmarks.raw import RawFile
from benchmarks.scale import FULL, QUICK

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.figure import Figure

_GROUPS = {
    "append": append,
    "writers": writers,
    "postgres": postgres,
    "cold": cold,
    "sizes": sizes,
    "reading": reading,
    "projections": projections,
    "memory": memory,
}


def main(arguments: Sequence[str]) -> None:
    """Measure what was asked for; what was measured is written after each figure, whatever happens later."""
    asked = _asked(arguments)
    scale = QUICK if asked.quick else FULL
    figures: list[Figure] = []
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="catledger-bench-", dir=asked.folder) as folder:
        with closing(RawFile(Path(folder) / "empty.db")) as empty:
            sqlite = empty.version()
        for figure in _measured(Bench(scale, Path(folder)), asked.only):
            figures.append(figure)
            report.write(asked.out, figures, scale, sqlite)
            print(f"{time.monotonic() - began:6.0f} s  {figure.name}", file=sys.stderr)
    met = sum(figure.is_met for figure in figures)
    shippable = sum(figure.is_shippable for figure in figures)
    print(report.table(figures))
    print(f"\n{met} of {len(figures)} figures reach their goal, {shippable} can be shipped; written to {asked.out}")


def _measured(bench: Bench, only: Sequence[str]) -> Iterator[Figure]:
    for name, group in _GROUPS.items():
        is_whole = not only or name.startswith(tuple(only))
        wanted = [figure for figure in group.FIGURES if is_whole or figure.startswith(tuple(only))]
        if wanted:
            yield from group.measure(bench, wanted)


def _asked(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, under a minute")
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="a module or a figure, or how some begin"
    )
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("results.json"), metavar="FILE")
    # /tmp is memory on many machines, where a durable commit would cost nothing
    is_usable = os.access("/var/tmp", os.W_OK)
    parser.add_argument("--folder", default="/var/tmp" if is_usable else None, help="where the ledgers are made")
    asked = parser.parse_args(arguments)
    known = [*_GROUPS, *(figure for group in _GROUPS.values() for figure in group.FIGURES)]
    for name in asked.only:
        if not any(each.startswith(name) for each in known):
            parser.error(f"nothing is called {name} (there are {', '.join(known)})")
    return asked


if __name__ == "__main__":
    main(sys.argv[1:])
