"""`catledger diff`: two catalogs, by tool and by field."""

from __future__ import annotations

from typing import Annotated

import typer

from cli import output
from cli.answers import asked, footer
from cli.options import JsonOption, ZoneOption

_SIDE = "`intended`, `live` or `descriptors`; with `@` and a moment, as it was then."


def register(app: typer.Typer) -> None:
    app.command()(diff)


def diff(
    context: typer.Context,
    a: Annotated[str, typer.Argument(metavar="[A]", help=_SIDE)] = "intended",
    b: Annotated[str, typer.Argument(metavar="[B]", help=_SIDE)] = "live",
    zone: ZoneOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare two catalogs by tool and field; exit 1 when they differ."""
    from ledger.services.diff import diff as compare

    with asked(context, zone=zone) as (_, connection, found, moment):
        compared = compare(connection, found, a, b, zone=zone)
    if as_json:
        changes = [each.payload() for each in compared.changes]
        output.document("diff", {"a": compared.a, "b": compared.b, "equal": not changes, "changes": changes})
    else:
        sides = [f"{side['projection']}@{side['as_of']['seq']}" for side in (compared.a, compared.b)]
        found_so = f"{len(compared.changes)} differences" if compared.changes else "equal"
        output.line(f"{found_so}: {sides[0]} to {sides[1]}")
        for each in compared.changes:
            output.line(str(each))
        footer(found, moment, stale=compared.a["stale"] or compared.b["stale"])
    raise typer.Exit(1 if compared.changes else 0)
