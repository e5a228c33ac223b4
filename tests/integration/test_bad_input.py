"""Bad input gets one line that says what is wrong, one that says what to do, the right code, and nothing is written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.parts import capture, event_id, note

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.command import Command, Said


def assert_refused(said: Said, code: int, *words: str) -> None:
    assert said.code == code, said
    lines = said.err.strip().splitlines()
    assert len(lines) == 2, said.err
    assert lines[0].startswith("catledger: ")
    assert lines[1].startswith("  ")
    for word in words:
        assert word in lines[0], lines[0]
    assert "Traceback" not in said.err


def line(value: Any) -> bytes:
    return json.dumps(value).encode() + b"\n"


GOOD = line(note("good"))
BAD_LINES: dict[str, tuple[bytes, tuple[str, ...]]] = {
    "malformed": (b'{"kind": \n', ("line 2",)),
    "not an object": (b"[1]\n", ("line 2", "object")),
    "unknown kind": (line({"kind": "note.aded", "payload": {}}), ("line 2", "note.added")),
    "no kind": (line({"payload": {}}), ("line 2", "kind")),
    "no payload": (line({"kind": "note.added"}), ("line 2", "payload")),
    "unknown field": (line({**note(), "colour": 1}), ("line 2", "colour")),
    "unknown payload field": (
        line({"kind": "note.added", "payload": {"text": "a", "colour": 1}}),
        ("line 2", "colour"),
    ),
    "missing payload field": (line({"kind": "schema.validated", "payload": {"server": "s"}}), ("line 2", "tool")),
    "wrong type": (line({"kind": "note.added", "payload": {"text": 7}}), ("line 2", "text")),
    "wrong version": (line({**note(), "version": 9}), ("line 2", "version")),
    "bad event id": (line({**note(), "event_id": "seven"}), ("line 2", "event_id")),
    "bad time": (line({**note(), "occurred_at": "yesterday"}), ("line 2", "occurred_at")),
    "time without a zone": (line({**note(), "occurred_at": "2026-01-01T00:00:00"}), ("line 2", "zone")),
    "bad causation": (line({**note(), "causation": "x"}), ("line 2", "causation")),
    "bad actor": (line({**note(), "actor": "a\u0007b"}), ("line 2", "actor")),
    "server name with ::": (line(capture("a::b")), ("line 2", "server")),
    "invalid UTF-8": (b'{"kind":"note.added","payload":{"text":"\xff"}}\n', ("line 2", "UTF-8")),
    "lone surrogate": (b'{"kind":"note.added","payload":{"text":"\\ud800"}}\n', ("line 2", "surrogate")),
    "duplicate key": (b'{"kind":"note.added","kind":"note.added","payload":{"text":"a"}}\n', ("line 2", "kind")),
    "not a number": (b'{"kind":"note.added","payload":{"text":NaN}}\n', ("line 2",)),
    "an erasure that nobody made": (
        line({"kind": "payload.erased", "payload": {"reason": "x", "targets": [{"seq": 1, "event_id": event_id(1)}]}}),
        ("line 2", "kind", "catledger itself"),
    ),
    "too deep": (
        line({"kind": "note.added", "payload": {"text": "a"}})[:-3] + b',"x":' + b"[" * 100 + b"]" * 100 + b"}}\n",
        ("line 2",),
    ),
}


@pytest.mark.parametrize(("bad", "words"), BAD_LINES.values(), ids=BAD_LINES.keys())
def test_a_bad_line_in_a_file_writes_nothing(
    catledger: Command, tmp_path: Path, bad: bytes, words: tuple[str, ...]
) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(GOOD + bad + GOOD)
    assert_refused(catledger("record", "--batch", "1", str(path)), 2, *words)
    assert catledger("log").code == 3


@pytest.mark.parametrize(
    ("setting", "value", "bad"),
    [
        ("MAX_DEPTH", "5", capture("s", {"name": "t", "a": {"b": {"c": {"d": {"e": {}}}}}})),
        ("MAX_TOOLS", "2", capture("s", "a", "b", "c")),
        ("MAX_DEFINITION_BYTES", "100", capture("s", {"name": "t", "description": "x" * 200})),
        ("MAX_EVENT_BYTES", "1000", note("x" * 1_200)),
    ],
)
def test_over_a_limit_names_the_limit_and_how_to_raise_it(
    catledger: Command, monkeypatch: pytest.MonkeyPatch, setting: str, value: str, bad: dict[str, Any]
) -> None:
    monkeypatch.setenv(f"CATLEDGER_{setting}", value)
    said = catledger("record", "-", stdin=line(bad))
    assert_refused(said, 2, setting.lower())
    assert f"CATLEDGER_{setting}" in said.err.splitlines()[1]
    assert catledger("log").code == 3


def test_standard_input_says_which_lines_are_in_and_how_to_resume(catledger: Command) -> None:
    lines = b"".join(line(note(str(number), event_id=event_id(number + 1))) for number in range(5))
    said = catledger("record", "--batch", "2", "-", stdin=lines + b"{bad\n")
    assert_refused(said, 2, "line 6")
    assert "lines up to 4 are recorded" in said.err
    assert "--skip 4" in said.err
    resumed = catledger("record", "--skip", "4", "-", stdin=lines)
    assert resumed.json["appended"] == 1


def test_an_id_that_was_used_for_other_content_is_refused(catledger: Command) -> None:
    catledger("record", "-", stdin=line(note("a", event_id=event_id(1))))
    assert_refused(catledger("record", "-", stdin=line(note("b", event_id=event_id(1)))), 2, event_id(1))


def test_files_that_cannot_be_read_are_named(catledger: Command, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for command in (("record",), ("digest",), ("chain", "import"), ("verify", "--anchor")):
        catledger("record", "-", stdin=GOOD)
        assert_refused(catledger(*command, str(tmp_path / "missing")), 2, "missing")
        assert_refused(catledger(*command, str(tmp_path / "folder")), 2, "folder")


READING = [
    ("log",),
    ("show", "1"),
    ("head",),
    ("status",),
    ("catalog", "live"),
    ("schemas",),
    ("drift",),
    ("changes", "--since", "1"),
    ("check",),
    ("rebuild",),
    ("rebuild", "--check"),
    ("chain", "export"),
]


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_every_reading_command_says_that_nothing_is_recorded(catledger: Command, words: tuple[str, ...]) -> None:
    assert_refused(catledger(*words), 3, "nothing is recorded")
    catledger("init")
    assert_refused(catledger(*words), 3, "nothing is recorded")


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_every_reading_command_names_the_catalogs_there_are(catledger: Command, words: tuple[str, ...]) -> None:
    catledger("record", "-", stdin=GOOD)
    said = catledger("--catalog", "nowhere", *words)
    assert_refused(said, 3, "nowhere")
    assert "default" in said.err.splitlines()[1]


def test_an_empty_ledger_is_unchecked(catledger: Command) -> None:
    catledger("init")
    said = catledger("verify")
    assert said.code == 3
    assert said.out.startswith("unchecked")


@pytest.mark.parametrize(
    ("moment", "code", "word"),
    [
        ("99", 3, "99"),
        (event_id(77), 3, event_id(77)),
        ("next tuesday", 2, "next tuesday"),
        ("2999-01-01", 2, "future"),
        ("2001-01-01", 3, "before"),
        ("999999999999999999999999", 3, "9999"),
    ],
)
def test_a_moment_that_cannot_be_answered_says_why(catledger: Command, moment: str, code: int, word: str) -> None:
    catledger("record", "-", stdin=line(capture("fs", "read")))
    assert_refused(catledger("catalog", "descriptors", "--as-of", moment), code, word)


def test_a_file_that_is_no_ledger_is_left_alone(catledger: Command, tmp_path: Path) -> None:
    import sqlite3

    text = tmp_path / "notes.txt"
    text.write_text("these are my notes, not a database, and they are longer than a header")
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as raw:
        raw.execute("CREATE TABLE mine (x)")
    raw.close()
    for path in (text, other, tmp_path):
        before = path.read_bytes() if path.is_file() else b""
        for words in (("log",), ("record", "-"), ("init",), ("verify",)):
            assert_refused(catledger("--db", str(path), *words, stdin=GOOD), 2, "is not a catledger database")
        assert not path.is_file() or path.read_bytes() == before


def test_a_newer_ledger_is_refused(catledger: Command) -> None:
    import sqlite3

    catledger("record", "-", stdin=GOOD)
    with sqlite3.connect(catledger.home / "ledger.db") as raw:
        raw.execute("UPDATE alembic_version SET version_num = '9999'")
    raw.close()
    for words in (("log",), ("record", "-"), ("init",), ("verify",)):
        assert_refused(catledger(*words, stdin=GOOD), 2, "9999, which this version does not know")


def test_a_locked_ledger_is_unavailable(catledger: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    from ledger.store.sqlite import driver

    monkeypatch.setenv("CATLEDGER_LOCK_WAIT", "0.2")
    catledger("record", "-", stdin=GOOD)
    other = driver.connect(str(catledger.home / "ledger.db"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert_refused(catledger("record", "-", stdin=GOOD), 5)
    other.execute("ROLLBACK")
    other.close()


def test_an_unreachable_server_is_unavailable_and_its_password_is_not_shown(catledger: Command) -> None:
    url = "postgresql+psycopg://me:hunter2secret@127.0.0.1:1/ledger"
    for words in (("log",), ("init",), ("record", "-")):
        said = catledger("--db", url, *words, stdin=GOOD)
        assert_refused(said, 5)
        assert "hunter2secret" not in said.err + said.out


def test_a_server_without_a_ledger_says_that_one_must_be_made_first(catledger: Command, postgres_server: str) -> None:
    """On a server nothing is created by itself: the database may be somebody else's."""
    import os
    from urllib.parse import urlsplit, urlunsplit

    import psycopg

    name = f"bare_{os.getpid()}"
    with psycopg.connect(postgres_server, autocommit=True) as raw:
        raw.execute(f"CREATE DATABASE {name}".encode())
    url = urlunsplit(urlsplit(postgres_server)._replace(path=f"/{name}"))
    said = catledger("--db", url, "record", "-", stdin=GOOD)
    assert_refused(said, 3, "nothing is recorded")
    assert "catledger init" in said.err
    assert catledger("--db", url, "init").code == 0
    assert catledger("--db", url, "record", "-", stdin=GOOD).code == 0
    with psycopg.connect(postgres_server, autocommit=True) as raw:
        raw.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.mark.parametrize("db", ["mysql://x/y", "sqlite://", "sqlite:///"])
def test_a_database_that_cannot_be_meant_is_refused(catledger: Command, db: str) -> None:
    assert_refused(catledger("--db", db, "log"), 2, "--db")


@pytest.mark.parametrize(
    ("name", "value"),
    [("LOCK_WAIT", "soon"), ("RECEIPTS", "sometimes"), ("MAX_DEPTH", "0"), ("FORCE_NETWORK_FS", "maybe")],
)
def test_a_setting_that_cannot_be_used_is_named(
    catledger: Command, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(f"CATLEDGER_{name}", value)
    assert_refused(catledger("log"), 2, f"CATLEDGER_{name}")


@pytest.mark.parametrize(
    "words",
    [("nosuch",), ("log", "--limit", "none"), ("show",), ("erase", "1"), ("catalog", "sideways"), ("log", "--nosuch")],
)
def test_wrong_usage_is_two_lines(catledger: Command, words: tuple[str, ...]) -> None:
    assert_refused(catledger(*words), 2)


def test_an_erasure_that_cannot_be_is_refused(catledger: Command) -> None:
    catledger("record", "-", stdin=GOOD)
    assert_refused(catledger("erase", "5", "--reason", "x"), 3, "5")
    assert catledger("erase", "1", "--reason", "x").code == 0
    assert_refused(catledger("erase", "1", "--reason", "x"), 2, "already erased")
    assert_refused(catledger("erase", "2", "--reason", "x"), 2, "cannot be erased")
    assert_refused(catledger("erase", "jcs1-sha256:" + "0" * 64, "--reason", "x"), 3, "no document")


def test_several_catalogs_must_be_told_apart(catledger: Command) -> None:
    for name in ("eu", "us"):
        catledger("--catalog", name, "record", "-", stdin=GOOD)
    said = catledger("log")
    assert_refused(said, 2, "eu, us")
    assert catledger("--catalog", "eu", "log").code == 0
    assert_refused(catledger("--catalog", "Not A Name", "record", "-", stdin=GOOD), 2, "Not A Name")


def test_the_ledgers_own_catalog_is_not_for_producers(catledger: Command) -> None:
    assert_refused(catledger("--catalog", "_ledger", "record", "-", stdin=GOOD), 2, "_ledger")


def test_a_document_of_a_remote_chain_is_erased_where_the_chain_comes_from(catledger: Command, tmp_path: Path) -> None:
    catledger("record", "-", stdin=line(capture("fs", "read")))
    catledger("chain", "export", str(tmp_path / "chain.jsonl"))
    found = catledger("catalog", "descriptors", "--json").json["tools"][0]["definition_hash"]
    other = str(tmp_path / "other.db")
    assert catledger("--db", other, "--catalog", "eu", "chain", "import", str(tmp_path / "chain.jsonl")).code == 0
    assert_refused(catledger("--db", other, "erase", found, "--reason", "x"), 2, "where the chain comes from")
    catledger("--db", other, "--catalog", "own", "record", "-", stdin=GOOD)
    assert_refused(catledger("--db", other, "erase", found, "--reason", "x"), 2, "eu")


def test_control_characters_in_a_message_are_escaped(catledger: Command) -> None:
    catledger("record", "-", stdin=GOOD)
    said = catledger("catalog", "descriptors", "--as-of", "\x1b[31mred")
    assert "\x1b" not in said.err


def test_no_command_prints_the_help_and_is_wrong_usage(catledger: Command) -> None:
    said = catledger()
    assert said.code == 2
    assert "Commands:" in said.out
