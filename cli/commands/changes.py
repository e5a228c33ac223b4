"""`catledger changes`: what is different since a moment; the morning read."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from cli import output
from cli.answers import asked, footer
from cli.options import JsonLinesOption, JsonOption, ZoneOption


def register(app: typer.Typer) -> None:
    app.command()(changes)


def changes(
    context: typer.Context,
    since: Annotated[str, typer.Option(metavar="MOMENT", help="Compare with how it was then.")],
    zone: ZoneOption = None,
    as_json: JsonOption = False,
    as_jsonl: JsonLinesOption = False,
) -> None:
    """Print what changed since a moment, over all projections, the shortest list first."""
    from ledger.services.changes import changes_between
    from ledger.services.moments import position_of
    from ledger.services.views import position_fields

    with asked(context) as (_, connection, found, moment):
        before = position_of(connection, found, since, zone=zone)
        rows = changes_between(connection, found, before, moment)
    if as_json:
        fields = {**position_fields(found, moment), "since": {"seq": int(before.seq)}, "changes": rows}
        output.document("changes", fields)
        return
    if as_jsonl:
        for each in rows:
            output.json_line(each)
        return
    output.line(f"{len(rows)} changes in {found.name} since {before.seq} ({before.understood})")
    output.table([(each["projection"], each["change"], each["key"], _fields(each)) for each in rows], indent="  ")
    footer(found, moment)


def _fields(change: dict[str, Any]) -> str:
    return ", ".join(change["fields"])
