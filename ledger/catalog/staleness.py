"""Whether the captures are fit to render from; decided by what was recorded, never by the times of files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ledger.clock import Micros

Why = Literal["never_captured", "launch_changed", "too_old"]
RefusalReason = Literal["descriptors_missing", "descriptors_stale"]

DEFAULT_MAX_AGE_S = 24 * 3600


@dataclass(frozen=True, slots=True)
class ConfiguredServer:
    """A configured server; `launch` is the fingerprint of how it is started, None if unknown."""

    name: str
    launch: str | None = None


@dataclass(frozen=True, slots=True)
class LastComplete:
    """A server's newest complete or empty capture; a partial or failed one is none."""

    recorded_us: Micros
    launch: str | None = None


@dataclass(frozen=True, slots=True)
class Stale:
    """Why one server's captures are not fit to render from."""

    server: str
    why: Why
    detail: str


def stale_servers(
    configured: Iterable[ConfiguredServer],
    captures: Mapping[str, LastComplete],
    *,
    now_us: Micros,
    max_age_us: int,
) -> tuple[Stale, ...]:
    """The servers that must be captured again first, in configuration order, each with one reason.

    A fingerprint that either side lacks is not compared: unknown is not different.
    """
    judged = (_judged(server, captures.get(server.name), now_us, max_age_us) for server in configured)
    return tuple(stale for stale in judged if stale is not None)


def refusal_reason(stale: Iterable[Stale]) -> RefusalReason | None:
    """What `render.refused` gives as its reason; None when there is nothing to refuse."""
    reasons = {one.why for one in stale}
    if not reasons:
        return None
    return "descriptors_missing" if "never_captured" in reasons else "descriptors_stale"


def _judged(server: ConfiguredServer, capture: LastComplete | None, now_us: Micros, max_age_us: int) -> Stale | None:
    if capture is None:
        return Stale(server.name, "never_captured", "no complete capture is recorded")
    if server.launch is not None and capture.launch is not None and server.launch != capture.launch:
        return Stale(server.name, "launch_changed", "it is now started differently than when it was captured")
    age_us = now_us - capture.recorded_us
    if age_us > max_age_us:
        detail = f"captured {_duration(age_us)} ago, more than {_duration(max_age_us)}"
        return Stale(server.name, "too_old", detail)
    return None


def _duration(micros: int) -> str:
    seconds = micros // 1_000_000
    hours, minutes = seconds // 3600, seconds % 3600 // 60
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds % 60} s"
