"""`catledger status`: one screen."""

from __future__ import annotations

from typing import Any

import typer

from cli import output
from cli.options import JsonOption


def register(app: typer.Typer) -> None:
    app.command()(status)


def status(context: typer.Context, as_json: JsonOption = False) -> None:
    """Print catalogs, heads, coverage, open drift, escalated schemas, stalls and receipts on one screen."""
    from ledger.config import shown_database
    from ledger.services.status import catalog_status
    from ledger.store.store import find_catalog, list_catalogs

    with context.obj.open(read_only=True) as ledger:
        facts = ledger.store.engine.facts()
        with ledger.store.engine.reading() as connection:
            wanted = ledger.settings.catalog
            catalogs = [find_catalog(connection, wanted)] if wanted else list_catalogs(connection)
            if not catalogs:
                find_catalog(connection, None)
            found = [catalog_status(connection, each, ledger.store.receipts) for each in catalogs if each.seq]
    if as_json:
        output.document(
            "status", {"ledger": shown_database(ledger.settings.database), "engine": facts, "catalogs": found}
        )
        return
    output.line(f"{shown_database(ledger.settings.database)} ({facts['engine']})")
    for each in found:
        _print(each)


def _print(catalog: dict[str, Any]) -> None:
    head, receipt = catalog["head"], catalog["receipt"]
    remote = " (remote)" if catalog["is_remote"] else ""
    noted = (
        "no receipt"
        if receipt is None
        else "receipt current"
        if receipt["is_current"]
        else f"receipt at {receipt['seq']}"
    )
    output.line(f"{catalog['catalog']}{remote}: head {head['seq']}, {head['recorded_at']}; {noted}")
    drift = f"{catalog['open_drift']} open, {catalog['waived_drift']} waived (basis: {catalog['basis']})"
    check = catalog["last_check"]
    rows = [
        ("drift", drift),
        ("schemas", f"{len(catalog['escalated'])} escalated, {catalog['pending']} pending"),
        (
            "last check",
            "none" if check is None else f"{check['result']} at {check['seq']}, {check['recorded_at']}",
        ),
    ]
    output.table([*rows, *[("STALE", text) for text in catalog["stalls"]]], indent="  ")
    output.table([_server(each) for each in catalog["servers"]], indent="  ")


def _server(server: dict[str, Any]) -> tuple[str, ...]:
    last = server["last_complete"]
    listed = f"listed at {last['seq']}, {last['recorded_at']}" if last else "never listed whole"
    failing = f", {server['failures']} failures since" if server["failures"] else ""
    return ("server", server["server"], server["health"] or "-", listed + failing)
