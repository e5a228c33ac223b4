"""`catledger drift`: where intended and reality parted, and met again."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import output
from cli.answers import asked, footer
from cli.options import JsonLinesOption, JsonOption, ZoneOption

if TYPE_CHECKING:
    from ledger.bootstrap import Ledger

_POLL_S = 0.5


def register(app: typer.Typer) -> None:
    app.command()(drift)


def drift(
    context: typer.Context,
    only_open: Annotated[bool, typer.Option("--open", help="Only what stands open now.")] = False,
    since: Annotated[str | None, typer.Option(metavar="MOMENT", help="Only what happened after this moment.")] = None,
    tool: Annotated[str | None, typer.Option(metavar="TOOL", help="Only this tool (name or server::tool).")] = None,
    follow: Annotated[bool, typer.Option("--follow", help="Go on printing as drift opens and closes.")] = False,
    zone: ZoneOption = None,
    as_json: JsonOption = False,
    as_jsonl: JsonLinesOption = False,
) -> None:
    """Print the drift log, or what stands open."""
    from ledger.services.drift import drift_basis, drift_log, open_drift, require_known_tool
    from ledger.services.moments import position_of
    from ledger.services.views import position_fields, read_view

    with asked(context, zone=zone) as (_, connection, found, moment):
        basis = drift_basis(connection, found, moment)
        stale = read_view(connection, found, "drift", moment).stale
        if only_open:
            entries = [each for each in open_drift(connection, found, moment) if _is_meant(each, tool)]
        else:
            first = 0 if since is None else position_of(connection, found, since, zone=zone).seq + 1
            entries = drift_log(connection, found, first, found.seq, tool)
        if tool is not None and not entries:
            require_known_tool(connection, found, tool)
        if as_json:
            fields = {**position_fields(found, moment), "basis": basis, "stale": stale, "drift": entries}
            output.document("drift", fields)
            return
        _print(entries, as_jsonl)
        if not as_jsonl:
            output.line(f"{len(entries)} entries; basis: {basis}")
            footer(found, moment, stale=stale)
    if follow:
        with context.obj.open(read_only=True) as ledger:
            _follow(ledger, found.name, found.seq, tool, as_jsonl)


def _is_meant(entry: dict[str, Any], tool: str | None) -> bool:
    return tool is None or tool in (entry["key"], entry["tool"], entry.get("name"))


def _print(entries: list[dict[str, Any]], as_jsonl: bool) -> None:
    if as_jsonl:
        for each in entries:
            output.json_line(each)
        return
    rows = [
        (
            str(each.get("seq", each["since"])),
            each["state"] + (" (waived)" if "waived" in each else ""),
            each["key"],
            each["category"],
            str(each["reason"]),
        )
        for each in entries
    ]
    output.table(rows)


def _follow(ledger: Ledger, name: str, seen: int, tool: str | None, as_jsonl: bool) -> None:
    from ledger.services.drift import drift_log
    from ledger.store.store import find_catalog

    while True:
        sys.stdout.flush()
        time.sleep(_POLL_S)
        with ledger.store.engine.reading() as connection:
            now = find_catalog(connection, name)
            if now.seq > seen:
                _print(drift_log(connection, now, seen + 1, now.seq, tool), as_jsonl)
                seen = now.seq
