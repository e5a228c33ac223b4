"""`catledger show`: one event with its payload and its neighbours."""

from __future__ import annotations

from typing import Annotated

import typer

from cli import output
from cli.options import JsonOption


def register(app: typer.Typer) -> None:
    app.command()(show)


def show(
    context: typer.Context,
    position: Annotated[str, typer.Argument(metavar="POSITION", help="A sequence number or an event id.")],
    full: Annotated[bool, typer.Option("--full", help="With every definition inlined.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show one event with its payload, its neighbours in the chain, and what it changed in each projection."""
    import orjson

    from ledger.services.log import event_fields
    from ledger.services.moments import exact_position
    from ledger.services.show import changed_rows, neighbours
    from ledger.store.read import read_event
    from ledger.store.store import find_catalog

    with context.obj.open(read_only=True) as ledger, ledger.store.engine.reading() as connection:
        catalog = find_catalog(connection, ledger.settings.catalog)
        event = read_event(connection, catalog, exact_position(connection, catalog, position))
        fields = event_fields(connection, catalog, event, payload=True, full=full)
        around = neighbours(connection, catalog, event.seq)
        changed = changed_rows(connection, catalog, event.seq)
    if as_json:
        output.document("event", {"event": fields, "neighbours": around, "changed": changed})
        return
    payload = fields.pop("payload")
    output.line(f"event {event.seq} of {catalog.name}: {event.kind}")
    rows = [(name, value if isinstance(value, str) else orjson.dumps(value).decode()) for name, value in fields.items()]
    output.table(rows, indent="  ")
    output.line("payload")
    text = "(erased)" if payload is None else orjson.dumps(payload, option=orjson.OPT_INDENT_2).decode()
    for each in text.splitlines():
        output.line("  " + output.printable(each))
    output.line("neighbours")
    output.table([(str(each["seq"]), str(each["kind"]), str(each["hash"])) for each in around], indent="  ")
    output.line("changed" if changed else "changed nothing")
    output.table([(each["projection"], each["key"], each["change"]) for each in changed], indent="  ")
