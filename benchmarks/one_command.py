"""The baseline of cold_help: a Typer application with one command, and with our switches and global options."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(
    name="one",
    help="One command.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.command()
def one(
    db: Annotated[str | None, typer.Option(metavar="URL", help="Path or URL.", show_default=False)] = None,
    catalog: Annotated[str | None, typer.Option(metavar="NAME", help="A name.", show_default=False)] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show a traceback with an error.")] = False,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Print what was given."""
    typer.echo(f"{db} {catalog} {debug} {version}")


if __name__ == "__main__":
    app()
