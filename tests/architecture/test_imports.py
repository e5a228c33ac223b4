"""What a start costs: nothing heavy is imported by whoever does not need it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

HEAVY = ("sqlalchemy", "alembic", "mcp", "rich", "pydantic", "psycopg", "jsonschema_rs", "starlette", "typer")

# Runs a program in this interpreter and prints, last of all, which of the heavy modules it has imported.
_PROBE = """
import sys
{program}
print()
print(*sorted({{name.partition(".")[0] for name in sys.modules}} & set({heavy!r})))
"""
_COMMAND = """
from cli.app import app
from cli.exits import run
run(app, {words!r})
"""


def _heavy_after(program: str, home: Path) -> set[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CATLEDGER_", "STELAE_"))}
    done = subprocess.run(
        [sys.executable, "-c", _PROBE.format(program=program, heavy=HEAVY)],
        cwd=home,
        env=kept | {"HOME": str(home), "CATLEDGER_DB": "ledger.db"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split())


def _heavy_after_command(words: list[str], home: Path) -> set[str]:
    return _heavy_after(_COMMAND.format(words=words), home)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a ledger that has a few events."""
    from ledger.bootstrap import open_ledger
    from ledger.config import load_settings
    from tests.parts import capture, note

    home = tmp_path_factory.mktemp("recorded")
    settings = load_settings({"CATLEDGER_STATE_HOME": str(home), "HOME": str(home)}, db=str(home / "ledger.db"))
    with open_ledger(settings) as ledger:
        ledger.recorder().record("default", [note(), capture("files", "read_file")])
    return home


def test_importing_the_library_imports_nothing_heavy(tmp_path: Path) -> None:
    assert _heavy_after("import ledger", tmp_path) == set()


def test_help_imports_nothing_but_typer(tmp_path: Path) -> None:
    assert _heavy_after_command(["--help"], tmp_path) == {"typer"}


@pytest.mark.parametrize(
    "words",
    [
        ["log"],
        ["log", "--jsonl", "--full"],
        ["show", "2"],
        ["status"],
        ["head"],
        ["catalog", "descriptors"],
        ["schemas"],
        ["drift"],
        ["changes", "--since", "1"],
        ["check"],
        ["verify"],
        ["rebuild", "--check"],
        ["chain", "export", "-"],
        ["settings"],
    ],
    ids=" ".join,
)
def test_a_reading_command_needs_no_migrations_no_statement_builder_and_no_validator(
    words: list[str], recorded: Path
) -> None:
    assert _heavy_after_command(words, recorded) == {"typer"}


def test_recording_into_a_ledger_that_is_there_needs_no_migrations(recorded: Path, tmp_path: Path) -> None:
    line = tmp_path / "line.jsonl"
    line.write_text('{"kind": "note.added", "payload": {"text": "one more"}}\n', encoding="utf-8")
    assert _heavy_after_command(["record", str(line)], recorded) == {"typer", "pydantic"}
