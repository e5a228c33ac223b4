"""Secrets handed to a server can be recognised wherever it echoes them, and are in no text of ours."""

from __future__ import annotations

import io
import json
import logging
from typing import TYPE_CHECKING

import pytest

from ledger.events.redact import Redactor
from ledger.gateway.configuration import read_configuration
from ledger.gateway.server_spec import ServerSpec
from tests.integration.gateway.arena import captured, rude
from tests.servers.loopback import serving
from tests.servers.rude_http import app

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledger.gateway.capture import Observation

CANARY = "canary-7f3a-in-the-mine"


def as_recorded(observation: Observation, spec: ServerSpec) -> str:
    payload, _ = Redactor(b"k" * 32, spec.secrets).redact(observation.kind, observation.payload)
    return json.dumps(payload)


@pytest.mark.parametrize("way", ["echo", "echo_error", "echo_and_die"])
def test_an_echoed_environment_value_is_in_nothing_that_is_recorded(way: str) -> None:
    spec = rude(way, API_TOKEN=CANARY)
    observation = captured(spec)
    assert CANARY in spec.secrets
    assert CANARY not in as_recorded(observation, spec)
    assert CANARY[:12] not in as_recorded(observation, spec)


def test_an_error_text_is_cut_only_after_its_secrets_are_gone() -> None:
    message = captured(rude("echo_error", API_TOKEN=CANARY)).payload["error"]["message"]
    assert message.endswith("[cut]")
    assert "canary" not in message


def test_echoed_header_and_query_values_are_in_nothing_that_is_recorded() -> None:
    with serving(app()) as address:
        spec = ServerSpec.over_http(
            "remote", f"{address}/echo?key=query-{CANARY}", headers={"x-api-key": f"header-{CANARY}"}
        )
        observation = captured(spec)
    assert {f"header-{CANARY}", f"query-{CANARY}"} <= spec.secrets
    assert CANARY in json.dumps(observation.payload)
    assert CANARY not in as_recorded(observation, spec)


def test_a_canary_in_every_field_of_a_configuration_is_in_no_launch_and_no_printed_form() -> None:
    text = json.dumps(
        {
            "mcpServers": {
                "child": {
                    "command": "server",
                    "args": [
                        "--token",
                        f"a-{CANARY}",
                        f"--api-key=b-{CANARY}",
                        "-e",
                        f"X=c-{CANARY}",
                        "${FROM_ENV}",
                    ],
                    "env": {"SECRET": f"d-{CANARY}"},
                },
                "remote": {
                    "url": f"https://e-{CANARY}:f-{CANARY}@host.example/mcp?k=g-{CANARY}#h-{CANARY}",
                    "headers": {"Authorization": f"Bearer i-{CANARY}"},
                },
            }
        }
    )
    found = read_configuration(text, file="mcp.json", environment={"FROM_ENV": f"j-{CANARY}"})
    child, remote = found.servers
    assert {f"{letter}-{CANARY}" for letter in "abcdj"} <= child.secrets
    assert {f"{letter}-{CANARY}" for letter in "efgi"} <= remote.secrets
    for spec in (child, remote):
        assert CANARY not in json.dumps(spec.launch(b"k" * 32))
        assert CANARY not in repr(spec)
    assert CANARY not in repr(found)


def test_a_refused_login_tells_the_status_and_not_the_token() -> None:
    with serving(app()) as address:
        spec = ServerSpec.over_http("remote", f"{address}/unauthorised", headers={"Authorization": f"Bearer {CANARY}"})
        observation = captured(spec)
    assert observation.payload["error"] == {"code": "http_401", "message": "answered HTTP 401"}


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """What an application that logs everything would log; pytest's own handler listens at every logger."""
    root, text = logging.getLogger(), io.StringIO()
    handler, level = logging.StreamHandler(text), root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield text
    root.setLevel(level)
    root.removeHandler(handler)


def test_libraries_below_write_no_address_and_no_message_to_the_log(logged: io.StringIO) -> None:
    with serving(app()) as address:
        captured(ServerSpec.over_http("remote", f"{address}/garbage?key={CANARY}"))
        captured(rude("array_result", API_TOKEN=CANARY))
    logging.getLogger("ours").info("the log is on")
    assert "the log is on" in logged.getvalue()
    assert CANARY not in logged.getvalue()
    assert address not in logged.getvalue()
