"""How much of anything a server may make us read, keep or wait for."""

from __future__ import annotations

from dataclasses import dataclass

_MEBIBYTE = 1024 * 1024


@dataclass(frozen=True)
class Limits:
    """The bounds of one observation of one server; times are seconds, sizes are bytes.

    `tools`, `depth`, `definition_bytes` and `event_bytes` are the ledger's own limits (events.md) and must be
    set as they are there, so that what passes here can be recorded. `tools` bounds each list, prompts and
    resources included.
    """

    total_s: float = 60.0
    request_s: float = 30.0
    #: how long a child may take to leave, once after its stdin is closed and once after SIGTERM
    grace_s: float = 2.0
    message_bytes: int = 16 * _MEBIBYTE
    #: everything the server may send during one observation, notifications and noise included
    total_bytes: int = 64 * _MEBIBYTE
    definition_bytes: int = 1_000_000
    event_bytes: int = 4_000_000
    tools: int = 10_000
    pages: int = 1_000
    depth: int = 64
