"""An event as readers see it: decoded, not validated again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Fact(NamedTuple):
    """One recorded event; `payload` is the stored one (documents by digest), None where it was erased."""

    seq: int
    event_id: str
    kind: str
    recorded_us: int
    occurred_us: int | None
    actor: str
    payload: Mapping[str, Any] | None
