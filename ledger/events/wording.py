"""Validation errors in plain words: one fault, where it is, and never the value that was refused."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, get_args

from pydantic import BaseModel

from ledger.errors import BadInput
from ledger.events import model

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

Path = tuple[str | int, ...]

_WORDS = {
    "missing": "field required",
    "extra_forbidden": "unknown field",
    "string_type": "must be a string",
    "string_unicode": "must be valid Unicode",
    "string_too_short": "must not be empty",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "none_required": "must be null",
}
_PATTERNS = {
    model.SERVER_PATTERN: "must not contain control characters or `::`, nor end in a colon",
    model.NAME_PATTERN: "must not contain control characters",
    model.EVENT_ID_PATTERN: "must be an event id: a UUID in lower case",
    model.DIGEST_PATTERN: "must be a digest: `jcs1-sha256:` and 64 hex digits",
    model.CHAIN_PATTERN: "must be a chain id: 32 hex digits",
    model.HASH_PATTERN: "must be a hash: 64 hex digits",
    model.WORD_PATTERN: "must be one word of letters: what was expected, not what was found",
}
_PLAIN_NAME = re.compile(r"\w[\w$.-]*")
_MUST_BE = "must be "
_NOWHERE = object()


def worded(error: ValidationError, event: type[BaseModel], payload: Mapping[str, object]) -> BadInput:
    """The most telling fault: an unknown field, which is often a required one misspelt, else the first."""
    faults = [(_path(fault, payload), fault) for fault in error.errors(include_url=False, include_input=False)]
    unknown = [(path, fault) for path, fault in faults if fault["type"] == "extra_forbidden"]
    path, _ = unknown[0] if unknown else faults[0]
    # A union reports a fault for each of its members; the one that looked deepest came closest.
    path = max((other for other, _ in faults if other[: len(path)] == path), key=len)
    reason = _joined([_reason(fault) for other, fault in faults if other == path])
    if unknown:
        reason += nearest(str(path[-1]), _names_at(event, path[:-1]))
    return BadInput(reason, field_path(path))


def nearest(name: str, known: Iterable[str]) -> str:
    """`; did you mean …?`, or nothing when no known name comes near."""
    close = get_close_matches(name[:100], list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def field_path(path: Path) -> str:
    """`payload.tools[3].name`; a name that is not plain stands in quotes."""
    text = "payload"
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if _PLAIN_NAME.fullmatch(step) else f"[{step[:100]!r}]"
    return text


def _path(fault: ErrorDetails, payload: object) -> Path:
    """Where in the payload; Pydantic also names the members of unions, which are no places there."""
    steps: list[str | int] = []
    value = payload
    for step in fault["loc"]:
        inner = _inside(value, step)
        if inner is not _NOWHERE:
            value = inner
            steps.append(step)
    return (*steps, fault["loc"][-1]) if fault["type"] == "missing" else tuple(steps)


def _inside(value: object, step: str | int) -> object:
    if isinstance(value, dict):
        return value.get(step, _NOWHERE)
    return value[step] if isinstance(value, list) and isinstance(step, int) else _NOWHERE


def _reason(fault: ErrorDetails) -> str:
    facts = fault.get("ctx", {})
    match fault["type"]:
        case "literal_error":
            return "must be one of " + str(facts["expected"]).replace("'", "").replace(" or ", ", ")
        case "string_pattern_mismatch":
            return _PATTERNS[facts["pattern"]]
        case "string_too_long":
            return f"must be at most {facts['max_length']} characters long"
        case "greater_than_equal":
            return f"must be at least {facts['ge']:g}"
        case "greater_than":
            return f"must be more than {facts['gt']:g}"
        case "value_error":
            return str(facts["error"])
        case known if known in _WORDS:
            return _WORDS[known]
        case other:
            return f"is not valid ({other})"


def _joined(reasons: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(reasons))
    if len(distinct) > 1 and all(reason.startswith(_MUST_BE) for reason in distinct):
        return _MUST_BE + " or ".join(reason.removeprefix(_MUST_BE) for reason in distinct)
    return distinct[0]


def _names_at(event: type[BaseModel], path: Path) -> list[str]:
    """The field names on the wire of the model that stands at `path`."""
    current = event
    for step in path:
        for name, field in current.model_fields.items():
            if step == (field.alias or name):
                current = next(_models_in(field.annotation), current)
    return [field.alias or name for name, field in current.model_fields.items()]


def _models_in(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)
