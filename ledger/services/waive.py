"""Waive: a drift that somebody accepts until a moment. It marks, it hides nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ledger.clock import iso, to_micros
from ledger.errors import BadInput
from ledger.projections.waivers import EVERYTHING
from ledger.services.moments import at_head
from ledger.services.naming import find_tool
from ledger.services.views import read_view_row

if TYPE_CHECKING:
    from datetime import datetime

    from ledger.canon.jsontext import Json
    from ledger.store.engine import Connection
    from ledger.store.store import Catalog


def subject_meant(connection: Connection, catalog: Catalog, subject: str) -> str:
    """What a waiver is recorded for: `all`, a server by its name, or a tool by its key; never a name nobody has."""
    head = at_head(connection, catalog)
    if subject == EVERYTHING or read_view_row(connection, catalog, "servers", f"server/{subject}", head) is not None:
        return subject
    return find_tool(connection, catalog, subject, head).key


def waiver(subject: str, *, reason: str, until: datetime, approved_by: str) -> dict[str, Json]:
    """The line to record; one whose `until` has passed revokes what was waived for the subject before."""
    if not reason.strip():
        raise BadInput("must say why the drift is accepted", "--reason")
    payload: dict[str, Json] = {
        "subject": subject,
        "reason": reason,
        "until": iso(to_micros(until)),
        "approved_by": approved_by,
    }
    return {"kind": "drift.waived", "payload": payload}
