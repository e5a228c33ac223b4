"""Facts about watching, without which silence means nothing."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from ledger.events.model import Count, Event, Moment, NonEmpty

IntervalSeconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class RecordingStarted(Event):
    """A session of watching began.

    Recorded by the observer itself. `watches` names the servers, and `served` for what clients get;
    `interval_s` is the promise to record an observation at least that often, even when nothing changed. It
    does not say that anything was observed yet.
    """

    kind: ClassVar[str] = "recording.started"

    session: NonEmpty | None = None
    watches: list[NonEmpty] | None = None
    interval_s: IntervalSeconds | None = None


class RecordingStopped(Event):
    """A session of watching ended in good order.

    Recorded by the observer itself. After it, silence means nothing. A session that was killed records none.
    """

    kind: ClassVar[str] = "recording.stopped"

    session: NonEmpty | None = None
    reason: str | None = None


class RecordingGap(Event):
    """In this span facts may be missing.

    Recorded by the observer, once it can record again. `dropped` counts what it knows to have lost. It does
    not say that anything happened in the span, only that nobody can tell.
    """

    kind: ClassVar[str] = "recording.gap"

    start: Moment | None = Field(None, alias="from")
    end: Moment | None = Field(None, alias="to")
    reason: Literal["off", "spool_full", "killed", "refused", "unknown"] | None = None
    dropped: Count | None = None
