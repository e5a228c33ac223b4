"""JSON as editors write it: comments, trailing commas and a byte order mark are allowed."""

from __future__ import annotations

import json
import re
from typing import Any

from ledger.errors import BadInput

_STRING_OR_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_STRING_OR_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])', re.DOTALL)


def parse_relaxed(text: str, *, file: str) -> Any:
    """The value of `text`. Raises BadInput with the line, also for a key that stands twice in one object."""
    text = _STRING_OR_COMMENT.sub(_blank_unless_string, text.removeprefix("\ufeff"))
    text = _STRING_OR_COMMA.sub(_blank_unless_string, text)
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise BadInput(f"not JSON: {error.msg}", f"{file}:{error.lineno}") from None
    except RecursionError:
        raise BadInput("not a configuration: nested too deep", file) from None
    except _Twice as twice:
        raise BadInput(f"the key {twice.args[0]!r} stands twice in one object", file) from None


class _Twice(ValueError):
    """A key that stands twice: one of the two servers would vanish without a word."""


def _blank_unless_string(match: re.Match[str]) -> str:
    # line breaks stay, so that messages name the right line
    return match[1] or re.sub(r"[^\n]", " ", match[0])


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for key, item in pairs:
        if key in value:
            raise _Twice(key)
        value[key] = item
    return value
