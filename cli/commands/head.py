"""`catledger head`: the thing to keep elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from cli import output
from cli.options import JsonOption

if TYPE_CHECKING:
    from ledger.store.store import Catalog


def register(app: typer.Typer) -> None:
    app.command()(head)


def head(context: typer.Context, as_json: JsonOption = False) -> None:
    """Print `chain epoch seq hash` of each catalog: keep it elsewhere, and give it to `verify --anchor`."""
    from ledger.store.store import find_catalog, list_catalogs

    with context.obj.open(read_only=True) as ledger, ledger.store.engine.reading() as connection:
        if ledger.settings.catalog is not None:
            catalogs = [find_catalog(connection, ledger.settings.catalog)]
        else:
            catalogs = list_catalogs(connection)
            if not catalogs:
                find_catalog(connection, None)
    if as_json:
        output.document("head", {"heads": [_fields(catalog) for catalog in catalogs]})
        return
    for catalog in catalogs:
        output.line(catalog.head.text())


def _fields(catalog: Catalog) -> dict[str, object]:
    return {
        "catalog": catalog.name,
        "chain": catalog.chain_id.hex(),
        "epoch": catalog.epoch,
        "seq": catalog.seq,
        "hash": catalog.hash.hex(),
        "is_remote": bool(catalog.is_remote),
    }
