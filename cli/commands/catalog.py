"""`catledger catalog`: what should be, what was served, what servers listed."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from cli import output
from cli.answers import asked, footer
from cli.options import AsOfOption, JsonOption, OccurredOption, ZoneOption


class Projection(StrEnum):
    intended = "intended"
    live = "live"
    descriptors = "descriptors"


def register(app: typer.Typer) -> None:
    app.command()(catalog)


def catalog(
    context: typer.Context,
    projection: Annotated[Projection, typer.Argument(help="Which catalog.")],
    as_of: AsOfOption = None,
    occurred: OccurredOption = None,
    server: Annotated[str | None, typer.Option(metavar="NAME", help="Only this server's tools.")] = None,
    tool: Annotated[str | None, typer.Option(metavar="NAME", help="Only this tool.")] = None,
    full: Annotated[bool, typer.Option("--full", help="With whole definitions (JSON only).")] = False,
    zone: ZoneOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print a catalog, now or at any past moment."""
    from ledger.services.catalog import read_catalog

    with asked(context, as_of=as_of, occurred=occurred, zone=zone) as (_, connection, found, moment):
        answer = read_catalog(connection, found, projection.value, moment, server=server, tool=tool, full=full)
    if as_json:
        output.document("catalog", answer)
        return
    output.line(f"{projection.value} catalog of {found.name}: {len(answer['tools'])} tools")
    rows = [(each["name"], f"{each['server']}::{each['tool']}", f"since {each['since']}") for each in answer["tools"]]
    output.table(rows, indent="  ")
    if answer["omitted"]:
        output.line("left out")
        left_out = [
            (
                str(each.get("name") or f"{each.get('server')}::{each.get('tool')}"),
                str(each.get("reason", "")),
            )
            for each in answer["omitted"]
        ]
        output.table(left_out, indent="  ")
    footer(found, moment, stale=answer["stale"], coverage=answer["coverage"])
