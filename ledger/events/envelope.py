"""The envelope: what is hashed of an event, as exact bytes; docs/reference/chain-format.md freezes them."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final, NamedTuple

import orjson

from ledger.errors import Unreadable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CHAIN_PREFIX: Final = b"catledger/chain/v1\n"
EVENT_PREFIX: Final = b"catledger/event/v1\n"
PAYLOAD_PREFIX: Final = b"catledger/payload/v1\n"


class Envelope(NamedTuple):
    """An event without its payload: exactly the keys, in canonical order; times are microseconds in UTC."""

    actor: str
    causation: list[str]
    chain_id: str
    clock_behind_us: int
    correlation_id: str | None
    epoch: int
    event_id: str
    kind: str
    occurred_at: int | None
    payload_digest: str
    producer: dict[str, str]
    recorded_at: int
    seq: int
    version: int


_FIELDS: Final = Envelope._fields


def encode(
    *,
    actor: str,
    causation: Sequence[str],
    chain_id: str,
    clock_behind_us: int,
    correlation_id: str | None,
    epoch: int,
    event_id: str,
    kind: str,
    occurred_at: int | None,
    payload_digest: str,
    producer: Mapping[str, str],
    recorded_at: int,
    seq: int,
    version: int,
) -> bytes:
    """The canonical bytes, without the general canonical writer.

    They are canonical because the keys stand in order here and the values are strings and integers, which
    orjson writes as RFC 8785 does. `causation` must be a list or tuple.
    """
    return orjson.dumps(
        {
            "actor": actor,
            "causation": causation,
            "chain_id": chain_id,
            "clock_behind_us": clock_behind_us,
            "correlation_id": correlation_id,
            "epoch": epoch,
            "event_id": event_id,
            "kind": kind,
            "occurred_at": occurred_at,
            "payload_digest": payload_digest,
            "producer": {
                "build": producer["build"],
                "name": producer["name"],
                "version": producer["version"],
            },
            "recorded_at": recorded_at,
            "seq": seq,
            "version": version,
        }
    )


def decode(envelope: bytes) -> Envelope:
    """The fields of stored bytes, which encoding them again must give back; that is not proved here."""
    try:
        fields = orjson.loads(envelope)
        # Canonical bytes hold the keys in the order of the fields: one comparison checks names, number and
        # order.
        if tuple(fields) == _FIELDS:
            return Envelope._make(fields.values())
    except (orjson.JSONDecodeError, TypeError) as error:
        raise Unreadable("an envelope", str(error)) from None
    raise Unreadable("an envelope", "it does not have exactly the keys of an envelope, in order")


def event_hash(previous: bytes, envelope: bytes) -> bytes:
    """The link of an event to the one before it: 32 bytes, from 32 bytes and the exact stored envelope."""
    return sha256(EVENT_PREFIX + previous + envelope).digest()


def payload_digest(salt: bytes, payload: bytes) -> bytes:
    """The commitment to a payload: 32 bytes, from 16 bytes of salt and the exact stored payload."""
    return sha256(PAYLOAD_PREFIX + salt + payload).digest()


def first_previous(chain_id: bytes) -> bytes:
    """What the first event of a chain links to: 32 bytes, from the 16 bytes of the chain's id."""
    return sha256(CHAIN_PREFIX + chain_id).digest()
