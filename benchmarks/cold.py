"""cold_help, cold_log: how long a command takes from nothing, beside a small Typer program and a bare interpreter."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.figure import duration
from benchmarks.ledgers import ROOT
from benchmarks.measure import OURS, alternate

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from benchmarks.figure import Figure
    from benchmarks.ledgers import Bench
    from benchmarks.measure import Contestant, Stopwatch

FIGURES = ("cold_help", "cold_log")


def measure(bench: Bench, wanted: Collection[str]) -> Iterator[Figure]:
    launches = bench.scale.launches
    if "cold_help" in wanted:
        baseline = [sys.executable, str(Path(__file__).with_name("one_command.py")), "--help"]
        contestants = {OURS: _launching(bench, [*_catledger(), "--help"]), "typer": _launching(bench, baseline)}
        yield duration("cold_help", alternate(contestants, launches))
    if "cold_log" in wanted:
        ledger = str(bench.built(bench.scale.events).settings.path)
        command = [*_catledger(), "--db", ledger, "log", "--limit", "5"]
        bare = [sys.executable, "-c", "pass"]
        contestants = {OURS: _launching(bench, command), "python": _launching(bench, bare)}
        yield duration("cold_log", alternate(contestants, launches))


def _catledger() -> list[str]:
    installed = Path(sys.executable).with_name("catledger")
    return [str(installed)] if installed.exists() else [sys.executable, "-m", "cli.main"]


def _launching(bench: Bench, command: list[str]) -> Contestant:
    ours = ("CATLEDGER_", "STELAE_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    environment |= {"CATLEDGER_STATE_HOME": str(bench.folder / "nobody")}

    def launch() -> None:
        subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)

    def work(_: Stopwatch) -> int:
        launch()
        return 1

    launch()  # once for nothing: the first start compiles modules and fills the file cache
    return lambda _: work
