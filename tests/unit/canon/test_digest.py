"""Digests: what changes them, and what must not."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.canon.canonical import canonical
from ledger.canon.digest import Digest, digest, digest_bytes, is_digest, nameless_digest, semantic_digest
from ledger.canon.jsontext import DEEPEST
from ledger.canon.positions import every_schema, subschemas
from ledger.errors import BadInput, OverLimit
from tests.unit.canon.strategies import definitions, schemas, shuffled, values

HEX = "0123456789abcdef" * 4


@given(values)
def test_a_digest_is_the_sha_256_of_the_canonical_bytes(value: Any) -> None:
    assert digest(value) == f"jcs1-sha256:{hashlib.sha256(canonical(value)).hexdigest()}"
    assert digest(value) == digest_bytes(canonical(value))


def test_a_digest_tells_its_scheme_and_its_hex_digits() -> None:
    found = Digest.parse(f"sem1-sha256:{HEX}")
    assert (found.scheme, found.hex) == (Digest.SEMANTIC, HEX)
    assert digest(None).scheme == Digest.FULL
    assert isinstance(digest(None), str)


@pytest.mark.parametrize(
    "text",
    [
        *("", HEX, f"sha256:{HEX}", f"jcs2-sha256:{HEX}", f" jcs1-sha256:{HEX}", f"jcs1-sha256:{HEX}\n"),
        *(f"jcs1-sha256:{HEX[1:]}", f"jcs1-sha256:{HEX}0", f"jcs1-sha256:{HEX.upper()}", f"jcs1-sha256:{HEX[:-1]}g"),
    ],
)
def test_text_that_is_no_digest_is_refused(text: str) -> None:
    assert not is_digest(text)
    with pytest.raises(BadInput, match="not a digest"):
        Digest.parse(text)


def test_only_a_full_digest_names_a_document() -> None:
    assert is_digest(f"jcs1-sha256:{HEX}")
    assert not is_digest(f"sem1-sha256:{HEX}")
    assert not is_digest(None)
    assert not is_digest(["jcs1-sha256:" + HEX])


@given(definitions, st.text())
def test_the_nameless_digest_ignores_the_name_and_nothing_else(definition: dict[str, Any], name: str) -> None:
    assert nameless_digest(definition | {"name": name}) == nameless_digest(definition)
    unnamed = {key: part for key, part in definition.items() if key != "name"}
    assert nameless_digest(definition) == digest(unnamed)
    assert nameless_digest(definition | {"title": "A title nobody has"}) != nameless_digest(definition)


# --- the semantic digest -------------------------------------------------------------------------------------

PROSE: list[dict[str, Any]] = [
    {"title": "A title"},
    {"description": "Some words", "$comment": "for maintainers"},
    {"examples": [{"title": "not a schema"}, 1]},
]


def every_part(definition: dict[str, Any]) -> list[dict[str, Any]]:
    """The schemas of a definition at all positions, to be changed in place."""
    sides = [definition[side] for side in ("inputSchema", "outputSchema") if side in definition]
    return [part for side in sides for _, part in every_schema(side)]


def copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: copy(part) for key, part in value.items()}
    return [copy(part) for part in value] if isinstance(value, list) else value


@given(definitions, st.sampled_from(PROSE), st.data())
def test_prose_at_any_schema_position_leaves_the_semantic_digest_alone(
    definition: dict[str, Any], prose: dict[str, Any], data: st.DataObject
) -> None:
    wordy = copy(definition)
    data.draw(st.sampled_from(every_part(wordy))).update(prose)
    assert semantic_digest(wordy) == semantic_digest(definition)
    assert digest(wordy) != digest(definition)


@given(definitions, values)
def test_top_level_prose_leaves_the_semantic_digest_alone(definition: dict[str, Any], prose: Any) -> None:
    wordy = definition | dict.fromkeys(("name", "title", "description", "icons", "_meta"), prose)
    wordy["annotations"] = definition.get("annotations", {}) | {"title": prose}
    plain = {"annotations": {}} | definition
    assert semantic_digest(wordy) == semantic_digest(plain)


@given(definitions, st.randoms(use_true_random=False))
def test_the_order_of_sets_and_keys_leaves_the_semantic_digest_alone(definition: dict[str, Any], random: Any) -> None:
    other = shuffled(definition, random)
    for part in every_part(other):
        for keyword in ("required", "enum", "type"):
            if isinstance(part.get(keyword), list):
                random.shuffle(part[keyword])
                part[keyword] += part[keyword][:1]
    assert semantic_digest(other) == semantic_digest(definition)


@given(definitions, st.data())
def test_every_other_keyword_at_any_schema_position_changes_the_semantic_digest(
    definition: dict[str, Any], data: st.DataObject
) -> None:
    other = copy(definition)
    part = data.draw(st.sampled_from(every_part(other)))
    keyword = data.draw(st.sampled_from(["maxLength", "format", "default", "deprecated", "readOnly", "x-title", "$id"]))
    part[keyword] = data.draw(st.sampled_from(["something else", 777]))
    assert semantic_digest(other) != semantic_digest(definition)


@given(definitions, st.data())
def test_a_property_named_like_prose_counts(definition: dict[str, Any], data: st.DataObject) -> None:
    other = copy(definition)
    part = data.draw(st.sampled_from(every_part(other)))
    name = data.draw(st.sampled_from(["title", "description", "examples", "$comment"]))
    where = data.draw(st.sampled_from(["properties", "$defs", "dependentSchemas", "patternProperties"]))
    part[where] = copy(part.get(where, {})) | {name: {"maxLength": 987}}
    assert semantic_digest(other) != semantic_digest(definition)


@pytest.mark.parametrize("keyword", ["default", "const", "x-anything", "dependentRequired"])
def test_what_looks_like_a_schema_but_is_a_value_keeps_its_prose(keyword: str) -> None:
    one: Any = {"name": "t", "inputSchema": {keyword: {"title": "one"}}}
    other: Any = {"name": "t", "inputSchema": {keyword: {"title": "two"}}}
    assert semantic_digest(one) != semantic_digest(other)


@pytest.mark.parametrize("key", ["inputschema", "parameters", "execution", "x-schema"])
def test_schemas_are_only_looked_for_in_the_two_schema_fields(key: str) -> None:
    assert semantic_digest({key: {"title": "one"}}) != semantic_digest({key: {"title": "two"}})


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf", "prefixItems", "examples of nothing"])
def test_the_order_of_a_list_that_is_no_set_counts(keyword: str) -> None:
    one: Any = {"inputSchema": {keyword: [{"minimum": 1}, {"minimum": 2}]}}
    other: Any = {"inputSchema": {keyword: [{"minimum": 2}, {"minimum": 1}]}}
    assert semantic_digest(one) != semantic_digest(other)


@pytest.mark.parametrize(
    "schema", [True, None, 7, "text", [{"title": "x"}], {"required": "x", "enum": 3, "properties": []}]
)
def test_a_definition_whose_schema_is_malformed_still_has_a_semantic_digest(schema: Any) -> None:
    found = semantic_digest({"name": "t", "inputSchema": schema})
    assert found.scheme == Digest.SEMANTIC
    assert found != semantic_digest({"name": "t"})


def test_a_list_of_draft_7_items_and_its_dependencies_are_schema_positions() -> None:
    def schema(words: str) -> Any:
        return {"items": [{"title": words}], "dependencies": {"a": {"title": words}, "b": ["title"]}}

    assert semantic_digest({"inputSchema": schema("x")}) == semantic_digest({"inputSchema": schema("y")})


@given(definitions)
def test_a_semantic_digest_does_not_change_the_definition(definition: dict[str, Any]) -> None:
    before = copy(definition)
    semantic_digest(definition)
    assert definition == before


def test_a_definition_nested_too_deeply_is_over_the_limit_and_no_python_error() -> None:
    schema: Any = {}
    for _ in range(5_000):
        schema = {"not": schema}
    with pytest.raises(OverLimit):
        semantic_digest({"inputSchema": schema})


def test_the_deepest_definition_that_has_a_digest_has_a_semantic_one_too() -> None:
    schema: Any = {"title": "x"}
    for _ in range(DEEPEST - 2):
        schema = {"not": schema}
    assert digest({"inputSchema": schema})
    assert semantic_digest({"inputSchema": schema})


# --- the positions both digests and schema checks rely on ----------------------------------------------------


@given(schemas)
def test_every_schema_is_reported_once_and_at_the_place_its_path_names(schema: Any) -> None:
    found = list(every_schema(schema))
    assert len({path for path, _ in found}) == len(found)
    for path, part in found:
        held: Any = schema
        for key in path:
            held = held[key]
        assert held is part


def test_booleans_are_schemas_and_other_scalars_are_not() -> None:
    schema: Any = {"items": True, "not": 3, "anyOf": [False, "x"], "properties": {"a": None, "b": True}}
    assert dict(subschemas(schema)) == {("items",): True, ("anyOf", 0): False, ("properties", "b"): True}
