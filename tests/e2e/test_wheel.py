"""The built wheel, in a clean environment without any development dependency."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UV = Path(sys.executable).parent / "uv"
NOT_FOR_USERS = ("pytest", "hypothesis", "mypy", "ruff", "mcp", "psycopg", "cogapp", "hatchling", "uv")

# one worker builds it, once
pytestmark = pytest.mark.xdist_group("wheel")


def _run(
    *command: str | Path, cwd: Path, home: Path | None = None, db: str | None = None
) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CATLEDGER_", "PYTHON", "XDG_"))}
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=kept | {"HOME": str(home or cwd)} | ({"CATLEDGER_DB": db} if db else {}),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built by the backend that is installed here: nothing is fetched for it."""
    place = tmp_path_factory.mktemp("wheel")
    build = ("-m", "pip", "wheel", ".", "--no-deps", "--no-build-isolation", "--quiet", "--wheel-dir", place)
    done = _run(sys.executable, *build, cwd=ROOT, home=tmp_path_factory.mktemp("home"))
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = place.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of an environment that has the wheel and what it needs at run time, nothing else."""
    place = tmp_path_factory.mktemp("installed") / "venv"
    venv.create(place, with_pip=False)
    python = place / "bin/python"
    done = subprocess.run(
        [UV, "pip", "install", "--quiet", "--python", python, "--constraint", ROOT / "requirements.lock", wheel],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return place / "bin"


def test_the_wheel_holds_the_packages_the_migrations_and_the_marks_of_their_types(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        *("ledger/py.typed", "cli/py.typed", "ledger/_migrations/alembic.ini", "ledger/_migrations/env.py"),
        "ledger/_migrations/versions/0001_chain.py",
    }
    assert wanted <= names
    assert not [name for name in names if name.startswith(("tests/", "docs/", "benchmarks/", "examples/"))]


def test_no_development_dependency_is_needed(installed: Path, tmp_path: Path) -> None:
    code = "import importlib.util as u, sys; print([n for n in sys.argv[1:] if u.find_spec(n)])"
    found = _run(installed / "python", "-c", code, *NOT_FOR_USERS, cwd=tmp_path)
    assert found.stdout.strip() == "[]"


def test_the_installed_command_records_reads_proves_and_rebuilds(installed: Path, tmp_path: Path) -> None:
    def run(*words: str) -> str:
        done = _run(installed / "catledger", *words, cwd=tmp_path, db="ledger.db")
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert "A flight recorder" in run("--help")
    assert "created" in run("init")
    assert json.loads(run("record", str(ROOT / "examples/history/monday.jsonl")))["appended"] == 7
    assert "up to date" in run("init")
    assert len(run("log").splitlines()) == 7
    assert run("verify").startswith("verified: 7 events")
    assert "rebuilt up to 7" in run("rebuild")
    assert run("check").startswith("pass")
    run("chain", "export", "chain.jsonl")
    checker = ROOT / "docs/reference/check_chain.py"
    assert _run(installed / "python", checker, "chain.jsonl", cwd=tmp_path).returncode == 0


def test_postgres_is_an_extra_and_says_so(installed: Path, tmp_path: Path) -> None:
    done = _run(installed / "catledger", "log", cwd=tmp_path, db="postgresql://nobody@localhost/nothing")
    assert done.returncode == 2
    assert "catledger[postgres]" in done.stderr
