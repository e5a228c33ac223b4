"""Stories of folds: given these events, when one more happens, then the rows are so.

    given = stories_of(descriptors, schemas)        # the last fold is the one the stories are about
    given(capture, render).when(validation).then({"github::search": {"ok": 1}})

Events are recorded as the store would record them: checked at the door, packed, numbered from 1, one second
apart. Each call of a fold is made twice and compared, and must leave its inputs alone, return plain JSON
without floats, and return only rows that change. Rows go through text between events, as they do through the
database, so a fold cannot lean on the order of a row's keys.
"""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ledger.canon.stored import load
from ledger.events.documents import ERASED, Limits, pack
from ledger.events.fact import Fact
from ledger.events.registry import validated as at_the_door
from ledger.projections.fold import Changes, Fold, Row, apply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

FIRST_US = 1_760_000_000_000_000
SECOND_US = 1_000_000


class Told(NamedTuple):
    """An event as a producer gives it; `payload` None stands for one that was erased since."""

    kind: str
    payload: dict[str, Any] | None
    recorded_us: int | None = None
    occurred_us: int | None = None
    actor: str = "test"


def event(kind: str, /, **payload: Any) -> Told:
    """An event that a story can be given; `._replace(recorded_us=…)` gives it a time of its own."""
    return Told(kind, payload)


def erased(told: Told) -> Told:
    """The same event after its payload was erased."""
    return told._replace(payload=None)


def event_id(seq: int) -> str:
    """The id of the event at a position of a story."""
    return f"00000000-0000-7000-8000-{seq:012x}"


def stories_of(*folds: Fold) -> Callable[..., Story]:
    """The `given` of stories about the last of these folds; those it needs come before it."""

    def given(*events: Told) -> Story:
        return Story(folds).on(*events)

    return given


@dataclass(frozen=True)
class Story:
    """What the folds made of the events so far. Each step is a new story, so one beginning has many ends."""

    folds: tuple[Fold, ...]
    events: tuple[Fact, ...] = ()
    documents: Mapping[str, Any] = field(default_factory=dict)
    states: Mapping[str, Mapping[str, Row]] = field(default_factory=dict)
    changes: Changes = field(default_factory=dict)
    last: Told | None = None

    @property
    def rows(self) -> Mapping[str, Row]:
        """The rows of the fold that the story is about."""
        return self.states.get(self.folds[-1].NAME, {})

    @property
    def seq(self) -> int:
        """The position of the last event."""
        return len(self.events)

    def on(self, *events: Told) -> Story:
        """The story after these events."""
        story = self
        for told in events:
            story = story.when(told)
        return story

    def when(self, told: Told) -> Story:
        """The story after one more event; `changes` are what it did to the fold that the story is about."""
        stored, brought = _stored(told)
        fact = Fact(
            self.seq + 1,
            event_id(self.seq + 1),
            told.kind,
            FIRST_US + self.seq * SECOND_US if told.recorded_us is None else told.recorded_us,
            told.occurred_us,
            told.actor,
            stored,
        )
        return self.then_recorded(fact, brought, told)

    def then_recorded(self, fact: Fact, brought: Mapping[str, Any], told: Told | None = None) -> Story:
        """The story after a stored event that brings these documents."""
        documents = {**self.documents, **brought}
        states = {fold.NAME: dict(self.states.get(fold.NAME, {})) for fold in self.folds}
        changes: Changes = {}
        for fold in self.folds:
            changes = {}
            if fact.kind in fold.KINDS:
                changes = _folded(fold, states, fact, documents)
                apply(states[fold.NAME], changes)
        return replace(
            self,
            events=(*self.events, fact),
            documents=documents,
            states=states,
            changes=changes,
            last=told,
        )

    def twice(self) -> Story:
        """The story after the last event has happened once more."""
        assert self.last is not None, "nothing has happened yet"
        return self.when(self.last)

    def forgetting(self, *digests: str) -> Story:
        """The same story from here on without the content of these documents."""
        return replace(self, documents={**self.documents, **dict.fromkeys(digests, ERASED)})

    def then(self, rows: Mapping[str, Mapping[str, Any] | None]) -> Story:
        """Each row has these fields, whatever else it has; None: there is no such row."""
        for key, wanted in rows.items():
            row = self.rows.get(key)
            if wanted is None:
                assert row is None, f"{key} has a row: {row}"
            else:
                assert row is not None, f"{key} has no row among {sorted(self.rows)}"
                assert {name: row.get(name, "absent") for name in wanted} == dict(wanted), f"{key} is {row}"
        return self

    def then_only(self, *keys: str) -> Story:
        """The last event changed these rows and no others."""
        assert sorted(self.changes) == sorted(keys)
        return self

    def then_nothing(self) -> Story:
        """The last event changed no row."""
        return self.then_only()


def _stored(told: Told) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    if told.payload is None:
        return None, {}
    packed = pack(told.kind, at_the_door(told.kind, 1, told.payload), Limits())
    return load(packed.payload), {document.digest: load(document.body) for document in packed.documents}


def _folded(fold: Fold, states: dict[str, dict[str, Row]], fact: Fact, documents: Mapping[str, Any]) -> Changes:
    before = deepcopy((states, fact, dict(documents)))
    changes = fold.fold(states[fold.NAME], fact, states, documents.__getitem__)
    again = fold.fold(states[fold.NAME], fact, states, documents.__getitem__)
    assert (states, fact, dict(documents)) == before, f"{fold.NAME} changed what it was given"
    assert changes == again, f"{fold.NAME} answered otherwise the second time"
    for key, row in changes.items():
        assert row != states[fold.NAME].get(key), f"{fold.NAME} returned {key} unchanged"
        assert float not in {type(value) for value in _values(row)}, f"{fold.NAME} put a float into {key}"
    return json.loads(json.dumps(changes, sort_keys=True, allow_nan=False))  # type: ignore[no-any-return]


def _values(value: object) -> Iterator[object]:
    """The value and all that lies inside it."""
    yield value
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for inner in inside:
        yield from _values(inner)
