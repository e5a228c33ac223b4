"""Standing: all that the projections say of one tool at a position, and whether it is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from ledger.projections.rows import read_history, read_projections
from ledger.projections.waivers import EVERYTHING, waiver_of
from ledger.services.views import read_view, read_view_row

if TYPE_CHECKING:
    from ledger.projections.fold import Row
    from ledger.services.moments import Moment
    from ledger.store.engine import Connection
    from ledger.store.store import Catalog

Verdict = Literal["present", "missing", "degraded", "unknown"]
FALLBACKS: Final = ("prior_override", "generic_wrapper")
ABSENT_HEALTH: Final = {"down": "server_down", "disabled": "server_disabled"}
# Which projection shows whether a tool is there, by the basis of drift.
_SHOWN_IN: Final = {"served": "live", "listed": "descriptors"}


@dataclass(frozen=True)
class Standing:
    """The rows that concern one tool at a position; None where there is none."""

    key: str
    moment: Moment
    basis: str
    intended: Row | None
    hidden: Row | None
    render: Row | None
    live: Row | None
    omitted: Row | None
    serving: Row | None
    listed: Row | None
    listing: Row | None
    schema: Row | None
    watch: Row | None
    drift: Row | None
    waiver: Row | None
    namesake: tuple[str, Row] | None

    @property
    def server(self) -> str:
        return self.key.partition("::")[0]

    @property
    def tool(self) -> str:
        return self.key.partition("::")[2]

    @property
    def health(self) -> Row:
        """The state, reason and beginning of the server's health; empty where nobody spoke of it."""
        return (self.watch or {}).get("health") or {}

    @property
    def is_failing(self) -> bool:
        """Whether the server could not be listed since it last was."""
        return bool((self.watch or {}).get("failures"))

    @property
    def last_complete(self) -> dict[str, Any] | None:
        return (self.watch or {}).get("last_complete")


def read_standing(connection: Connection, catalog: Catalog, key: str, moment: Moment) -> Standing:
    """Everything known of a tool at a moment: one seek a row, and one view of what was served."""

    def row(projection: str, name: str) -> Row | None:
        return read_view_row(connection, catalog, projection, name, moment)

    server, _, tool = key.partition("::")
    basis, intended, drift = row("drift", "@basis"), row("intended", key), row("drift", key)
    name = str((intended or {}).get("name") or tool)
    waivers = {f"waiver/{each}": row("drift", f"waiver/{each}") for each in (key, name, server, EVERYTHING)}
    known = {place: found for place, found in {**waivers, key: drift}.items() if found is not None}
    return Standing(
        key=key,
        moment=moment,
        basis=str(basis["basis"]) if basis else "none",
        intended=intended,
        hidden=row("intended", f"hidden/{key}"),
        render=row("intended", "@render"),
        live=row("live", key),
        omitted=row("live", f"omitted/{key}") or row("live", f"omitted/{name}"),
        serving=row("live", "@serving"),
        listed=row("descriptors", key),
        listing=row("descriptors", f"@server/{server}"),
        schema=row("schemas", key),
        watch=row("servers", f"server/{server}"),
        drift=drift,
        waiver=waiver_of(known, key, moment.judged_us),
        namesake=_namesake(connection, catalog, key, name, moment),
    )


def _namesake(connection: Connection, catalog: Catalog, key: str, name: str, moment: Moment) -> tuple[str, Row] | None:
    """The other tool that clients were served under the name of this one."""
    served = read_view(connection, catalog, "live", moment).tools()
    return next(((other, row) for other, row in sorted(served.items()) if other != key and row["name"] == name), None)


def verdict_of(standing: Standing) -> Verdict:
    """Whether the tool is there. Silence, failures and partial listings never make it missing."""
    if standing.basis == "served":
        return _as_served(standing)
    return _as_listed(standing) if standing.basis == "listed" else "unknown"


def _as_served(standing: Standing) -> Verdict:
    if standing.live is not None:
        return "degraded" if standing.live.get("schema_source") in FALLBACKS else "present"
    return "unknown" if (standing.serving or {}).get("erased") else "missing"


def _as_listed(standing: Standing) -> Verdict:
    # 1. a server that is down or disabled shows nothing
    # 2. the last complete listing lacks it
    # 3. it was listed, but the server could not be listed since: nobody can say
    if standing.health.get("state") in ABSENT_HEALTH:
        return "missing"
    if standing.listed is None or standing.listed["state"] == "gone":
        is_told = standing.last_complete is not None and not (standing.listing or {}).get("erased")
        return "missing" if is_told else "unknown"
    return "unknown" if standing.is_failing else "present"


@dataclass(frozen=True)
class Spell:
    """Since which position the tool is there or is not, and the last position at which it was; None: never."""

    since: int | None
    last_present: int | None


def read_spell(connection: Connection, catalog: Catalog, standing: Standing) -> Spell:
    """The present span of a tool's life, from the history of what shows it."""
    stored = read_projections(connection, catalog).get(_SHOWN_IN.get(standing.basis, ""))
    since = last_present = None
    shown: str | None = None
    last = standing.moment.seq
    history = read_history(connection, stored.projection_id, standing.key, 0, last) if stored else ()
    for seq, row in history:
        state = _shown(row)
        if shown == "present" and state != "present":
            last_present = seq - 1
        if state != shown:
            since, shown = seq, state
    return Spell(since, int(last) if shown == "present" else last_present)


def _shown(row: Row | None) -> str:
    if row is None or row.get("state", "listed") != "listed":
        return "missing"
    return "degraded" if row.get("schema_source") in FALLBACKS else "present"
