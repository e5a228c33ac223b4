"""The door: every kind there is, and the check that a payload passes once, when it comes in."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from pydantic import ValidationError

from ledger.errors import BadInput
from ledger.events import decisions, downstream, operations, rendering, schemas, serving, watching
from ledger.events.wording import nearest, worded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledger.canon.jsontext import Json
    from ledger.events.model import Event

_EVENTS: tuple[type[Event], ...] = (
    rendering.RenderCompleted,
    rendering.RenderRefused,
    downstream.DescriptorsCaptured,
    downstream.CaptureFailed,
    downstream.HealthChanged,
    downstream.DiscoveryUpdated,
    downstream.DiscoveryReset,
    watching.RecordingStarted,
    watching.RecordingStopped,
    watching.RecordingGap,
    schemas.SchemaValidated,
    schemas.FallbackEngaged,
    serving.LiveServed,
    decisions.DriftWaived,
    decisions.ParityAsserted,
    decisions.FlagChanged,
    decisions.PhaseChanged,
    operations.LegacyImported,
    operations.NoteAdded,
    operations.PayloadErased,
    operations.ClockCorrected,
    operations.BackupCompleted,
    operations.LedgerRestored,
)

KINDS: Mapping[str, type[Event]] = MappingProxyType({event.kind: event for event in _EVENTS})

# The times inside payloads, by their name on the wire and on the class: the only values that validation
# rewrites.
_MOMENTS: Mapping[str, tuple[tuple[str, str], ...]] = MappingProxyType(
    {
        "recording.gap": (("from", "start"), ("to", "end")),
        "drift.waived": (("until", "until"),),
        "legacy.imported": (("claimed_at", "claimed_at"),),
    }
)


def validated(kind: str, version: int, payload: dict[str, Json]) -> dict[str, Json]:
    """The payload as it may be stored: only the fields that were given, times in UTC.

    Returns `payload` itself where nothing had to be rewritten. What lies inside definitions, settings and
    documents is not walked. Raises BadInput for the first fault found; its text names fields and never quotes
    a value.
    """
    event = KINDS.get(kind)
    if event is None:
        raise _unknown_kind(kind)
    if version != event.version:
        raise _wrong_version(event, version)
    if type(payload) is not dict:
        raise BadInput("must be an object", "payload")
    try:
        # The validator itself: `model_validate` is a Python function in front of it.
        accepted = event.__pydantic_validator__.validate_python(payload)
    except ValidationError as error:
        raise worded(error, event, payload) from None
    moments = _MOMENTS.get(kind)
    return payload if moments is None else _with_moments(payload, accepted, moments)


def _with_moments(payload: dict[str, Json], accepted: Event, moments: tuple[tuple[str, str], ...]) -> dict[str, Json]:
    given = {wire: getattr(accepted, attribute) for wire, attribute in moments if wire in payload}
    return payload | given if given else payload


def _unknown_kind(kind: object) -> BadInput:
    if not isinstance(kind, str):
        return BadInput("must be a string", "kind")
    return BadInput(f"unknown kind {kind[:100]!r}{nearest(kind, KINDS)}", "kind")


def _wrong_version(event: type[Event], version: object) -> BadInput:
    if type(version) is not int or version < 1:
        return BadInput("must be a whole number from 1 on", "version")
    return BadInput(
        f"{event.kind} version {version} is newer than version {event.version}, the newest known here",
        "version",
    )
