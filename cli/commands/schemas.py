"""`catledger schemas`: which output schemas are trusted."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from cli import output
from cli.answers import asked, footer
from cli.options import AsOfOption, JsonOption, OccurredOption, ZoneOption

_APART = ("locked", "untyped")


def register(app: typer.Typer) -> None:
    app.command()(schemas)


def schemas(
    context: typer.Context,
    pending_only: Annotated[bool, typer.Option("--pending-only", help="Only what is not validated yet.")] = False,
    as_of: AsOfOption = None,
    occurred: OccurredOption = None,
    zone: ZoneOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the adoption state of every output schema; locked and untyped ones stand apart."""
    from ledger.services.views import position_fields, read_view

    with asked(context, as_of=as_of, occurred=occurred, zone=zone) as (_, connection, found, moment):
        view = read_view(connection, found, "schemas", moment)
    rows = sorted(view.tools().items())
    if pending_only:
        rows = [(key, row) for key, row in rows if row["state"] in {"pending", "failed"}]
    if as_json:
        tools = [{"key": key, **row} for key, row in rows]
        output.document("schemas", {**position_fields(found, moment), "stale": view.stale, "schemas": tools})
        return
    shown = [(key, row) for key, row in rows if row["state"] not in _APART and not row.get("quiet")]
    output.line(f"output schemas of {found.name}: {len(shown)} in adoption")
    output.table([_line(key, row) for key, row in shown], indent="  ")
    for state in _APART:
        apart = [key for key, row in rows if row["state"] == state]
        if apart:
            output.line(f"{state}: {output.printable(', '.join(apart))}")
    quiet = sum(bool(row.get("quiet")) for _, row in rows)
    if quiet:
        output.line(f"{quiet} validated long ago and quiet")
    footer(found, moment, stale=view.stale)


def _line(key: str, row: dict[str, Any]) -> tuple[str, ...]:
    marks = [name for name in ("escalated", "promotable") if row.get(name)]
    return (
        key,
        row["state"],
        f"ok {row['ok']}, bad {row['bad']}",
        " ".join(marks),
        str(row.get("hash") or "-"),
    )
