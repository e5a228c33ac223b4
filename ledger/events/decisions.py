"""Decisions that people and gates took."""

from typing import ClassVar, Literal

from ledger.events.model import Count, Event, Moment, NonEmpty

Setting = str | int | float | bool | None


class DriftWaived(Event):
    """Someone accepted a drift until a moment.

    Recorded when `waive` is run. `subject` is a tool (`server::tool` or the name clients see), a server, or
    `all`. It is revoked by another one whose `until` lies in the past. It hides nothing: the drift stays,
    marked, with who accepted it and why.
    """

    kind: ClassVar[str] = "drift.waived"

    subject: NonEmpty
    reason: str | None = None
    until: Moment | None = None
    approved_by: str | None = None


class ParityAsserted(Event):
    """A check compared what is intended with what is real, and this was its answer.

    Recorded by `check --record`. `counts` are findings by name, `scope` is what was compared. It speaks of
    the moment of the check and promises nothing for later.
    """

    kind: ClassVar[str] = "parity.asserted"

    result: Literal["pass", "fail", "unchecked"]
    counts: dict[str, Count] | None = None
    scope: str | None = None


class FlagChanged(Event):
    """A flag got another value.

    Recorded by whoever set it. It does not say that a process has taken the new value up: the next render's
    settings do.
    """

    kind: ClassVar[str] = "flag.changed"

    name: NonEmpty
    before: Setting = None
    after: Setting
    reason: str | None = None


class PhaseChanged(Event):
    """A rollout moved to another phase, forwards or back.

    Recorded by `phase advance` and `phase rollback`. It does not say that the exit criteria were met: those
    are computed from the stream.
    """

    kind: ClassVar[str] = "phase.changed"

    name: NonEmpty | None = None
    before: Setting = None
    after: Setting
    reason: str | None = None
