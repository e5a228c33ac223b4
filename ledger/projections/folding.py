"""Folding in memory: every projection of one catalog moved forward, event by event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from ledger.errors import LedgerError
from ledger.projections.fold import apply
from ledger.projections.rows import Version

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ledger.events.fact import Fact
    from ledger.projections.fold import Documents, Fold, Row


class Folding:
    """The states of one catalog's projections, and how far each one got.

    `idle` names those that are not folded, with the reason: stalled by an error, or waiting for a rebuild.
    """

    def __init__(
        self,
        folds: Sequence[Fold],
        documents: Documents,
        *,
        position: int = 0,
        idle: Mapping[str, str] | None = None,
    ) -> None:
        self.folds = folds
        self.states: dict[str, dict[str, Row]] = {each.NAME: {} for each in folds}
        self.position = position
        self.idle: dict[str, str] = dict(idle or {})
        self.stalled_at: dict[str, int] = {}
        self._documents = documents
        self._unread: Exception | None = None
        kinds = {kind for each in folds for kind in each.KINDS}
        self._of_kind = {kind: [each for each in folds if kind in each.KINDS] for kind in kinds}

    def advance(self, events: Iterable[Fact]) -> list[Version]:
        """Fold events in order. A projection that fails stays where it was before that event; the others go on."""
        versions: list[Version] = []
        for event in events:
            self.position = event.seq
            for each in self._of_kind.get(event.kind, ()):
                if each.NAME not in self.idle:
                    self._fold_one(each, event, versions)
        return versions

    def position_of(self, name: str) -> int:
        """The last event this projection has folded, or passed over because it is of no concern to it."""
        return self.stalled_at.get(name, self.position)

    def _fold_one(self, each: Fold, event: Fact, versions: list[Version]) -> None:
        name, state = each.NAME, self.states[each.NAME]
        try:
            if self.idle:
                _require(each.NEEDS, self.idle)
            changes = each.fold(state, event, self.states, self._read)
            fresh = [
                Version(
                    name,
                    key,
                    event.seq,
                    None if row is None else orjson.dumps(row, option=orjson.OPT_SORT_KEYS),
                )
                for key, row in changes.items()
            ]
        except Exception as error:
            # Law 5: a view with a bug must not keep a fact out. A store that does not answer is no bug of the view.
            if error is self._unread and not isinstance(error, LedgerError):
                raise
            self.idle[name] = f"{event.kind} at {event.seq}: {type(error).__name__}: {error}"
            self.stalled_at[name] = event.seq - 1
            return
        apply(state, changes)
        versions += fresh

    def _read(self, digest: str) -> Any:
        try:
            return self._documents(digest)
        except Exception as error:
            self._unread = error
            raise


def _require(needs: Iterable[str], idle: Mapping[str, str]) -> None:
    for need in needs:
        if need in idle:
            raise LookupError(f"it needs {need}, which does not go on")
