"""A progress bar for long work: only on a terminal, and only once the work has lasted."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_QUIET_S = 1.0
_EVERY_S = 0.1


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """A function to call with the number of things just done. Draws on standard error."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    started = drawn = time.monotonic()
    done = 0

    def advance(count: int) -> None:
        nonlocal done, drawn
        done += count
        now = time.monotonic()
        if now - started > _QUIET_S and now - drawn > _EVERY_S:
            drawn = now
            sys.stderr.write("\r\x1b[K" + _bar(what, done, total, now - started))
            sys.stderr.flush()

    try:
        yield advance
    finally:
        if drawn != started:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _bar(what: str, done: int, total: int | None, elapsed: float) -> str:
    rate = f"{done:,} events, {done / elapsed:,.0f}/s"
    if not total:
        return f"{what}: {rate}"
    filled = min(20, done * 20 // total)
    return f"{what} [{'#' * filled}{'.' * (20 - filled)}] {min(100, done * 100 // total)} % {rate}"
