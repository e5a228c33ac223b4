"""Record: what a producer says becomes events. Redacted, validated, packed, appended."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from ledger.clock import to_micros
from ledger.errors import BadInput
from ledger.events.documents import Limits, Packer
from ledger.events.registry import KINDS, validated
from ledger.store.append import ANY, AnyPosition, Appended, Draft, append
from ledger.store.store import check_catalog_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ledger.canon.jsontext import Json
    from ledger.events.redact import Redactor
    from ledger.store.place import Position
    from ledger.store.store import Store

_FIELDS: Final = frozenset(
    (
        "kind",
        "payload",
        "version",
        "event_id",
        "occurred_at",
        "actor",
        "producer",
        "correlation_id",
        "causation",
    )
)
UNKNOWN_PRODUCER: Final = {"build": "unknown", "name": "unknown", "version": "unknown"}
# What only the ledger itself may say, because it goes with a deed: an erasure that blanks, a restore that forks.
OWN_KINDS: Final = frozenset(("payload.erased", "ledger.restored"))
_MAX_NAME = 256
_MAX_CAUSATION = 1_000


class Recorder:
    """Turns producers' lines into drafts and appends them. Not for several threads at once."""

    def __init__(
        self,
        store: Store,
        *,
        redactor: Redactor,
        limits: Limits,
        actor: str,
        producer: dict[str, str] = UNKNOWN_PRODUCER,
    ) -> None:
        self._store = store
        self._redactor = redactor
        self._packer = Packer(limits)
        # White space and escapes may blow a line up; four times the event is generous and still bounded.
        self.longest_line = 4 * limits.max_event_bytes
        self._actor = _name("actor", actor)
        self._producer = producer

    def record(
        self,
        catalog: str,
        lines: Iterable[Mapping[str, Json]],
        *,
        expecting: Position | AnyPosition = ANY,
    ) -> Appended:
        """Append all lines or none."""
        drafts = [self.taken(line) for line in lines]
        return append(self._store, check_catalog_name(catalog), drafts, expecting=expecting)

    def taken(self, line: Mapping[str, Json]) -> Draft:
        """A producer's line, ready to be stored; what only the ledger itself may say is refused."""
        if line.get("kind") in OWN_KINDS:
            raise BadInput("only catledger itself records this, when it does it", "kind")
        return self.draft(line)

    def draft(self, line: Mapping[str, Json]) -> Draft:
        """One line, ready to be stored; raises BadInput or OverLimit with the field at fault."""
        if not line.keys() <= _FIELDS:
            unknown = min(line.keys() - _FIELDS)
            raise BadInput("unknown field", unknown)
        kind = line.get("kind")
        if not isinstance(kind, str) or kind not in KINDS:
            validated(kind, 1, {})  # type: ignore[arg-type]  # it raises, with the nearest kinds
        if "payload" not in line:
            raise BadInput("field required", "payload")
        assert isinstance(kind, str)
        version = line.get("version", 1)
        payload = validated(kind, version, line["payload"])  # type: ignore[arg-type]  # it checks both
        payload, _ = self._redactor.redact(kind, payload)
        packed = self._packer.pack(kind, payload)
        return Draft(
            kind=kind,
            version=version,  # type: ignore[arg-type]  # validated above
            event_id=_event_id("event_id", line["event_id"]).bytes if "event_id" in line else None,
            occurred_us=_moment(line["occurred_at"]) if line.get("occurred_at") is not None else None,
            actor=_name("actor", line["actor"]) if "actor" in line else self._actor,
            producer=_producer(line["producer"]) if "producer" in line else self._producer,
            correlation_id=_name("correlation_id", line["correlation_id"])
            if line.get("correlation_id") is not None
            else None,
            causation=_causation(line["causation"]) if line.get("causation") else (),
            payload=packed.payload,
            fields=packed.fields,
            documents=packed.documents,
        )


def _event_id(field: str, value: Any) -> UUID:
    try:
        event_id = UUID(value)
    except (ValueError, AttributeError, TypeError):
        raise BadInput("must be a UUID", field) from None
    # Nil and Max are UUIDs too, but what everybody can guess identifies nothing.
    if event_id.int in (0, (1 << 128) - 1):
        raise BadInput("must not be the nil or the max UUID", field)
    return event_id


def _moment(value: Any) -> int:
    try:
        moment = datetime.fromisoformat(value)
    except (ValueError, TypeError):
        raise BadInput("must be an ISO 8601 time, such as 2026-11-18T07:41:00Z", "occurred_at") from None
    if moment.tzinfo is None:
        raise BadInput("must be a time with a zone, such as 2026-11-18T07:41:00Z", "occurred_at")
    return to_micros(moment)


def _name(field: str, value: Any) -> str:
    if not isinstance(value, str) or not value or len(value) > _MAX_NAME or not value.isprintable():
        raise BadInput(f"must be 1 to {_MAX_NAME} printable characters", field)
    return value


def _producer(value: Any) -> dict[str, str]:
    if isinstance(value, str):
        value = {"name": value}
    if not isinstance(value, dict) or not value.keys() <= UNKNOWN_PRODUCER.keys():
        raise BadInput("must be an object of name, version and build", "producer")
    return UNKNOWN_PRODUCER | {key: _name(f"producer.{key}", text) for key, text in value.items()}


def _causation(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > _MAX_CAUSATION:
        raise BadInput(f"must be a list of at most {_MAX_CAUSATION} event ids", "causation")
    return tuple(str(_event_id(f"causation[{index}]", each)) for index, each in enumerate(value))
