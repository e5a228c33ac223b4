"""CloudEvents 1.0, judged by what its JSON format demands."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.exports.cloudevents import to_cloudevent

FIELDS: dict[str, Any] = {
    "actor": "gateway/eu-1",
    "catalog": "default",
    "causation": [],
    "chain_id": "5f" * 16,
    "clock_behind_us": 0,
    "correlation_id": None,
    "epoch": 1,
    "event_id": "018f0000-0000-7000-8000-000000000001",
    "hash": "ab" * 32,
    "kind": "descriptors.captured",
    "occurred_at": None,
    "payload_digest": "cd" * 32,
    "producer": {"build": "unknown", "name": "unknown", "version": "unknown"},
    "recorded_at": 1_795_000_000_123_456,
    "seq": 41,
    "version": 1,
}
TEXT = {"type": "string", "minLength": 1, "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]+$"}
# the published JSON schema of the format, narrowed to the attributes we write
SCHEMA = jsonschema_rs.Draft202012Validator(
    {
        "type": "object",
        "additionalProperties": False,
        "required": ["id", "source", "specversion", "type", "sequence", "recordedtime", "ledgerhash"],
        "properties": {
            "specversion": {"const": "1.0"},
            "id": TEXT,
            "source": {"type": "string", "minLength": 1, "format": "uri"},
            "type": TEXT,
            "subject": TEXT,
            "time": {"type": "string", "format": "date-time"},
            "datacontenttype": {"const": "application/json"},
            "data": True,
            "sequence": {"type": "string", "pattern": "^[0-9]{20}$"},
            "recordedtime": {"type": "string", "format": "date-time"},
            "correlationid": TEXT,
            "causationid": TEXT,
            "ledgerhash": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        },
    },
    validate_formats=True,
    offline=True,
)


def test_an_event_carries_every_attribute_it_has_a_value_for() -> None:
    fields = FIELDS | {
        "occurred_at": 1_794_999_999_000_000,
        "correlation_id": "run-7",
        "causation": ["018f0000-0000-7000-8000-000000000002"],
    }
    event = to_cloudevent(fields, {"server": "fs"})
    SCHEMA.validate(event)
    assert event == {
        "specversion": "1.0",
        "id": "018f0000-0000-7000-8000-000000000001",
        "source": "catledger:" + "5f" * 16,
        "type": "catledger.descriptors.captured.v1",
        "subject": "default",
        "time": "2026-11-18T11:06:39.000000Z",
        "recordedtime": "2026-11-18T11:06:40.123456Z",
        "sequence": "00000000000000000041",
        "correlationid": "run-7",
        "causationid": "018f0000-0000-7000-8000-000000000002",
        "ledgerhash": "ab" * 32,
        "datacontenttype": "application/json",
        "data": {"server": "fs"},
    }


def test_an_attribute_without_a_value_is_left_out() -> None:
    event = to_cloudevent({key: FIELDS[key] for key in FIELDS if key != "catalog"}, {})
    SCHEMA.validate(event)
    assert event.keys().isdisjoint({"time", "subject", "correlationid", "causationid"})


def test_an_erased_payload_is_no_data() -> None:
    event = to_cloudevent(FIELDS, None)
    SCHEMA.validate(event)
    assert event.keys().isdisjoint({"data", "datacontenttype"})


def test_several_causes_are_parted_by_spaces() -> None:
    assert to_cloudevent(FIELDS | {"causation": ["a", "b"]}, None)["causationid"] == "a b"


@given(st.lists(st.integers(1, 2**63 - 1), min_size=2))
def test_sequences_sort_as_text_as_they_do_as_numbers(numbers: list[int]) -> None:
    texts = [str(to_cloudevent(FIELDS | {"seq": number}, None)["sequence"]) for number in numbers]
    assert sorted(texts) == [f"{number:020d}" for number in sorted(numbers)]


@given(st.text(st.characters(codec=None)))
def test_a_hostile_correlation_id_makes_a_valid_attribute(text: str) -> None:
    event = to_cloudevent(FIELDS | {"correlation_id": text}, None)
    SCHEMA.validate(json.loads(json.dumps(event)))


@pytest.mark.parametrize("payload", [{}, {"server": "fs"}])
def test_names_of_attributes_are_short_and_in_small_letters(payload: Any) -> None:
    assert all(re.fullmatch("[a-z0-9]{1,20}", name) for name in to_cloudevent(FIELDS, payload))
