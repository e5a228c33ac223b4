"""Secrets never enter: canaries through every entry, in every spelling, and nothing else is touched."""

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
PLAIN = Redactor(KEY)


def captured(launch):
    return {"server": "github", "outcome": "complete", "tools": [], "launch": launch}


def launched(launch):
    payload, _ = PLAIN.redact("descriptors.captured", captured(launch))
    return payload["launch"]


def discovered(server):
    payload, pointers = PLAIN.redact("discovery.updated", {"servers": [server]})
    return payload["servers"][0], pointers


def arguments(*args):
    return launched({"args": list(args)})["args"]


def told(message):
    payload, _ = PLAIN.redact("capture.failed", {"server": "a", "stage": "list", "error": {"message": message}})
    return payload["error"]["message"]


# Environments and headers


def test_environment_and_header_values_become_names_with_fingerprints():
    payload, pointers = PLAIN.redact(
        "descriptors.captured", captured({"env": {"TOKEN": CANARY, "LEVEL": "info"}, "headers": {"X-Key": CANARY}})
    )
    mark = "hmac-sha256:" + PLAIN.fingerprint(CANARY)
    assert payload["launch"]["env"] == {"TOKEN": mark, "LEVEL": "hmac-sha256:" + PLAIN.fingerprint("info")}
    assert payload["launch"]["headers"] == {"X-Key": mark}
    assert pointers == ["/launch/env/TOKEN", "/launch/env/LEVEL", "/launch/headers/X-Key"]
    assert payload["redacted"] == pointers


def test_a_fingerprint_is_16_hex_digits_that_depend_on_the_key_and_the_value():
    assert len(PLAIN.fingerprint("a")) == 16
    assert int(PLAIN.fingerprint("a"), 16) >= 0
    assert PLAIN.fingerprint("a") != PLAIN.fingerprint("b")
    assert PLAIN.fingerprint("a") != Redactor(b"other").fingerprint("a")


def test_lists_of_names_are_kept():
    launch = {"env": ["GITHUB_TOKEN", "HOME"], "headers": ["Authorization"]}
    assert launched(launch) == launch


@pytest.mark.parametrize(
    "launch",
    [
        {"env": {"A": CANARY}},
        {"ENV": {"A": CANARY}},
        {"environment": {"A": {"value": CANARY}}},
        {"env": {"A": [CANARY]}},
        {"env": CANARY},
        {"env": [f"A={CANARY}"]},
        {"headers": [f"X-Key: {CANARY}"]},
        {"env": [{"name": "A", "value": CANARY}]},
        {"environmentVariables": [{"name": "A", "default": CANARY, "description": "kept"}]},
        {"http_headers": {"a": CANARY}},
        {"options": {"nested": [{"headers": {"Cookie": CANARY}}]}},
        {"options": {"apiKey": CANARY}},
        {"auth": {"client_secret": CANARY}},
        {"url": f"https://user:{quote(CANARY, safe='')}@host/path"},
        {"url": f"https://host/path?key={quote_plus(CANARY)}&page=2"},
        {"baseUrl": f"https://host/path#{quote_plus(CANARY)}"},
        {"description": f"reach it at wss://{quote_plus(CANARY)}@host"},
        {"args": ["--token", CANARY]},
        {"args": [f"--api-key={CANARY}"]},
        {"args": ["-H", f"Authorization: {CANARY}"]},
        {"args": [f"--header=X-Key: {CANARY}"]},
        {"args": ["-e", f"LEVEL={CANARY}"]},
        {"args": [f"--env=LEVEL={CANARY}"]},
        {"args": ["-u", f"me:{CANARY}"]},
        {"args": [f"DIFY_KEY={CANARY}"]},
        {"command": f"TOKEN={CANARY} npx server"},
        {"command": f"npx server --password {CANARY} --verbose"},
        {"command": f"curl -H 'X-Key: {CANARY}' host"},
    ],
)
def test_a_canary_in_a_configuration_does_not_survive(launch):
    server, pointers = discovered({"name": "s", **launch})
    text = json.dumps(server, ensure_ascii=False)
    for spelling in (CANARY, quote(CANARY, safe=""), quote_plus(CANARY), "nary"):
        assert spelling not in text
    assert len(pointers) == 1


def test_what_stands_beside_a_value_is_kept():
    server, _ = discovered({"name": "s", "env": [{"name": "A", "isRequired": True, "value": "x"}]})
    assert server["env"] == [
        {"name": "A", "isRequired": True, "value": "hmac-sha256:" + PLAIN.fingerprint("x")}
    ]


# URLs and arguments


@pytest.mark.parametrize(
    ("url", "stored"),
    [
        ("https://me:pw@host.example:8443/a/b?x=1&y=&z#frag", "https://host.example:8443/a/b?x=&y=&z"),
        ("https://host/a", "https://host/a"),
        ("postgresql://me:p@ss@db/x?sslmode=require", "postgresql://db/x?sslmode="),
        ("https://host?8f3kd9", "https://host?"),
        ("https://host/?a=b=c&a=d", "https://host/?a=&a="),
        ("/relative?key=1", "/relative?key="),
        ("", ""),
    ],
)
def test_urls_lose_user_info_query_values_and_fragments(url, stored):
    assert launched({"url": url}) == {"url": stored}


def test_urls_are_found_within_arguments():
    assert arguments("--url=https://me:pw@host/mcp?k=v", "http://host/") == [
        "--url=https://host/mcp?k=",
        "http://host/",
    ]


def test_ordinary_arguments_stay_as_they_are():
    ordinary = ["-y", "@scope/server@1.2.3", "--verbose", "--port", "8080", "/srv/data", "key", "--tokenizer=bpe"]
    assert arguments(*ordinary) == ordinary


def test_a_flag_after_a_secret_flag_is_no_value():
    assert arguments("--use-auth", "--verbose") == ["--use-auth", "--verbose"]


# Words


TOKENS = [
    "Bearer abcdefghijk",
    "Basic dXNlcjpwYXNzd29yZA==",
    "ghp_abcdefghijklmnop",
    "github_pat_abcdefghijklmnop",
    "sk-abcdefghijkl",
    "sk-ant-api03-abcdefghijkl",
    "xoxb-123456789012-abcdef",
    "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-def",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKC\n-----END RSA PRIVATE KEY-----",
    "https://host/x?q=mysecretvalue",
    "password=mysecretvalue",
]


@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize("around", ["{}", "refused: {} (401)", "'{}'"])
def test_well_known_tokens_leave_error_messages(token, around):
    secret = token.split("=", 1)[-1] if "mysecretvalue" in token else token.split(" ", 1)[-1]
    assert secret not in told(around.format(token))


@pytest.mark.parametrize("token", TOKENS)
def test_well_known_tokens_leave_arguments(token):
    assert token not in arguments(token)


@pytest.mark.parametrize(
    "message",
    [
        "connect ECONNREFUSED 127.0.0.1:3000",
        "Unexpected token undefined in JSON at position 0",
        "Basic authentication required",
        "task-something-long-winded failed: exit=1",
        "see https://docs.example/errors/401",
        "jcs1-sha256:" + "0123456789abcdef" * 4,
    ],
)
def test_ordinary_messages_stay_as_they_are(message):
    assert told(message) == message


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("health.changed", {"server": "a", "after": "down", "reason": "Bearer {}"}),
        ("fallback.engaged", {"server": "a", "tool": "b", "step": "generic_wrapper", "reason": "Bearer {}"}),
        ("recording.stopped", {"reason": "Bearer {}"}),
        ("live.served", {"tools": [], "omitted": [{"name": "a", "detail": "Bearer {}"}]}),
        ("render.refused", {"reason": "invalid_input", "detail": "Bearer {}"}),
        ("render.refused", {"reason": "invalid_input", "inputs": [{"document": {"env": {"A": "{}"}}}]}),
        ("render.refused", {"reason": "invalid_input", "inputs": [{"document": "broken: Bearer {}"}]}),
        ("render.completed", {"intended": {"tools": []}, "problems": [{"message": "Bearer {}"}]}),
        ("legacy.imported", {"document": [{"name": "s", "headers": {"a": "{}"}, "args": ["--token", "{}"]}]}),
        ("descriptors.captured", captured("npx x --token {}")),
        ("descriptors.captured", captured(None) | {"rejected": [{"name": "x", "reason": "Bearer {}"}]}),
        ("discovery.reset", {"source": "https://host?key={}"}),
    ],
)
def test_a_canary_in_any_field_of_words_or_files_does_not_survive(kind, payload):
    canary = "canary0123456789"
    filled = json.loads(json.dumps(payload).replace("{}", canary))
    clean, pointers = PLAIN.redact(kind, filled)
    assert canary not in json.dumps(clean)
    assert pointers
    assert validated(kind, 1, clean) == clean


def test_prose_and_schemas_of_documents_are_left_alone():
    document = {
        "tools": [
            {
                "name": "fetch",
                "description": "GET https://host?page=1 with Bearer abcdefghijk",
                "inputSchema": {"properties": {"headers": {"type": "object"}, "password": {"type": "string"}}},
            }
        ]
    }
    payload = {"document": document}
    assert PLAIN.redact("legacy.imported", payload) == (payload, [])


def test_definitions_are_left_alone_without_known_secrets():
    payload = captured(None) | {"tools": [{"name": "a", "description": "Bearer abcdefghijk", "env": {"A": "b"}}]}
    clean, pointers = PLAIN.redact("descriptors.captured", payload)
    assert clean is payload
    assert pointers == []


# Known secrets


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
    clean, _ = Redactor(KEY, frozenset(["hunter2"])).redact("render.completed", {"settings": {"a": 2**70, "b": "hunter2"}})
    assert "hunter2" not in json.dumps(clean)


# Laws


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from([CANARY, *TOKENS]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["env", "headers", "args", "url", "token", "x", "a/b~c", CANARY]), inner)
    ),
    max_leaves=12,
)
payloads = st.dictionaries(
    st.sampled_from(["launch", "servers", "server_info", "rejected", "source", "tools", "document"]), json_values
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


def test_pointers_that_were_there_before_are_kept():
    payload = captured({"env": {"A": "b"}}) | {"redacted": ["/instructions"]}
    clean, pointers = PLAIN.redact("descriptors.captured", payload)
    assert pointers == ["/launch/env/A"]
    assert clean["redacted"] == ["/instructions", "/launch/env/A"]


def test_what_is_nested_too_deep_to_be_searched_is_over_the_limit():
    deep = orjson.loads("[" * 1000 + "]" * 1000)
    with pytest.raises(OverLimit, match="max_depth"):
        PLAIN.redact("legacy.imported", {"document": deep})
    with pytest.raises(OverLimit, match="max_depth"):
        Redactor(KEY, frozenset(["hunter2"])).redact("note.added", {"text": deep})


@pytest.mark.parametrize(
    "hostile",
    ["a" * 300_000, "eyJaaaaaaaaa-" * 30_000, "a:" * 100_000, "\\" * 200_000, "%" * 200_000, "x=" * 100_000,
     "--a " * 80_000, "-----BEGIN PRIVATE KEY" * 10_000, "Bearer " * 40_000, "://" * 90_000, "Y2FuYXJ5" * 30_000],
)  # fmt: skip
def test_hostile_text_is_searched_in_linear_time(hostile):
    """It ends; what is quadratic in 300,000 characters does not, within the patience of a test run."""
    redactor = Redactor(KEY, frozenset(["hunter2 and more"]))
    error = {"server": "a", "stage": "list", "error": {"message": hostile + " hunter2 and more"}}
    clean, _ = redactor.redact("capture.failed", error)
    assert "hunter2" not in clean["error"]["message"]
    redactor.redact("descriptors.captured", captured({"args": [hostile], "command": hostile}))
