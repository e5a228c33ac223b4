"""The folds, each broken in a way that somebody might break them; the lists stand beside the tests that catch them."""

from __future__ import annotations

from typing import Final

from tests.mutants.guards import Mutant
from tests.unit.projections import mutants_drift, mutants_schemas, mutants_views

_LISTS = (mutants_views, mutants_schemas, mutants_drift)
_EACH_RUN = 9


def _first(count: int | None) -> tuple[Mutant, ...]:
    return tuple(
        Mutant(f"fold: {each.name}", each.path, each.old, each.new, tuple(listed.TESTS))
        for listed in _LISTS
        for each in listed.MUTANTS[:count]
    )


FOLD_MUTANTS: Final = _first(None)
# Every run of CI takes some of each list; `make mutants ALL=1` takes all.
SOME_FOLD_MUTANTS: Final = _first(_EACH_RUN)
