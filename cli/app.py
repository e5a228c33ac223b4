"""The Typer application: global options, and what a command gets to work with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from cli.lazy import LazyGroup

if TYPE_CHECKING:
    from ledger.bootstrap import Ledger
    from ledger.config import Settings

# Without rich: it would treble the start-up of every command, and plain help reads well.
app = typer.Typer(
    name="catledger",
    cls=LazyGroup,
    help="A flight recorder for MCP tool catalogs.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@dataclass(frozen=True)
class Words:
    """What stood before the command's name."""

    db: str | None
    catalog: str | None
    debug: bool

    def settings(self) -> Settings:
        from ledger.config import load_settings

        return load_settings(db=self.db, catalog=self.catalog)

    def open(self, *, read_only: bool) -> Ledger:
        from ledger.bootstrap import open_ledger

        return open_ledger(self.settings(), read_only=read_only)


def _print_version(wanted: bool) -> None:
    if wanted:
        from ledger import __version__

        typer.echo(f"catledger {__version__}")
        raise typer.Exit


@app.callback()
def catledger(
    context: typer.Context,
    db: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Path or URL of the ledger [env: CATLEDGER_DB].", show_default=False),
    ] = None,
    catalog: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The catalog meant, where there are several.", show_default=False),
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show a traceback with an error.")] = False,
    version: Annotated[  # noqa: ARG001 - the callback prints it
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    context.obj = Words(db, catalog, debug)
