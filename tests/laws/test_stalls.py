"""A fold with a bug: the event is kept, that projection stalls at it and says so, the others go on, rebuild heals."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from ledger.bootstrap import open_ledger
from ledger.projections import descriptors
from ledger.projections.all import FOLDS
from ledger.projections.equality import compare
from ledger.projections.rebuild import rebuild
from ledger.projections.rows import read_projections
from ledger.services.moments import at_head
from ledger.services.views import read_view
from ledger.store.store import find_catalog
from tests.parts import SeededEntropy, StepClock, capture, note

if TYPE_CHECKING:
    from ledger.bootstrap import Ledger
    from ledger.config import Settings


def _fails_at(fold: Any, server: str) -> Any:
    """The same fold, with a bug that one server brings out."""

    def broken(state: Any, event: Any, views: Any, documents: Any) -> Any:
        if event.payload is not None and event.payload.get("server") == server:
            raise RuntimeError("a bug")
        return fold.fold(state, event, views, documents)

    return SimpleNamespace(NAME=fold.NAME, VERSION=fold.VERSION, KINDS=fold.KINDS, NEEDS=fold.NEEDS, fold=broken)


def _with_a_bug(settings: Settings) -> Ledger:
    folds = [_fails_at(each, "bad") if each is descriptors else each for each in FOLDS]
    return open_ledger(settings, clock=StepClock(), entropy=SeededEntropy(), folds=folds)


def test_a_fold_that_raises_stalls_alone_and_rebuild_heals_it(settings: Settings) -> None:
    with _with_a_bug(settings) as ledger:
        recorder = ledger.recorder()
        recorder.record("default", [capture("fs", "read"), capture("bad", "x"), capture("git", "log")])
        done = recorder.record("default", [note("later"), capture("fs", "read", "write")])
        assert done.positions == (4, 5)
        with ledger.store.engine.reading() as connection:
            catalog = find_catalog(connection, None)
            rows = read_projections(connection, catalog)
            view = read_view(connection, catalog, "descriptors", at_head(connection, catalog))
            assert rows["descriptors"].position == 1
            assert "a bug" in (rows["descriptors"].stalled or "")
            assert view.stale is not None
            assert "stale since 2" in view.stale
            assert list(view.tools()) == ["fs::read"]
            assert rows["servers"] == rows["servers"]._replace(position=5, stalled=None)
            # incremental and from zero behave the same: both stop there
            assert compare(connection, catalog, ledger.runner.folds) == []
    with open_ledger(settings, clock=StepClock(), entropy=SeededEntropy()) as ledger:
        rebuild(ledger.store, ledger.runner, "default")
        with ledger.store.engine.reading() as connection:
            catalog = find_catalog(connection, None)
            view = read_view(connection, catalog, "descriptors", at_head(connection, catalog))
            assert view.stale is None
            assert set(view.tools()) == {"fs::read", "fs::write", "bad::x", "git::log"}
            assert compare(connection, catalog, ledger.runner.folds) == []


def test_batches_stall_at_the_same_event_as_single_appends(settings: Settings) -> None:
    lines = [capture("fs", "read"), note("a"), capture("bad", "x"), capture("git", "log")]
    with _with_a_bug(settings) as ledger:
        ledger.recorder().record("one", lines)
        for line in lines:
            ledger.recorder().record("two", [line])
        with ledger.store.engine.reading() as connection:
            one, two = (read_projections(connection, find_catalog(connection, name)) for name in ("one", "two"))
    assert {name: row[2:4] for name, row in one.items()} == {name: row[2:4] for name, row in two.items()}


def test_rows_of_an_older_fold_are_frozen_until_they_are_rebuilt(settings: Settings) -> None:
    older = [
        SimpleNamespace(NAME=each.NAME, VERSION=each.VERSION + 1, KINDS=each.KINDS, NEEDS=each.NEEDS, fold=each.fold)
        if each is descriptors
        else each
        for each in FOLDS
    ]
    with open_ledger(settings, clock=StepClock(), entropy=SeededEntropy()) as ledger:
        ledger.recorder().record("default", [capture("fs", "read")])
        # the code is upgraded under a process that is already running: nothing is rebuilt by itself
        ledger.runner.folds = older
        ledger.recorder().record("default", [capture("fs", "write")])
        with ledger.store.engine.reading() as connection:
            catalog = find_catalog(connection, None)
            rows = read_projections(connection, catalog)
            assert (rows["descriptors"].version, rows["descriptors"].position) == (1, 1)
            assert rows["servers"].position == 2
    # opened again, a small ledger rebuilds itself
    with (
        open_ledger(settings, clock=StepClock(), entropy=SeededEntropy(), folds=older) as ledger,
        ledger.store.engine.reading() as connection,
    ):
        catalog = find_catalog(connection, None)
        rows = read_projections(connection, catalog)
        assert (rows["descriptors"].version, rows["descriptors"].position) == (2, 2)
        assert compare(connection, catalog, older) == []


def test_a_projection_that_this_code_does_not_know_is_left_alone(settings: Settings) -> None:
    """Another version of the code keeps more projections in the same ledger: they are not ours to move."""
    with open_ledger(settings, clock=StepClock(), entropy=SeededEntropy()) as ledger:
        ledger.recorder().record("default", [capture("fs", "read")])
    with open_ledger(settings, clock=StepClock(), entropy=SeededEntropy(), folds=FOLDS[:2]) as ledger:
        ledger.recorder().record("default", [capture("fs", "write")])
        with ledger.store.engine.reading() as connection:
            rows = read_projections(connection, find_catalog(connection, None))
    positions = {name: row.position for name, row in rows.items()}
    assert positions == {"descriptors": 2, "servers": 2, "schemas": 1, "intended": 1, "live": 1, "drift": 1}
