"""Every way to edit history by hand: blocked by a guard, or found with the right position."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from ledger.services.verify import Verification, verify
from ledger.store.place import place
from ledger.store.sqlite import driver
from ledger.store.store import find_catalog
from tests.parts import capture, event_id, note, opened, settings_for

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ledger.config import Settings
    from ledger.store.receipts import Head

AT = place(1, 3)


def _write(settings: Settings, count: int = 6) -> Head:
    with opened(settings) as ledger:
        recorder = ledger.recorder()
        for number in range(count):
            line = capture("fs", "read") if number == 1 else note(f"number {number}")
            head = recorder.record("default", [{**line, "event_id": event_id(number + 1)}]).head
    return head


def _verified(settings: Settings, *anchors: Head) -> Verification:
    with opened(settings, read_only=True) as ledger:
        return verify(ledger.store, anchors=[("anchor", each) for each in anchors])


def _raw(settings: Settings) -> Any:
    """A connection as anybody may open it: no pragma of ours is set."""
    return driver.connect(str(settings.path), isolation_level=None)


BLOCKED = {
    "update": f"UPDATE events SET envelope = x'00' WHERE place = {AT}",
    "update the payload": f"UPDATE events SET payload = x'00' WHERE place = {AT}",
    "blank without saying so": f"UPDATE events SET payload = NULL, salt = NULL WHERE place = {AT}",
    "delete": f"DELETE FROM events WHERE place = {AT}",
    "delete everything": "DELETE FROM events",
    "replace by place": (
        "INSERT OR REPLACE INTO events SELECT place, catalog_id, x'aa', kind, recorded_us, claimed_us, hash, salt, "
        f"envelope, payload FROM events WHERE place = {AT}"
    ),
    "replace by event id": (
        "INSERT OR REPLACE INTO events SELECT place + 4, catalog_id, event_id, kind, recorded_us, claimed_us, hash, "
        f"salt, envelope, payload FROM events WHERE place = {AT}"
    ),
    "upsert": (
        f"INSERT INTO events SELECT * FROM events WHERE place = {AT} ON CONFLICT (place) DO UPDATE SET kind = 'x'"
    ),
    "leave a gap": (
        "INSERT INTO events SELECT place + 100, catalog_id, x'aa', kind, recorded_us, claimed_us, hash, salt, "
        f"envelope, payload FROM events WHERE place = {AT}"
    ),
    "delete a document": "DELETE FROM documents",
    "edit a document": "UPDATE documents SET body = x'00'",
    "replace a document": "INSERT OR REPLACE INTO documents SELECT document_id, digest, role, x'00' FROM documents",
    "erase without an event": f"INSERT INTO erased_events VALUES ({AT}, {AT})",
    "erase a document without an event": f"INSERT INTO erased_documents SELECT digest, {AT} FROM documents",
    "move the head back": "UPDATE catalogs SET seq = 2",
    "change the chain": "UPDATE catalogs SET chain_id = x'00'",
    "drop the catalog": "DELETE FROM catalogs",
    "replace the catalog": "INSERT OR REPLACE INTO catalogs SELECT * FROM catalogs",
}


@pytest.mark.parametrize("statement", BLOCKED.values(), ids=BLOCKED.keys())
def test_a_guard_blocks_the_edit(sqlite_settings: Settings, statement: str) -> None:
    _write(sqlite_settings)
    raw = _raw(sqlite_settings)
    with pytest.raises(driver.IntegrityError):
        raw.execute(statement)
    raw.close()
    assert _verified(sqlite_settings).result == "verified"


def _without_guards(raw: Any) -> list[str]:
    """Drop every guard, and say how to put it back as it was."""
    found = raw.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _ in found:
        raw.execute(f"DROP TRIGGER {name}")
    return [text for _, text in found]


def _rehash(raw: Any, from_seq: int) -> None:
    """Make the chain valid again from a position on, as a forger with the code would."""
    from ledger.events.envelope import event_hash

    rows = raw.execute("SELECT place, hash, envelope FROM events ORDER BY place").fetchall()
    previous = rows[from_seq - 2][1]
    for at, _, envelope in rows[from_seq - 1 :]:
        previous = event_hash(previous, envelope)
        raw.execute("UPDATE events SET hash = ? WHERE place = ?", (previous, at))
    raw.execute("UPDATE catalogs SET hash = ?", (previous,))


def _forge_envelope(raw: Any) -> None:
    envelope = raw.execute("SELECT envelope FROM events WHERE place = ?", (AT,)).fetchone()[0]
    forged = envelope.replace(b'"actor":"cli/tester"', b'"actor":"cli/nobody"')
    assert forged != envelope
    raw.execute("UPDATE events SET envelope = ? WHERE place = ?", (forged, AT))


def _forge_and_rehash(raw: Any) -> None:
    _forge_envelope(raw)
    _rehash(raw, 3)


def _swap(raw: Any) -> None:
    one, two = (raw.execute("SELECT * FROM events WHERE place = ?", (at,)).fetchone() for at in (AT, AT + 1))
    raw.execute("DELETE FROM events WHERE place IN (?, ?)", (AT, AT + 1))
    for row, at in ((one, AT + 1), (two, AT)):
        raw.execute(f"INSERT INTO events VALUES ({', '.join('?' * 10)})", (at, *row[1:]))


def _drop_tail(raw: Any) -> None:
    raw.execute("DELETE FROM events WHERE place > ?", (AT + 1,))
    digest, recorded = raw.execute("SELECT hash, recorded_us FROM events WHERE place = ?", (AT + 1,)).fetchone()
    raw.execute("UPDATE catalogs SET seq = 4, hash = ?, recorded_us = ?", (digest, recorded))


def _statement(text: str) -> Callable[[Any], None]:
    def run(raw: Any) -> None:
        raw.execute(text)

    return run


FOUND: dict[str, tuple[Callable[[Any], None], int]] = {
    "edit an envelope": (_forge_envelope, 3),
    "edit an envelope and make the chain fit again": (_forge_and_rehash, 6),
    "edit a payload": (_statement(f"UPDATE events SET payload = x'7b7d' WHERE place = {AT}"), 3),
    "edit a salt": (_statement(f"UPDATE events SET salt = x'00' WHERE place = {AT}"), 3),
    "blank a payload": (_statement(f"UPDATE events SET payload = NULL, salt = NULL WHERE place = {AT}"), 3),
    "blank only the salt": (_statement(f"UPDATE events SET salt = NULL WHERE place = {AT}"), 3),
    "edit the kind": (_statement(f"UPDATE events SET kind = 'live.served' WHERE place = {AT}"), 3),
    "edit the event id": (_statement(f"UPDATE events SET event_id = x'aa' WHERE place = {AT}"), 3),
    "edit the recorded time": (
        _statement(f"UPDATE events SET recorded_us = recorded_us + 1 WHERE place = {AT}"),
        3,
    ),
    "edit the claimed time": (_statement(f"UPDATE events SET claimed_us = 1 WHERE place = {AT}"), 3),
    "edit the hash": (_statement(f"UPDATE events SET hash = x'00' WHERE place = {AT}"), 3),
    "delete one": (_statement(f"DELETE FROM events WHERE place = {AT}"), 3),
    "delete the first": (_statement("DELETE FROM events WHERE place = (SELECT min(place) FROM events)"), 1),
    "delete the last": (_statement("DELETE FROM events WHERE place = (SELECT max(place) FROM events)"), 6),
    "delete all": (_statement("DELETE FROM events"), 1),
    "swap two": (_swap, 3),
    "cut the tail and mend the head": (_drop_tail, 5),
    "add one beyond the head": (
        _statement(
            "INSERT INTO events SELECT place + 1, catalog_id, x'aa', kind, recorded_us, claimed_us, hash, salt, "
            "envelope, payload FROM events WHERE place = (SELECT max(place) FROM events)"
        ),
        7,
    ),
    "move the head's time": (_statement("UPDATE catalogs SET recorded_us = recorded_us + 1"), 6),
    "edit a document": (_statement("UPDATE documents SET body = x'7b7d' WHERE role = 'definition'"), 0),
    "blank a document": (_statement("UPDATE documents SET body = NULL"), 0),
    "delete a document": (_statement("DELETE FROM documents WHERE role = 'definition'"), 0),
    "delete a list": (_statement("DELETE FROM documents WHERE role = 'list'"), 0),
}


@pytest.mark.parametrize(("edit", "position"), FOUND.values(), ids=FOUND.keys())
def test_an_edit_behind_the_guards_is_found_at_its_position(
    sqlite_settings: Settings, edit: Callable[[Any], None], position: int
) -> None:
    _write(sqlite_settings)
    raw = _raw(sqlite_settings)
    guards = _without_guards(raw)
    edit(raw)
    for guard in guards:
        raw.execute(guard)
    raw.close()
    found = _verified(sqlite_settings)
    assert found.result == "mismatch", found.checks
    if position:
        assert found.first_bad == ("default", position), found.checks


SCHEMA_EDITS = {
    "drop a guard": "DROP TRIGGER events_no_delete",
    "drop an index": "DROP INDEX events_by_id",
    "add a trigger": "CREATE TRIGGER sly AFTER INSERT ON events BEGIN SELECT 1; END",
    "add a table": "CREATE TABLE sly (x)",
    "change the application id": "PRAGMA application_id = 7",
    "change the user version": "PRAGMA user_version = 7",
}


@pytest.mark.parametrize("statement", SCHEMA_EDITS.values(), ids=SCHEMA_EDITS.keys())
def test_a_changed_schema_is_found(sqlite_settings: Settings, statement: str) -> None:
    from ledger.errors import ForeignDatabase

    _write(sqlite_settings)
    raw = _raw(sqlite_settings)
    raw.execute(statement)
    raw.close()
    if "application_id" in statement:
        with pytest.raises(ForeignDatabase):
            _verified(sqlite_settings)
        return
    found = _verified(sqlite_settings)
    assert found.result == "mismatch"
    assert ("schema", "mismatch") in {(check.name, check.result) for check in found.checks}


def test_a_rewritten_history_is_only_found_by_a_head_kept_elsewhere(sqlite_settings: Settings) -> None:
    """Whoever can write the file and the receipts can forge both: that is what an anchor is for."""
    kept = _write(sqlite_settings)
    raw = _raw(sqlite_settings)
    guards = _without_guards(raw)
    _forge_and_rehash(raw)
    for guard in guards:
        raw.execute(guard)
    raw.close()
    shutil.rmtree(sqlite_settings.receipts_dir)
    alone = _verified(sqlite_settings)
    assert alone.result == "incomplete"
    anchored = _verified(sqlite_settings, kept)
    assert anchored.result == "mismatch"
    assert anchored.first_bad == ("default", 6)


def test_yesterdays_file_put_back_is_found_by_the_receipt(sqlite_settings: Settings, tmp_path: Path) -> None:
    _write(sqlite_settings, 4)
    shutil.copy(sqlite_settings.path, tmp_path / "yesterday.db")
    with opened(sqlite_settings) as ledger:
        ledger.recorder().record("default", [note("today"), note("later")])
    shutil.copy(tmp_path / "yesterday.db", sqlite_settings.path)
    found = _verified(sqlite_settings)
    assert found.result == "mismatch"
    assert any("head is 4, the receipt says 6: 2 events missing (5..6)" in check.detail for check in found.checks)


def test_a_wiped_and_recreated_ledger_shows(sqlite_settings: Settings) -> None:
    head = _write(sqlite_settings)
    sqlite_settings.path.unlink()
    with opened(sqlite_settings, seeded=False) as ledger:
        ledger.recorder().record("default", [note("a fresh start")])
        found = verify(ledger.store)
    assert found.result == "incomplete"
    assert any(head.chain_id.hex() in check.detail for check in found.checks)


POSTGRES_BLOCKED = {
    **{
        name: text
        for name, text in BLOCKED.items()
        if "OR REPLACE" not in text and "x'" not in text and name != "upsert"
    },
    "truncate": "TRUNCATE events",
    "truncate as a replica": "SET session_replication_role = replica; TRUNCATE events",
    "delete as a replica": "SET session_replication_role = replica; DELETE FROM events",
    "update as a replica": "SET session_replication_role = replica; UPDATE events SET kind = 'x'",
}


def test_postgresql_blocks_the_same_edits_and_its_own(tmp_path: Path, postgres_url: str) -> None:
    import psycopg

    settings = settings_for(tmp_path, url=postgres_url)
    _write(settings)
    survived = []
    for name, statement in POSTGRES_BLOCKED.items():
        try:
            with psycopg.connect(settings.database) as raw:
                raw.execute(statement.encode())
            survived.append(name)
        except psycopg.Error:
            continue
    assert survived == []
    assert _verified(settings).result == "verified"


@pytest.mark.parametrize(
    ("statement", "position"),
    [
        (f"UPDATE events SET payload = '\\x00' WHERE place = {AT}", 3),
        (f"UPDATE events SET kind = 'x' WHERE place = {AT}", 3),
        (f"DELETE FROM events WHERE place = {AT}", 3),
        (f"UPDATE events SET recorded_us = recorded_us + 1 WHERE place = {AT}", 3),
        ("DELETE FROM documents", 0),
        ("DROP TRIGGER events_no_delete ON events", 0),
        ("ALTER TABLE events ENABLE TRIGGER events_no_delete", 0),
    ],
)
def test_an_edit_behind_postgresqls_guards_is_found(
    tmp_path: Path, postgres_url: str, statement: str, position: int
) -> None:
    import psycopg

    settings = settings_for(tmp_path, url=postgres_url)
    _write(settings)
    with psycopg.connect(settings.database) as raw:
        if "TRIGGER" not in statement:
            raw.execute("ALTER TABLE events DISABLE TRIGGER ALL; ALTER TABLE documents DISABLE TRIGGER ALL")
        raw.execute(statement.encode())
    found = _verified(settings)
    assert found.result == "mismatch"
    if position:
        assert found.first_bad == ("default", position)


def test_the_guards_let_an_erasure_through_that_an_event_names(sqlite_settings: Settings) -> None:
    from ledger.services.erase import erase_event

    _write(sqlite_settings)
    with opened(sqlite_settings) as ledger:
        erase_event(ledger.store, ledger.recorder(), None, 3, "asked to")
        found = verify(ledger.store)
        with ledger.store.engine.reading() as connection:
            assert find_catalog(connection, None).seq == 7
    assert (found.result, found.erased) == ("verified", 1)


def test_a_missing_event_is_called_missing(sqlite_settings: Settings) -> None:
    _write(sqlite_settings)
    raw = _raw(sqlite_settings)
    _without_guards(raw)
    raw.execute(f"DELETE FROM events WHERE place = {AT}")
    raw.close()
    assert any(
        "event 3 is missing: the next one stored is 4" in check.detail for check in _verified(sqlite_settings).checks
    )


def test_half_an_erasure_is_found_even_where_the_whole_one_was_recorded(sqlite_settings: Settings) -> None:
    from ledger.services.erase import erase_event

    _write(sqlite_settings)
    with opened(sqlite_settings) as ledger:
        erase_event(ledger.store, ledger.recorder(), None, 3, "asked to")
    raw = _raw(sqlite_settings)
    guards = _without_guards(raw)
    raw.execute(f"UPDATE events SET salt = x'00' WHERE place = {AT}")
    for guard in guards:
        raw.execute(guard)
    raw.close()
    found = _verified(sqlite_settings)
    assert (found.result, found.first_bad) == ("mismatch", ("default", 3))
