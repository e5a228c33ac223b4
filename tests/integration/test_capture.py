"""`catledger capture` with real servers over real transports."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.integration.command import Command

ROOT = Path(__file__).parents[2]


def _config(path: Path, **servers: str) -> Path:
    table = {
        name: {
            "command": sys.executable,
            "args": ["-m", "tests.servers.official", era],
            "env": {"SOME_TOKEN": "canary-abcdefgh", "PYTHONPATH": str(ROOT)},
        }
        for name, era in servers.items()
    }
    path.write_text(json.dumps({"mcpServers": table}))
    return path


def test_a_real_server_is_captured_and_read_back(catledger: Command, tmp_path: Path) -> None:
    config = _config(tmp_path / "mcp.json", old="legacy", new="modern")
    said = catledger("capture", "--config", str(config))
    assert said.code == 0, said
    assert said.out == "old  complete  5 tools\nnew  complete  5 tools\n"
    tools = catledger("catalog", "descriptors", "--json").json["tools"]
    assert tools
    assert {each["server"] for each in tools} == {"old", "new"}
    files = [path for path in catledger.home.rglob("*") if path.is_file()]
    assert [path for path in files if b"canary-abcdefgh" in path.read_bytes()] == []


def test_a_server_that_cannot_be_started_is_recorded_and_exits_3(catledger: Command, tmp_path: Path) -> None:
    config = tmp_path / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"gone": {"command": "no-such-command-anywhere"}}}))
    said = catledger("capture", "--config", str(config))
    assert said.code == 3
    events = [json.loads(line) for line in catledger("log", "--jsonl", "--payload").out.splitlines()]
    assert [(each["kind"], each["payload"]["stage"]) for each in events] == [("capture.failed", "spawn")]


def test_a_configuration_that_cannot_be_used_is_refused(catledger: Command, tmp_path: Path) -> None:
    for text in ("", "{", '{"mcpServers": {}}', '{"mcpServers": {"x": {}}}'):
        (tmp_path / "mcp.json").write_text(text)
        said = catledger("capture", "--config", str(tmp_path / "mcp.json"))
        assert said.code == 2, text
        assert len(said.err.strip().splitlines()) == 2
    assert catledger("capture", "--config", str(tmp_path / "nowhere.json")).code == 2


def test_watching_says_when_it_began_and_ended(tmp_path: Path) -> None:
    config = _config(tmp_path / "mcp.json", good="legacy")
    db = tmp_path / "ledger.db"
    command = [sys.executable, "-m", "cli.main", "--db", str(db)]
    environment = {**os.environ, "CATLEDGER_STATE_HOME": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    child = subprocess.Popen(
        [*command, "capture", "--config", str(config), "--watch", "1"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    seen = [child.stdout.readline() for _ in range(3)]
    child.send_signal(signal.SIGTERM)
    assert child.wait(timeout=20) == 0
    child.stdout.close()
    assert "recording.started" in seen[0]
    log = subprocess.run(
        [*command, "log", "--jsonl"], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    kinds = [json.loads(line)["kind"] for line in log.stdout.splitlines()]
    assert kinds[0] == "recording.started"
    assert kinds[-1] == "recording.stopped"
    assert kinds.count("descriptors.captured") >= 2
