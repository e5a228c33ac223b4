"""JSON from outside as a row may hold it: every number in it a whole one that every reader keeps exactly."""

from __future__ import annotations

from typing import Any

_LARGEST_EXACT = 2**53 - 1


def plain(value: Any) -> Any:
    """The same value with each number that is no such number told as its text."""
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if isinstance(value, float) or (isinstance(value, int) and abs(value) > _LARGEST_EXACT):
        return str(value)
    return value
