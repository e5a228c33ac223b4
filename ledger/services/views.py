"""Views: a projection's rows at a moment, with what the reader must know to judge them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ledger.clock import SystemClock, iso
from ledger.errors import BadInput, UnknownProjection
from ledger.projections.rows import read_projections, read_row, read_rows, state_digest
from ledger.services.moments import at_head, position_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledger.clock import Clock
    from ledger.projections.fold import Row
    from ledger.projections.rows import ProjectionRow
    from ledger.services.moments import Moment
    from ledger.store.engine import Connection
    from ledger.store.store import Catalog


@dataclass(frozen=True)
class View:
    """The rows of one projection at a moment; `stale` says why they may be older than asked."""

    projection: str
    moment: Moment
    rows: dict[str, Row]
    since: dict[str, int]
    stale: str | None

    def digest(self) -> str:
        return state_digest(self.rows.items())

    def tools(self) -> dict[str, Row]:
        """The rows that are tools: their keys name a server and a tool."""
        return {key: row for key, row in self.rows.items() if is_tool(key)}


def is_tool(key: str) -> bool:
    """Whether a key is a tool's own; what is said about a tool stands under a prefix."""
    return "::" in key and not key.startswith(("hidden/", "omitted/", "waiver/"))


def moment_asked(
    connection: Connection,
    catalog: Catalog,
    *,
    as_of: str | None = None,
    occurred: str | None = None,
    zone: str | None = None,
    clock: Clock | None = None,
) -> Moment:
    """The moment that the reader's options mean; the head where they say nothing."""
    if occurred is not None and as_of is not None:
        raise BadInput("one moment at a time: recorded (--as-of) or claimed (--occurred)", "--occurred")
    if occurred is not None:
        return position_of(connection, catalog, occurred, zone=zone, clock=clock, claimed=True)
    if as_of is not None:
        return position_of(connection, catalog, as_of, zone=zone, clock=clock)
    return at_head(connection, catalog, clock)


def read_view(connection: Connection, catalog: Catalog, name: str, moment: Moment) -> View:
    """A projection at a moment: one seek per key, however long the history is."""
    row = _stored(connection, catalog, name)
    found = list(read_rows(connection, row.projection_id, min(moment.seq, row.position)))
    rows = {key: state for key, _, state in found}
    return View(name, moment, rows, {key: since for key, since, _ in found}, staleness(row, moment.seq))


def read_view_row(connection: Connection, catalog: Catalog, name: str, key: str, moment: Moment) -> Row | None:
    row = _stored(connection, catalog, name)
    found = read_row(connection, row.projection_id, key, min(moment.seq, row.position))
    return None if found is None else found[1]


def staleness(row: ProjectionRow, asked: int) -> str | None:
    """Why a projection cannot answer for `asked`: stalled by an error, or frozen since an upgrade."""
    if row.position >= asked:
        return None
    if row.stalled is not None:
        return f"{row.name} is stale since {row.position + 1}: {row.stalled}"
    return f"{row.name} is stale since {row.position + 1}: its fold has another version; run `catledger rebuild`"


def _stored(connection: Connection, catalog: Catalog, name: str) -> ProjectionRow:
    row = read_projections(connection, catalog).get(name)
    if row is None:
        raise UnknownProjection(catalog.name, name)
    return row


def position_fields(catalog: Catalog, moment: Moment) -> dict[str, Any]:
    """What every answer states: the position it speaks of, how it was found, and the head."""
    return {
        "catalog": catalog.name,
        "as_of": {
            "seq": int(moment.seq),
            "recorded_at": iso(moment.recorded_us),
            "understood": moment.understood,
            "claimed": moment.is_claimed,
        },
        "head": {"seq": catalog.seq},
    }


def coverage_of(
    connection: Connection, catalog: Catalog, moment: Moment, servers: Iterable[str]
) -> list[dict[str, Any]]:
    """The last complete observation of each server concerned, as known at the moment."""
    found = []
    for server in sorted(set(servers) - {"?"}):
        row = read_view_row(connection, catalog, "servers", f"server/{server}", moment)
        last = row.get("last_complete") if row else None
        complete = None if last is None else {"seq": last["seq"], "recorded_at": iso(last["recorded_us"])}
        found.append({"server": server, "last_complete": complete})
    return found


def clock_warning(catalog: Catalog, clock: Clock | None = None) -> str | None:
    """Said with every answer while the head was recorded later than the clock says it is."""
    ahead = catalog.recorded_us - (clock or SystemClock()).now_us()
    if ahead <= 0:
        return None
    return f"the head was recorded {ahead / 1e6:.0f} s ahead of this machine's clock: times may mislead"
