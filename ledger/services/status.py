"""Status: the whole ledger on one screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ledger.clock import iso
from ledger.projections.rows import read_projections
from ledger.services.drift import drift_basis, open_drift
from ledger.services.moments import at_head
from ledger.services.views import read_view, staleness
from ledger.store.read import StoredEvent, read_backward

if TYPE_CHECKING:
    from ledger.store.engine import Connection
    from ledger.store.receipts import Receipts
    from ledger.store.store import Catalog


def catalog_status(connection: Connection, catalog: Catalog, receipts: Receipts) -> dict[str, Any]:
    """What an operator wants to know of one catalog first."""
    moment = at_head(connection, catalog)
    schemas = read_view(connection, catalog, "schemas", moment).tools()
    servers = read_view(connection, catalog, "servers", moment).rows
    drift = open_drift(connection, catalog, moment)
    receipt = receipts.of(catalog.chain_id)
    stored = read_projections(connection, catalog).values()
    return {
        "catalog": catalog.name,
        "is_remote": bool(catalog.is_remote),
        "head": {"seq": catalog.seq, "hash": catalog.hash.hex(), "recorded_at": iso(catalog.recorded_us)},
        "basis": drift_basis(connection, catalog, moment),
        "open_drift": len([each for each in drift if "waived" not in each]),
        "waived_drift": len([each for each in drift if "waived" in each]),
        "escalated": sorted(key for key, row in schemas.items() if row.get("escalated") and row.get("in_render")),
        "pending": sum(row["state"] == "pending" for row in schemas.values()),
        "stalls": [text for text in (staleness(row, catalog.seq) for row in stored) if text],
        "servers": [_server(key, row) for key, row in sorted(servers.items()) if key.startswith("server/")],
        "receipt": None if receipt is None else {"seq": receipt.seq, "is_current": receipt == catalog.head},
        "last_check": _last_check(connection, catalog),
    }


def _server(key: str, row: dict[str, Any]) -> dict[str, Any]:
    last, covered = row.get("last_complete"), row.get("covered_until_us")
    return {
        "server": key.removeprefix("server/"),
        "health": (row.get("health") or {}).get("state"),
        "last_complete": None if last is None else {"seq": last["seq"], "recorded_at": iso(last["recorded_us"])},
        "failures": row.get("failures", 0),
        "covered_until": None if covered is None else iso(covered),
    }


def _last_check(connection: Connection, catalog: Catalog) -> dict[str, Any] | None:
    for row in read_backward(connection, catalog, catalog.seq, kind="parity.asserted"):
        event = StoredEvent(*row)
        fields = event.fields() or {}
        return {"seq": int(event.seq), "recorded_at": iso(event.recorded_us), "result": fields.get("result")}
    return None
