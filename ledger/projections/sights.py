"""What a render shows of schemas: thresholds, and of each tool the candidate, the lock and the promotion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ledger.projections.adoption import Sight, Thresholds
from ledger.projections.entries import NOBODY
from ledger.projections.schema_names import short

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ledger.projections.fold import Row

DEFAULTS: Final = Thresholds()
_MOST_DIGITS: Final = 9


class Render(NamedTuple):
    """What a render says beside its entries; `promoted` None: it says nothing of promotions."""

    seq: int
    limits: Thresholds
    locked: frozenset[str]
    promoted: Mapping[str, Mapping[str, Any]] | None

    def says_more_of(self, key: str, entry: Mapping[str, Any]) -> bool:
        """Whether it locks this tool, or has a name of its own for the schema."""
        return "schema_hash" in entry or self.locks(key, entry)

    def locks(self, key: str, entry: Mapping[str, Any]) -> bool:
        """Whether it keeps this tool's schema as it is; a lock without a server names what clients see."""
        if entry.get("locked"):
            return True
        return bool(self.locked) and (key in self.locked or f"{NOBODY}::{entry['name']}" in self.locked)


class Shown(NamedTuple):
    """One tool in a render: its entry, its newest capture, and what producers call its schemas."""

    key: str
    entry: Mapping[str, Any]
    captured: Row | None
    names: Mapping[str, str]


def render_of(seq: int, payload: Mapping[str, Any]) -> Render:
    """What a render says, from its payload."""
    promoted = payload.get("promoted")
    return Render(
        seq,
        _thresholds(payload.get("settings") or {}),
        frozenset(_place(lock) for lock in payload.get("locked") or ()),
        None if promoted is None else {_place(promotion): promotion for promotion in promoted},
    )


def sight_of(shown: Shown, row: Row | None, render: Render) -> Sight:
    """What the render shows of one tool; `row` is what was known of it."""
    candidate = _candidate(shown)
    cited = _carried(shown, candidate, row) if render.promoted is None else _cited(shown, candidate, render.promoted)
    return Sight(render.seq, candidate, render.locks(shown.key, shown.entry), cited)


def _candidate(shown: Shown) -> str | None:
    """The newest captured output schema; of a tool that was never captured, the one that its entry gives."""
    if shown.captured is not None:
        captured: str | None = shown.captured["output"]
        return captured
    return shown.entry.get("output") or _named(shown.entry, shown.names)


def _cited(shown: Shown, candidate: str | None, promoted: Mapping[str, Mapping[str, Any]]) -> Sequence[str] | None:
    """The evidence that a render cites for the candidate, None if it does not promote it."""
    citation = promoted.get(shown.key)
    if citation is None or _named(citation, shown.names) != candidate:
        return None
    return citation.get("evidence") or ()


def _carried(shown: Shown, candidate: str | None, row: Row | None) -> Sequence[str] | None:
    """Renderers that say nothing of promotions promote what their entry carries, if it was known before."""
    if row is None or row["hash"] != candidate:
        return None
    is_carried = candidate in (shown.entry.get("output"), _named(shown.entry, shown.names))
    return () if is_carried else None


def _named(holder: Mapping[str, Any], names: Mapping[str, str]) -> str | None:
    """The digest that a `schema_hash` means."""
    if "schema_hash" not in holder:
        return None
    name = short(holder["schema_hash"])
    return names.get(name, name)


def _place(named: Mapping[str, Any]) -> str:
    """The key of a tool that is named with its server; without one, of the name that clients see."""
    return f"{named.get('server') or NOBODY}::{named['tool']}"


def _thresholds(settings: Mapping[str, Any]) -> Thresholds:
    return Thresholds(
        success=_count(settings.get("SCHEMA_SUCCESS_THRESHOLD"), DEFAULTS.success),
        failure=_count(settings.get("SCHEMA_FAILURE_THRESHOLD"), DEFAULTS.failure),
        quiet=_count(settings.get("SCHEMA_STABLE_RETENTION"), DEFAULTS.quiet),
    )


def _count(given: object, default: int) -> int:
    """A threshold as settings give it, a number or its text; what is no count was not given."""
    if isinstance(given, str) and given.isascii() and given.isdigit() and len(given) <= _MOST_DIGITS:
        given = int(given)
    return min(given, 10**_MOST_DIGITS) if type(given) is int and given >= 1 else default
