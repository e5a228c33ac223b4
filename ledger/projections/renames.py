"""Renames: two names of one tool, told only by what one complete listing proves."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledger.projections.fold import Row


def renames(gone: Mapping[str, Row], new: Mapping[str, Row]) -> dict[str, str]:
    """Old key → new key, for those of one server that one complete listing lacks and those that it brings.

    Definitions that are equal but for the name decide before those that mean the same. A match is unique
    among all that are gone and all that are new: with a second candidate on either side there is none.
    """
    return _unique("semantic", gone, new) | _unique("nameless", gone, new)


def _unique(digest: str, gone: Mapping[str, Row], new: Mapping[str, Row]) -> dict[str, str]:
    old_keys, new_keys = _by(digest, gone), _by(digest, new)
    return {
        old[0]: new_keys[value][0]
        for value, old in old_keys.items()
        if len(old) == 1 and len(new_keys.get(value, ())) == 1
    }


def _by(digest: str, rows: Mapping[str, Row]) -> dict[str, list[str]]:
    keys: defaultdict[str, list[str]] = defaultdict(list)
    for key, row in rows.items():
        keys[row[digest]].append(key)
    return keys
