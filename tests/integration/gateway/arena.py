"""What the gateway's tests share: specs of the servers, quick limits, and a look at what is left running."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

import anyio

from ledger.clock import Micros
from ledger.events.documents import Limits as RecordLimits
from ledger.events.documents import pack
from ledger.events.downstream import CaptureFailed, DescriptorsCaptured
from ledger.gateway.capture import Observation, capture
from ledger.gateway.limits import Limits
from ledger.gateway.server_spec import ServerSpec

ROOT = Path(__file__).parents[3]
QUICK = Limits(total_s=10.0, request_s=5.0, grace_s=0.2)
# an answer must come soon, but a busy machine may take its time to start the server
IMPATIENT = Limits(total_s=6.0, request_s=0.5, grace_s=0.1)
HASTY = Limits(total_s=0.8, request_s=0.5, grace_s=0.1)
NOON = Micros(1_795_000_000_000_000)
# of this process alone: other workers run servers of their own
MARK = f"arena-of-gateway-tests-{os.getpid()}"


class StoppedClock:
    def now_us(self) -> Micros:
        return NOON


def rude(way: str, **env: str) -> ServerSpec:
    """The hand-written server, misbehaving in the given way."""
    script = str(ROOT / "tests/servers/rude.py")
    return ServerSpec.over_stdio("rude", sys.executable, ["-I", script, way, MARK], env=env)


def official(era: str, *more: str) -> ServerSpec:
    """The server written with the official SDK."""
    args = ["-m", "tests.servers.official", era, *more, MARK]
    return ServerSpec.over_stdio("official", sys.executable, args, cwd=str(ROOT))


def captured(spec: ServerSpec, limits: Limits = QUICK, **more: Any) -> Observation:
    """One capture; what it found must be something the ledger would take."""
    observation = anyio.run(partial(capture, spec, clock=StoppedClock(), limits=limits, **more))
    require_recordable(observation.kind, observation.payload)
    return observation


def require_recordable(kind: str, payload: dict[str, Any]) -> None:
    model = DescriptorsCaptured if kind == "descriptors.captured" else CaptureFailed
    model.model_validate(payload)
    pack(kind, payload, RecordLimits())


def failure_of(observation: Observation) -> tuple[str, str]:
    """Stage and code of a failed capture."""
    assert observation.kind == "capture.failed", observation.payload
    return observation.payload["stage"], observation.payload["error"]["code"]


def names(observation: Observation) -> list[str]:
    return [tool["name"] for tool in observation.payload["tools"]]


def reasons(observation: Observation) -> dict[str, str]:
    return {item["name"]: item["reason"] for item in observation.payload.get("rejected", [])}


def left_running() -> list[str]:
    """Command lines of processes with our mark that are neither dead nor this one."""
    lines = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if MARK in line and "pytest" not in line:
            lines.append(line)
    return lines
