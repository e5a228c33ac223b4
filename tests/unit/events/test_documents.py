"""Heavy values leave the payload for documents and come back from them; nothing is lost on the way."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.canon.canonical import canonical
from ledger.canon.digest import digest, nameless_digest, semantic_digest
from ledger.canon.stored import load
from ledger.errors import OverLimit
from ledger.events.documents import ERASED, Limits, Packer, nested, pack, references, unpack
from ledger.events.limits import depth_of

LIMITS = Limits()
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)
json_objects = st.dictionaries(text, json_values, max_size=4)
definitions = st.builds(
    lambda rest, name, schemas: rest | schemas | {"name": name},
    json_objects,
    st.sampled_from(["search", "fetch", "read", "écrire"]),
    st.dictionaries(st.sampled_from(["inputSchema", "outputSchema", "description"]), json_values),
)
captures = st.fixed_dictionaries(
    {"server": text, "outcome": st.just("complete"), "tools": st.lists(definitions, max_size=6)},
    optional={
        "instructions": text,
        "capabilities": json_objects,
        "prompts": st.none() | st.lists(json_objects, max_size=2),
        "launch": json_objects,
    },
)
entries = st.fixed_dictionaries(
    {"name": text, "definition": json_objects | definitions},
    optional={"server": text, "tool": text, "locked": st.booleans(), "schema_hash": text},
)
renders = st.fixed_dictionaries(
    {"intended": st.fixed_dictionaries({"tools": st.lists(entries, max_size=4)})},
    optional={
        "hidden": st.lists(st.fixed_dictionaries({"tool": text}), max_size=80),
        "inputs": st.lists(st.fixed_dictionaries({"layer": text}, optional={"document": json_values}), max_size=3),
    },
)
servings = st.fixed_dictionaries(
    {"tools": st.lists(entries, max_size=4)},
    optional={"omitted": st.none() | st.lists(st.fixed_dictionaries({"name": text}), max_size=3)},
)


def stored(packed):
    return {document.digest: load(document.body) for document in packed.documents}


def there_and_back(kind, payload, packer=None):
    packed = packer.pack(kind, payload) if packer else pack(kind, payload, LIMITS)
    assert packed.payload == canonical(packed.fields)
    return unpack(kind, load(packed.payload), stored(packed).__getitem__)


def capture(*tools, **more):
    return {"server": "github", "outcome": "complete", "tools": list(tools), **more}


@given(captures)
def test_a_capture_comes_back_as_it_was(payload):
    assert canonical(there_and_back("descriptors.captured", payload)) == canonical(payload)


@given(renders)
def test_a_render_comes_back_as_it_was(payload):
    assert canonical(there_and_back("render.completed", payload)) == canonical(payload)


@given(servings)
def test_a_serving_comes_back_as_it_was(payload):
    assert canonical(there_and_back("live.served", payload)) == canonical(payload)


@given(json_values)
def test_an_imported_file_comes_back_as_it_was(document):
    payload = {"role": "overrides", "document": document}
    assert canonical(there_and_back("legacy.imported", payload)) == canonical(payload)


@settings(max_examples=30)
@given(st.lists(captures, max_size=6))
def test_a_packer_that_remembers_packs_as_one_that_does_not(payloads):
    packer = Packer(LIMITS, remembered=2)
    for payload in payloads:
        assert packer.pack("descriptors.captured", payload) == pack("descriptors.captured", payload, LIMITS)


@given(captures)
def test_packing_leaves_the_given_payload_as_it_was(payload):
    before = canonical(payload)
    pack("descriptors.captured", payload, LIMITS)
    assert canonical(payload) == before


@given(captures | renders)
def test_every_document_is_reached_from_the_payload_with_its_role(payload):
    """One value may stand in two places; it is stored once, in the role in which it came first."""
    kind = "descriptors.captured" if "outcome" in payload else "render.completed"
    packed = pack(kind, payload, LIMITS)
    values = stored(packed)
    reached, waiting = {}, references(kind, load(packed.payload))
    while waiting:
        name, role = waiting.pop()
        reached.setdefault(name, set()).add(role)
        waiting += nested(role, values[name])
    assert reached.keys() == values.keys()
    assert all(document.role in reached[document.digest] for document in packed.documents)


@given(captures | renders)
def test_a_document_stands_before_those_that_name_it_and_once(payload):
    kind = "descriptors.captured" if "outcome" in payload else "render.completed"
    seen = set()
    for document in pack(kind, payload, LIMITS).documents:
        assert document.digest not in seen
        assert {name for name, _ in nested(document.role, load(document.body))} <= seen
        seen.add(document.digest)


@given(captures | renders)
def test_a_document_tells_beneath_which_one_of_the_payload_it_is_named(payload):
    kind = "descriptors.captured" if "outcome" in payload else "render.completed"
    packed = pack(kind, payload, LIMITS)
    named_by_the_payload = {name for name, _ in references(kind, packed.fields)}
    for document in packed.documents:
        assert (document.under or document.digest) in named_by_the_payload


def test_an_item_of_a_captured_list_holds_the_digests_of_the_definition_and_its_parts():
    tool = {"name": "search", "description": "words", "inputSchema": {"type": "object"}}
    packed = pack("descriptors.captured", capture(tool), LIMITS)
    listed = stored(packed)[packed.fields["tools"]]
    assert listed == {
        "list": [
            [
                "search",
                digest(tool),
                nameless_digest(tool),
                semantic_digest(tool),
                digest({"type": "object"}),
                None,
            ]
        ]
    }
    assert stored(packed)[digest(tool)] == tool


def test_a_stored_entry_has_the_digests_of_its_schemas_only_where_there_are_any():
    bare = {"name": "a", "definition": {"name": "a"}}
    typed = {
        "name": "b",
        "server": "s",
        "tool": "b",
        "definition": {"name": "b", "outputSchema": {"type": "object"}},
    }
    packed = pack("live.served", {"tools": [bare, typed]}, LIMITS)
    assert stored(packed)[packed.fields["tools"]]["list"] == [
        {"name": "a", "definition": digest({"name": "a"})},
        typed | {"definition": digest(typed["definition"]), "output": digest({"type": "object"})},
    ]


def test_what_a_server_says_about_itself_is_one_document():
    about = {"protocol_version": "2025-06-18", "prompts": [], "instructions": None}
    packed = pack("descriptors.captured", capture(**about), LIMITS)
    assert packed.fields.keys() == {"server", "outcome", "tools", "about"}
    assert stored(packed)[packed.fields["about"]] == about


def test_an_unchanged_capture_of_500_tools_is_about_a_hundred_bytes_and_no_new_document():
    tools = [{"name": f"t{number}", "inputSchema": {"type": "object"}} for number in range(500)]
    packer = Packer(LIMITS)
    first = packer.pack("descriptors.captured", capture(*tools))
    again = packer.pack("descriptors.captured", capture(*[dict(reversed(tool.items())) for tool in tools]))
    assert again == first
    assert len(again.payload) < 150


def test_a_digest_that_is_given_as_a_document_is_kept_and_named():
    known = digest({"schemaVersion": 2})
    packed = pack("legacy.imported", {"document": known}, LIMITS)
    assert packed.fields == {"document": known}
    assert packed.documents == ()
    assert references("legacy.imported", packed.fields) == [(known, "file")]


def test_a_file_that_is_text_is_a_document_of_its_own():
    packed = pack("render.refused", {"reason": "invalid_input", "inputs": [{"document": "{broken"}]}, LIMITS)
    assert stored(packed) == {digest("{broken"): "{broken"}


def test_a_file_that_is_not_there_is_no_document():
    payload = {"intended": {"tools": []}, "inputs": [{"document": None, "missing": True}, {"layer": "x"}]}
    packed = pack("render.completed", payload, LIMITS)
    assert packed.fields["inputs"] == payload["inputs"]
    assert references("render.completed", packed.fields) == [(packed.fields["intended"]["tools"], "list")]


def test_a_light_kind_stays_whole():
    payload = {"text": "hello"}
    packed = pack("note.added", payload, LIMITS)
    assert packed == (b'{"text":"hello"}', (), payload)
    assert unpack("note.added", payload, {}.__getitem__) is payload
    assert references("note.added", payload) == []


def reading_without(values, *gone):
    return lambda name: ERASED if name in gone else values[name]


def test_an_erased_definition_is_marked_where_it_stood():
    kept, gone = {"name": "kept"}, {"name": "gone"}
    packed = pack("descriptors.captured", capture(kept, gone), LIMITS)
    read = reading_without(stored(packed), digest(gone))
    assert unpack("descriptors.captured", packed.fields, read)["tools"] == [kept, {"erased": digest(gone)}]


def test_an_erased_definition_of_an_entry_is_marked_and_its_entry_stays():
    packed = pack("live.served", {"tools": [{"name": "a", "definition": {"name": "a"}}]}, LIMITS)
    mark = {"erased": digest({"name": "a"})}
    read = reading_without(stored(packed), mark["erased"])
    assert unpack("live.served", packed.fields, read)["tools"] == [{"name": "a", "definition": mark}]


@pytest.mark.parametrize(
    ("kind", "payload", "field"),
    [
        ("descriptors.captured", capture({"name": "a"}), "tools"),
        ("descriptors.captured", capture(instructions="x"), "about"),
        ("live.served", {"tools": [], "omitted": [{"name": "a"}]}, "omitted"),
        ("legacy.imported", {"document": {}}, "document"),
    ],
)
def test_an_erased_document_is_marked_in_its_field(kind, payload, field):
    packed = pack(kind, payload, LIMITS)
    name = packed.fields[field]
    read = reading_without(stored(packed), name)
    assert unpack(kind, packed.fields, read)[field] == {"erased": name}


def nested_lists(depth):
    value = []
    for _ in range(depth - 1):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("kind", "payload", "limits", "limit", "place"),
    [
        ("note.added", {"text": "x" * 100}, Limits(max_event_bytes=100), "max_event_bytes", "payload"),
        ("descriptors.captured", capture({"name": "a" * 300}), Limits(max_event_bytes=600),
         "max_event_bytes", "payload"),
        ("descriptors.captured", capture({"name": "a"}, {"name": "b" * 50}), Limits(max_definition_bytes=50),
         "max_definition_bytes", "payload.tools[1]"),
        ("live.served", {"tools": [{"name": "a", "definition": {"x": "y" * 50}}]},
         Limits(max_definition_bytes=50), "max_definition_bytes", "payload.tools[0].definition"),
        ("descriptors.captured", capture(*[{"name": "a"}] * 3), Limits(max_tools=2),
         "max_tools", "payload.tools"),
        ("render.completed", {"intended": {"tools": [{"name": "a", "definition": {}}] * 3}},
         Limits(max_tools=2), "max_tools", "payload.intended.tools"),
        ("note.added", {"text": nested_lists(64)}, LIMITS, "max_depth", "payload"),
        ("descriptors.captured", capture({"name": "a", "x": nested_lists(64)}), LIMITS,
         "max_depth", "payload.tools[0]"),
        ("legacy.imported", {"document": nested_lists(65)}, LIMITS, "max_depth", "payload.document"),
    ],
)  # fmt: skip
def test_what_is_over_a_limit_is_refused_with_the_limits_name_and_the_place(kind, payload, limits, limit, place):
    with pytest.raises(OverLimit) as caught:
        pack(kind, payload, limits)
    assert (caught.value.limit, caught.value.place) == (limit, place)
    assert hasattr(limits, limit)
    assert caught.value.found > caught.value.allowed


def test_what_is_just_within_the_depth_is_accepted():
    payload = capture({"name": "a", "x": nested_lists(63)})
    assert there_and_back("descriptors.captured", payload) == payload


def naive_depth(value):
    if not isinstance(value, dict | list):
        return 0
    return 1 + max(map(naive_depth, value.values() if isinstance(value, dict) else value), default=0)


@given(json_values)
def test_the_depth_of_text_is_the_depth_of_its_value(value):
    assert depth_of(canonical(value)) == naive_depth(value)


def test_brackets_inside_strings_are_no_depth():
    assert depth_of(canonical({"a": '[[[["]]{{\\"', "b": ["\\", "["]})) == 2
