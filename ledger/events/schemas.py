"""Facts about schemas in use."""

from typing import ClassVar, Literal

from ledger.events.model import DurationMs, Event, Name, NonEmpty, Server, Violation


class SchemaValidated(Event):
    """A tool's answer was checked against an output schema.

    Recorded by whoever relayed the call, once per check. `schema_hash` is the digest of the output schema, or
    the producer's own name for it; `state` is what the producer believed the adoption state to be. It says
    how this one answer fared; it does not say that the schema is adopted, and it never holds the answer.
    """

    kind: ClassVar[str] = "schema.validated"

    server: Server
    tool: Name
    schema_hash: NonEmpty
    result: Literal["pass", "fail"]
    state: str | None = None
    duration_ms: DurationMs | None = None
    error: Violation | None = None


class FallbackEngaged(Event):
    """A tool's answer did not fit its schema, and a weaker schema was served instead.

    Recorded by whoever relayed the call. It says which rung of the ladder was taken. It moves no streak, and
    it does not say that the declared schema is wrong.
    """

    kind: ClassVar[str] = "fallback.engaged"

    server: Server
    tool: Name
    from_hash: NonEmpty | None = None
    step: Literal["prior_override", "generic_wrapper"]
    to_hash: NonEmpty | None = None
    reason: str | None = None
    error: Violation | None = None
