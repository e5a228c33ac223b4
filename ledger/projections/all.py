"""The projections there are, in the order in which they fold: each stands behind those it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ledger.projections import descriptors, drift, intended, live, schemas, servers

if TYPE_CHECKING:
    from ledger.projections.fold import Fold


def _in_order(*folds: Fold) -> tuple[Fold, ...]:
    return folds


FOLDS = _in_order(descriptors, servers, schemas, intended, live, drift)
