"""Watching real servers: every poll is an observation, and a change is seen when it is announced."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import anyio
import pytest

from ledger.clock import iso
from ledger.events.watching import RecordingStarted, RecordingStopped
from ledger.gateway.server_spec import ServerSpec
from ledger.gateway.watch import watch
from tests.integration.gateway.arena import (
    IMPATIENT,
    NOON,
    QUICK,
    StoppedClock,
    left_running,
    official,
    require_recordable,
    rude,
)
from tests.servers.loopback import serving
from tests.servers.official import ADDED, build


@dataclass
class Notebook:
    """Keeps the lines it is handed, and stops the watching after so many observations."""

    enough: int
    stop: anyio.Event = field(default_factory=anyio.Event)
    lines: list[dict[str, Any]] = field(default_factory=list)
    moments: list[float] = field(default_factory=list)

    async def record(self, lines: list[dict[str, Any]]) -> None:
        self.lines.extend(lines)
        self.moments.append(anyio.current_time())
        if len(self.observations) >= self.enough:
            self.stop.set()

    @property
    def observations(self) -> list[dict[str, Any]]:
        return [line for line in self.lines if not line["kind"].startswith("recording.")]

    @property
    def triggers(self) -> list[str]:
        return [line["payload"].get("trigger", "failed") for line in self.observations]


def watched(*specs: ServerSpec, enough: int, interval_s: float = 30.0, **more: Any) -> Notebook:
    async def run() -> Notebook:
        notebook = Notebook(enough)
        more.setdefault("limits", QUICK)
        more.setdefault("settle_s", 0.05)
        with anyio.fail_after(20):
            await watch(
                specs,
                interval_s=interval_s,
                record=notebook.record,
                stop=notebook.stop,
                clock=StoppedClock(),
                session="s-1",
                **more,
            )
        return notebook

    notebook = anyio.run(run)
    for line in notebook.observations:
        require_recordable(line["kind"], line["payload"])
    return notebook


def test_every_poll_leaves_an_observation_between_a_start_and_a_stop() -> None:
    notebook = watched(rude("good"), enough=3, interval_s=0.1)
    first, *observed, last = notebook.lines
    assert first["kind"] == "recording.started"
    assert first["payload"] == {"session": "s-1", "watches": ["rude"], "interval_s": 0.1}
    assert last["kind"] == "recording.stopped"
    assert last["payload"] == {"session": "s-1", "reason": "stopped"}
    RecordingStarted.model_validate(first["payload"])
    RecordingStopped.model_validate(last["payload"])
    assert notebook.triggers == ["boot", "poll", "poll"]
    assert {line["occurred_at"] for line in notebook.lines} == {iso(NOON)}
    assert [line["payload"]["tools"] for line in observed] == [observed[0]["payload"]["tools"]] * 3


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_an_announced_change_over_stdio_is_captured_long_before_the_next_poll(era: str) -> None:
    notebook = watched(official(era, "changing"), enough=2)
    assert notebook.triggers == ["boot", "list_changed"]
    assert ADDED not in [tool["name"] for tool in notebook.observations[0]["payload"]["tools"]]
    assert notebook.observations[1]["payload"]["tools"][-1]["name"] == ADDED


def test_an_announced_change_over_http_is_captured_long_before_the_next_poll() -> None:
    with serving(build("modern", changing=True).streamable_http_app()) as address:
        notebook = watched(ServerSpec.over_http("remote", f"{address}/mcp"), enough=2)
    assert notebook.triggers == ["boot", "list_changed"]
    assert notebook.observations[1]["payload"]["tools"][-1]["name"] == ADDED


def test_a_server_that_cries_change_without_end_is_observed_once_per_settling() -> None:
    notebook = watched(rude("cries_change"), enough=3, settle_s=0.3)
    assert notebook.triggers == ["boot", "list_changed", "list_changed"]
    _, boot, second, third, _ = notebook.moments
    assert second - boot >= 0.29
    assert third - second >= 0.29


def test_a_failure_is_an_observation_too_and_the_server_is_tried_again() -> None:
    notebook = watched(rude("die_at_start"), enough=3, interval_s=0.1)
    assert [line["kind"] for line in notebook.observations] == ["capture.failed"] * 3


def test_a_hanging_server_does_not_keep_the_others_from_being_observed() -> None:
    notebook = watched(rude("hang_at_handshake"), rude("good"), enough=4, interval_s=0.2, limits=IMPATIENT)
    assert Counter(line["kind"] for line in notebook.observations)["descriptors.captured"] >= 2


def test_a_server_that_leaves_between_polls_is_started_again_at_the_next_one() -> None:
    notebook = watched(rude("die_after_list"), enough=3, interval_s=0.1)
    assert notebook.triggers == ["boot", "poll", "poll"]
    assert {line["payload"]["outcome"] for line in notebook.observations} == {"complete"}


def test_what_breaks_on_an_old_connection_is_asked_again_on_a_new_one_before_it_counts() -> None:
    notebook = watched(rude("die_at_second_list"), enough=3, interval_s=0.1)
    assert notebook.triggers == ["boot", "poll", "poll"]
    assert {line["payload"]["outcome"] for line in notebook.observations} == {"complete"}


def test_a_failing_recorder_ends_the_watching_with_its_own_error() -> None:
    class DiskIsFull(Exception):
        pass

    async def run() -> None:
        seen: list[str] = []

        async def record(lines: list[dict[str, Any]]) -> None:
            seen.append(lines[0]["kind"])
            if len(seen) == 2:
                raise DiskIsFull

        with anyio.fail_after(20):
            await watch(
                [rude("good")],
                interval_s=30,
                record=record,
                stop=anyio.Event(),
                clock=StoppedClock(),
                session="s-1",
                limits=QUICK,
            )

    with pytest.raises(DiskIsFull):
        anyio.run(run)
    assert left_running() == []


def test_a_cancelled_watch_still_records_that_it_stopped() -> None:
    lines: list[dict[str, Any]] = []

    async def run() -> None:
        async def record(batch: list[dict[str, Any]]) -> None:
            lines.extend(batch)
            if len(lines) == 2:
                scope.cancel()

        with anyio.CancelScope() as scope:
            await watch(
                [rude("good")],
                interval_s=30,
                record=record,
                stop=anyio.Event(),
                clock=StoppedClock(),
                session="s-1",
                limits=QUICK,
            )

    anyio.run(run)
    assert lines[-1]["payload"] == {"session": "s-1", "reason": "interrupted"}
    assert left_running() == []
