"""Every error the ledger raises; the branch says what the reader can do about it.

::

    LedgerError
      Misused          bad_input, bad_config, bad_timestamp, …        exit 2
      NotFound         nothing_recorded, catalog_unknown, …           exit 3
      Refused          gate_failed, render_refused, …                 exit 1
      Damaged          chain_broken, tail_lost, unreadable, …         exit 4   never retried
      Unreachable      stale_append, database_locked, disk_full, …    exit 5   a retry may help

Each error is a small class with its facts as fields, a stable `code`, and a `hint` that names the next step.
Anything else that escapes is our bug and shows a traceback. A downstream server that misbehaves is not an
error: it is an event.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


class LedgerError(Exception):
    """The root; catch it at an edge and translate it, never in the middle."""

    code: ClassVar[str] = "ledger_error"
    exit_code: ClassVar[int] = 1
    hint: str = ""


class Misused(LedgerError):
    """The request cannot be carried out as it was made; change the request."""

    code = "misused"
    exit_code = 2


class NotFound(LedgerError):
    """There is nothing to answer from."""

    code = "not_found"
    exit_code = 3


class Refused(LedgerError):
    """A gate says no."""

    code = "refused"
    exit_code = 1


class Damaged(LedgerError):
    """What is stored is not what was written."""

    code = "damaged"
    exit_code = 4


class Unreachable(LedgerError):
    """The store did not answer; a retry may help."""

    code = "unreachable"
    exit_code = 5


@dataclass(eq=False)
class BadInput(Misused):
    """A value handed to us is not what it must be; `place` is a line, a field or a JSON pointer."""

    reason: str
    place: str = ""
    hint: str = "correct the input and run the command again; nothing was written"
    code = "bad_input"

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}" if self.place else self.reason


@dataclass(eq=False)
class OverLimit(Misused):
    """A value is larger than a limit allows; the limit is named so that it can be raised."""

    limit: str
    allowed: int
    found: int
    place: str = ""
    code = "over_limit"

    @property
    def hint(self) -> str:  # type: ignore[override]  # a property here, a plain attribute on the others
        return f"send less, or raise CATLEDGER_{self.limit.upper()} (now {self.allowed})"

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        return f"{where}{self.limit} is {self.found}, over the limit of {self.allowed}"


@dataclass(eq=False)
class BadConfig(Misused):
    """A setting has a value that cannot be used."""

    setting: str
    reason: str
    hint: str = "`catledger settings` lists every setting with its value and where it came from"
    code = "bad_config"

    def __str__(self) -> str:
        return f"{self.setting}: {self.reason}"


@dataclass(eq=False)
class BadTimestamp(Misused):
    """A moment could not be understood, or lies in the future."""

    text: str
    reason: str
    hint: str = 'use a position (1234), an ISO time (2026-11-17T14:05) or a relative time ("2 hours ago")'
    code = "bad_timestamp"

    def __str__(self) -> str:
        return f"{self.text!r}: {self.reason}"


@dataclass(eq=False)
class ForeignDatabase(Misused):
    """The file or database holds something that is not a ledger."""

    location: str
    detail: str
    hint: str = "name another --db; catledger never writes into a database it did not create"
    code = "foreign_database"

    def __str__(self) -> str:
        return f"{self.location} is not a catledger database: {self.detail}"


@dataclass(eq=False)
class NewerLedger(Misused):
    """The ledger was written by a newer catledger."""

    location: str
    revision: str
    hint: str = "upgrade catledger on this machine"
    code = "newer_ledger"

    def __str__(self) -> str:
        return f"{self.location} has schema revision {self.revision}, which this version does not know"


@dataclass(eq=False)
class OlderLedger(Misused):
    """The ledger has an older schema than the code."""

    location: str
    revision: str
    hint: str = "run `catledger init` to upgrade it"
    code = "older_ledger"

    def __str__(self) -> str:
        return f"{self.location} has the older schema revision {self.revision}"


@dataclass(eq=False)
class IdempotencyConflict(Misused):
    """An event id was used before, for other content."""

    event_id: str
    seq: int
    hint: str = "give the new event an id of its own"
    code = "idempotency_conflict"

    def __str__(self) -> str:
        return f"event id {self.event_id} is already recorded at seq {self.seq} with other content"


@dataclass(eq=False)
class RemoteChain(Misused):
    """A chain that came from elsewhere is not written here."""

    catalog: str
    hint: str = "record into the ledger that owns the chain, or choose another --catalog"
    code = "remote_chain"

    def __str__(self) -> str:
        return f"catalog {self.catalog} was imported from another ledger, which alone appends to it"


@dataclass(eq=False)
class AmbiguousCatalog(Misused):
    """No catalog was named and there are several."""

    names: tuple[str, ...]
    hint: str = "name one with --catalog"
    code = "ambiguous_catalog"

    def __str__(self) -> str:
        return "this ledger has several catalogs: " + ", ".join(self.names)


@dataclass(eq=False)
class NothingRecorded(NotFound):
    """The ledger or catalog is empty, or does not exist."""

    what: str
    hint: str = "record something first: `catledger record FILE`"
    code = "nothing_recorded"

    def __str__(self) -> str:
        return f"nothing is recorded in {self.what}"


@dataclass(eq=False)
class UnknownCatalog(NotFound):
    """No catalog has that name."""

    name: str
    known: tuple[str, ...]
    code = "catalog_unknown"

    @property
    def hint(self) -> str:  # type: ignore[override]  # computed from the names that exist
        return "catalogs here: " + (", ".join(self.known) or "none")

    def __str__(self) -> str:
        return f"no catalog is named {self.name}"


@dataclass(eq=False)
class UnknownPosition(NotFound):
    """No event is at that position."""

    what: str
    hint: str = "`catledger log --limit 5` shows the newest positions"
    code = "position_unknown"

    def __str__(self) -> str:
        return f"there is no event {self.what}"


@dataclass(eq=False)
class UnknownName(NotFound):
    """No server or tool of that name was ever seen."""

    what: str
    name: str
    near: tuple[str, ...]
    code = "name_unknown"

    @property
    def hint(self) -> str:  # type: ignore[override]  # computed from the names that exist
        return f"did you mean {', '.join(self.near)}?" if self.near else "`catledger catalog` lists what there is"

    def __str__(self) -> str:
        return f"no {self.what} named {self.name} was ever seen here"


@dataclass(eq=False)
class AmbiguousName(Misused):
    """A name fits several tools."""

    name: str
    candidates: tuple[str, ...]
    code = "name_ambiguous"

    @property
    def hint(self) -> str:  # type: ignore[override]  # computed from the tools that it fits
        return f"name one of them: {', '.join(self.candidates)}"

    def __str__(self) -> str:
        return f"{self.name} is the name of {len(self.candidates)} tools"


@dataclass(eq=False)
class UnknownDocument(NotFound):
    """No document has that digest."""

    digest: str
    hint: str = "`catledger show POSITION` prints the digests that an event names"
    code = "document_unknown"

    def __str__(self) -> str:
        return f"no document has the digest {self.digest}"


@dataclass(eq=False)
class UnknownProjection(NotFound):
    """The catalog has no rows of that projection."""

    catalog: str
    projection: str
    hint: str = "run `catledger rebuild`"
    code = "projection_unknown"

    def __str__(self) -> str:
        return f"{self.catalog} has no projection {self.projection} yet"


@dataclass(eq=False)
class ChainBroken(Damaged):
    """An event does not fit its chain: it was changed, removed or reordered."""

    catalog: str
    seq: int
    reason: str
    hint: str = "keep a copy of the file, then restore a verified backup"
    code = "chain_broken"

    def __str__(self) -> str:
        return f"{self.catalog}: event {self.seq} {self.reason}"


@dataclass(eq=False)
class TailLost(Damaged):
    """The database ends before the head that a receipt or anchor proves."""

    catalog: str
    seq: int
    expected: int
    source: str
    hint: str = "do not append; keep a copy of the file, then restore a backup that reaches the receipt"
    code = "tail_lost"

    def __str__(self) -> str:
        missing = self.expected - self.seq
        return (
            f"{self.catalog}: head is {self.seq}, {self.source} says {self.expected}: "
            f"{missing} event{'s' if missing != 1 else ''} missing ({self.seq + 1}..{self.expected})"
        )


@dataclass(eq=False)
class Unreadable(Damaged):
    """The database or a stored value cannot be read."""

    location: str
    detail: str
    hint: str = "keep a copy of the file, then restore a verified backup"
    code = "unreadable"

    def __str__(self) -> str:
        return f"{self.location} cannot be read: {self.detail}"


@dataclass(eq=False)
class StaleAppend(Unreachable):
    """Someone else appended between our read and our write."""

    catalog: str
    expected: int
    actual: int
    hint: str = "read the catalog again and retry"
    code = "stale_append"

    def __str__(self) -> str:
        return f"{self.catalog}: expected position {self.expected}, found {self.actual}"


@dataclass(eq=False)
class StoreUnavailable(Unreachable):
    """The store cannot be used right now; `code` says in which way."""

    location: str
    detail: str
    hint: str = "see that the database can be reached and written, then run the command again"
    code = "store_unavailable"

    def __str__(self) -> str:
        return f"{self.location}: {self.detail}"


class DatabaseLocked(StoreUnavailable):
    """Another process holds the database."""

    code = "database_locked"


class DiskFull(StoreUnavailable):
    """There is no room left; the append did not happen."""

    code = "disk_full"


class ReadOnlyStore(StoreUnavailable):
    """The place cannot be written."""

    code = "read_only"


@dataclass(eq=False)
class ReceiptNotWritten(Unreachable):
    """The events are committed, but the receipt beside the database could not be written."""

    path: str
    detail: str
    hint: str = "make room or mend permissions there; a retry with the same event ids appends nothing twice"
    code = "receipt_not_written"

    def __str__(self) -> str:
        return f"committed, but the receipt {self.path} could not be written: {self.detail}"


@dataclass(eq=False)
class NewerEvent(Misused):
    """A stored event is newer than the code: stop there, never skip it. `known` is 0 for an unknown kind."""

    kind: str
    version: int
    known: int
    hint: str = "upgrade catledger on this machine; nothing was skipped, reading stops at that event"
    code = "newer_event"

    def __str__(self) -> str:
        known = f"knows version {self.known}" if self.known else "does not know that kind"
        return f"the event is {self.kind} version {self.version}, and this catledger {known}"
