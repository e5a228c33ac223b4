"""Known secrets survive nowhere: in no field, no key and no spelling; and what is redacted stays so."""

import base64
import json
import re
from typing import Literal, get_args, get_origin
from urllib.parse import quote, quote_plus

import orjson
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from pydantic import BaseModel

from ledger.canon.pointer import resolve
from ledger.errors import OverLimit
from ledger.events.echoes import PUBLIC_WORDS, SHORTEST
from ledger.events.redact import Redactor
from ledger.events.registry import KINDS, validated

KEY = b"k" * 32
CANARY = "c4nary/Vålue+7"
SUSPECTS = [CANARY, "Bearer abcdefghijk", "https://me:pw@host?k=v", "DIFY_KEY=1", "--token"]


def captured(launch):
    return {"server": "github", "outcome": "complete", "tools": [], "launch": launch}


def spellings(secret):
    raw = secret.encode()
    yield secret
    yield quote(secret)
    yield quote(secret, safe="")
    yield re.sub("%..", lambda found: found[0].lower(), quote(secret, safe=""))
    yield quote_plus(secret)
    yield "".join(f"%{byte:02x}" for byte in raw)
    yield json.dumps(secret)
    yield json.dumps(secret, ensure_ascii=False)
    yield json.dumps(secret).replace("/", "\\/")
    yield json.dumps(json.dumps(secret))
    for before in (b"", b"a", b"ab"):
        yield base64.b64encode(before + raw + b"z").decode()
        yield base64.urlsafe_b64encode(before + raw).decode().rstrip("=")
    yield base64.b64encode(b"user:" + raw).decode()


unicode_text = st.text(st.characters(exclude_categories=["Cs"]), min_size=SHORTEST, max_size=20)


@given(unicode_text, unicode_text)
@example('pass"word\\x/ü€😀', " and ")
def test_a_known_secret_survives_in_no_spelling(secret, around):
    assume(secret not in PUBLIC_WORDS)
    redactor = Redactor(KEY, frozenset([secret]))
    for spelling in spellings(secret):
        clean, pointers = redactor.redact("note.added", {"text": f"<{spelling}> {around}"})
        assert spelling not in clean["text"], spelling
        assert f"[redacted:{redactor.fingerprint(secret)}]" in clean["text"], spelling
        assert pointers == ["/text"]


def test_a_known_secret_goes_from_keys_definitions_and_errors_at_any_depth():
    secret = "tr0ub4dor&3"
    redactor = Redactor(KEY, frozenset([secret]))
    payload = captured({"command": f"run {secret}"}) | {
        "instructions": f"use {secret}",
        "tools": [{"name": "t", "inputSchema": {"properties": {secret: {"default": [f"x{secret}y"]}}}}],
    }
    clean, pointers = redactor.redact("descriptors.captured", payload)
    assert secret not in json.dumps(clean)
    mark = f"[redacted:{redactor.fingerprint(secret)}]"
    assert clean["instructions"] == f"use {mark}"
    assert clean["tools"][0]["inputSchema"]["properties"] == {mark: {"default": [f"x{mark}y"]}}
    for pointer in pointers:
        assert resolve(clean, pointer) is not None
    assert validated("descriptors.captured", 1, clean) is clean


@pytest.mark.parametrize("size", [0, 100, 10_000])
@pytest.mark.parametrize("spelled", ["tr0ub4dor&3", "tr0ub4dor%263", base64.b64encode(b"x:tr0ub4dor&3").decode()])
def test_a_known_secret_is_found_in_small_events_and_in_large_ones(size, spelled):
    clean, pointers = Redactor(KEY, frozenset(["tr0ub4dor&3"])).redact("note.added", {"text": "." * size + spelled})
    assert spelled not in clean["text"]
    assert pointers == ["/text"]


def test_two_keys_that_become_the_same_are_both_kept():
    redactor = Redactor(KEY, frozenset(["sec/ret/1"]))
    clean, _ = redactor.redact("render.completed", {"settings": {"sec/ret/1": 1, "sec%2Fret%2F1": 2}})
    assert sorted(clean["settings"].values()) == [1, 2]


def test_pointers_to_redacted_places_do_not_hold_the_secret():
    secret = "n@me/of~it"
    redactor = Redactor(KEY, frozenset([secret]))
    clean, pointers = redactor.redact("descriptors.captured", captured({"env": {secret: "value"}}))
    assert secret not in json.dumps([clean, pointers])
    assert all(resolve(clean, pointer) for pointer in pointers)


def test_the_longest_of_several_secrets_is_taken():
    redactor = Redactor(KEY, frozenset(["hunter2", "hunter2-and-more"]))
    clean, _ = redactor.redact("note.added", {"text": "hunter2-and-more"})
    assert clean["text"] == f"[redacted:{redactor.fingerprint('hunter2-and-more')}]"


@pytest.mark.parametrize("secret", ["12345", "", "server", "string", "descrip", "complete"])
def test_what_is_short_or_a_word_of_the_wire_is_no_secret(secret):
    payload = captured(None) | {"instructions": f"12345 {secret}"}
    assert Redactor(KEY, frozenset([secret])).redact("descriptors.captured", payload) == (payload, [])


def _words_of(annotation):
    if get_origin(annotation) is Literal:
        yield from get_args(annotation)
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        for name, field in annotation.model_fields.items():
            yield field.alias or name
            yield from _words_of(field.annotation)
    else:
        for part in get_args(annotation):
            yield from _words_of(part)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_field_and_fixed_value_of_the_wire_is_a_public_word(kind):
    """Otherwise a secret that happens to equal one would break the payload that it is removed from."""
    words = {word for word in _words_of(KINDS[kind]) if len(word) >= SHORTEST}
    assert {word for word in words if word not in PUBLIC_WORDS} == set()


def test_an_integer_beyond_64_bits_does_not_hide_a_secret():
    clean, _ = Redactor(KEY, frozenset(["hunter2"])).redact(
        "render.completed", {"settings": {"a": 2**70, "b": "hunter2"}}
    )
    assert "hunter2" not in json.dumps(clean)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(SUSPECTS),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["env", "headers", "args", "url", "token", "x", "a/b~c", CANARY]), inner)
    ),
    max_leaves=12,
)
payloads = st.dictionaries(
    st.sampled_from(["launch", "servers", "server_info", "rejected", "source", "tools", "document"]),
    json_values,
)
kinds = st.sampled_from(["descriptors.captured", "discovery.updated", "legacy.imported", "note.added"])


@given(kinds, payloads)
def test_redacting_twice_changes_nothing_more(kind, payload):
    redactor = Redactor(KEY, frozenset([CANARY]))
    once, _ = redactor.redact(kind, payload)
    assert redactor.redact(kind, once) == (once, [])


@given(kinds, payloads)
def test_a_canary_that_is_known_survives_nowhere(kind, payload):
    clean, _ = Redactor(KEY, frozenset([CANARY])).redact(kind, payload)
    assert CANARY not in json.dumps(clean, ensure_ascii=False)


@given(kinds, payloads)
def test_the_given_payload_is_never_changed(kind, payload):
    before = json.dumps(payload)
    Redactor(KEY, frozenset([CANARY])).redact(kind, payload)
    assert json.dumps(payload) == before


@given(kinds, payloads)
def test_every_pointer_leads_to_a_place_and_is_listed(kind, payload):
    clean, pointers = Redactor(KEY, frozenset([CANARY])).redact(kind, payload)
    for pointer in pointers:
        resolve(clean, pointer)
    assert clean.get("redacted", []) == pointers


def test_what_is_nested_too_deep_to_be_searched_is_over_the_limit():
    deep = orjson.loads("[" * 1000 + "]" * 1000)
    with pytest.raises(OverLimit, match="max_depth"):
        Redactor(KEY).redact("legacy.imported", {"document": deep})
    with pytest.raises(OverLimit, match="max_depth"):
        Redactor(KEY, frozenset(["hunter2"])).redact("note.added", {"text": deep})


@pytest.mark.parametrize(
    "hostile",
    ["a" * 300_000, "eyJaaaaaaaaa-" * 30_000, "a:" * 100_000, "\\" * 200_000, "%" * 200_000, "x=" * 100_000,
     "--a " * 80_000, "-----BEGIN PRIVATE KEY" * 10_000, "Bearer " * 40_000, "://" * 90_000,
     "Y2FuYXJ5" * 30_000],
)  # fmt: skip
def test_hostile_text_is_searched_in_linear_time(hostile):
    """It ends; what is quadratic in 300,000 characters does not, within the patience of a test run."""
    redactor = Redactor(KEY, frozenset(["hunter2 and more"]))
    error = {"server": "a", "stage": "list", "error": {"message": hostile + " hunter2 and more"}}
    clean, _ = redactor.redact("capture.failed", error)
    assert "hunter2" not in clean["error"]["message"]
    redactor.redact("descriptors.captured", captured({"args": [hostile], "command": hostile}))
