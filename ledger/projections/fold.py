"""What a projection is: a pure fold of one catalog's events into keyed rows that keep their history."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ledger.events.fact import Fact

Row = dict[str, Any]
"""A row: plain JSON of strings, integers, booleans, null, lists and objects; never a float, never mutated."""

State = Mapping[str, Row]
"""The rows of a projection by key, as they stand before the event."""

Changes = dict[str, Row | None]
"""What an event does to a projection: the new row of each key it touches; None where the key is gone."""

Documents = Callable[[str], Any]
"""Reads an immutable document by its digest; an erased one reads as `ledger.events.documents.ERASED`."""


class Fold(Protocol):
    """One projection: a module with these names.

    `fold` reads the event, its own state, the states of the projections it NEEDS as they stand *after* the event, and
    documents; nothing else. No clock, environment, locale, randomness or order of a set. It returns changes and
    mutates nothing.
    """

    NAME: str
    VERSION: int
    KINDS: frozenset[str]
    NEEDS: tuple[str, ...]

    def fold(self, state: State, event: Fact, views: Mapping[str, State], documents: Documents) -> Changes: ...


def fold_all(folds: Iterable[Fold], events: Iterable[Fact], documents: Documents) -> dict[str, dict[str, Row]]:
    """Fold events from zero in memory: the law that everything stored is compared with."""
    ordered = list(folds)
    states: dict[str, dict[str, Row]] = {fold.NAME: {} for fold in ordered}
    for event in events:
        for fold in ordered:
            if event.kind in fold.KINDS:
                apply(states[fold.NAME], fold.fold(states[fold.NAME], event, states, documents))
    return states


def apply(state: dict[str, Row], changes: Changes) -> None:
    """Move a state forward by one event's changes."""
    for key, row in changes.items():
        if row is None:
            state.pop(key, None)
        else:
            state[key] = row
