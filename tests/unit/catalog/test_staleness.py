"""When captures are too old to render from."""

from __future__ import annotations

from ledger.catalog.staleness import (
    ConfiguredServer,
    LastComplete,
    Stale,
    refusal_reason,
    stale_servers,
)
from ledger.clock import Micros

HOUR = 3_600_000_000
NOW = Micros(1_000 * HOUR)


def stale(server: ConfiguredServer, capture: LastComplete | None) -> list[str]:
    captures = {} if capture is None else {server.name: capture}
    return [one.why for one in stale_servers([server], captures, now_us=NOW, max_age_us=24 * HOUR)]


def captured(hours_ago: float = 1, launch: str | None = "L1") -> LastComplete:
    return LastComplete(Micros(NOW - round(hours_ago * HOUR)), launch)


def test_a_fresh_complete_capture_of_the_same_launch_is_fit() -> None:
    assert stale(ConfiguredServer("fs", "L1"), captured()) == []


def test_a_server_without_a_complete_capture_is_missing() -> None:
    assert stale(ConfiguredServer("fs", "L1"), None) == ["never_captured"]


def test_a_server_that_is_started_differently_must_be_captured_again() -> None:
    assert stale(ConfiguredServer("fs", "L2"), captured()) == ["launch_changed"]


def test_a_fingerprint_that_nobody_knows_is_not_a_difference() -> None:
    assert stale(ConfiguredServer("fs", None), captured()) == []
    assert stale(ConfiguredServer("fs", "L1"), captured(launch=None)) == []


def test_a_capture_is_too_old_after_the_maximum_age_and_not_before() -> None:
    assert stale(ConfiguredServer("fs", "L1"), captured(hours_ago=24)) == []
    assert stale(ConfiguredServer("fs", "L1"), captured(hours_ago=24.001)) == ["too_old"]


def test_a_capture_recorded_ahead_of_the_clock_is_not_old() -> None:
    assert stale(ConfiguredServer("fs", "L1"), captured(hours_ago=-5)) == []


def test_every_stale_server_is_named_in_configuration_order() -> None:
    servers = [ConfiguredServer(name, "L1") for name in ("sh", "fs", "mem")]
    captures = {"fs": captured(), "mem": captured(hours_ago=30)}
    assert stale_servers(servers, captures, now_us=NOW, max_age_us=24 * HOUR) == (
        Stale("sh", "never_captured", "no complete capture is recorded"),
        Stale("mem", "too_old", "captured 30 h 0 min ago, more than 24 h 0 min"),
    )


def test_a_capture_of_a_server_that_is_not_configured_is_no_concern() -> None:
    assert stale_servers([], {"gone": captured(hours_ago=900)}, now_us=NOW, max_age_us=HOUR) == ()


def test_the_refusal_says_missing_before_stale() -> None:
    missing, old = Stale("a", "never_captured", ""), Stale("b", "too_old", "")
    assert refusal_reason([]) is None
    assert refusal_reason([old]) == "descriptors_stale"
    assert refusal_reason([old, missing]) == "descriptors_missing"
