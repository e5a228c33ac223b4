"""Old payloads read as new ones: pure steps from one version to the next, which stay for ever.

Nothing here imports the models: reading an event needs no validator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from ledger.errors import NewerEvent

if TYPE_CHECKING:
    from ledger.canon.jsontext import Json

Step = Callable[[dict[str, "Json"]], dict[str, "Json"]]

# The newest version of each kind that this code understands.
VERSIONS: Mapping[str, int] = MappingProxyType(
    {
        "render.completed": 1,
        "render.refused": 1,
        "descriptors.captured": 1,
        "capture.failed": 1,
        "health.changed": 1,
        "discovery.updated": 1,
        "discovery.reset": 1,
        "recording.started": 1,
        "recording.stopped": 1,
        "recording.gap": 1,
        "schema.validated": 1,
        "fallback.engaged": 1,
        "live.served": 1,
        "drift.waived": 1,
        "parity.asserted": 1,
        "flag.changed": 1,
        "phase.changed": 1,
        "legacy.imported": 1,
        "note.added": 1,
        "payload.erased": 1,
        "clock.corrected": 1,
        "backup.completed": 1,
        "ledger.restored": 1,
    }
)

# (kind, version) → the step from that version to the next. A step works on the stored payload, in which
# documents are digests; it returns a new payload and leaves the old one as it was.
STEPS: Mapping[tuple[str, int], Step] = MappingProxyType({})


def upcast(
    kind: str,
    version: int,
    payload: dict[str, Json],
    *,
    versions: Mapping[str, int] = VERSIONS,
    steps: Mapping[tuple[str, int], Step] = STEPS,
) -> dict[str, Json]:
    """The payload in the newest version of its kind.

    Raises NewerEvent for a kind or version that this code does not know: whoever reads must stop there,
    because an event that is skipped is a projection that lies.
    """
    newest = versions.get(kind, 0)
    if version == newest:
        return payload
    if version > newest:
        raise NewerEvent(kind, version, newest)
    for step in range(version, newest):
        payload = steps[kind, step](payload)
    return payload
