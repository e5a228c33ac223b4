"""The laws of projections as a state machine: stored = incremental = folded from zero, whatever happens."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from ledger.bootstrap import open_ledger
from ledger.projections.cache import DocumentCache
from ledger.projections.equality import compare
from ledger.projections.folding import Folding
from ledger.projections.rebuild import rebuild
from ledger.projections.rows import batches, read_projections, read_states, state_digest
from ledger.services.erase import erase_event
from ledger.store.store import find_catalog
from tests.laws.histories import lines
from tests.parts import NOON, SeededEntropy, StepClock, settings_for

if TYPE_CHECKING:
    from ledger.bootstrap import Ledger

PREFIXES_UP_TO = 60


class Machine(RuleBasedStateMachine):
    """Appends in random batches, restarts, rebuilds, erases, steps the clock; the laws hold after every step."""

    url: str | None = None

    def __init__(self) -> None:
        super().__init__()
        self.home = Path(tempfile.mkdtemp(prefix="catledger-laws-"))
        self.clock = StepClock()
        self.entropy = SeededEntropy()
        self.ledger: Ledger | None = None
        self.length = 0
        self.erased: set[int] = set()

    @initialize()
    def begin(self) -> None:
        if self.url is not None:
            _emptied(self.url)
        self.ledger = self._open()

    def _open(self) -> Ledger:
        return open_ledger(settings_for(self.home, url=self.url), clock=self.clock, entropy=self.entropy)

    @rule(batch=st.lists(lines, min_size=1, max_size=6), step=st.integers(0, 5_000_000))
    def append(self, batch: list[dict[str, Any]], step: int) -> None:
        assert self.ledger is not None
        self.clock.step = step
        done = self.ledger.recorder().record("default", batch)
        self.length += len(batch)
        assert done.head.seq == self.length

    @rule(back=st.integers(1, 10_000_000))
    def step_the_clock_back(self, back: int) -> None:
        self.clock.at = max(NOON, self.clock.at - back)

    @rule()
    def restart(self) -> None:
        assert self.ledger is not None
        self.ledger.close()
        self.ledger = self._open()

    @precondition(lambda self: self.length > 0)
    @rule()
    def rebuild(self) -> None:
        assert self.ledger is not None
        rebuild(self.ledger.store, self.ledger.runner, "default")

    @precondition(lambda self: self.length > len(self.erased))
    @rule(choice=st.randoms(use_true_random=False))
    def erase(self, choice: Any) -> None:
        assert self.ledger is not None
        seq = choice.choice([each for each in range(1, self.length + 1) if each not in self.erased])
        erase_event(self.ledger.store, self.ledger.recorder(), "default", seq, "asked to")
        self.length += 1
        self.erased |= {seq, self.length}

    @invariant()
    def the_laws_hold(self) -> None:
        if self.ledger is None or self.length == 0:
            return
        with self.ledger.store.engine.reading() as connection:
            catalog = find_catalog(connection, "default")
            assert compare(connection, catalog, self.ledger.runner.folds) == []
            assert all(row.stalled is None for row in read_projections(connection, catalog).values())

    def teardown(self) -> None:
        if self.ledger is not None:
            if 0 < self.length <= PREFIXES_UP_TO:
                self._every_prefix_is_a_fold()
            self.ledger.close()
        shutil.rmtree(self.home)

    def _every_prefix_is_a_fold(self) -> None:
        """Law 2: as of n from the history equals the fold of the first n events, for every n."""
        assert self.ledger is not None
        with self.ledger.store.engine.reading() as connection:
            catalog = find_catalog(connection, "default")
            folding = Folding(self.ledger.runner.folds, DocumentCache(connection))
            rows = read_projections(connection, catalog)
            for batch in batches(connection, catalog):
                for event in batch:
                    folding.advance([event])
                    for name, row in rows.items():
                        stored = read_states(connection, row.projection_id, event.seq)
                        assert state_digest(stored.items()) == state_digest(folding.states[name].items()), (name, event)


def _emptied(url: str) -> None:
    """Between two runs of the machine: the quickest way to an empty ledger on a server."""
    import psycopg

    history = "catalogs, documents, erased_documents, erased_events, events"
    tables = f"{history}, projection_keys, projection_versions, projections"
    with psycopg.connect(url) as raw:
        raw.execute("SET session_replication_role = replica")
        for table in tables.split(", "):
            raw.execute(f"ALTER TABLE {table} DISABLE TRIGGER ALL".encode())
        raw.execute(f"TRUNCATE {tables}".encode())
        for table in tables.split(", "):
            raw.execute(f"ALTER TABLE {table} ENABLE TRIGGER ALL".encode())


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_stored_incremental_and_rebuilt_are_equal_whatever_happens(engine: str, request: pytest.FixtureRequest) -> None:
    machine = type("EngineMachine", (Machine,), {})
    if engine == "postgres":
        machine.url = request.getfixturevalue("postgres_url")  # type: ignore[attr-defined]
    settings = hypothesis.settings(
        max_examples=25 if engine == "sqlite" else 8,
        stateful_step_count=12,
        deadline=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    run_state_machine_as_test(machine, settings=settings)
