"""What a run tells: an aligned table for people, results.json for programs."""

from __future__ import annotations

import os
import platform
from itertools import chain
from typing import TYPE_CHECKING, Any

import orjson

from benchmarks.targets import ITSELF

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.figure import Figure
    from benchmarks.scale import Scale
    from benchmarks.targets import Target

_HEADINGS = ("figure", "ours", "cpu", "against", "baseline", "ratio", "goal", "ship", "met")
_TO_THE_RIGHT = frozenset(("ours", "cpu", "baseline", "ratio", "goal", "ship"))


def table(figures: Sequence[Figure]) -> str:
    """One line per figure and baseline, columns aligned."""
    rows = [_HEADINGS, *chain.from_iterable(map(_rows, figures))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(_aligned(row, widths) for row in rows)


def write(path: Path, figures: Sequence[Figure], scale: Scale, sqlite: str) -> None:
    """Put the results in place of those of the last run; `sqlite` says which one it was."""
    results = {
        "quick": scale.is_quick,
        "machine": _machine(sqlite),
        "figures": {figure.name: figure.fields() for figure in figures},
    }
    fresh = path.with_suffix(".new")
    fresh.write_bytes(orjson.dumps(results, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    fresh.replace(path)


def _machine(sqlite: str) -> dict[str, Any]:
    return {
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
        "sqlite": sqlite,
        "system": f"{platform.system()} {platform.machine()}",
    }


def _rows(figure: Figure) -> list[tuple[str, ...]]:
    names = list(dict.fromkeys([*figure.targets, *figure.baselines]))
    return [_row(figure, against, is_first=at == 0) for at, against in enumerate(names)]


def _row(figure: Figure, against: str, *, is_first: bool) -> tuple[str, ...]:
    target = figure.targets.get(against)
    shown = figure.baselines.get(against)
    return (
        figure.name if is_first else "",
        f"{_number(figure.ours)} {figure.unit}" if is_first else "",
        f"{_number(figure.cpu_us)} µs" if is_first and figure.cpu_us is not None else "",
        "" if against == ITSELF else against,
        "" if shown is None else _number(shown),
        "" if against == ITSELF else _number(figure.value(against)),
        _bound(target, "goal"),
        _bound(target, "ship"),
        "" if target is None else _reached(target, figure.value(against)),
    )


def _bound(target: Target | None, which: str) -> str:
    if target is None:
        return ""
    return f"{'≤' if target.at_most else '≥'} {_number(target.goal if which == 'goal' else target.ship)}"


def _reached(target: Target, value: float) -> str:
    if target.is_met(value):
        return "goal"
    return "ship" if target.is_shippable(value) else "no"


def _number(value: float) -> str:
    if value == 0 or value == round(value) < 1_000:
        return f"{value:.0f}"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = zip(row, widths, _HEADINGS, strict=True)
    return "  ".join(
        text.rjust(width) if heading in _TO_THE_RIGHT else text.ljust(width) for text, width, heading in cells
    ).rstrip()
