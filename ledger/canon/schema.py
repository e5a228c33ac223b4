"""JSON Schemas: what is wrong with one, and whether a value fits one. Nothing is ever fetched.

The one module that calls jsonschema_rs. `offline` is set on every call because by default it fetches what a `$ref`
names, and its `meta` functions are not used at all: they fetch an unknown `$schema` and cannot be told not to.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import jsonschema_rs
from jsonschema_rs import ValidationErrorKind as Kind

from ledger.canon.canonical import canonical
from ledger.canon.effort import Effort, References
from ledger.canon.jsontext import MAX_DEPTH, check_value, parse
from ledger.canon.pointer import join
from ledger.canon.positions import every_schema
from ledger.errors import BadInput, LedgerError, OverLimit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledger.canon.jsontext import Json

MAX_INSTANCE_BYTES: Final = 4_000_000
MAX_PROBLEMS: Final = 50

# In units of a schema meeting a value, which takes a validator some tens of nanoseconds, and us one microsecond.
_MAX_VISITS = 300_000
_MAX_VISITS_UNCOUNTED = 100_000_000
# Naming the place of a failure is dearer: every alternative that failed is kept, with a copy of the value.
_VISIT_THAT_EXPLAINS = 20
_MAX_EXPLAINING = 1_000_000
# The engine that knows lookaround and backreferences tries a pattern at every character of a text anew.
_MAX_PATTERN_STEPS = 1_000_000_000
_MAX_BACKTRACKING = 10_000
_MAX_PATTERNS = 1_000
_PATTERN_BYTES = 10_000_000
_ALL_PATTERNS_BYTES = 100_000_000


@dataclass(frozen=True, slots=True)
class SchemaProblem:
    """One thing wrong with a schema; `rule` is stable, `pointer` says where, `message` is for people."""

    rule: str
    pointer: str
    message: str


@dataclass(frozen=True, slots=True)
class Failure:
    """Where a value does not fit its schema. It never holds the value.

    `expected` is in the schema's words: types, or the missing property. `actual` is the type that was found. When
    finding the place would cost too much, `keyword` and `expected` are empty and `pointer` is the whole value.
    """

    pointer: str
    keyword: str
    expected: str
    actual: str


def problems(schema: Json) -> list[SchemaProblem]:
    """Why a schema cannot be used, the first 50 reasons; empty if it can.

    It is read as draft 2020-12 unless its `$schema` names another draft. A `$ref` that leads out of the schema is
    a problem, because it is never fetched; references in a circle are none.
    """
    try:
        own = _own_copy(schema)
    except LedgerError as error:
        return [SchemaProblem("not_json", "", str(error))]
    found = [*_dialect_problems(own), *_invalid_keywords(own)]
    if any(problem.rule == "invalid_keyword" for problem in found):
        return found
    try:
        effort = Effort(own)
        effort.check_compilable()
        found += _lost_references(own)
        if not any(problem.rule.startswith("ref_") for problem in found):
            _compiled(own)
    except BadInput as error:
        found.append(SchemaProblem("too_costly", error.place, error.reason))
    except _Unusable as error:
        found.append(error.problem)
    return found[:MAX_PROBLEMS]


def lint(schema: Json) -> list[SchemaProblem]:
    """What is allowed in a schema but troubles some clients."""
    return [problem for path, part in every_schema(schema) for problem in _lint_one(join(path), part)]


class Validator:
    """A schema made ready to check values; BadInput if it cannot be used. `format` is not checked, only noted.

    The limits hold for each value: a larger or deeper one is OverLimit, and BadInput says so when a schema and a
    value together would make too much work.
    """

    def __init__(
        self, schema: Json, *, max_depth: int = MAX_DEPTH, max_bytes: int = MAX_INSTANCE_BYTES
    ) -> None:
        own = _own_copy(schema)
        self._effort = Effort(own)
        self._effort.check_compilable()
        self._max_depth = max_depth
        self._max_bytes = max_bytes
        self._patterns = len(_patterns(own))
        try:
            self._validator, self._is_linear = _compiled(own)
        except _Unusable as error:
            raise BadInput(error.problem.message, place=error.problem.pointer) from None

    def check(self, instance: Json) -> Failure | None:
        """None if the value fits, else where it does not: the first place found, not every one."""
        check_value(instance, max_depth=self._max_depth)
        size = len(canonical(instance))
        if size > self._max_bytes:
            raise OverLimit("max_bytes", allowed=self._max_bytes, found=size)
        self._check_effort(instance, size)
        if self._validator.is_valid(instance):
            return None
        return self._explain(instance)

    def _check_effort(self, instance: Json, size: int) -> None:
        if self._effort.size is None or self._effort.size * size > _MAX_VISITS_UNCOUNTED:
            if self._effort.visits(instance, _MAX_VISITS) > _MAX_VISITS:
                raise BadInput("the schema makes too much work for this value", hint="make the schema simpler")
        if not self._is_linear and self._patterns * _sum_of_squares(instance) > _MAX_PATTERN_STEPS:
            raise BadInput("a pattern with lookaround or backreferences would take too long on this value")

    def _explain(self, instance: Json) -> Failure:
        cost = _CostOfCopies(instance)
        if self._effort.visits(instance, _MAX_EXPLAINING, cost.of) > _MAX_EXPLAINING:
            return Failure("", "", "", _type_word(instance))
        error = next(iter(self._validator.iter_errors(instance)))
        return Failure(join(error.instance_path), error.kind.name, _expected(error.kind), _type_word(error.instance))
