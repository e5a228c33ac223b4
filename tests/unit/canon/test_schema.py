"""Schema checks: what is refused, what is said about a value, and that nobody can make them hang."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from ledger.canon.pointer import resolve
from ledger.canon.schema import MAX_PROBLEMS, Failure, Validator, lint, problems
from ledger.errors import BadInput, OverLimit
from tests.unit.canon.strategies import schemas, values

DRAFT_7 = "http://json-schema.org/draft-07/schema#"


def rules(schema: Any) -> list[tuple[str, str]]:
    return [(problem.rule, problem.pointer) for problem in problems(schema)]


# --- problems -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {},
        {"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]},
        {"maximum": 9223372036854775807, "minimum": -(10**30)},
        {"pattern": "^(?!x)[a-z]+$"},
        {"pattern": "^.{1,4096}$"},
        {"x-unknown": {"type": "nonsense"}, "format": "no-such-format"},
        {"$schema": "https://json-schema.org/draft/2020-12/schema", "prefixItems": [{"type": "string"}]},
        {"$ref": "https://json-schema.org/draft/2020-12/schema"},
    ],
    ids=str,
)
def test_a_usable_schema_has_no_problems(schema: Any) -> None:
    assert problems(schema) == []


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        (3, ""),
        (None, ""),
        ([], ""),
        ({"type": "objec"}, "/type"),
        ({"properties": {"a/b": {"minimum": "1"}}}, "/properties/a~1b/minimum"),
        ({"required": ["a", "a"]}, "/required"),
        ({"items": [{"type": "string"}]}, "/items"),
        ({"allOf": []}, "/allOf"),
        ({"minLength": -1}, "/minLength"),
        ({"not": {"enum": 1}}, "/not/enum"),
    ],
    ids=str,
)
def test_what_the_meta_schema_forbids_is_a_problem_with_its_place(schema: Any, pointer: str) -> None:
    assert rules(schema) == [("invalid_keyword", pointer)]


def test_every_invalid_keyword_is_reported_once() -> None:
    schema: Any = {"properties": {"a": {"type": 1}, "b": {"additionalProperties": 2}}, "required": "a"}
    assert sorted(rules(schema)) == [
        ("invalid_keyword", "/properties/a/type"),
        ("invalid_keyword", "/properties/b/additionalProperties"),
        ("invalid_keyword", "/required"),
    ]


def test_the_number_of_problems_is_bounded() -> None:
    assert len(problems({"properties": {f"p{n}": {"type": 3} for n in range(500)}})) == MAX_PROBLEMS
    assert len(problems({"properties": {f"p{n}": {"type": 3} for n in range(50_000)}})) == 1


def test_a_message_never_repeats_what_the_schema_holds() -> None:
    schema: Any = {
        "type": "hunter2",
        "minimum": "hunter2",
        "$ref": "https://hunter2@example.com/x",
        "pattern": "(hunter2",
    }
    for part in (schema, {"$ref": schema["$ref"]}, {"pattern": schema["pattern"]}):
        assert problems(part)
        assert "hunter2" not in str(problems(part))


@pytest.mark.parametrize(
    "uri", [DRAFT_7, "https://json-schema.org/draft-07/schema", "http://json-schema.org/draft-04/schema#"]
)
def test_a_schema_is_read_in_the_draft_it_names(uri: str) -> None:
    schema: Any = {"$schema": uri, "items": [{"type": "string"}]}
    assert problems(schema) == []
    assert Validator(schema).check([1]) == Failure("/0", "type", "string", "integer")


@pytest.mark.parametrize(
    "uri", ["https://example.com/meta", "", "draft-07", "https://json-schema.org/draft/2021-01/schema"]
)
def test_a_dialect_nobody_knows_is_a_problem(uri: str) -> None:
    assert rules({"$schema": uri, "type": "object"}) == [("dialect_unknown", "/$schema")]


@pytest.mark.parametrize("pattern", ["(", "[z-a]", "a{2,1}", "((a{1000}){1000}){1000}"])
def test_a_pattern_that_cannot_be_compiled_is_a_problem(pattern: str) -> None:
    assert rules({"properties": {"a": {"pattern": pattern}}}) == [("pattern_unusable", "/properties/a/pattern")]
    assert rules({"patternProperties": {pattern: True}})[0][0] == "pattern_unusable"


def test_a_value_that_is_not_json_or_too_deep_is_a_problem_and_no_python_error() -> None:
    deep: Any = {}
    for _ in range(3_000):
        deep = {"not": deep}
    assert rules({"enum": [float("nan")]}) == [("not_json", "/enum/0")]
    assert [rule for rule, _ in rules(deep)] == ["too_deep"]


@given(values)
def test_any_value_at_all_can_be_asked_for_problems_and_lint(value: Any) -> None:
    assert isinstance(problems(value), list)
    assert isinstance(lint(value), list)


# --- references -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reference", ["https://example.com/x.json", "x.json", "urn:x:y", "//example.com/x", "HTTP://LOCALHOST:1"]
)
def test_a_reference_that_leads_out_of_the_schema_is_a_problem_and_is_not_followed(reference: str) -> None:
    schema: Any = {"properties": {"a": {"$ref": reference}}}
    assert rules(schema) == [("ref_not_local", "/properties/a/$ref")]
    with pytest.raises(BadInput):
        Validator(schema)


def test_a_file_that_exists_is_not_read_through_a_reference(tmp_path: Path) -> None:
    file = tmp_path / "open.json"
    file.write_text("{}")
    assert rules({"$ref": file.as_uri()}) == [("ref_not_local", "/$ref")]
    assert rules({"$ref": str(file)}) == [("ref_not_local", "/$ref")]


def test_no_server_is_asked_for_a_reference_or_a_dialect() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/schema"
        hostile: list[Any] = [
            {"$ref": address},
            {"$schema": address},
            {"$dynamicRef": address},
            {"$id": address, "$ref": "other"},
            {"$id": f"{address}/", "not": {"$ref": "a"}},
            {"$defs": {"a": {"$id": "a", "$schema": address, "$ref": address}}},
        ]
        for schema in hostile:
            assert problems(schema)
        with pytest.raises(BlockingIOError):
            server.accept()


@pytest.mark.parametrize("reference", ["#/$defs/nope", "#nope", "#/%24defs/a/b"])
def test_a_reference_to_nothing_is_a_problem_at_its_place(reference: str) -> None:
    schema: Any = {"$defs": {"a": {"items": {"$ref": reference}}}, "properties": {}}
    assert rules(schema) == [("ref_missing", "/$defs/a/items/$ref")]


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"allOf": [{"$ref": "#"}]},
        {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"},
        {"type": "object", "properties": {"child": {"$ref": "#"}}},
        {"$defs": {"n": {"$anchor": "node", "items": {"$ref": "#node"}}}, "$ref": "#node"},
        {"$dynamicAnchor": "n", "properties": {"a": {"$dynamicRef": "#n"}}},
        {"$id": "https://e.com/root", "$defs": {"x": {"$id": "item"}}, "items": {"$ref": "item"}},
    ],
    ids=str,
)
def test_references_in_a_circle_are_no_problem(schema: Any) -> None:
    assert problems(schema) == []
    assert Validator(schema).check({}) is None


def test_a_recursive_schema_finds_the_failure_in_the_depth() -> None:
    node: Any = {
        "type": "object",
        "properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}, "n": {"type": "integer"}},
    }
    tree: Any = {"left": {"right": {"n": "x"}}, "right": {"n": 1}}
    assert Validator(node).check(tree) == Failure("/left/right/n", "type", "integer", "string")


# --- lint -----------------------------------------------------------------------------------------------------


def test_lint_names_what_troubles_clients_with_rule_and_place() -> None:
    schema: Any = {
        "properties": {
            "a": {"type": "array"},
            "b": {"type": ["array", "null"], "items": {"enum": []}},
            "c": {"type": "array", "prefixItems": [True]},
            "d": {"anyOf": [{"type": ["array", "string"]}]},
        }
    }
    assert [(found.rule, found.pointer) for found in lint(schema)] == [
        ("array_without_items", "/properties/a"),
        ("type_list", "/properties/b/type"),
        ("enum_empty", "/properties/b/items/enum"),
        ("type_list", "/properties/d/anyOf/0/type"),
        ("array_without_items", "/properties/d/anyOf/0"),
    ]


def test_lint_leaves_properties_and_values_alone_that_only_look_like_schemas() -> None:
    assert lint({"properties": {"type": {"const": {"type": "array"}}, "enum": True}, "default": {"enum": []}}) == []


@given(schemas)
def test_every_lint_finding_points_into_the_schema(schema: Any) -> None:
    for found in lint(schema):
        resolve(schema, found.pointer)


# --- validation -----------------------------------------------------------------------------------------------

PERSON: Any = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": ["string", "null"]},
        "role": {"enum": ["admin"]},
        "never": False,
        "tags": {"items": {"maxLength": 3}},
        "either": {"anyOf": [{"type": "string"}, {"type": "array"}]},
    },
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("value", "failure"),
    [
        ({"name": 5}, Failure("/name", "type", "null or string", "integer")),
        ({"name": 5.5}, Failure("/name", "type", "null or string", "number")),
        ({}, Failure("", "required", "property 'name'", "object")),
        ({"name": "x", "role": "root"}, Failure("/role", "enum", "", "string")),
        ({"name": "x", "never": None}, Failure("/never", "false", "", "null")),
        ({"name": "x", "tags": ["abc", "abcd"]}, Failure("/tags/1", "maxLength", "", "string")),
        ({"name": "x", "either": True}, Failure("/either", "anyOf", "", "boolean")),
        ({"name": "x", "other": 1}, Failure("", "additionalProperties", "", "object")),
        ([], Failure("", "type", "object", "array")),
    ],
    ids=str,
)
def test_a_failure_says_where_and_which_keyword_and_types(value: Any, failure: Failure) -> None:
    assert Validator(PERSON).check(value) == failure


def test_a_value_that_fits_has_no_failure() -> None:
    assert Validator(PERSON).check({"name": None, "role": "admin", "tags": ["abc"], "either": []}) is None
    assert Validator(True).check({"anything": 1}) is None


@given(schemas, values)
def test_a_failure_never_holds_the_value(schema: Any, value: Any) -> None:
    secret = "hunter2-is-the-secret"
    try:
        failure = Validator({"allOf": [schema, {"type": "object"}]}).check([secret, value, secret])
    except BadInput:
        return
    assert failure is not None
    assert secret not in str(failure)


def test_a_whole_float_counts_as_an_integer() -> None:
    assert Validator({"type": "integer"}).check(1.0) is None


def test_long_integers_are_compared_exactly() -> None:
    validator = Validator({"maximum": 10**30})
    assert validator.check(10**30) is None
    assert validator.check(10**30 + 1) == Failure("", "maximum", "", "integer")


@pytest.mark.parametrize("draft", [DRAFT_7, "https://json-schema.org/draft/2020-12/schema"])
def test_format_is_a_note_and_not_a_check(draft: str) -> None:
    assert Validator({"$schema": draft, "format": "email"}).check("no email") is None


def test_a_validator_is_not_changed_by_later_changes_of_its_schema() -> None:
    schema: dict[str, Any] = {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "string"}}}
    validator = Validator(schema)
    schema["$defs"]["a"]["type"] = "integer"
    schema.clear()
    assert validator.check({"a": "text"}) is None


@pytest.mark.parametrize(
    "schema", [{"type": "objec"}, {"$ref": "#/nope"}, {"pattern": "("}, 3, {"a": float("nan")}], ids=str
)
def test_an_unusable_schema_makes_no_validator(schema: Any) -> None:
    with pytest.raises(BadInput):
        Validator(schema)


def test_the_limits_for_values_are_named() -> None:
    validator = Validator({}, max_depth=2, max_bytes=20)
    assert validator.check([["x"]]) is None
    with pytest.raises(OverLimit, match="max_depth"):
        validator.check([[["x"]]])
    with pytest.raises(OverLimit, match="max_bytes is 22"):
        validator.check("x" * 20)
    with pytest.raises(BadInput):
        validator.check({1: float("nan")})  # type: ignore[dict-item]


# --- schemas of published servers, where they are at hand ----------------------------------------------------------

PUBLISHED = sorted((Path(__file__).parents[4] / "shared" / "data" / "realmcp").glob("*.jsonl"))


@pytest.mark.parametrize("file", PUBLISHED, ids=lambda file: file.stem)
def test_the_schemas_of_published_servers_are_usable(file: Path) -> None:
    for line in file.read_text("utf-8").splitlines():
        for tool in json.loads(line)["captured"].get("tools") or []:
            for side in ("inputSchema", "outputSchema"):
                if side in tool:
                    assert problems(tool[side]) == []


@given(schemas, values)
def test_a_check_says_the_same_each_time(schema: Any, value: Any) -> None:
    if problems(schema):
        return
    validator = Validator(schema)
    assert validator.check(value) == validator.check(value)
