"""Configurations as people have them, read without touching the machine."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from ledger.errors import BadInput
from ledger.gateway.configuration import Configuration, ServerSpec, read_configuration

ENVIRONMENT = {"HOME": "/home/jo", "TOKEN": "token-value", "PORT": "8080", "EMPTY": ""}


def read(text: str | dict[str, Any], file: str = "mcp.json", **more: Any) -> Configuration:
    text = text if isinstance(text, str) else json.dumps(text)
    return read_configuration(text, file=file, environment=more.pop("environment", ENVIRONMENT), **more)


def only_server(fields: dict[str, Any], **more: Any) -> ServerSpec:
    (spec,) = read({"mcpServers": {"one": fields}}, **more).servers
    return spec


def test_a_claude_desktop_file_gives_its_servers_in_order() -> None:
    found = read(
        {
            "mcpServers": {
                "files": {"command": "npx", "args": ["-y", "server-filesystem", "/data"]},
                "git": {"command": "uvx", "args": ["mcp-server-git"], "env": {"GIT_DIR": "/r/.git"}},
            }
        }
    )
    files, git = found.servers
    assert (files.name, files.transport, files.command) == ("files", "stdio", "npx")
    assert files.args == ("-y", "server-filesystem", "/data")
    assert git.env == {"GIT_DIR": "/r/.git"}
    assert found.ignored == found.disabled == ()


def test_a_claude_code_file_has_types_defaults_and_headers() -> None:
    spec = only_server(
        {
            "type": "http",
            "url": "${BASE:-https://api.example}/mcp",
            "headers": {"Authorization": "Bearer ${TOKEN}"},
        },
        file=".mcp.json",
    )
    assert spec.transport == "streamable_http"
    assert spec.url == "https://api.example/mcp"
    assert spec.headers == {"Authorization": "Bearer token-value"}
    assert {"Bearer token-value", "token-value"} <= spec.secrets


def test_a_cursor_file_expands_env_and_folders() -> None:
    spec = only_server(
        {"command": "${userHome}/bin/x", "args": ["${workspaceFolder}/a", "${env:PORT}"]},
        file="/home/me/repo/.cursor/mcp.json",
    )
    assert spec.command == "/home/jo/bin/x"
    assert spec.args == ("/home/me/repo/a", "8080")
    assert "/home/me/repo" not in spec.secrets
    assert "8080" in spec.secrets


@pytest.mark.parametrize("key", ["serverUrl", "httpUrl", "url"])
def test_a_remote_server_may_name_its_address_in_three_ways(key: str) -> None:
    assert only_server({key: "https://h.example/mcp"}).url == "https://h.example/mcp"


def test_a_vs_code_file_has_comments_inputs_and_trailing_commas() -> None:
    text = """\ufeff{
      // asked once
      "inputs": [{"id": "api-key", "type": "promptString"}, {"id": "area", "default": "eu"},],
      "servers": {
        "one": {"command": "x", "env": {"KEY": "${input:api-key}", "AREA": "${input:area}"}}, /* // */
      },
    }"""
    environment = {"CATLEDGER_INPUT_API_KEY": "input-value"}
    (spec,) = read(text, environment=environment).servers
    assert spec.env == {"KEY": "input-value", "AREA": "eu"}
    with pytest.raises(BadInput, match="set CATLEDGER_INPUT_API_KEY"):
        read(text, environment={})


def test_vs_code_settings_hold_their_servers_one_level_deeper() -> None:
    (spec,) = read({"mcp": {"servers": {"one": {"command": "x // not a comment"}}}}).servers
    assert spec.command == "x // not a comment"


def test_a_codex_file_is_toml_and_takes_values_from_variables() -> None:
    text = """
    model = "o9"
    [mcp_servers.local]
    command = "x"
    args = ["--port", "${PORT}"]
    env_vars = ["TOKEN", "NOT_SET"]
    [mcp_servers.local.env]
    MODE = "fast"
    [mcp_servers.remote]
    url = "https://h.example/mcp"
    bearer_token_env_var = "TOKEN"
    http_headers = { "X-A" = "b" }
    env_http_headers = { "X-Port" = "PORT" }
    startup_timeout_sec = 20
    [mcp_servers.off]
    command = "y"
    enabled = false
    """
    found = read(text, file="config.toml")
    local, remote = found.servers
    assert local.args == ("--port", "8080")
    assert local.env == {"MODE": "fast", "TOKEN": "token-value"}
    assert remote.headers == {"X-A": "b", "X-Port": "8080", "Authorization": "Bearer token-value"}
    assert found.disabled == ("off",)
    assert found.ignored == ("config.toml#/mcp_servers/remote/startup_timeout_sec",)


def test_unknown_keys_are_tolerated_and_listed() -> None:
    found = read({"mcpServers": {"a/b": {"command": "x", "autoApprove": ["t"], "disabled": False}}})
    assert found.ignored == ("mcp.json#/mcpServers/a~1b/autoApprove",)


def test_a_server_that_is_switched_off_is_left_out_unless_it_is_asked_for() -> None:
    text = {"mcpServers": {"on": {"command": "x"}, "off": {"command": "${NOPE}", "disabled": True}}}
    assert [spec.name for spec in read(text).servers] == ["on"]
    with pytest.raises(BadInput, match="NOPE is not set"):
        read(text, only=["off"])


def test_servers_that_are_not_asked_for_are_not_judged() -> None:
    text = {"mcpServers": {"good": {"command": "x"}, "bad": {"command": "${NOPE}"}}}
    assert [spec.name for spec in read(text, only=["good"]).servers] == ["good"]


def test_numbers_and_truths_in_arguments_and_variables_become_text() -> None:
    spec = only_server({"command": "x", "args": [1, True], "env": {"N": 2, "B": False, "GONE": None}})
    assert spec.args == ("1", "true")
    assert spec.env == {"N": "2", "B": "false"}


def test_what_a_variable_holds_is_not_expanded_again_and_odd_braces_stay() -> None:
    spec = only_server(
        {"command": "x", "args": ["${A}", "$HOME", "pa${ss w}ord"]}, environment={"A": "${B}", "B": "never"}
    )
    assert spec.args == ("${B}", "$HOME", "pa${ss w}ord")


@pytest.mark.parametrize(
    ("fields", "place", "reason"),
    [
        ({}, "", "names neither a command nor a URL"),
        ({"command": "x", "url": "https://h"}, "", "names both a command and a URL; keep one"),
        ({"type": "sse", "url": "https://h/sse"}, "", "HTTP+SSE is not supported"),
        ({"type": "pigeon", "command": "x"}, "", "the transport 'pigeon' is not known"),
        ({"command": ""}, "/command", "must be text that is not empty"),
        ({"command": ["x"]}, "/command", "must be text that is not empty"),
        ({"command": "x", "args": "y"}, "/args", "must be a list"),
        ({"command": "x", "args": ["y", {}]}, "/args/1", "must be text"),
        ({"command": "x", "args": ["a\0b"]}, "/args/0", "holds a NUL character"),
        ({"command": "x", "env": ["A=b"]}, "/env", "must be an object of names and values"),
        ({"command": "x", "env": {"A": "${NOPE}"}}, "/env/A", "the environment variable NOPE is not set"),
        ({"command": "${config:x}"}, "/command", "${config:…} can only be expanded by the editor"),
        ({"url": "ftp://h/mcp"}, "/url", "must be an http or https URL with a host"),
        ({"url": "https://h:port/mcp"}, "/url", "must be an http or https URL with a host"),
        ({"url": "https:///mcp"}, "/url", "must be an http or https URL with a host"),
        ({"url": "https://h", "headers": {"A": "b\r\nC: d"}}, "/headers/A", "not a header that can be sent"),
        ({"url": "https://h", "headers": {"A B": "c"}}, "/headers/A B", "not a header that can be sent"),
        (
            {"url": "https://h", "bearer_token_env_var": "NOPE"},
            "/env_http_headers/Authorization",
            "NOPE is not",
        ),
    ],
)
def test_a_problem_is_named_with_its_file_its_pointer_and_its_reason(
    fields: dict[str, Any], place: str, reason: str
) -> None:
    with pytest.raises(BadInput) as caught:
        only_server(fields)
    assert caught.value.place == f"mcp.json#/mcpServers/one{place}"
    assert reason in caught.value.reason


@pytest.mark.parametrize("name", ["", "a::b", "a:", "a\nb", "x" * 257])
def test_a_name_that_could_not_be_recorded_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="a server's name must be"):
        read({"mcpServers": {name: {"command": "x"}}})


@pytest.mark.parametrize(
    ("text", "file", "reason"),
    [
        ("{", "mcp.json", "mcp.json:1: not JSON"),
        ('{\n"a": 1,\n"b" 2}', "mcp.json", "mcp.json:3: not JSON"),
        ("[]", "mcp.json", "mcp.json#: must be an object"),
        ("{}", "mcp.json", "has no mcpServers, servers or mcp_servers"),
        ('{"mcpServers": 3}', "mcp.json", "mcp.json#/mcpServers: must be an object of servers"),
        ('{"mcpServers": {"a": 3}}', "mcp.json", "mcp.json#/mcpServers/a: must be an object"),
        ('{"mcpServers": {"a": {}, "a": {}}}', "mcp.json", "the key 'a' stands twice in one object"),
        ("[" * 100_000, "mcp.json", "nested too deep"),
        ("= 1", "config.toml", "config.toml: not TOML"),
    ],
)
def test_a_file_that_is_no_configuration_says_why(text: str, file: str, reason: str) -> None:
    with pytest.raises(BadInput) as caught:
        read(text, file=file)
    assert reason in str(caught.value)


def test_an_unknown_server_is_answered_with_those_there_are() -> None:
    with pytest.raises(BadInput, match="no server is named 'c'; there are: a, b"):
        read({"mcpServers": {"a": {"command": "x"}, "b": {"command": "x"}}}, only=["c"])


def test_no_message_about_a_configuration_holds_a_value_of_it() -> None:
    secret = "canary-value"
    broken = [
        {"command": secret, "args": [secret, {}]},
        {"url": f"ftp://{secret}@h/"},
        {"url": "https://h", "headers": {"A": f"{secret}\n"}},
        {"command": "x", "env": {"A": f"{secret}${{NOPE}}"}},
    ]
    for fields in broken:
        with pytest.raises(BadInput) as caught:
            only_server(fields)
        assert secret not in str(caught.value)


def test_reading_a_configuration_loads_no_protocol() -> None:
    program = "import sys, ledger.gateway.configuration; print('mcp' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout == "False\n"


def test_an_image_that_is_pinned_by_its_digest_stays_readable() -> None:
    digest = "sha256:" + "a1" * 32
    launch = only_server({"command": "docker", "args": ["run", "-i", f"image@{digest}"]}).launch()
    assert launch["args"] == ["run", "-i", f"image@{digest}"]


def test_a_key_in_the_path_of_an_address_is_a_secret() -> None:
    spec = only_server({"url": "https://actions.example/mcp/9f8a7b6c5d4e3f2a1b0c/sse"})
    assert spec.launch()["url"] == "https://actions.example/mcp/[redacted]/sse"
    assert "9f8a7b6c5d4e3f2a1b0c" in spec.secrets
