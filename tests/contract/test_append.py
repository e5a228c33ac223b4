"""What every engine promises about appending; each test runs on both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ledger.errors import IdempotencyConflict, RemoteChain, StaleAppend, TailLost
from ledger.services.verify import verify
from ledger.store.append import EMPTY
from ledger.store.place import Position
from ledger.store.read import StoredEvent, position_at, position_claimed, read_event, read_forward
from ledger.store.receipts import Head
from ledger.store.store import find_catalog
from tests.parts import NOON, StepClock, capture, event_id, note, opened

if TYPE_CHECKING:
    from ledger.bootstrap import Ledger
    from ledger.config import Settings


def stored(ledger: Ledger, catalog: str = "default") -> list[StoredEvent]:
    with ledger.store.engine.reading() as connection:
        found = find_catalog(connection, catalog)
        return [StoredEvent(*row) for row in read_forward(connection, found)]


def test_positions_are_numbered_from_one_without_gaps(ledger: Ledger) -> None:
    recorder = ledger.recorder()
    first = recorder.record("default", [note("a"), note("b")])
    second = recorder.record("default", [note("c")])
    assert (*first.positions, *second.positions) == (1, 2, 3)
    assert [event.seq for event in stored(ledger)] == [1, 2, 3]


def test_each_catalog_has_a_chain_of_its_own(ledger: Ledger) -> None:
    recorder = ledger.recorder()
    one = recorder.record("eu", [note("a")])
    two = recorder.record("us", [note("b")])
    assert one.positions == two.positions == (1,)
    assert one.head.chain_id != two.head.chain_id


def test_a_retry_with_the_same_id_and_content_returns_the_first_position(ledger: Ledger) -> None:
    recorder = ledger.recorder()
    line = note("a", event_id=event_id(1), occurred_at="2026-11-17T10:00:00Z")
    recorder.record("default", [note("before")])
    first = recorder.record("default", [line])
    again = recorder.record("default", [note("between"), line])
    assert first.positions == (2,)
    assert again.positions == (3, 2)
    assert again.duplicates == 1


def test_the_same_id_twice_in_one_batch_is_stored_once(ledger: Ledger) -> None:
    line = note("a", event_id=event_id(1))
    done = ledger.recorder().record("default", [line, line])
    assert (done.positions, done.duplicates) == ((1, 1), 1)


@pytest.mark.parametrize(
    "other",
    [
        note("other", event_id=event_id(1)),
        note("a", event_id=event_id(1), actor="somebody"),
        note("a", event_id=event_id(1), occurred_at="2026-11-17T10:00:00Z"),
        note("a", event_id=event_id(1), correlation_id="run-2"),
        note("a", event_id=event_id(1), causation=[event_id(7)]),
        {"kind": "phase.changed", "payload": {"after": "1"}, "event_id": event_id(1)},
    ],
)
def test_the_same_id_with_other_content_is_refused_and_nothing_is_written(
    ledger: Ledger, other: dict[str, object]
) -> None:
    recorder = ledger.recorder()
    recorder.record("default", [note("a", event_id=event_id(1))])
    with pytest.raises(IdempotencyConflict):
        recorder.record("default", [note("new"), other])
    assert len(stored(ledger)) == 1


def test_a_retry_of_an_erased_event_is_a_duplicate(ledger: Ledger) -> None:
    from ledger.services.erase import erase_event

    recorder = ledger.recorder()
    line = note("secret plan", event_id=event_id(1))
    recorder.record("default", [line])
    erase_event(ledger.store, recorder, None, 1, "asked to")
    again = recorder.record("default", [line])
    assert (again.positions, again.duplicates) == ((1,), 1)


def test_an_expectation_that_is_not_met_appends_nothing(ledger: Ledger) -> None:
    recorder = ledger.recorder()
    recorder.record("default", [note("a")], expecting=EMPTY)
    with pytest.raises(StaleAppend):
        recorder.record("default", [note("b")], expecting=EMPTY)
    recorder.record("default", [note("b")], expecting=Position(1))
    assert len(stored(ledger)) == 2


def test_recorded_time_never_decreases_and_says_by_how_much_the_clock_was_behind(settings: Settings) -> None:
    clock = StepClock(step=0)
    with opened(settings, clock=clock) as ledger:
        recorder = ledger.recorder()
        recorder.record("default", [note("a")])
        clock.at -= 3_600_000_000
        recorder.record("default", [note("b")])
        first, second = stored(ledger)
    assert first.recorded_us == second.recorded_us == NOON
    assert (first.header().clock_behind_us, second.header().clock_behind_us) == (0, 3_600_000_000)


def test_a_clock_correction_lets_recorded_time_start_again(settings: Settings) -> None:
    clock = StepClock(NOON + 10 * 365 * 86_400 * 1_000_000, step=0)
    with opened(settings, clock=clock) as ledger:
        recorder = ledger.recorder()
        recorder.record("default", [note("ten years ahead")])
        clock.at = NOON
        correction = {
            "before_us": NOON + 10 * 365 * 86_400 * 1_000_000,
            "after_us": NOON,
            "reason": "battery",
        }
        recorder.record("default", [{"kind": "clock.corrected", "payload": correction}])
        clock.at = NOON + 5
        recorder.record("default", [note("now")])
        assert [event.recorded_us for event in stored(ledger)][1:] == [NOON, NOON + 5]
        with ledger.store.engine.reading() as connection:
            catalog = find_catalog(connection, None)
            assert position_at(connection, catalog, NOON + 4) == 2
            assert position_at(connection, catalog, NOON + 5) == 3
        assert verify(ledger.store).result == "verified"


def test_a_time_becomes_the_last_position_recorded_at_or_before_it(settings: Settings) -> None:
    clock = StepClock(step=0)
    with opened(settings, clock=clock) as ledger:
        recorder = ledger.recorder()
        for minute in range(20):
            clock.at = NOON + minute * 60_000_000
            recorder.record("default", [note(str(minute))])
        with ledger.store.engine.reading() as connection:
            catalog = find_catalog(connection, None)
            for minute in range(20):
                at = NOON + minute * 60_000_000
                assert position_at(connection, catalog, at) == minute + 1
                assert position_at(connection, catalog, at - 1) == minute
            assert position_at(connection, catalog, NOON + 10**12) == 20


def test_claimed_time_is_the_longest_prefix_without_a_later_claim(ledger: Ledger) -> None:
    days = ["2026-01-02", None, "2026-01-05", "2026-01-03", "2026-01-09"]
    lines = [note(str(day), **({"occurred_at": f"{day}T00:00:00Z"} if day else {})) for day in days]
    ledger.recorder().record("default", lines)
    moments = {"2026-01-01": 0, "2026-01-02": 2, "2026-01-04": 2, "2026-01-05": 4, "2026-01-09": 5}
    from datetime import datetime

    from ledger.clock import to_micros

    with ledger.store.engine.reading() as connection:
        catalog = find_catalog(connection, None)
        for day, expected in moments.items():
            at = to_micros(datetime.fromisoformat(f"{day}T00:00:00+00:00"))
            assert position_claimed(connection, catalog, at) == expected


def test_documents_are_stored_once_however_often_they_come(ledger: Ledger) -> None:
    from ledger.store import sql

    recorder = ledger.recorder()
    for _ in range(3):
        recorder.record("default", [capture("fs", "read", "write")])
    recorder.record("other", [capture("fs", "read")])
    with ledger.store.engine.reading() as connection:
        rows = connection.all(sql.DOCUMENTS)
    assert len(rows) == 4  # two definitions, two lists


def test_an_append_behind_its_receipt_is_refused(ledger: Ledger) -> None:
    done = ledger.recorder().record("default", [note("a")])
    ahead = Head(done.head.chain_id, 0, 5, bytes(32))
    ledger.store.receipts.note(ahead)
    with pytest.raises(TailLost, match="head is 1, the receipt says 5: 4 events missing"):
        ledger.recorder().record("default", [note("b")])


def test_a_chain_that_came_from_elsewhere_is_not_appended_to(
    settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> None:
    from ledger.store.ship import export_chain, import_chain
    from tests.parts import settings_for

    with opened(settings_for(tmp_path_factory.mktemp("source"))) as source:
        source.recorder().record("default", [note("a")])
        with source.store.engine.reading() as connection:
            lines = list(export_chain(connection, find_catalog(connection, None)))
    with opened(settings) as target:
        import_chain(target.store, lines, "eu")
        with pytest.raises(RemoteChain):
            target.recorder().record("eu", [note("b")])


def test_the_head_row_the_receipt_and_the_last_event_agree(ledger: Ledger) -> None:
    done = ledger.recorder().record("default", [note("a"), note("b")])
    with ledger.store.engine.reading() as connection:
        catalog = find_catalog(connection, None)
        last = read_event(connection, catalog, 2)
    assert catalog.head == done.head == ledger.store.receipts.of(catalog.chain_id)
    assert last.hash == done.head.hash


def test_equal_payloads_have_different_commitments(ledger: Ledger) -> None:
    """The salt: after an erasure nobody can try out what the payload may have been."""
    ledger.recorder().record("default", [note("yes"), note("yes")])
    one, two = stored(ledger)
    assert one.payload == two.payload
    assert one.header().payload_digest != two.header().payload_digest
