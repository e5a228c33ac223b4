"""Secrets that shape or place gives away never enter, and what is no secret is left alone."""

import json
from urllib.parse import quote, quote_plus

import pytest

from ledger.events.redact import Redactor
from ledger.events.registry import validated

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
        "descriptors.captured",
        captured({"env": {"TOKEN": CANARY, "LEVEL": "info"}, "headers": {"X-Key": CANARY}}),
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
    assert server["env"] == [{"name": "A", "isRequired": True, "value": "hmac-sha256:" + PLAIN.fingerprint("x")}]


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
    ordinary = [
        "-y",
        "@scope/server@1.2.3",
        "--verbose",
        "--port",
        "8080",
        "/srv/data",
        "key",
        "--tokenizer=bpe",
    ]
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


def test_pointers_that_were_there_before_are_kept():
    payload = captured({"env": {"A": "b"}}) | {"redacted": ["/instructions"]}
    clean, pointers = PLAIN.redact("descriptors.captured", payload)
    assert pointers == ["/launch/env/A"]
    assert clean["redacted"] == ["/instructions", "/launch/env/A"]
