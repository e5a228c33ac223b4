"""What every answer says besides itself: the moment it speaks of, and how far it can be trusted."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from cli import output

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledger.bootstrap import Ledger
    from ledger.services.moments import Moment
    from ledger.store.engine import Connection
    from ledger.store.store import Catalog


@contextmanager
def asked(
    context: typer.Context, *, as_of: str | None = None, occurred: str | None = None, zone: str | None = None
) -> Iterator[tuple[Ledger, Connection, Catalog, Moment]]:
    """The ledger opened for reading, at the moment that the options mean."""
    from ledger.services.views import clock_warning, moment_asked
    from ledger.store.store import find_catalog

    with context.obj.open(read_only=True) as ledger, ledger.store.engine.reading() as connection:
        catalog = find_catalog(connection, ledger.settings.catalog)
        moment = moment_asked(connection, catalog, as_of=as_of, occurred=occurred, zone=zone)
        warning = clock_warning(catalog)
        if warning:
            typer.echo(f"warning: {warning}", err=True)
        yield ledger, connection, catalog, moment


def footer(
    catalog: Catalog,
    moment: Moment,
    *,
    stale: str | None = None,
    coverage: list[dict[str, Any]] | None = None,
) -> None:
    """The last lines of a text answer."""
    from ledger.clock import iso

    by = " (claimed)" if moment.is_claimed else ""
    output.line(f"as of {moment.seq}{by}, recorded {iso(moment.recorded_us)}; head {catalog.seq}")
    if stale:
        output.line(f"STALE: {output.printable(stale)}")
    for each in coverage or ():
        last = each["last_complete"]
        seen = f"last listed whole at {last['seq']}, {last['recorded_at']}" if last else "never listed whole"
        output.line(f"  {output.printable(each['server'])}: {seen}")
