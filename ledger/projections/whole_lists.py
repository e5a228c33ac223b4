"""A whole list takes the place of the rows that an earlier one left: what changes, by few reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ledger.events.documents import list_changes, list_items

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ledger.projections.fold import Changes, Documents, Row, State

Item = Any
"""An item of a list document: JSON whose shape the kind of list decides."""


class Standing(NamedTuple):
    """The rows that an earlier list left: whether a key is among them, and all where nothing less will do."""

    has: Callable[[str], bool]
    keys: Callable[[], Iterable[str]]


class Replacement(NamedTuple):
    """What a list says that the rows may not: items by key, and sorted the keys that it lacks.

    `exact` promises that the rows will be this list, so that the next one can be compared with it instead of
    with them; a list that names a key twice or is erased in part never is. What stands may be in the part
    that is `erased`, so then nothing is absent.
    """

    present: dict[str, Item]
    absent: list[str]
    exact: bool
    erased: bool


def replaced_by(
    after: str, before: str | None, documents: Documents, key_of: Callable[[Item], str], standing: Standing
) -> Replacement:
    """What the list `after` changes; `before` is a list that the rows are known to equal.

    With a `before`, only the parts that differ are read: of the same list, none.
    """
    if before is not None:
        removed, added = list_changes(before, after, documents)
        difference = _difference(removed, added, key_of, standing)
        if difference is not None:
            return difference
    return whole(list_items(after, documents), key_of, standing.keys)


def whole(items: Iterable[Item], key_of: Callable[[Item], str], standing: Callable[[], Iterable[str]]) -> Replacement:
    """What a list changes, from all of its items; of two items with one key the first holds."""
    present: dict[str, Item] = {}
    exact, erased = True, False
    for item in items:
        if _is_erased(item):
            erased = True
            continue
        key = key_of(item)
        exact = exact and key not in present
        present.setdefault(key, item)
    absent = [] if erased else sorted(set(standing()) - present.keys())
    return Replacement(present, absent, exact and not erased, erased)


def replaced_by_none(before: str | None, standing: Standing) -> Replacement:
    """What it changes that there is no list now; `before` is the last one that there was, readable or not."""
    keys = [] if before is None else standing.keys()
    return Replacement({}, sorted(keys), exact=True, erased=False)


def replaced_rows(state: State, replacement: Replacement, row_of: Callable[[Item, Row | None], Row]) -> Changes:
    """The rows that a replacement changes where an absent key has none."""
    gone: Changes = dict.fromkeys(replacement.absent)
    return gone | present_rows(state, replacement, row_of)


def present_rows(state: State, replacement: Replacement, row_of: Callable[[Item, Row | None], Row]) -> Changes:
    """The rows of what is present that really change; `row_of` makes one of an item and the row before."""
    changes: Changes = {}
    for key, item in replacement.present.items():
        before = state.get(key)
        row = row_of(item, before)
        if row != before:
            changes[key] = row
    return changes


def _difference(
    removed: list[Item], added: list[Item], key_of: Callable[[Item], str], standing: Standing
) -> Replacement | None:
    """The replacement that two lists' difference amounts to; None where only the whole list can tell."""
    if any(map(_is_erased, removed)) or any(map(_is_erased, added)):
        return None
    left = {key_of(item) for item in removed}
    present = {key_of(item): item for item in added}
    named_twice = len(present) < len(added) or any(key not in left and standing.has(key) for key in present)
    if named_twice:
        return None
    return Replacement(present, sorted(left - present.keys()), exact=True, erased=False)


def _is_erased(item: Item) -> bool:
    """Whether this stands for items that were erased; no kind of item has such a field itself."""
    return isinstance(item, dict) and "erased" in item
