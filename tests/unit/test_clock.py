"""Time and ids."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from ledger.clock import ID_RANDOM_BYTES, Micros, from_micros, id_text, iso, new_event_id, to_micros

moments = st.integers(0, 2**48 * 1_000 - 1).map(Micros)


@given(moments, st.binary(min_size=ID_RANDOM_BYTES, max_size=ID_RANDOM_BYTES))
def test_an_event_id_is_a_uuid_of_version_7_that_carries_its_time(at: Micros, random: bytes) -> None:
    made = uuid.UUID(bytes=new_event_id(at, random))
    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert made.int >> 80 == at // 1_000
    assert id_text(made.bytes) == str(made)


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_moment_survives_as_microseconds(moment: datetime) -> None:
    assert from_micros(to_micros(moment)) == moment


def test_times_are_written_in_one_width_so_that_text_sorts_as_time() -> None:
    assert iso(0) == "1970-01-01T00:00:00.000000Z"
    assert iso(1_794_916_800_000_001) == "2026-11-17T12:00:00.000001Z"
