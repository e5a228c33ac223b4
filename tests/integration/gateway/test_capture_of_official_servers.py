"""Captures of servers written with the official SDK, one of each era, over both transports."""

from __future__ import annotations

from functools import partial

import anyio
import pytest

from ledger.gateway.capture import capture_each
from ledger.gateway.server_spec import ServerSpec
from tests.integration.gateway.arena import NOON, QUICK, StoppedClock, captured, names, official, rude
from tests.servers.loopback import serving
from tests.servers.official import before_discover, build

VERSIONS = {"legacy": "2025-11-25", "modern": "2026-07-28"}
TOOLS = [f"tool_{number}" for number in range(5)]


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_every_page_of_everything_is_captured_over_stdio(era: str) -> None:
    observation = captured(official(era), trigger="boot")
    payload = observation.payload
    assert payload["outcome"] == "complete"
    assert payload["transport"] == "stdio"
    assert payload["trigger"] == "boot"
    assert payload["protocol_version"] == VERSIONS[era]
    assert payload["server_info"]["name"] == f"official-{era}"
    assert payload["instructions"] == "Ask politely."
    assert names(observation) == TOOLS
    assert [prompt["name"] for prompt in payload["prompts"]] == ["prompt_0", "prompt_1", "prompt_2"]
    assert [resource["uri"] for resource in payload["resources"]] == ["memo://0", "memo://1", "memo://2"]
    assert [template["uriTemplate"] for template in payload["resource_templates"]] == ["memo://{id}"]
    assert "rejected" not in payload
    assert observation.occurred_at_us == NOON
    assert payload["duration_ms"] == observation.duration_ms > 0


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_every_page_of_everything_is_captured_over_http(era: str) -> None:
    app = build(era).streamable_http_app()
    with serving(app if era == "modern" else before_discover(app)) as address:
        observation = captured(ServerSpec.over_http("remote", f"{address}/mcp"))
    assert observation.payload["outcome"] == "complete"
    assert observation.payload["transport"] == "streamable_http"
    assert observation.payload["protocol_version"] == VERSIONS[era]
    assert names(observation) == TOOLS
    assert len(observation.payload["resources"]) == 3
    assert observation.payload["launch"] == {"url": f"{address}/mcp", "headers": []}


def test_several_servers_are_captured_in_the_order_of_the_configuration() -> None:
    specs = [rude("good"), rude("empty"), rude("die_at_start"), rude("good")]
    observations = anyio.run(partial(capture_each, specs, clock=StoppedClock(), limits=QUICK, at_once=2))
    assert [observation.payload.get("outcome") for observation in observations] == [
        "complete",
        "empty",
        None,
        "complete",
    ]
    assert [observation.is_whole for observation in observations] == [True, True, False, True]


def test_a_server_that_leaves_when_first_asked_something_newer_is_started_again_in_the_older_era() -> None:
    observation = captured(rude("only_initialize"))
    assert observation.payload["protocol_version"] == "2025-11-25"
    assert names(observation) == ["good"]


def test_the_launch_has_a_fingerprint_that_follows_the_values_it_does_not_show() -> None:
    spec, other = rude("good", API_TOKEN="canary-one-1"), rude("good", API_TOKEN="canary-two-2")
    launch = captured(spec, fingerprint_key=b"k" * 32).payload["launch"]
    assert launch["env"] == ["API_TOKEN"]
    assert launch["fingerprint"] == spec.launch(b"k" * 32)["fingerprint"]
    assert launch["fingerprint"] != other.launch(b"k" * 32)["fingerprint"]
    assert launch["fingerprint"] != spec.launch(b"l" * 32)["fingerprint"]
    assert "fingerprint" not in spec.launch()
