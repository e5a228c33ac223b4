"""Whatever a server does ends as one recorded fact, in bounded time, with nothing left running."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import anyio
import pytest

from ledger.gateway.capture import capture
from ledger.gateway.server_spec import ServerSpec
from tests.integration.gateway.arena import (
    HASTY,
    IMPATIENT,
    QUICK,
    StoppedClock,
    captured,
    failure_of,
    left_running,
    names,
    reasons,
    rude,
)
from tests.servers.loopback import serving
from tests.servers.rude_http import app

if TYPE_CHECKING:
    from ledger.gateway.limits import Limits


@pytest.mark.parametrize(
    ("way", "limits", "stage", "code"),
    [
        ("hang_at_handshake", HASTY, "timeout", "timeout"),
        ("deaf", HASTY, "timeout", "timeout"),
        ("hang_at_list", IMPATIENT, "timeout", "timeout"),
        ("flood_lines", IMPATIENT, "timeout", "timeout"),
        ("garbage", replace(HASTY, total_s=2.5), "handshake", "not_json_rpc"),
    ],
)
def test_a_server_that_never_comes_to_the_point_is_given_up(way: str, limits: Limits, stage: str, code: str) -> None:
    observation = captured(rude(way), limits)
    assert failure_of(observation) == (stage, code)
    assert observation.duration_ms < 10_000


@pytest.mark.parametrize(
    ("way", "stage", "code"),
    [
        ("die_at_start", "handshake", "connection_closed"),
        ("old_protocol", "handshake", "unsupported_protocol"),
        ("much_garbage", "handshake", "not_json_rpc"),
        ("flood", "list", "message_too_large"),
        ("huge", "list", "message_too_large"),
        ("die_in_a_message", "list", "connection_closed"),
        ("abyss", "list", "malformed_message"),
        ("array_result", "list", "malformed_message"),
        ("not_a_list", "list", "malformed_result"),
        ("repeated_cursor", "list", "cursor_repeated"),
    ],
)
def test_a_server_that_breaks_the_rules_fails_at_once_and_says_where(way: str, stage: str, code: str) -> None:
    observation = captured(rude(way))
    assert failure_of(observation) == (stage, code)


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        (ServerSpec.over_stdio("gone", "no-such-command-anywhere"), "command_not_found"),
        (ServerSpec.over_stdio("gone", "/bin/sh", cwd="/no/such/folder"), "command_not_found"),
        (ServerSpec.over_stdio("gone", "/etc/passwd"), "spawn_failed"),
    ],
    ids=["no command", "no folder", "not a program"],
)
def test_what_cannot_be_started_fails_at_the_spawn(spec: ServerSpec, code: str) -> None:
    assert failure_of(captured(spec)) == ("spawn", code)


def test_a_dying_server_is_recorded_with_its_exit_status_and_its_last_words() -> None:
    message = captured(rude("die_at_start")).payload["error"]["message"]
    assert "exit status 1" in message
    assert message.endswith("its last line on standard error: Traceback: no module named nothing")


def test_what_a_server_writes_to_standard_error_is_never_shown(capfd: pytest.CaptureFixture[str]) -> None:
    assert names(captured(rude("flood_errors"))) == ["good"]
    captured(rude("garbage"), HASTY)
    assert capfd.readouterr() == ("", "")


def test_a_server_that_floods_in_messages_is_stopped_at_the_bound_of_bytes() -> None:
    observation = captured(rude("flood_lines"), replace(QUICK, total_bytes=500_000))
    assert failure_of(observation) == ("list", "flood")


@pytest.mark.parametrize(
    ("way", "seen", "reason"),
    [
        ("die_half_way", ["good", "also_good"], "closed the connection; exit status 3"),
        ("hang_half_way", ["good"], "did not answer within 0.5 s"),
        ("bad_cursor", ["good"], "answered with a cursor that is not text"),
    ],
)
def test_a_list_that_breaks_off_after_good_pages_is_partial(way: str, seen: list[str], reason: str) -> None:
    observation = captured(rude(way), IMPATIENT)
    assert observation.payload["outcome"] == "partial"
    assert names(observation) == seen
    assert reasons(observation) == {"tools/list": reason}


def test_a_list_without_an_end_is_cut_at_the_bound_of_pages() -> None:
    observation = captured(rude("fresh_cursors"), replace(QUICK, pages=20))
    assert observation.payload["outcome"] == "partial"
    assert len(names(observation)) == 20
    assert reasons(observation) == {"tools/list": "has more than 20 pages"}


def test_ten_thousand_and_one_tools_are_ten_thousand_and_a_reason() -> None:
    observation = captured(rude("too_many"))
    assert observation.payload["outcome"] == "partial"
    assert len(names(observation)) == 10_000
    assert reasons(observation) == {"tools/list": "lists more than 10000 tools"}


def test_definitions_that_would_not_fit_in_one_event_are_cut_where_they_still_do() -> None:
    observation = captured(rude("wordy"))
    assert observation.payload["outcome"] == "partial"
    assert 400 < len(names(observation)) < 430
    assert reasons(observation) == {"tools/list": "lists more than fits in an event of 4000000 bytes"}


def test_malformed_tools_are_rejected_with_their_reasons_and_hide_no_good_one() -> None:
    observation = captured(rude("malformed"))
    assert observation.payload["outcome"] == "complete"
    assert names(observation) == ["good", "also_good"]
    assert reasons(observation) == {
        "no_schema": "has no inputSchema",
        "schema_is_text": "inputSchema must be an object",
        "tools[3]": "has no name",
        "tools[4]": "not an object",
        "prose_is_a_number": "description must be text",
        "tools[6]": "name holds control characters",
        "good": "listed twice",
        "big": "larger than 1000000 bytes",
    }


def test_a_tool_that_is_nested_too_deep_is_rejected_alone() -> None:
    observation = captured(rude("deep"))
    assert names(observation) == ["good", "also_good"]
    assert reasons(observation) == {"deep": "nested deeper than 61"}


def test_text_that_the_sdk_refuses_to_parse_costs_only_the_tool_it_stands_in() -> None:
    observation = captured(rude("unusual"))
    assert names(observation) == ["good", "also_good"]
    assert set(reasons(observation)) == {"cut_emoji", "not_a_number", "deeper_than_the_sdk_reads"}


def test_unknown_fields_key_order_and_numbers_are_evidence_as_they_came() -> None:
    (tool,) = captured(rude("unknown_fields")).payload["tools"]
    assert list(tool) == ["x-first", "name", "inputSchema", "annotations", "maximum", "ratio"]
    assert list(tool["inputSchema"]["x-in-schema"]) == ["z", "a"]
    assert tool["annotations"] == {"x-ann": True}
    assert tool["maximum"] == 123456789012345678901234567890
    assert isinstance(tool["ratio"], float)


def test_in_the_newer_era_too_evidence_is_what_came_and_a_malformed_tool_stands_alone() -> None:
    observation = captured(rude("newer"))
    assert observation.payload["protocol_version"] == "2026-07-28"
    assert "server_info" not in observation.payload
    assert next(iter(observation.payload["tools"][0])) == "x-first"
    assert reasons(observation) == {"no_schema": "has no inputSchema"}


def test_a_tool_whose_header_annotation_makes_every_client_drop_it_is_rejected_with_that_reason() -> None:
    with serving(app()) as address:
        observation = captured(ServerSpec.over_http("remote", f"{address}/newer"))
    assert observation.payload["protocol_version"] == "2026-07-28"
    assert names(observation) == ["good"]
    assert reasons(observation) == {"bad_header": "x-mcp-header is not valid"}


def test_what_a_server_says_about_itself_keeps_its_unknown_fields() -> None:
    assert captured(rude("good")).payload["server_info"] == {"name": "rude", "version": "0", "x-info": "kept"}


@pytest.mark.parametrize("way", ["empty", "no_tools"])
def test_a_server_without_tools_is_empty_and_not_failed(way: str) -> None:
    observation = captured(rude(way))
    assert observation.payload["outcome"] == "empty"
    assert observation.payload["tools"] == []


def test_a_server_with_nothing_but_malformed_tools_is_not_empty() -> None:
    observation = captured(rude("only_rubbish"))
    assert observation.payload["outcome"] == "complete"
    assert reasons(observation) == {"no_schema": "has no inputSchema"}


@pytest.mark.parametrize("way", ["prompts_fail", "prompts_hang"])
def test_prompts_that_cannot_be_read_are_left_out_and_the_tools_are_still_complete(way: str) -> None:
    observation = captured(rude(way), IMPATIENT)
    assert observation.payload["outcome"] == "complete"
    assert names(observation) == ["good"]
    assert not {"prompts", "resources", "resource_templates"} & set(observation.payload)
    assert list(reasons(observation)) == ["prompts/list"]


def test_a_banner_on_standard_output_is_forgiven() -> None:
    assert names(captured(rude("banner"))) == ["good"]


def test_a_grandchild_goes_when_its_parent_leaves_by_itself() -> None:
    assert names(captured(rude("leaves_a_child"))) == ["good"]
    assert left_running() == []


def test_a_cancelled_capture_leaves_nothing_running() -> None:
    async def cancel() -> None:
        with anyio.move_on_after(0.3) as scope:
            await capture(rude("deaf"), clock=StoppedClock(), limits=replace(QUICK, grace_s=0.1))
        assert scope.cancelled_caught

    anyio.run(cancel)
    assert left_running() == []


def test_captures_give_back_every_file_descriptor() -> None:
    async def several() -> None:
        for way in ("good", "die_half_way", "flood", "hang_at_list"):
            await capture(rude(way), clock=StoppedClock(), limits=IMPATIENT)

    def descriptors() -> int:
        return len(os.listdir("/proc/self/fd"))

    anyio.run(several)
    before = descriptors()
    anyio.run(several)
    assert descriptors() == before


@pytest.mark.parametrize(
    ("way", "stage", "code"),
    [
        ("unauthorised", "handshake", "http_401"),
        ("hang", "timeout", "timeout"),
        ("huge", "list", "message_too_large"),
        ("huge_event", "list", "message_too_large"),
        ("endless_events", "list", "flood"),
        ("bomb", "list", "compressed_answer"),
        ("garbage", "list", "malformed_message"),
        ("page", "list", "rpc_error"),
        ("broken", "list", "http_500"),
        ("cut", "list", "connection_closed"),
    ],
)
def test_a_rude_http_server_fails_in_bounded_time(way: str, stage: str, code: str) -> None:
    limits = replace(QUICK, request_s=0.4) if way == "hang" else QUICK
    with serving(app()) as address:
        observation = captured(ServerSpec.over_http("remote", f"{address}/{way}"), limits)
    assert failure_of(observation) == (stage, code)


def test_a_malformed_tool_over_http_hides_no_good_one() -> None:
    with serving(app()) as address:
        observation = captured(ServerSpec.over_http("remote", f"{address}/malformed"))
    assert names(observation) == ["good"]
    assert reasons(observation) == {"no_schema": "has no inputSchema"}


def test_an_address_where_nobody_listens_fails_at_the_connection() -> None:
    with serving(app()) as address:
        pass
    assert failure_of(captured(ServerSpec.over_http("remote", f"{address}/good"))) == (
        "connect",
        "unreachable",
    )


def test_an_exhausted_total_time_is_a_timeout_whatever_was_asked_last() -> None:
    limits = replace(QUICK, total_s=0.5)
    observation = anyio.run(partial(capture, rude("hang_at_list"), clock=StoppedClock(), limits=limits))
    assert failure_of(observation) == ("timeout", "timeout")
    assert observation.payload["error"]["message"] == "was not done within 0.5 s"
