"""Verification never says "verified" after checking nothing, and secrets never reach a file."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from ledger.services.verify import verify
from ledger.store.receipts import Head
from tests.parts import note, opened, settings_for

if TYPE_CHECKING:
    from pathlib import Path

    from ledger.bootstrap import Ledger
    from ledger.config import Settings


def test_an_empty_ledger_is_unchecked(ledger: Ledger) -> None:
    found = verify(ledger.store)
    assert (found.result, found.exit_code) == ("unchecked", 3)


def test_without_a_receipt_it_is_incomplete(settings: Settings) -> None:
    with opened(settings) as ledger:
        ledger.recorder().record("default", [note("a")])
    shutil.rmtree(settings.receipts_dir)
    with opened(settings, read_only=True) as ledger:
        found = verify(ledger.store)
    assert (found.result, found.exit_code, found.unanchored_tail) == ("incomplete", 3, 1)


def test_a_head_that_was_kept_stands_in_for_the_receipt(settings: Settings) -> None:
    with opened(settings) as ledger:
        kept = ledger.recorder().record("default", [note("a")]).head
        ledger.recorder().record("default", [note("b")])
    shutil.rmtree(settings.receipts_dir)
    with opened(settings, read_only=True) as ledger:
        found = verify(ledger.store, anchors=[("anchor", kept)])
    assert (found.result, found.unanchored_tail) == ("verified", 1)


def test_a_receipt_of_another_ledger_is_named_and_not_believed(ledger: Ledger) -> None:
    ledger.recorder().record("default", [note("a")])
    stranger = Head(b"\xaa" * 16, 0, 9, bytes(32))
    ledger.store.receipts.note(stranger)
    found = verify(ledger.store)
    assert found.result == "incomplete"
    assert any("aa" * 16 in check.detail for check in found.checks)


def test_a_damaged_receipt_is_incomplete_and_names_the_file(ledger: Ledger) -> None:
    head = ledger.recorder().record("default", [note("a")]).head
    path = ledger.settings.receipts_dir / f"{head.chain_id.hex()}.head"
    path.write_text("garbage")
    found = verify(ledger.store)
    assert found.result == "incomplete"
    assert any(str(path) in check.detail for check in found.checks)


def test_a_quick_look_is_never_called_verified(ledger: Ledger) -> None:
    ledger.recorder().record("default", [note("a")])
    assert verify(ledger.store, quick=True).result == "incomplete"


@pytest.mark.parametrize("stage", ["file", "schema", "chain", "documents", "projections", "anchor"])
def test_every_stage_leaves_its_mark(ledger: Ledger, stage: str) -> None:
    """A verifier with a stage taken out fails here: each stage says what it looked at."""
    ledger.recorder().record("default", [note("a")])
    names = {check.name for check in verify(ledger.store).checks if check.result == "ok"}
    assert stage in names


CANARIES = [f"canary-{number:02d}-{'z' * 12}" for number in range(9)]


def test_secrets_reach_no_file(tmp_path: Path) -> None:
    """Through every door: environment, headers, URLs, arguments, echoes in definitions, errors and keys."""
    settings = settings_for(tmp_path)
    c = CANARIES
    launch = {
        "command": "npx",
        "args": ["--token", c[0], f"--api-key={c[1]}", "-H", f"Authorization: Bearer {c[2]}"],
        "url": f"https://user:{c[3]}@host/path?key={c[4]}",
        "env": {"API_KEY": c[5]},
        "headers": {"X-Key": c[6]},
    }
    echo = {"name": "echo", "description": f"your key is {c[7]}", "inputSchema": {"default": c[7]}}
    lines = [
        {
            "kind": "descriptors.captured",
            "payload": {"server": "s", "outcome": "complete", "tools": [echo], "launch": launch},
        },
        {
            "kind": "capture.failed",
            "payload": {
                "server": "s",
                "stage": "connect",
                "error": {"code": "x", "message": f"401 for {c[8]}"},
            },
        },
        {
            "kind": "discovery.updated",
            "payload": {
                "source": "scan",
                "servers": [{"name": "s", "env": {"A": c[5]}, "headers": {"B": c[6]}}],
            },
        },
    ]
    with opened(settings, seeded=False) as ledger:
        recorder = ledger.recorder(secrets=frozenset(c[7:]))
        recorder.record("default", lines)
        from ledger.store.ship import export_chain
        from ledger.store.store import find_catalog

        with ledger.store.engine.reading() as connection:
            text = b"".join(export_chain(connection, find_catalog(connection, None)))
        (tmp_path / "export.jsonl").write_bytes(text)
        found = {
            (canary, path.name)
            for path in tmp_path.rglob("*")
            if path.is_file()
            for canary in c
            if canary.encode() in path.read_bytes()
        }
    assert found == set()
    assert b"redacted" in text


def test_erased_bytes_are_in_no_file_of_the_ledger(tmp_path: Path) -> None:
    from ledger.services.erase import erase_document, erase_event
    from tests.parts import capture, tool

    settings = settings_for(tmp_path)
    with opened(settings, seeded=False) as ledger:
        recorder = ledger.recorder()
        lines = [note("a-secret-plan-1234"), capture("s", tool("t", description="a-secret-tool-5678"))]
        recorder.record("default", lines * 1)
        from ledger.canon.digest import digest

        erase_event(ledger.store, recorder, None, 1, "asked to")
        erase_document(ledger.store, recorder, digest(lines[1]["payload"]["tools"][0]), "asked to")
        bodies = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        assert [path for path, body in bodies.items() if b"a-secret-" in body] == []
        assert verify(ledger.store).result == "verified"
