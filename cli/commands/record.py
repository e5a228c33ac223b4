"""`catledger record`: append JSON lines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli import output

if TYPE_CHECKING:
    from ledger.services.intake import Taken


def register(app: typer.Typer) -> None:
    app.command()(record)


def record(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="[FILE|-]", show_default=False)] = Path("-"),
    batch: Annotated[int, typer.Option(min=1, max=100_000, help="Events per transaction.")] = 1_000,
    skip: Annotated[int, typer.Option(min=0, help="Lines to pass over: resume where an error stopped.")] = 0,
) -> None:
    """Append JSON lines of {kind, payload, …}; a file is checked whole before the first write."""
    from cli.progress import progress
    from ledger.services.intake import take_file, take_stream

    with context.obj.open(read_only=False) as ledger, progress("recording") as advance:
        options = {"catalog": ledger.settings.catalog, "batch": batch, "skip": skip, "advance": advance}
        if str(file) == "-":
            import sys

            taken = take_stream(ledger.store, ledger.recorder(), sys.stdin.buffer, **options)
        else:
            taken = take_file(ledger.store, ledger.recorder(), file, **options)
    _print(taken)


def _print(taken: Taken) -> None:
    head = {"seq": taken.head.seq, "hash": taken.head.hash.hex()}
    output.json_line({"appended": taken.appended, "duplicates": taken.duplicates, "head": head})
