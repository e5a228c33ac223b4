"""Capture: ask one server for everything it lists, and make one fact of what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import anyio
from mcp.shared.exceptions import MCPError
from mcp_types import METHOD_NOT_FOUND

from ledger.gateway.admission import Room, Unfit
from ledger.gateway.connection import Connection, Handshake, connect
from ledger.gateway.failure import explain, shown, stage_of, told
from ledger.gateway.limits import Limits
from ledger.gateway.listing import Listing, read_listing
from ledger.gateway.wire import ServerFault, Wire

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ledger.clock import Clock, Micros
    from ledger.gateway.server_spec import ServerSpec

Trigger = Literal["boot", "refresh", "list_changed", "poll", "manual"]

# by the capability that announces them, with the field of the event that holds them
_EVIDENCE = {
    "prompts": (("prompts/list", "prompts"),),
    "resources": (("resources/list", "resources"), ("resources/templates/list", "resource_templates")),
}


@dataclass(frozen=True)
class Observation:
    """One fact about one server, ready to be recorded once `ServerSpec.secrets` are replaced in it."""

    kind: Literal["descriptors.captured", "capture.failed"]
    payload: dict[str, Any]
    duration_ms: int
    occurred_at_us: Micros

    @property
    def is_whole(self) -> bool:
        """Whether all tools of the server are known now; a partial or failed capture is not."""
        return self.payload.get("outcome") in ("complete", "empty")


async def capture(
    spec: ServerSpec,
    *,
    clock: Clock,
    limits: Limits | None = None,
    trigger: Trigger = "manual",
    fingerprint_key: bytes | None = None,
) -> Observation:
    """Start or reach the server, list everything, leave nothing running. What a server does never raises."""
    sighting = Sighting(spec, limits or Limits(), clock)
    try:
        with anyio.fail_after(sighting.wire.limits.total_s):
            async with connect(spec, sighting.wire) as connection:
                await list_everything(connection, sighting)
    except Exception as error:
        sighting.break_off(error)
    return sighting.observation(trigger, fingerprint_key)


async def capture_each(
    specs: Sequence[ServerSpec],
    *,
    clock: Clock,
    limits: Limits | None = None,
    trigger: Trigger = "manual",
    fingerprint_key: bytes | None = None,
    at_once: int = 4,
) -> list[Observation]:
    """Capture several servers, `at_once` of them at a time; the observations are in the order of `specs`."""
    turns = anyio.CapacityLimiter(at_once)
    found: dict[int, Observation] = {}

    async def take(index: int, spec: ServerSpec) -> None:
        async with turns:
            found[index] = await capture(
                spec, clock=clock, limits=limits, trigger=trigger, fingerprint_key=fingerprint_key
            )

    async with anyio.create_task_group() as tasks:
        for index, spec in enumerate(specs):
            tasks.start_soon(take, index, spec)
    return [found[index] for index in range(len(specs))]


class Sighting:
    """What one observation has found so far: when it breaks off, this is what can still be said."""

    def __init__(self, spec: ServerSpec, limits: Limits, clock: Clock, wire: Wire | None = None) -> None:
        self.spec = spec
        self.wire = wire or Wire(limits)
        self.room = Room(self.wire.limits)
        self.about: dict[str, Any] = {}
        self.tools = Listing("tools/list")
        self.evidence: dict[str, Listing] = {}
        self.notes: list[dict[str, str]] = []
        self.fault: ServerFault | None = None
        self._occurred_at = clock.now_us()
        self._started = anyio.current_time()

    def meet(self, handshake: Handshake) -> None:
        """Take down what the server says about itself, as far as it can be recorded."""
        self.about["protocol_version"] = handshake.protocol_version
        for field, kind in (("server_info", dict), ("capabilities", dict), ("instructions", str)):
            value = getattr(handshake, field)
            if value is None:
                continue
            try:
                if not isinstance(value, kind):
                    raise Unfit("of the wrong type")
                self.room.take(value)
            except Unfit as unfit:
                self.notes.append({"name": field, "reason": str(unfit)})
            else:
                self.about[field] = value

    def break_off(self, error: BaseException) -> None:
        """Something ended the observation early, unless there was nothing left to ask."""
        fault = explain(error, self.wire)
        if not self.tools.is_ended:
            self.fault = fault
        else:
            self.note_unread(fault)

    def note_unread(self, fault: ServerFault) -> None:
        """A list other than the tools could not be read; it is left out, and this says why."""
        unread = next((listing for listing in self.evidence.values() if not listing.is_ended), None)
        if unread is not None:
            self.notes.append({"name": unread.method, "reason": shown(fault.message, self.spec)})

    def observation(self, trigger: Trigger, fingerprint_key: bytes | None) -> Observation:
        duration_ms = round((anyio.current_time() - self._started) * 1000)
        if self.fault is not None and (not self.tools.items or self.fault.code == "cursor_repeated"):
            # of a list that turns in circles nobody can say which part of it is one
            kind: Literal["descriptors.captured", "capture.failed"] = "capture.failed"
            payload = self._failed(self.fault)
        else:
            kind = "descriptors.captured"
            payload = self._captured(trigger, fingerprint_key)
        return Observation(kind, payload | {"duration_ms": duration_ms}, duration_ms, self._occurred_at)

    def _failed(self, fault: ServerFault) -> dict[str, Any]:
        stage = stage_of(fault, self.spec, self.wire, is_listing=bool(self.about))
        error = {"code": fault.code, "message": told(fault, self.spec, self.wire)}
        return {"server": self.spec.name, "stage": stage, "error": error}

    def _captured(self, trigger: Trigger, fingerprint_key: bytes | None) -> dict[str, Any]:
        rejected = [*self.tools.rejected]
        about = {**self.about}
        for field, listing in self.evidence.items():
            rejected += listing.rejected
            if listing.is_ended:
                about[field] = listing.items
        rejected += self.notes
        if self.fault is not None:
            rejected.append({"name": self.tools.method, "reason": told(self.fault, self.spec, self.wire)})
        return {
            "server": self.spec.name,
            "outcome": self._outcome(),
            "trigger": trigger,
            "transport": self.spec.transport,
            "launch": self.spec.launch(fingerprint_key),
            **about,
            "tools": self.tools.items,
            **({"rejected": rejected} if rejected else {}),
        }

    def _outcome(self) -> str:
        if self.fault is not None:
            return "partial"
        return "complete" if self.tools.items or self.tools.rejected else "empty"


async def list_everything(connection: Connection, sighting: Sighting) -> None:
    """Read the tools, then what else the server says it has, into `sighting`.

    Raises when the tools cannot be read to their end, or when the connection is lost.
    """
    sighting.meet(connection.handshake)
    try:
        await read_listing(connection, sighting.tools, sighting.room)
    except MCPError as error:
        if error.code != METHOD_NOT_FOUND or connection.handshake.offers("tools"):
            raise
        sighting.tools.is_ended = True  # it never said that it has tools
    for capability, lists in _EVIDENCE.items():
        for method, field in lists if connection.handshake.offers(capability) else ():
            await _read_evidence(connection, sighting, method, field)


async def _read_evidence(connection: Connection, sighting: Sighting, method: str, field: str) -> None:
    listing = sighting.evidence.setdefault(field, Listing(method))
    try:
        await read_listing(connection, listing, sighting.room)
    except (MCPError, ServerFault) as error:
        if not isinstance(error, MCPError) or error.code != METHOD_NOT_FOUND:
            sighting.note_unread(explain(error, connection.wire))
        # what is left out now must not look unread when something else breaks off later
        sighting.evidence.pop(field)
        if connection.tee.is_closed or connection.wire.fault is not None:
            raise
