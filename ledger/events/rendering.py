"""Facts about configuration and rendering."""

from typing import Any, ClassVar, Literal

from ledger.events.model import (
    DurationMs,
    Entry,
    Event,
    EventId,
    Hidden,
    JsonObject,
    Name,
    NonEmpty,
    Part,
    Problem,
    Server,
    ToolPlace,
)


class Input(Part):
    """A file that a render read: its layer, name and content; `missing` when it was looked for in vain."""

    layer: str | None = None
    name: str | None = None
    document: Any = None
    missing: bool | None = None


class AllowStale(Part):
    """Leave that was given to render from descriptors older than the configuration."""

    route: str | None = None
    reason: str | None = None


class Intended(Part):
    """The catalog that clients should see."""

    tools: list[Entry]


class Promotion(Part):
    """A schema that becomes the intended one, with the events that earned it."""

    server: Server
    tool: Name
    schema_hash: NonEmpty
    evidence: list[EventId] | None = None


class RenderCompleted(Event):
    """A render merged the layers and decided what clients should see.

    Recorded by whoever rendered, once per render that was accepted, also when nothing changed. It says what
    is intended and from which inputs, settings and captures that follows. It does not say that any client was
    served it, nor that a server can serve it.
    """

    kind: ClassVar[str] = "render.completed"

    inputs: list[Input] | None = None
    settings: JsonObject | None = None
    descriptor_source: Literal["live", "overrides"] | None = None
    captures: list[EventId] | None = None
    allow_stale: AllowStale | None = None
    intended: Intended
    hidden: list[Hidden] | None = None
    promoted: list[Promotion] | None = None
    locked: list[ToolPlace] | None = None
    problems: list[Problem] | None = None
    duration_ms: DurationMs | None = None


class RenderRefused(Event):
    """A render stopped, and the intended catalog stays what it was.

    Recorded by whoever rendered. It says why, and what was read up to there. It does not mean that anything
    is wrong with what clients are served.
    """

    kind: ClassVar[str] = "render.refused"

    reason: Literal["descriptors_missing", "descriptors_stale", "verify_failed", "invalid_input"]
    detail: str | None = None
    inputs: list[Input] | None = None
