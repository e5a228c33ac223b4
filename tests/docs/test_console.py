"""What the pages say a command prints is what it prints.

`REWRITE_DOCS=1 pytest tests/docs/test_console.py` puts the real output into the pages.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

import pytest

from tests.docs.console import ROOT, Command, commands_of, difference, masked, pages, rewritten, run

if TYPE_CHECKING:
    from pathlib import Path

TEAM_SERVER = "postgresql://ledger@db.example/ledger"
"""What pages call a team's PostgreSQL; a test puts a real one in its place."""


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_of_a_page_prints_what_the_page_says(
    page: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    text = page.read_text(encoding="utf-8")
    commands = commands_of(text)
    replacing = {TEAM_SERVER: request.getfixturevalue("empty_database")} if TEAM_SERVER in text else {}
    outputs = run(commands, _clone(tmp_path), replacing)
    if os.environ.get("REWRITE_DOCS"):
        page.write_text(rewritten(text, outputs), encoding="utf-8")
        return
    found = [difference(command, printed) for command, printed in zip(commands, outputs, strict=True)]
    assert not any(found), "\n\n".join(filter(None, found))


def test_the_first_pages_have_commands_to_run() -> None:
    """A fence that is spelt wrong must not make a page pass because nothing was run."""
    names = {str(page.relative_to(ROOT)) for page in pages()}
    how_to = {str(page.relative_to(ROOT)) for page in (ROOT / "docs/how-to").glob("*.md")}
    assert {"README.md", *how_to} <= names


def test_a_page_that_says_something_else_is_told() -> None:
    command = Command("catledger head", ("nothing",))
    assert "-nothing" in difference(command, ("something",))
    assert difference(command, ("nothing", "more"))


def test_an_elision_stands_for_any_number_of_lines_and_nothing_else() -> None:
    command = Command("catledger log", ("first", "…", "last"))
    assert not difference(command, ("first", "last"))
    assert not difference(command, ("first", "a", "b", "last"))
    assert difference(command, ("first", "a", "b"))
    assert difference(command, ("other", "last"))


def test_a_mask_hides_what_differs_from_run_to_run_and_no_digest() -> None:
    digest = f"jcs1-sha256:{'ab' * 32}"
    assert masked([f"head {'cd' * 32} at 2026-11-18T09:00:00.000001Z of {digest}"]) == [
        f"head <hash> at <time> of {digest}"
    ]


def _clone(home: Path) -> Path:
    """A directory that looks like the project to somebody who only runs commands."""
    shutil.copytree(ROOT / "examples", home / "examples")
    (home / "docs/reference").mkdir(parents=True)
    shutil.copy(ROOT / "docs/reference/check_chain.py", home / "docs/reference")
    return home


@pytest.fixture
def empty_database(postgres_server: str) -> str:
    """The URL of a database with nothing in it, without the empty password that would be printed otherwise."""
    import psycopg

    name = f"docs_{os.getpid()}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    parts = urlsplit(postgres_server)
    netloc = parts.netloc.replace(":@", "@")
    return urlunsplit(parts._replace(netloc=netloc, path=f"/{name}"))
