"""Watching: poll servers and listen for list changes, so that silence in the ledger means something."""

from __future__ import annotations

import math
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import anyio
from mcp.client.subscriptions import SubscriptionLost
from mcp.shared.exceptions import MCPError

from ledger.clock import iso
from ledger.gateway.capture import Observation, Sighting, Trigger, list_everything
from ledger.gateway.connection import Connection, connect
from ledger.gateway.limits import Limits
from ledger.gateway.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from anyio.abc import TaskStatus

    from ledger.clock import Clock
    from ledger.gateway.server_spec import ServerSpec

    Record = Callable[[list[dict[str, Any]]], Awaitable[None]]

_LAST_WORD_S = 5.0


async def watch(
    specs: Sequence[ServerSpec],
    *,
    interval_s: float,
    record: Record,
    stop: anyio.Event,
    clock: Clock,
    session: str,
    limits: Limits | None = None,
    settle_s: float = 1.0,
    fingerprint_key: bytes | None = None,
    at_once: int = 4,
) -> None:
    """Observe every server now, every `interval_s` seconds and when it says a list changed, until `stop`.

    `record` gets producer lines, one call after the other; what it raises ends it. Every poll leaves
    an observation, also of an unchanged list. Connections stay open between polls. A server that cries change
    without end is observed once per `settle_s`. `recording.stopped` is recorded on every way out.
    """
    desk = _Desk(record, clock)
    turns = anyio.CapacityLimiter(at_once)
    watches = [spec.name for spec in specs]
    await desk.note("recording.started", {"session": session, "watches": watches, "interval_s": interval_s})
    reason = "interrupted"
    try:
        async with anyio.create_task_group() as tasks:
            for spec in specs:
                watched = _Watched(
                    spec,
                    limits=limits or Limits(),
                    interval_s=interval_s,
                    settle_s=settle_s,
                    desk=desk,
                    turns=turns,
                    fingerprint_key=fingerprint_key,
                )
                tasks.start_soon(watched.run)
            await stop.wait()
            reason = "stopped"
            tasks.cancel_scope.cancel()
    except Exception:
        reason = "failed"
        if desk.failure is not None:
            raise desk.failure from None  # as it was raised, not wrapped in the group of its tasks
        raise
    finally:
        if desk.failure is None:
            with anyio.move_on_after(_LAST_WORD_S, shield=True):
                await desk.note("recording.stopped", {"session": session, "reason": reason})


@dataclass
class _Desk:
    """Where lines are handed over, one at a time; a failure to record is kept apart from what servers do."""

    record: Record
    clock: Clock
    failure: Exception | None = None
    _lock: anyio.Lock = field(default_factory=anyio.Lock)

    async def note(self, kind: str, payload: dict[str, Any]) -> None:
        await self._hand_over(kind, payload, self.clock.now_us())

    async def observed(self, observation: Observation) -> None:
        await self._hand_over(observation.kind, observation.payload, observation.occurred_at_us)

    async def _hand_over(self, kind: str, payload: dict[str, Any], at: int) -> None:
        async with self._lock:
            try:
                await self.record([{"kind": kind, "payload": payload, "occurred_at": iso(at)}])
            except Exception as error:
                self.failure = error
                raise


class _Watched:
    """One server under watch; its connection is kept as long as it is good."""

    def __init__(
        self,
        spec: ServerSpec,
        *,
        limits: Limits,
        interval_s: float,
        settle_s: float,
        desk: _Desk,
        turns: anyio.CapacityLimiter,
        fingerprint_key: bytes | None,
    ) -> None:
        self._spec = spec
        self._limits = limits
        self._interval_s = interval_s
        self._settle_s = settle_s
        self._desk = desk
        self._turns = turns
        self._fingerprint_key = fingerprint_key
        self._trigger: Trigger = "boot"
        self._due = 0.0
        self._is_proven = False

    async def run(self) -> None:
        while True:
            await self._stay_connected()
            await anyio.sleep_until(self._due)

    async def _stay_connected(self) -> None:
        """Connect and observe until the connection is of no use any more."""
        self._is_proven = False
        wire = Wire(self._limits)
        try:
            with ExitStack() as turn, anyio.CancelScope() as patience:
                await self._turns.acquire_on_behalf_of(turn)
                turn.callback(self._turns.release_on_behalf_of, turn)
                self._begin(wire, patience)
                async with connect(self._spec, wire) as connection, anyio.create_task_group() as tasks:
                    await tasks.start(_listen, connection)
                    await self._observe(connection, patience, turn)
                    tasks.cancel_scope.cancel()
            if patience.cancelled_caught:
                raise TimeoutError
        except Exception as error:
            await self._give_up(error)

    def _begin(self, wire: Wire, patience: anyio.CancelScope) -> None:
        wire.renew_allowance()
        self._sighting = Sighting(self._spec, self._limits, self._desk.clock, wire)
        now = anyio.current_time()
        self._due = now + self._interval_s
        # Starting may take its time. After that, an answer that takes longer than the interval would break
        # the promise that the interval is.
        patience.deadline = now + (
            min(self._interval_s, self._limits.total_s) if self._is_proven else self._limits.total_s
        )

    async def _observe(self, connection: Connection, patience: anyio.CancelScope, turn: ExitStack) -> None:
        """Observe, wait for a reason, observe again; returns when the connection is lost while waiting."""
        while True:
            connection.tee.is_list_changed = False
            await list_everything(connection, self._sighting)
            patience.deadline = math.inf
            turn.close()
            await self._hand_over()
            self._is_proven = True
            await self._wait_for_reason(connection)
            if connection.tee.is_closed:
                return
            self._begin(connection.wire, patience)

    async def _wait_for_reason(self, connection: Connection) -> None:
        settled = anyio.current_time() + self._settle_s
        self._trigger = "poll"
        with anyio.CancelScope(deadline=self._due):
            await connection.tee.wait_for_news()
            if not connection.tee.is_closed:
                self._trigger = "list_changed"
                await anyio.sleep_until(settled)

    async def _give_up(self, error: Exception) -> None:
        """A connection that was good before and broke tells nothing; whether a new one can be made does."""
        if self._desk.failure is not None:
            raise error
        if self._is_proven:
            self._due = anyio.current_time()
            return
        self._sighting.break_off(error)
        await self._hand_over()
        self._trigger = "poll"

    async def _hand_over(self) -> None:
        await self._desk.observed(self._sighting.observation(self._trigger, self._fingerprint_key))


async def _listen(connection: Connection, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
    """Ask a server of the newer era to announce changes, before the list is read; the tee sees what it says.

    Refused: there is still the poll. Lost: the connection counts as closed, so that the next poll asks again.
    """
    wanted = {
        f"{feature}_list_changed": connection.handshake.announces_changes_of(feature)
        for feature in ("tools", "prompts", "resources")
    }
    if not connection.handshake.is_modern or not any(wanted.values()):
        task_status.started()
        return
    try:
        async with connection.client.listen(**wanted) as subscription:  # type: ignore[arg-type]
            task_status.started()
            with suppress(SubscriptionLost):
                async for _ in subscription:
                    pass
            connection.tee.saw_end()
    except (MCPError, SubscriptionLost, TimeoutError):
        task_status.started()
