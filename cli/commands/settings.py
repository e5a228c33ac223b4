"""`catledger settings`: each setting with its value, its default and where the value came from."""

from __future__ import annotations

import typer

from cli import output
from cli.options import JsonOption


def register(app: typer.Typer) -> None:
    app.command()(settings)


def settings(context: typer.Context, as_json: JsonOption = False) -> None:
    """List every setting with its value, its default and where the value came from."""
    from ledger.config import shown_database

    found = context.obj.settings()
    values = {
        "db": shown_database(found.database),
        "state_home": str(found.state_home),
        "catalog": found.catalog or "",
        "actor": found.actor,
        "receipts_dir": str(found.receipts_dir),
        "key_file": str(found.key_file),
    }
    rows = [
        {
            "name": each.setting.names[0],
            "value": values.get(each.setting.key, _text(each.value)),
            "default": each.setting.default,
            "source": each.source,
            "meaning": each.setting.meaning,
        }
        for each in found.effective
    ]
    if as_json:
        output.document("settings", {"settings": rows})
        return
    output.table([(row["name"], row["value"], f"({row['source']})") for row in rows])


def _text(value: object) -> str:
    return str(int(value)) if isinstance(value, bool | float) else str(value)
