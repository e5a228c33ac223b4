"""Lines that a producer would record, for stories told through the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.parts import tool

if TYPE_CHECKING:
    from tests.integration.command import Command


def record(catledger: Command, *lines: dict[str, Any]) -> None:
    said = catledger("record", "-", stdin=b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    assert said.code == 0, said


def entry(server: str, name: str, **definition: Any) -> dict[str, Any]:
    return {"name": name, "server": server, "tool": name, "definition": tool(name, **definition)}


def rendered(*entries: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"kind": "render.completed", "payload": {"intended": {"tools": list(entries)}, **more}}


def served(*entries: dict[str, Any], omitted: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    payload: dict[str, Any] = {"tools": list(entries), "trigger": "boot"}
    return {"kind": "live.served", "payload": payload | ({"omitted": omitted} if omitted else {})}


def health(server: str, after: str, reason: str = "exit 1") -> dict[str, Any]:
    return {"kind": "health.changed", "payload": {"server": server, "after": after, "reason": reason}}


def capture_failed(server: str) -> dict[str, Any]:
    error = {"message": "no answer within 10 s"}
    return {"kind": "capture.failed", "payload": {"server": server, "stage": "timeout", "error": error}}


def listing(server: str, *tools: dict[str, Any], outcome: str = "complete", **more: Any) -> dict[str, Any]:
    return {
        "kind": "descriptors.captured",
        "payload": {"server": server, "outcome": outcome, "tools": list(tools), **more},
    }
