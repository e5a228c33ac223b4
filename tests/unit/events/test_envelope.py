"""The envelope's bytes are the frozen format: canonical, and hashed with their domain."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.canon.canonical import canonical
from ledger.errors import Unreadable
from ledger.events.envelope import Envelope, decode, encode, event_hash, first_previous, payload_digest

EXAMPLE = {
    "actor": "gateway/eu-1",
    "causation": ["019a9600-0000-7000-8000-000000000001"],
    "chain_id": "00112233445566778899aabbccddeeff",
    "clock_behind_us": 0,
    "correlation_id": None,
    "epoch": 0,
    "event_id": "019a9600-0000-7000-8000-000000000002",
    "kind": "note.added",
    "occurred_at": None,
    "payload_digest": "ab" * 32,
    "producer": {"version": "1", "name": "catledger", "build": "unknown"},
    "recorded_at": 1763452860000000,
    "seq": 1,
    "version": 1,
}

text = st.text(st.characters(exclude_categories=["Cs"]))
whole = st.integers(-(2**53) + 1, 2**53 - 1)
envelopes = st.fixed_dictionaries(
    {
        "actor": text,
        "causation": st.lists(text, max_size=3),
        "chain_id": text,
        "clock_behind_us": whole,
        "correlation_id": st.none() | text,
        "epoch": whole,
        "event_id": text,
        "kind": text,
        "occurred_at": st.none() | whole,
        "payload_digest": text,
        "producer": st.fixed_dictionaries({"version": text, "name": text, "build": text}),
        "recorded_at": whole,
        "seq": whole,
        "version": whole,
    }
)


@given(envelopes)
def test_encoding_gives_the_canonical_bytes(fields):
    assert encode(**fields) == canonical(fields)


@given(envelopes)
def test_decoding_gives_back_what_was_encoded(fields):
    assert decode(encode(**fields))._asdict() == fields


def test_the_fields_of_an_envelope_are_its_keys_in_canonical_order():
    assert list(Envelope._fields) == sorted(EXAMPLE)


def test_the_bytes_of_a_known_envelope_never_change():
    assert encode(**EXAMPLE) == (
        b'{"actor":"gateway/eu-1","causation":["019a9600-0000-7000-8000-000000000001"],'
        b'"chain_id":"00112233445566778899aabbccddeeff","clock_behind_us":0,"correlation_id":null,"epoch":0,'
        b'"event_id":"019a9600-0000-7000-8000-000000000002","kind":"note.added","occurred_at":null,'
        b'"payload_digest":"abababababababababababababababababababababababababababababababab",'
        b'"producer":{"build":"unknown","name":"catledger","version":"1"},'
        b'"recorded_at":1763452860000000,"seq":1,"version":1}'
    )


def test_a_tuple_of_causes_is_written_as_a_list():
    assert encode(**EXAMPLE | {"causation": ("a", "b")}) == encode(**EXAMPLE | {"causation": ["a", "b"]})


def test_hashes_are_sha256_over_their_prefix_and_raw_bytes():
    assert first_previous(b"c" * 16) == hashlib.sha256(b"catledger/chain/v1\n" + b"c" * 16).digest()
    assert event_hash(b"p" * 32, b"{}") == hashlib.sha256(b"catledger/event/v1\n" + b"p" * 32 + b"{}").digest()
    assert payload_digest(b"s" * 16, b"{}") == hashlib.sha256(b"catledger/payload/v1\n" + b"s" * 16 + b"{}").digest()


@pytest.mark.parametrize(
    "damaged",
    [b"", b"{", b"[]", b"1", b"{}", b'{"actor":"a"}', encode(**EXAMPLE)[:-1] + b',"zzz":1}', b"\xff"],
)
def test_bytes_that_are_no_envelope_are_unreadable(damaged):
    with pytest.raises(Unreadable):
        decode(damaged)


def test_keys_in_another_order_are_unreadable():
    text = encode(**EXAMPLE)
    swapped = text.replace(b'"seq":1,"version":1', b'"version":1,"seq":1')
    assert swapped != text
    with pytest.raises(Unreadable):
        decode(swapped)
