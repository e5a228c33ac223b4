"""What must hold after every fault: one function, used by all of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ledger.services.verify import verify
from ledger.store.read import StoredEvent, read_forward
from ledger.store.store import list_catalogs
from tests.parts import note, opened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ledger.config import Settings


@dataclass
class Acknowledged:
    """What a writer was told is safe: event ids in order; `in_flight` is the batch it was writing when it died."""

    ids: list[str] = field(default_factory=list)
    in_flight: set[str] = field(default_factory=set)


def assert_sound(
    settings: Settings,
    acknowledged: Acknowledged,
    *,
    catalog: str = "default",
    expected: Sequence[str] = ("verified",),
    canaries: Sequence[bytes] = (),
) -> None:
    """Check every promise that a fault could have broken, then that the ledger goes on without help."""
    with opened(settings, seeded=False) as ledger:
        with ledger.store.engine.reading() as connection:
            found = [each for each in list_catalogs(connection) if each.name == catalog]
            events = [StoredEvent(*row) for each in found for row in read_forward(connection, each)]
        ids = [event.header().event_id for event in events]
        # 1. every acknowledged event is there, in the order of the acknowledgements
        kept = set(ids)
        assert [each for each in acknowledged.ids if each not in kept] == []
        at = {each: index for index, each in enumerate(ids)}
        order = [at[each] for each in acknowledged.ids]
        assert order == sorted(order)
        # 2. beyond the acknowledged ones there is at most the batch that was in flight
        assert kept - set(acknowledged.ids) <= acknowledged.in_flight
        # 3. sequence, chain, columns, documents; projections equal a rebuild; receipts are reached
        found_result = verify(ledger.store)
        assert found_result.result in expected, found_result.checks
        # 4. the next append works without manual help
        before = len(ids)
        done = ledger.recorder().record(catalog, [note("after the fault")])
        assert done.positions == (before + 1,)
    # 5. no secret is in any file
    for path in settings.state_home.rglob("*"):
        if path.is_file() and canaries:
            body = path.read_bytes()
            assert [canary for canary in canaries if canary in body] == [], path
