"""Facts about downstream servers."""

from typing import ClassVar, Literal, Self

from pydantic import BaseModel, model_validator

from ledger.events.model import (
    OPEN_WIRE,
    Count,
    Definition,
    DurationMs,
    ErrorFact,
    Event,
    JsonObject,
    Part,
    Server,
)

Health = Literal["up", "degraded", "down", "disabled"]


class Launch(Part):
    """How a server was started or reached; what `env` and `headers` hold is stored as keyed fingerprints."""

    fingerprint: str | None = None
    command: str | None = None
    args: list[str] | None = None
    cwd: str | None = None
    url: str | None = None
    env: JsonObject | list[str] | None = None
    headers: JsonObject | list[str] | None = None


class Rejected(Part):
    """Something in a listing that is no usable definition; `name` is what it called itself, if it did."""

    name: str | None = None
    reason: str | None = None


class DescriptorsCaptured(Event):
    """A downstream server answered a listing with these definitions.

    Recorded by whoever asked, once per listing, also when nothing changed: an observation is evidence.
    `complete` and `empty` say that this is all there is, `partial` that more was to come. Prompts, resources
    and templates that are absent were not asked for; an empty list means that there are none. It says what
    was on the wire; it does not say that a schema is valid, nor that any client was served it.
    """

    kind: ClassVar[str] = "descriptors.captured"

    server: Server
    outcome: Literal["complete", "empty", "partial"]
    trigger: Literal["boot", "refresh", "list_changed", "poll", "manual"] | None = None
    transport: str | None = None
    protocol_version: str | None = None
    server_info: JsonObject | None = None
    capabilities: JsonObject | None = None
    instructions: str | None = None
    launch: Launch | str | None = None
    tools: list[Definition]
    prompts: list[JsonObject] | None = None
    resources: list[JsonObject] | None = None
    resource_templates: list[JsonObject] | None = None
    rejected: list[Rejected] | None = None
    duration_ms: DurationMs | None = None

    @model_validator(mode="after")
    def _empty_means_no_tools(self) -> Self:
        if self.outcome == "empty" and self.tools:
            raise ValueError("outcome is empty, but tools are listed")
        return self


class CaptureFailed(Event):
    """A downstream server could not be listed.

    Recorded by whoever asked, at each failure. It says at which stage it failed and how. It does not say that
    the server has no tools: what it listed last still stands.
    """

    kind: ClassVar[str] = "capture.failed"

    server: Server
    stage: Literal["spawn", "connect", "handshake", "list", "timeout"]
    error: ErrorFact
    duration_ms: DurationMs | None = None


class HealthChanged(Event):
    """A downstream server's health is another than before.

    Recorded by whoever watches it, when its judgement changes. It does not say what the server lists, and it
    opens or closes no drift by itself.
    """

    kind: ClassVar[str] = "health.changed"

    server: Server
    before: Health | None = None
    after: Health
    reason: str | None = None
    consecutive_failures: Count | None = None


class DiscoveredServer(BaseModel):
    """A server as discovery describes it: it has a name; whatever else it has is kept, without secrets."""

    model_config = OPEN_WIRE

    name: Server


class DiscoveryUpdated(Event):
    """Discovery found these servers.

    Recorded by whoever searched. It does not say that any of them is configured, reachable or trusted.
    """

    kind: ClassVar[str] = "discovery.updated"

    source: str | None = None
    servers: list[Server | DiscoveredServer] | None = None


class DiscoveryReset(Event):
    """What discovery had found was thrown away.

    Recorded by whoever reset it. `servers` are those that were dropped; without it, all of that source were.
    It does not say that a configured server was removed.
    """

    kind: ClassVar[str] = "discovery.reset"

    source: str | None = None
    servers: list[Server | DiscoveredServer] | None = None
