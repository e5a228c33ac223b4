"""Which output schema a tool shows: the first at once, a later one only when calls have earned it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ledger.canon.digest import digest

if TYPE_CHECKING:
    from ledger.canon.jsontext import Json

State = Literal["untyped", "pending", "validated", "failed", "locked"]


@dataclass(frozen=True, slots=True)
class AdoptionRow:
    """A tool's row of the `schemas` projection, as far as a render needs it, with the schemas behind it.

    `hash` was the candidate at the last render. `ok` counts its passes in a row; without it `promotable` is
    believed. `evidence` are the ids of those passes. `promoted_schema` is the value behind `promoted`, None
    when it is no longer known; `shown_schema` is the output schema in the last intended catalog, None when it
    had none.
    """

    state: State
    hash: str | None = None
    promoted: str | None = None
    promotable: bool = False
    ok: int | None = None
    evidence: tuple[str, ...] = ()
    promoted_schema: Json = None
    shown_schema: Json = None

    def is_earned(self, success_threshold: int) -> bool:
        """Whether enough passes stand behind `hash`, by the threshold of this render."""
        if self.state not in ("pending", "failed"):
            return False
        return self.promotable if self.ok is None else self.ok >= success_threshold


@dataclass(frozen=True, slots=True)
class Adopted:
    """The schema to show, null for none. `withheld` is the hash of a newer one that is not shown yet.

    `promoted` is the hash of a schema that the render promotes, `lost` that the one to keep is no longer
    known.
    """

    schema: Json
    promoted: str | None = None
    evidence: tuple[str, ...] = ()
    withheld: str | None = None
    lost: bool = False


def adopt(
    candidate: Json, row: AdoptionRow | None, *, is_locked: bool, is_stated: bool, success_threshold: int
) -> Adopted:
    """Decide between the candidate and what was shown before; the rows meant are those of the adoption table.

    `is_stated`: a layer states the schema, so that it is a decision and not an observation.
    """
    # 1. nothing to compare with: a first schema enters at once, on probation (row 2)
    if row is None:
        return Adopted(candidate)
    offered = None if candidate is None else str(digest(candidate))
    # 2. a lock freezes what is shown, whatever is captured or stated (row 12)
    if is_locked:
        frozen = row.promoted_schema if row.shown_schema is None else row.shown_schema
        return _kept(frozen, candidate, offered, lost=row.promoted not in (None, offered))
    # 3. earned by passes: promotion, with the events that earned it (row 10)
    if offered is not None and offered == row.hash and row.is_earned(success_threshold):
        return Adopted(candidate, promoted=offered, evidence=row.evidence)
    # 4. gone, stated by hand, the first one ever, or back again: shown as it is (rows 6, 2, 5)
    if candidate is None or is_stated or row.promoted in (None, offered):
        return Adopted(candidate)
    # 5. changed and not earned: the promoted one stays (row 4)
    return _kept(row.promoted_schema, candidate, offered, lost=True)


def _kept(schema: Json, candidate: Json, offered: str | None, *, lost: bool) -> Adopted:
    if schema is None:
        return Adopted(candidate, lost=lost)
    return Adopted(schema, withheld=None if str(digest(schema)) == offered else offered)
