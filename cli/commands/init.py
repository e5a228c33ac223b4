"""`catledger init`: create or upgrade the ledger."""

from __future__ import annotations

import typer

from cli import output


def register(app: typer.Typer) -> None:
    app.command()(init)


def init(context: typer.Context) -> None:
    """Create the ledger, or bring it to the newest schema."""
    from ledger.bootstrap import make_engine
    from ledger.config import shown_database
    from ledger.errors import NewerLedger
    from ledger.store.store import KNOWN_REVISIONS, REVISION

    settings = context.obj.settings()
    engine = make_engine(settings, read_only=False)
    try:
        before = engine.revision()
        if before is not None and before not in KNOWN_REVISIONS:
            raise NewerLedger(engine.location, before)
        if before != REVISION:
            engine.create_or_upgrade()
    finally:
        engine.close()
    done = "is up to date" if before == REVISION else "created" if before is None else f"upgraded from {before}"
    output.line(f"{shown_database(settings.database)} {done} (schema {REVISION})")
