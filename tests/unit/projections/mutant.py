"""A wrong version of a fold: one fragment of its source, which stands there exactly once, and what it becomes."""

from __future__ import annotations

from typing import NamedTuple


class Mutant(NamedTuple):
    """`old` becomes `new` in the module at `path`."""

    name: str
    path: str
    old: str
    new: str
