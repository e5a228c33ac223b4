"""`catledger erase`: blank a payload or a document on purpose."""

from __future__ import annotations

from typing import Annotated

import typer

from cli import output


def register(app: typer.Typer) -> None:
    app.command()(erase)


def erase(
    context: typer.Context,
    target: Annotated[str, typer.Argument(metavar="POSITION|DIGEST", help="The event or the document to blank.")],
    reason: Annotated[str, typer.Option(help="Why; it is recorded for ever.")],
) -> None:
    """Blank a payload or a document; the chain stays whole and says who did it and why."""
    from ledger.canon.digest import is_digest
    from ledger.services.erase import erase_document, erase_event
    from ledger.services.moments import exact_position
    from ledger.store.store import find_catalog

    with context.obj.open(read_only=False) as ledger:
        recorder = ledger.recorder()
        if is_digest(target):
            done = erase_document(ledger.store, recorder, target, reason)
        else:
            with ledger.store.engine.reading() as connection:
                catalog = find_catalog(connection, ledger.settings.catalog)
                seq = exact_position(connection, catalog, target)
            done = erase_event(ledger.store, recorder, catalog.name, seq, reason)
    said = ", ".join(f"{catalog}:{seq}" for catalog, seq in done.by)
    output.line(f"erased {done.target}; recorded at {said}")
    output.line("  chain exports, backups and copies made before still hold it: delete or erase those as well")
