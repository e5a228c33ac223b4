"""Check: the gates that CI asks, from the rows at the head and a fold of the events from zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ledger.errors import Damaged
from ledger.exports.gates import Finding, Gate
from ledger.projections.equality import compare
from ledger.projections.waivers import waiver_of
from ledger.services.drift import drift_basis, open_drift
from ledger.services.moments import at_head
from ledger.services.views import read_view
from ledger.store.anchors import reach
from ledger.store.chain import prove_head

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ledger.exports.gates import Result
    from ledger.projections.fold import Fold, Row
    from ledger.services.moments import Moment
    from ledger.store.engine import Connection
    from ledger.store.receipts import Receipts
    from ledger.store.store import Catalog


@dataclass(frozen=True)
class Checked:
    """The gates, and what parity was judged by."""

    moment: Moment
    basis: str
    gates: list[Gate]


def check(connection: Connection, catalog: Catalog, folds: Sequence[Fold], receipts: Receipts) -> Checked:
    """Ask every gate; one that had nothing to judge is `unchecked`, never a pass."""
    moment = at_head(connection, catalog)
    basis = drift_basis(connection, catalog, moment)
    gates = [
        _tail(connection, catalog, receipts),
        _projections(connection, catalog, folds),
        _schemas(connection, catalog, moment),
        _parity(connection, catalog, moment, basis),
    ]
    return Checked(moment, basis, gates)


def _tail(connection: Connection, catalog: Catalog, receipts: Receipts) -> Gate:
    """A ledger whose end is missing must not answer as if it were whole; `verify` proves the rest."""
    receipt = receipts.of(catalog.chain_id)
    try:
        prove_head(connection, catalog)
        if receipt is not None:
            reach(connection, catalog, receipt, "receipt")
    except Damaged as error:
        return Gate("tail", "damaged", (Finding("tail-lost", catalog.name, f"{error}; run `catledger verify`"),))
    return Gate("tail", "pass")


def _projections(connection: Connection, catalog: Catalog, folds: Sequence[Fold]) -> Gate:
    unequal = compare(connection, catalog, folds)
    findings = tuple(Finding("projection-equality", each.name, f"{each}; run `catledger rebuild`") for each in unequal)
    return Gate("projections", "fail" if findings else "pass", findings)


def _schemas(connection: Connection, catalog: Catalog, moment: Moment) -> Gate:
    rows = read_view(connection, catalog, "schemas", moment).tools()
    drift = read_view(connection, catalog, "drift", moment).rows
    findings = tuple(
        _escalated(key, row, waiver_of(drift, key, moment.judged_us))
        for key, row in sorted(rows.items())
        if row.get("escalated") and row.get("in_render")
    )
    if not rows:
        return Gate(
            "schemas",
            "unchecked",
            (Finding("nothing-to-check", "schemas", "no schema was ever in use", "notice"),),
        )
    return Gate("schemas", _result(findings), findings)


def _escalated(key: str, row: Row, waiver: Row | None) -> Finding:
    message = f"output schema {row['hash']} keeps failing; last error {row.get('last_error')}"
    if waiver is None:
        return Finding("schema-escalated", key, message)
    return Finding("schema-escalated", key, f"{message} (waived: {waiver['reason']})", "notice")


def _result(findings: Sequence[Finding]) -> Result:
    """What is waived is told, and does not fail the gate."""
    return "fail" if any(each.severity == "error" for each in findings) else "pass"


def _parity(connection: Connection, catalog: Catalog, moment: Moment, basis: str) -> Gate:
    rendered = "@render" in read_view(connection, catalog, "intended", moment).rows
    if basis == "none" or not rendered:
        missing = "nothing was served or listed" if basis == "none" else "nothing was rendered"
        return Gate("parity", "unchecked", (Finding("nothing-to-compare", "parity", missing, "notice"),))
    findings = tuple(
        Finding(
            f"drift-{each['category']}",
            each["key"],
            f"{each['reason']} since {each['opened']}"
            + (f" (waived: {each['waived']['reason']})" if "waived" in each else ""),
            "notice" if "waived" in each else "error",
        )
        for each in open_drift(connection, catalog, moment)
    )
    return Gate("parity", _result(findings), findings)
