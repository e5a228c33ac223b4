"""The door refuses what is not an event, names the field at fault, and adds nothing of its own."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ledger.errors import BadInput
from ledger.events.registry import KINDS, validated

VALIDATED = {"server": "github", "tool": "search", "schema_hash": "h1", "result": "pass"}
CAPTURED = {"server": "github", "outcome": "complete", "tools": [{"name": "search"}]}
ENTRY = {"name": "search", "definition": {"name": "search"}}
EVENT_ID = "019a9600-0000-7000-8000-000000000001"


def refusal(kind, payload, version=1):
    with pytest.raises(BadInput) as caught:
        validated(kind, version, payload)
    return caught.value.place, caught.value.reason


# What events.md calls required, word for word.
REQUIRED = {
    "descriptors.captured": (CAPTURED, ["server", "outcome", "tools"]),
    "capture.failed": ({"server": "a", "stage": "list", "error": {}}, ["server", "stage", "error"]),
    "health.changed": ({"server": "a", "after": "up"}, ["server", "after"]),
    "schema.validated": (VALIDATED, ["server", "tool", "schema_hash", "result"]),
    "fallback.engaged": (
        {"server": "a", "tool": "b", "step": "generic_wrapper"},
        ["server", "tool", "step"],
    ),
    "live.served": ({"tools": [ENTRY]}, ["tools"]),
    "render.completed": ({"intended": {"tools": [ENTRY]}}, ["intended"]),
    "render.refused": ({"reason": "invalid_input"}, ["reason"]),
    "drift.waived": ({"subject": "all"}, ["subject"]),
    "parity.asserted": ({"result": "pass"}, ["result"]),
    "flag.changed": ({"name": "f", "after": True}, ["name", "after"]),
    "phase.changed": ({"after": "two"}, ["after"]),
    "note.added": ({"text": "hello"}, ["text"]),
    "payload.erased": ({"documents": ["jcs1-sha256:" + "0" * 64], "reason": "asked"}, ["reason"]),
    "clock.corrected": (
        {"before_us": 2, "after_us": 1, "reason": "ahead"},
        ["before_us", "after_us", "reason"],
    ),
    "backup.completed": ({"backup_id": "b", "heads": []}, ["backup_id", "heads"]),
    "ledger.restored": (
        {"chain": "0" * 32, "epoch": 1, "from_seq": 3, "lost": 2, "accepted_by": "alice"},
        ["chain", "epoch", "from_seq", "lost", "accepted_by"],
    ),
}


@pytest.mark.parametrize("kind", REQUIRED)
def test_a_payload_of_only_its_required_fields_is_accepted_as_it_is(kind):
    payload = REQUIRED[kind][0]
    assert validated(kind, 1, payload) is payload


@pytest.mark.parametrize(
    ("kind", "field"), [(kind, field) for kind, (_, fields) in REQUIRED.items() for field in fields]
)
def test_a_missing_required_field_is_named(kind, field):
    payload = {name: value for name, value in REQUIRED[kind][0].items() if name != field}
    assert refusal(kind, payload) == (f"payload.{field}", "field required")


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - REQUIRED.keys()))
def test_the_other_kinds_require_nothing(kind):
    assert validated(kind, 1, {}) == {}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_says_when_it_is_recorded_and_what_it_does_not_mean(kind):
    words = KINDS[kind].__doc__
    assert "Recorded" in words
    assert any(word in words for word in ("not", "no ", "nothing", "none", "never")), words


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_may_list_what_was_redacted(kind):
    payload = REQUIRED.get(kind, ({}, []))[0]
    assert validated(kind, 1, payload | {"redacted": ["/a"]})["redacted"] == ["/a"]


def test_an_unknown_kind_is_refused_with_the_nearest_one():
    assert refusal("schema.validate", {}) == (
        "kind",
        "unknown kind 'schema.validate'; did you mean 'schema.validated'?",
    )


def test_a_kind_that_is_no_text_is_refused():
    assert refusal(7, {}) == ("kind", "must be a string")


def test_a_newer_version_is_refused_and_both_are_named():
    place, reason = refusal("note.added", {"text": "x"}, version=2)
    assert place == "version"
    assert reason == "note.added version 2 is newer than version 1, the newest known here"


@pytest.mark.parametrize("version", [0, -1, "1", None, 0.5])
def test_a_version_that_is_none_is_refused(version):
    assert refusal("note.added", {"text": "x"}, version) == ("version", "must be a whole number from 1 on")


@pytest.mark.parametrize("payload", [None, [], "text", 3])
def test_a_payload_that_is_no_object_is_refused(payload):
    assert refusal("note.added", payload) == ("payload", "must be an object")


def test_a_misspelt_field_is_named_before_the_required_one_that_it_meant():
    payload = {"sever": "github", "tool": "search", "schema_hash": "h1", "result": "pass"}
    assert refusal("schema.validated", payload) == ("payload.sever", "unknown field; did you mean 'server'?")


def test_an_unknown_field_inside_an_entry_is_named_with_its_place():
    payload = {"tools": [ENTRY, ENTRY | {"defintion": {}}]}
    assert refusal("live.served", payload) == (
        "payload.tools[1].defintion",
        "unknown field; did you mean 'definition'?",
    )


def test_a_wire_name_is_suggested_and_not_the_name_on_the_class():
    assert refusal("recording.gap", {"form": None}) == (
        "payload.form",
        "unknown field; did you mean 'from'?",
    )


def test_the_name_on_the_class_is_no_name_on_the_wire():
    assert refusal("recording.gap", {"start": "2026-11-18T07:41:00Z"})[0] == "payload.start"


def test_a_strange_field_name_is_quoted_in_the_place():
    assert refusal("note.added", {"text": "x", "a\x1b[31m": 1})[0] == "payload['a\\x1b[31m']"


FAULTS = [
    ("schema.validated", VALIDATED | {"result": "ok"}, "payload.result", "must be one of pass, fail"),
    ("schema.validated", VALIDATED | {"server": ""}, "payload.server", "must not be empty"),
    ("schema.validated", VALIDATED | {"server": 5}, "payload.server", "must be a string"),
    ("schema.validated", VALIDATED | {"tool": "a\nb"}, "payload.tool", "must not contain control characters"),
    ("schema.validated", VALIDATED | {"duration_ms": -1}, "payload.duration_ms", "must be at least 0"),
    ("schema.validated", VALIDATED | {"duration_ms": "1"}, "payload.duration_ms", "must be a number"),
    ("schema.validated", VALIDATED | {"duration_ms": True}, "payload.duration_ms", "must be a number"),
    ("schema.validated", VALIDATED | {"error": {"message": "x"}}, "payload.error.message", "unknown field"),
    ("capture.failed", {"server": "a", "stage": "list", "error": "x"}, "payload.error", "must be an object"),
    ("health.changed", {"server": "a", "after": "up", "consecutive_failures": 1.5},
     "payload.consecutive_failures", "must be a whole number"),
    ("descriptors.captured", CAPTURED | {"tools": {}}, "payload.tools", "must be a list"),
    ("descriptors.captured", CAPTURED | {"tools": [{}]}, "payload.tools[0].name", "field required"),
    ("descriptors.captured", CAPTURED | {"tools": [{"name": 3}]}, "payload.tools[0].name",
     "must be a string"),
    ("descriptors.captured", CAPTURED | {"tools": ["search"]}, "payload.tools[0]", "must be an object"),
    ("descriptors.captured", CAPTURED | {"launch": 5}, "payload.launch", "must be an object or a string"),
    ("descriptors.captured", CAPTURED | {"launch": {"comand": "x"}}, "payload.launch.comand",
     "unknown field; did you mean 'command'?"),
    ("descriptors.captured", CAPTURED | {"outcome": "empty"}, "payload",
     "outcome is empty, but tools are listed"),
    ("discovery.updated", {"servers": ["a", {"nam": "b"}]}, "payload.servers[1].name", "field required"),
    ("recording.started", {"interval_s": 0}, "payload.interval_s", "must be more than 0"),
    ("render.completed", {"intended": {"tools": []}, "captures": ["x"]}, "payload.captures[0]",
     "must be an event id: a UUID in lower case"),
    ("payload.erased", {"reason": "x"}, "payload", "targets or documents must name what is erased"),
    ("payload.erased", {"reason": "x", "targets": [{"seq": 0, "event_id": EVENT_ID}]},
     "payload.targets[0].seq", "must be at least 1"),
    ("flag.changed", {"name": "f", "after": {}}, "payload.after",
     "must be a string or a whole number or a number or true or false"),
    ("live.served", {"tools": [], "omitted": [{"reason": "x"}]}, "payload.omitted[0]",
     "name or tool must say what was left out"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "payload", "place", "reason"), FAULTS)
def test_a_fault_is_told_in_plain_words_with_its_place(kind, payload, place, reason):
    assert refusal(kind, payload) == (place, reason)


@pytest.mark.parametrize("name", ["a::b", "a:", "::", ":", "a\x00", "a\x7f", "a\x85", "tab\t", "end\n"])
def test_a_server_name_that_would_make_identities_ambiguous_is_refused(name):
    reason = refusal("schema.validated", VALIDATED | {"server": name})[1]
    assert reason == "must not contain control characters or `::`, nor end in a colon"


@pytest.mark.parametrize("name", ["a", "a:b", ":a", "npm:@scope/x", "пример", "a b", "x" * 256])
def test_an_ordinary_server_name_is_accepted(name):
    assert validated("schema.validated", 1, VALIDATED | {"server": name})["server"] == name


def test_a_server_name_of_more_than_256_characters_is_refused():
    reason = refusal("schema.validated", VALIDATED | {"server": "x" * 257})[1]
    assert reason == "must be at most 256 characters long"


names = st.text(":ab", min_size=1, max_size=5)


@given(names, names)
def test_an_identity_text_is_read_back_as_what_it_was_made_of(server, tool):
    """The rule for server names is what makes `server::tool` one identity and no other."""
    try:
        validated("schema.validated", 1, VALIDATED | {"server": server, "tool": tool})
    except BadInput:
        assume(False)
    assert f"{server}::{tool}".partition("::")[::2] == (server, tool)


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("2026-11-18T07:41:00Z", "2026-11-18T07:41:00.000000Z"),
        ("2026-11-18T07:41:00+02:00", "2026-11-18T05:41:00.000000Z"),
        ("2026-11-18T07:41:00.123456789Z", "2026-11-18T07:41:00.123456Z"),
        ("2026-11-18 07:41Z", "2026-11-18T07:41:00.000000Z"),
        ("1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"),
    ],
)
def test_times_in_payloads_are_stored_in_utc_with_microseconds(given, stored):
    assert validated("recording.gap", 1, {"from": given, "to": None}) == {"from": stored, "to": None}
    assert validated("drift.waived", 1, {"subject": "all", "until": given})["until"] == stored
    assert validated("legacy.imported", 1, {"claimed_at": given})["claimed_at"] == stored


@pytest.mark.parametrize(
    "bad",
    ["", "soon", "2026-11-18", "2026-11-18T07:41:00", "2026-13-01T00:00:00Z", "0001-01-01T00:00:00+14:00"],
)
def test_a_text_that_is_no_instant_is_refused(bad):
    place, reason = refusal("drift.waived", {"subject": "all", "until": bad})
    assert place == "payload.until"
    assert reason.startswith("must be ")


def test_rewriting_a_time_leaves_the_given_payload_as_it_was():
    given = {"from": "2026-11-18T07:41:00+02:00"}
    validated("recording.gap", 1, given)
    assert given == {"from": "2026-11-18T07:41:00+02:00"}


def test_nothing_is_added_and_unknown_fields_of_definitions_are_kept():
    payload = CAPTURED | {"tools": [{"name": "t", "x-own": {"model_config": 1}, "inputSchema": True}]}
    assert validated("descriptors.captured", 1, payload) is payload


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_refusal_never_quotes_the_value(kind):
    canary = "canary-5f1c9"
    payload = dict.fromkeys(KINDS[kind].model_fields, canary)
    with pytest.raises(BadInput) as caught:
        validated(kind, 1, payload | {"unknown": canary})
    assert canary not in str(caught.value)
