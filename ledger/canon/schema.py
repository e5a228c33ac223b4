"""JSON Schemas: what is wrong with one, and whether a value fits one. Nothing is ever fetched.

The one module that calls jsonschema_rs. `offline` is set on every call because it would fetch what a `$ref`
names, and its `meta` functions are not used: they fetch an unknown `$schema` and cannot be told not to.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import jsonschema_rs
from jsonschema_rs import ValidationErrorKind as Kind

from ledger.canon.canonical import canonical
from ledger.canon.effort import Effort, References, cost_of_copies, sum_of_squares
from ledger.canon.jsontext import DEEPEST, MAX_DEPTH, check_value, parse
from ledger.canon.pointer import join, resolve
from ledger.canon.positions import every_schema
from ledger.errors import BadInput, OverLimit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledger.canon.jsontext import Json

MAX_INSTANCE_BYTES: Final = 4_000_000
MAX_PROBLEMS: Final = 50
_LISTED_SCHEMA_BYTES = 50_000  # of a larger schema only the first mistake is named: listing all takes seconds


@dataclass(frozen=True, slots=True)
class SchemaProblem:
    """One thing about a schema; `rule` is stable, `pointer` says where, `message` is for people."""

    rule: str
    pointer: str
    message: str


@dataclass(frozen=True, slots=True)
class Failure:
    """Where a value does not fit its schema. It never holds the value.

    `expected` is in the schema's words: its types, or the property that is missing. `actual` is the type that
    was found. Where finding the place would take too long, it says only that the whole value does not fit:
    `pointer`, `keyword` and `expected` are empty.
    """

    pointer: str
    keyword: str
    expected: str
    actual: str


def problems(schema: Json) -> list[SchemaProblem]:
    """Why a schema cannot be used as it stands, at most 50 reasons; empty if it can.

    It is read as draft 2020-12 unless its `$schema` names another. A `$ref` that leads out of the schema is a
    problem, because it is never fetched; references that go in a circle are none.
    """
    try:
        own = _own_copy(schema)
    except OverLimit as error:
        return [SchemaProblem("too_deep", error.place, f"is nested deeper than {error.allowed} levels")]
    except BadInput as error:
        return [SchemaProblem("not_json", error.place, error.reason)]
    try:
        found = [*_unknown_dialect(own), *_invalid_keywords(own)] or _lost_references(own)
        if not found:
            _compile(own)
    except _Unusable as unusable:
        return [unusable.problem]
    except BadInput as costly:
        return [SchemaProblem("too_costly", "", costly.reason)]
    return found[:MAX_PROBLEMS]


def lint(schema: Json) -> list[SchemaProblem]:
    """What a schema may hold but some clients reject or misread; it need not be a valid schema."""
    return [problem for path, part in every_schema(schema) for problem in _lint_one(join(path), part)]


class Validator:
    """A schema made ready to check values; BadInput if it cannot be used. `format` is a note, not a check.

    A value that is larger or deeper than the limits is OverLimit. BadInput says when a schema and a value
    would together make too much work.
    """

    def __init__(self, schema: Json, *, max_depth: int = MAX_DEPTH, max_bytes: int = MAX_INSTANCE_BYTES) -> None:
        self._max_depth = max_depth
        self._max_bytes = max_bytes
        try:
            self._compiled = _compile(_own_copy(schema))
        except _Unusable as unusable:
            raise BadInput(unusable.problem.message, place=unusable.problem.pointer) from None

    def check(self, instance: Json) -> Failure | None:
        """None if the value fits, else one place where it does not."""
        check_value(instance, max_depth=self._max_depth)
        size = len(canonical(instance))
        if size > self._max_bytes:
            raise OverLimit("max_bytes", allowed=self._max_bytes, found=size)
        self._compiled.check_effort(instance, size)
        if self._compiled.validator.is_valid(instance):
            return None
        return self._compiled.explain(instance)


# The unit is a schema that meets a value: some tens of nanoseconds for a validator, a microsecond to count.
_MAX_VISITS = 300_000
_MAX_VISITS_UNCOUNTED = 100_000_000
# Naming a place is dearer: every alternative that failed is kept, with a copy of the value it failed on.
_MAX_EXPLAINING = 1_000_000
# Only the engine that knows lookaround and backreferences is slow: it may read a text anew at each character.
_MAX_PATTERN_STEPS = 100_000_000
_MAX_BACKTRACKING = 10_000
_MAX_PATTERNS = 1_000
_PATTERN_BYTES = 10_000_000
_ALL_PATTERNS_BYTES = 100_000_000


class _Unusable(Exception):
    def __init__(self, rule: str, pointer: str, message: str) -> None:
        super().__init__(message)
        self.problem = SchemaProblem(rule, pointer, message)


@dataclass(frozen=True, slots=True)
class _Compiled:
    validator: jsonschema_rs.Validator
    effort: Effort
    slow_patterns: int

    def check_effort(self, instance: Json, size: int) -> None:
        """Raise if checking could take more than about a second."""
        must_count = self.effort.size is None or self.effort.size * size > _MAX_VISITS_UNCOUNTED
        if must_count and self.effort.visits(instance, _MAX_VISITS) > _MAX_VISITS:
            raise BadInput("the schema makes too much work for this value")
        if self.slow_patterns and self.slow_patterns * sum_of_squares(instance) > _MAX_PATTERN_STEPS:
            raise BadInput("a pattern with lookaround or backreferences would take too long on this value")

    def explain(self, instance: Json) -> Failure:
        """Where a value that does not fit goes wrong, if that can be said in about a second."""
        if self.effort.visits(instance, _MAX_EXPLAINING, cost_of_copies(instance)) <= _MAX_EXPLAINING:
            for error in _first_error(self.validator, instance):
                pointer = join(error.instance_path)
                actual = _type_word(resolve(instance, pointer))
                return Failure(pointer, _keyword(error.kind), _expected(error.kind), actual)
        return Failure("", "", "", _type_word(instance))


def _own_copy(schema: Json) -> Json:
    """A copy nobody else can change, in which no part stands twice: counting work relies on both."""
    return parse(canonical(schema), max_depth=DEEPEST)


def _compile(schema: Json) -> _Compiled:
    effort = Effort(schema)
    effort.check_compilable()
    patterns = sum(1 for _ in _patterns(schema))
    if patterns > _MAX_PATTERNS:
        raise _Unusable("too_costly", "", f"the schema has more than {_MAX_PATTERNS} patterns")
    share = min(_PATTERN_BYTES, _ALL_PATTERNS_BYTES // max(patterns, 1))
    try:
        linear = jsonschema_rs.RegexOptions(size_limit=share)
        return _Compiled(_validator(schema, linear), effort, slow_patterns=0)
    except jsonschema_rs.ValidationError as error:
        if not isinstance(error.kind, Kind.Format):
            raise _unusable(error) from None
    try:
        backtracking = jsonschema_rs.FancyRegexOptions(backtrack_limit=_MAX_BACKTRACKING, size_limit=share)
        return _Compiled(_validator(schema, backtracking), effort, slow_patterns=patterns)
    except jsonschema_rs.ValidationError as error:
        raise _unusable(error) from None


def _validator(
    schema: Json, patterns: jsonschema_rs.RegexOptions | jsonschema_rs.FancyRegexOptions
) -> jsonschema_rs.Validator:
    if not isinstance(schema, dict | bool):
        raise _Unusable("invalid_keyword", "", "a schema is an object, true or false")
    draft = _DRAFTS[_dialect(schema) or _DRAFT_2020_12]
    # the mask keeps values out of messages and spares the time of writing them
    return draft(schema, offline=True, validate_formats=False, mask="", pattern_options=patterns)


def _unusable(error: jsonschema_rs.ValidationError) -> _Unusable:
    pointer = join(error.instance_path)
    match error.kind:
        case Kind.Format():
            return _Unusable("pattern_unusable", pointer, "this pattern is not valid, or too large")
        case Kind.Referencing():
            return _Unusable("ref_unusable", pointer, "a reference or an $id cannot be followed in the schema")
        case kind:
            return _Unusable("invalid_keyword", pointer, _meta_message(kind))


def _patterns(schema: Json) -> Iterator[str]:
    for _, part in every_schema(schema):
        if isinstance(pattern := part.get("pattern"), str):
            yield pattern
        if isinstance(properties := part.get("patternProperties"), dict):
            yield from properties


_DRAFT_2020_12 = "https://json-schema.org/draft/2020-12/schema"
_DRAFTS: Final = {
    _DRAFT_2020_12: jsonschema_rs.Draft202012Validator,
    "https://json-schema.org/draft/2019-09/schema": jsonschema_rs.Draft201909Validator,
    "http://json-schema.org/draft-07/schema": jsonschema_rs.Draft7Validator,
    "http://json-schema.org/draft-06/schema": jsonschema_rs.Draft6Validator,
    "http://json-schema.org/draft-04/schema": jsonschema_rs.Draft4Validator,
}


def _dialect(schema: Json) -> str | None:
    """The URI of the draft that a schema is written in; None if it names one we do not know."""
    named = schema.get("$schema", _DRAFT_2020_12) if isinstance(schema, dict) else _DRAFT_2020_12
    if not isinstance(named, str):
        return None
    uri = named.removesuffix("#")
    # both schemes are seen in the wild, for old drafts and new
    return next((known for known in _DRAFTS if known.partition(":")[2] == uri.partition(":")[2]), None)


def _unknown_dialect(schema: Json) -> list[SchemaProblem]:
    if _dialect(schema) is not None:
        return []
    return [SchemaProblem("dialect_unknown", "/$schema", "this is not the URI of a draft of JSON Schema")]


def _invalid_keywords(schema: Json) -> list[SchemaProblem]:
    meta = _meta_validator(_dialect(schema) or _DRAFT_2020_12)
    if meta.is_valid(schema):
        return []
    errors = meta.iter_errors(schema) if len(canonical(schema)) <= _LISTED_SCHEMA_BYTES else _first_error(meta, schema)
    found = (SchemaProblem("invalid_keyword", join(error.instance_path), _meta_message(error.kind)) for error in errors)
    # a mistake is reported once for each way that leads to it through the meta-schema
    return list(dict.fromkeys(found))


@cache
def _meta_validator(uri: str) -> jsonschema_rs.Validator:
    return _DRAFTS[uri]({"$ref": uri}, offline=True, validate_formats=False, mask="")


def _first_error(validator: jsonschema_rs.Validator, instance: Json) -> Iterator[jsonschema_rs.ValidationError]:
    try:
        validator.validate(instance)
    except jsonschema_rs.ValidationError as error:
        yield error


def _meta_message(kind: Kind) -> str:
    match kind:
        case Kind.Type(types):
            return f"must be of type {' or '.join(types)}"
        case Kind.UniqueItems():
            return "must not hold anything twice"
        case Kind.MinItems():
            return "must not be empty"
        case Kind.Minimum() | Kind.ExclusiveMinimum():
            return "is too small"
        case _:
            return f"is not allowed here by the meta-schema ({kind.name})"


def _lost_references(schema: Json) -> list[SchemaProblem]:
    references = References(schema)
    return [
        _lost_reference(join((*path, keyword)), reference)
        for path, part in every_schema(schema)
        for keyword, reference in part.items()
        if keyword in ("$ref", "$dynamicRef") and isinstance(reference, str)
        # the meta-schemas of the drafts are built in
        if references.leads_nowhere(reference) and "://json-schema.org/draft" not in reference
    ]


def _lost_reference(pointer: str, reference: str) -> SchemaProblem:
    if reference.startswith("#"):
        return SchemaProblem("ref_missing", pointer, "leads to nothing in the schema")
    return SchemaProblem("ref_not_local", pointer, "leads out of the schema, and nothing is fetched")


def _lint_one(pointer: str, schema: dict[str, Json]) -> Iterator[SchemaProblem]:
    kind = schema.get("type")
    if isinstance(kind, list):
        yield SchemaProblem("type_list", f"{pointer}/type", "some clients accept one type only, not a list")
    is_array = kind == "array" or (isinstance(kind, list) and "array" in kind)
    if is_array and "items" not in schema and "prefixItems" not in schema:
        yield SchemaProblem("array_without_items", pointer, "some clients reject an array without items")
    if schema.get("enum") == []:
        yield SchemaProblem("enum_empty", f"{pointer}/enum", "no value can be in an empty enum")


def _keyword(kind: Kind) -> str:
    return "false" if isinstance(kind, Kind.FalseSchema) else kind.name


def _expected(kind: Kind) -> str:
    match kind:
        case Kind.Type(types):
            return " or ".join(types)
        case Kind.Required(name):
            return f"property {name[:100]!r}"
        case _:
            return ""


def _type_word(value: Json) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "integer" if value.is_integer() else "number"
        case str():
            return "string"
        case list():
            return "array"
        case dict():
            return "object"
