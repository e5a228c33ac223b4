"""What was done to the ledger itself, and what was brought into it."""

from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from ledger.events.model import (
    ChainHash,
    ChainId,
    Count,
    DocumentDigest,
    Event,
    EventId,
    Moment,
    NonEmpty,
    Part,
    Problem,
)

Seq = Annotated[int, Field(ge=1)]


class LegacyImported(Event):
    """A file of an older system was read, and is kept as it was.

    Recorded by `import`, before the facts that were derived from the file, which name this event as their
    cause. `claimed_at` is the time that the file itself gives, `generation` which of its historic shapes it
    has. It does not vouch for what the file says.
    """

    kind: ClassVar[str] = "legacy.imported"

    role: NonEmpty | None = None
    name: NonEmpty | None = None
    claimed_at: Moment | None = None
    document: Any = None
    generation: int | str | None = None
    problems: list[Problem] | None = None


class NoteAdded(Event):
    """Someone wrote something down.

    Recorded on request. `subject` is what the note is about, in any words. It changes no projection.
    """

    kind: ClassVar[str] = "note.added"

    text: NonEmpty
    subject: str | None = None


class Target(Part):
    """An event whose payload is erased."""

    seq: Seq
    event_id: EventId


class PayloadErased(Event):
    """Payloads or documents were erased on purpose.

    Recorded by `erase`, in the transaction that blanks the bytes. The envelopes stay and the chain still
    verifies. It does not reach copies: backups and exports made before still hold the bytes.
    """

    kind: ClassVar[str] = "payload.erased"

    targets: list[Target] | None = None
    documents: list[DocumentDigest] | None = None
    reason: NonEmpty
    approved_by: str | None = None

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        if not self.targets and not self.documents:
            raise ValueError("targets or documents must name what is erased")
        return self


class ClockCorrected(Event):
    """The clock had been ahead; from here on, recorded time restarts from the right one.

    Recorded by `doctor --fix`. It is the one place where recorded time may run backwards within a chain.
    Positions are not touched: the order of events stays as it was.
    """

    kind: ClassVar[str] = "clock.corrected"

    before_us: int
    after_us: int
    reason: str


class Head(Part):
    """The last event of a chain."""

    chain: ChainId
    epoch: Count
    seq: Count
    hash: ChainHash


class BackupCompleted(Event):
    """A backup was made, restored in a scratch place, and verified up to these heads.

    Recorded in `_ledger` by `backup create`. It does not say that the copy is still there, or still whole.
    """

    kind: ClassVar[str] = "backup.completed"

    backup_id: NonEmpty
    heads: list[Head]
    digest: NonEmpty | None = None
    bytes: Count | None = None


class LedgerRestored(Event):
    """A restore cut this chain: the events after `from_seq` that were known to exist are gone.

    Recorded in the chain that lost events, under a raised epoch. `lost` counts them, `accepted_by` took
    responsibility. It does not say what they were.
    """

    kind: ClassVar[str] = "ledger.restored"

    chain: ChainId
    epoch: Count
    from_seq: Count
    lost: Count
    accepted_by: NonEmpty
