"""`catledger log`: the events, oldest first."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from cli import output
from cli.options import JsonLinesOption, JsonOption

if TYPE_CHECKING:
    from ledger.bootstrap import Ledger
    from ledger.store.store import Catalog

_POLL_S = 0.5


def register(app: typer.Typer) -> None:
    app.command()(log)


def log(
    context: typer.Context,
    kind: Annotated[str | None, typer.Option(metavar="KIND", help="Only events of this kind.")] = None,
    server: Annotated[str | None, typer.Option(metavar="NAME", help="Only events of this server.")] = None,
    since: Annotated[str | None, typer.Option(metavar="MOMENT", help="Only events after this moment.")] = None,
    until: Annotated[str | None, typer.Option(metavar="MOMENT", help="Only events up to this moment.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the newest so many.")] = None,
    follow: Annotated[bool, typer.Option("--follow", help="Go on printing events as they are recorded.")] = False,
    payload: Annotated[bool, typer.Option("--payload", help="With the stored payload (JSON only).")] = False,
    full: Annotated[bool, typer.Option("--full", help="With the payload and every definition inlined.")] = False,
    as_json: JsonOption = False,
    as_jsonl: JsonLinesOption = False,
) -> None:
    """Print events, oldest first."""
    from ledger.services.log import event_fields, read_log
    from ledger.services.moments import position_of
    from ledger.store.store import find_catalog

    with context.obj.open(read_only=True) as ledger:
        with ledger.store.engine.reading() as connection:
            catalog = find_catalog(connection, ledger.settings.catalog)
            first = 1 if since is None else position_of(connection, catalog, since).seq + 1
            last = None if until is None else position_of(connection, catalog, until).seq
            events = read_log(connection, catalog, first=first, last=last, kind=kind, server=server, limit=limit)
            shown = (event_fields(connection, catalog, event, payload=payload, full=full) for event in events)
            if as_json:
                fields = {"catalog": catalog.name, "head": {"seq": catalog.seq}, "events": list(shown)}
                output.document("log", fields)
            else:
                for event in shown:
                    _print(event, as_jsonl)
        if follow and not as_json:
            _follow(ledger, catalog, kind, server, as_jsonl, payload=payload, full=full)


def _follow(
    ledger: Ledger,
    catalog: Catalog,
    kind: str | None,
    server: str | None,
    as_jsonl: bool,
    *,
    payload: bool,
    full: bool,
) -> None:
    import sys

    from ledger.services.log import event_fields, read_log
    from ledger.store.store import find_catalog

    seen = catalog.seq
    while True:
        sys.stdout.flush()
        time.sleep(_POLL_S)
        with ledger.store.engine.reading() as connection:
            now = find_catalog(connection, catalog.name)
            if now.seq > seen:
                for event in read_log(connection, now, first=seen + 1, kind=kind, server=server):
                    _print(event_fields(connection, now, event, payload=payload, full=full), as_jsonl)
                seen = now.seq


def _print(event: dict[str, object], as_jsonl: bool) -> None:
    if as_jsonl:
        output.json_line(event)
        return
    moment = str(event["recorded_at"])[:19].replace("T", " ")
    output.line(
        f"{event['seq']:>7}  {moment}  {event['kind']:<22} {output.printable(str(event['actor']))}"
        + ("  (erased)" if event.get("erased") else "")
    )
