"""Events as CloudEvents 1.0 in the JSON format: an export only, nothing here is stored or hashed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ledger.canon.printable import printable
from ledger.clock import iso

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledger.canon.jsontext import Json


def to_cloudevent(envelope_fields: Mapping[str, Json], payload: Json | None) -> dict[str, Json]:
    """One event with the names other systems know.

    `envelope_fields` are the envelope's fields plus `hash` (hex) and, if known, `catalog`, which becomes the
    subject. A payload of None is one that was erased: the event then has no data.
    """
    event: dict[str, Json] = {
        "specversion": "1.0",
        "id": str(envelope_fields["event_id"]),
        "source": f"catledger:{envelope_fields['chain_id']}",
        "type": f"catledger.{envelope_fields['kind']}.v{envelope_fields['version']}",
        # text that sorts as the numbers do; `sequencetype` stays out, its Integer wraps at 32 bits
        "sequence": f"{envelope_fields['seq']:020d}",
        "recordedtime": _time(envelope_fields["recorded_at"]),
        "ledgerhash": str(envelope_fields["hash"]),
    }
    # an attribute that has no value is left out: CloudEvents knows no empty ones
    optional = {
        "subject": envelope_fields.get("catalog"),
        "time": _time(envelope_fields.get("occurred_at")),
        "correlationid": _text(envelope_fields.get("correlation_id")),
        "causationid": _causes(envelope_fields.get("causation")),
    }
    event |= {name: value for name, value in optional.items() if value}
    if payload is not None:
        event |= {"datacontenttype": "application/json", "data": payload}
    return event


def _time(micros: Json) -> str | None:
    return iso(micros) if isinstance(micros, int) else None


def _text(value: Json) -> str | None:
    return printable(value) if isinstance(value, str) else None


def _causes(causation: Json) -> str | None:
    """The attribute is one string and there may be several causes: spaces part them, which ids never hold."""
    return " ".join(str(cause) for cause in causation) if isinstance(causation, list) else None
