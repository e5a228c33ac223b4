"""`catledger chain`: a chain as JSON lines, out and in."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from cli import output


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="The chain itself as JSON lines.", no_args_is_help=True, rich_markup_mode=None)
    group.command("export")(export)
    group.command("import")(import_)
    app.add_typer(group, name="chain")


def export(
    context: typer.Context,
    to: Annotated[Path, typer.Argument(metavar="[FILE|-]", show_default=False)] = Path("-"),
) -> None:
    """Write a chain; anyone can check it, and another ledger can take it in byte for byte."""
    from ledger.errors import BadInput
    from ledger.services.files import replaced
    from ledger.store.ship import export_chain
    from ledger.store.store import find_catalog

    with context.obj.open(read_only=True) as ledger, ledger.store.engine.reading() as connection:
        catalog = find_catalog(connection, ledger.settings.catalog)
        if str(to) == "-":
            for line in export_chain(connection, catalog):
                sys.stdout.buffer.write(line)
            return
        try:
            with replaced(to) as file:
                for line in export_chain(connection, catalog):
                    file.write(line)
        except OSError as error:
            raise BadInput(error.strerror or str(error), str(to)) from error
    output.line(f"{catalog.seq} events of {catalog.name} written to {to}")


def import_(
    context: typer.Context,
    source: Annotated[Path, typer.Argument(metavar="[FILE|-]", show_default=False)] = Path("-"),
) -> None:
    """Take in a chain from another ledger; --catalog labels it here."""
    from ledger.errors import BadInput
    from ledger.store.ship import import_chain

    with context.obj.open(read_only=False) as ledger:
        label = ledger.settings.catalog
        if str(source) == "-":
            done = import_chain(ledger.store, sys.stdin.buffer, label)
        else:
            try:
                with source.open("rb") as file:
                    done = import_chain(ledger.store, file, label)
            except OSError as error:
                raise BadInput(error.strerror or str(error), str(source)) from error
    output.line(f"{done.appended} events taken into {done.catalog}, {done.known} were there; head {done.head.text()}")
