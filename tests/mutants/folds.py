"""The folds, each broken in a way that somebody might break them; written beside their tests."""

from __future__ import annotations

from typing import Final

from tests.mutants.guards import Mutant

FOLD_MUTANTS: Final[tuple[Mutant, ...]] = ()
