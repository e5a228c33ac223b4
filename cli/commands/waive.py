"""`catledger waive`: accept a drift until a moment."""

from __future__ import annotations

from typing import Annotated

import typer

from cli import output
from cli.options import ZoneOption


def register(app: typer.Typer) -> None:
    app.command()(waive)


def waive(
    context: typer.Context,
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help="A tool, a server, or `all`.")],
    reason: Annotated[str, typer.Option(help="Why; it is recorded for ever.")],
    until: Annotated[str, typer.Option(metavar="TIME", help="Until when it holds; a time that has passed revokes it.")],
    zone: ZoneOption = None,
) -> None:
    """Accept a drift until a moment: it stays in the log, marked, and the gate lets it pass."""
    from ledger.clock import SystemClock, from_micros, iso, to_micros
    from ledger.services.moments import time_meant
    from ledger.services.waive import subject_meant, waiver
    from ledger.store.store import find_catalog

    now_us = SystemClock().now_us()
    end = time_meant(until.strip(), from_micros(now_us), zone)
    with context.obj.open(read_only=False) as ledger:
        with ledger.store.engine.reading() as connection:
            catalog = find_catalog(connection, ledger.settings.catalog)
            meant = subject_meant(connection, catalog, subject)
        line = waiver(meant, reason=reason, until=end, approved_by=ledger.settings.actor)
        done = ledger.recorder().record(catalog.name, [line])
    deed = "waived" if to_micros(end) > now_us else "no longer waived:"
    output.line(f"{deed} {output.printable(meant)} until {iso(to_micros(end))}; recorded at {done.head.seq}")
