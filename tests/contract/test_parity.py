"""The same history is the same bytes, whichever engine holds it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
import pytest

from ledger.services.verify import verify
from ledger.store.ship import export_chain, import_chain
from ledger.store.store import find_catalog
from tests.contract.history import samples, write_history
from tests.parts import StepClock, opened, settings_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from ledger.bootstrap import Ledger

CHECKER = Path(__file__).parents[2] / "docs" / "reference" / "check_chain.py"


def exported(ledger: Ledger, catalog: str | None = None) -> list[bytes]:
    with ledger.store.engine.reading() as connection:
        return list(export_chain(connection, find_catalog(connection, catalog)))


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """The scripted history as SQLite exports it."""
    clock = StepClock()
    with opened(settings_for(tmp_path_factory.mktemp("history")), clock=clock) as ledger:
        write_history(ledger, clock)
        return exported(ledger)


def test_the_scripted_history_exports_to_the_same_bytes_from_both_engines(
    history: list[bytes], tmp_path: Path, postgres_url: str
) -> None:
    clock = StepClock()
    with opened(settings_for(tmp_path, url=postgres_url), clock=clock) as ledger:
        write_history(ledger, clock)
        assert exported(ledger) == history
    events = [line for line in history if b'"envelope"' in line]
    assert len(events) >= 1_000
    kinds = {orjson.loads(orjson.loads(line)["envelope"])["kind"] for line in events}
    assert kinds >= {line["kind"] for line in samples()} - {"ledger.restored"}


def test_a_chain_shipped_there_and_back_again_is_the_same_bytes(tmp_path: Path, postgres_url: str) -> None:
    clock = StepClock()
    with opened(settings_for(tmp_path / "a"), seeded=False) as source:
        write_history(source, clock, 120)
        first = exported(source)
    with opened(settings_for(tmp_path / "b", url=postgres_url), seeded=False) as middle:
        import_chain(middle.store, first, "eu")
        second = exported(middle, "eu")
        assert verify(middle.store).result == "verified"
    with opened(settings_for(tmp_path / "c"), seeded=False) as last:
        import_chain(last.store, second, "again")
        assert exported(last, "again") == first


def test_importing_a_longer_export_adds_only_what_is_new(tmp_path: Path) -> None:
    clock = StepClock()
    with (
        opened(settings_for(tmp_path / "a"), clock=clock) as source,
        opened(settings_for(tmp_path / "b")) as target,
    ):
        write_history(source, clock, 30)
        first = exported(source)
        import_chain(target.store, first, "eu")
        source.recorder().record("default", [{"kind": "note.added", "payload": {"text": "more"}}])
        done = import_chain(target.store, exported(source), None)
        assert done.appended == 1
        assert exported(target) == exported(source)


def check(lines: list[bytes], path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path.write_bytes(b"".join(lines))
    command = [sys.executable, "-I", str(CHECKER), str(path), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_stand_alone_checker_accepts_an_export(history: list[bytes], tmp_path: Path) -> None:
    done = check(history, tmp_path / "chain.jsonl")
    assert done.returncode == 0, done.stderr
    assert "1 erased" in done.stdout


def _events(lines: list[bytes]) -> list[int]:
    return [index for index, line in enumerate(lines) if b'"envelope"' in line]


def _changed(lines: list[bytes], index: int, **fields: object) -> list[bytes]:
    line = orjson.dumps(orjson.loads(lines[index]) | fields, option=orjson.OPT_SORT_KEYS) + b"\n"
    return [*lines[:index], line, *lines[index + 1 :]]


def _drop_event(lines: list[bytes]) -> list[bytes]:
    index = _events(lines)[10]
    return lines[:index] + lines[index + 1 :]


def _swap_events(lines: list[bytes]) -> list[bytes]:
    one, two = _events(lines)[10:12]
    copy = list(lines)
    copy[one], copy[two] = copy[two], copy[one]
    return copy


def _cut_tail(lines: list[bytes]) -> list[bytes]:
    return lines[: _events(lines)[-1]]


def _cut_before_head(lines: list[bytes]) -> list[bytes]:
    return [*lines[: _events(lines)[-1]], lines[-1]]


def _edit_payload(lines: list[bytes]) -> list[bytes]:
    return _changed(lines, _events(lines)[5], payload='{"text":"forged"}')


def _edit_envelope(lines: list[bytes]) -> list[bytes]:
    index = _events(lines)[5]
    envelope = orjson.loads(lines[index])["envelope"].replace('"actor":"', '"actor":"x')
    return _changed(lines, index, envelope=envelope)


def _edit_hash(lines: list[bytes]) -> list[bytes]:
    return _changed(lines, _events(lines)[5], hash="00" * 32)


def _blank_payload(lines: list[bytes]) -> list[bytes]:
    return _changed(lines, _events(lines)[5], payload=None, salt=None)


def _edit_document(lines: list[bytes]) -> list[bytes]:
    index = next(i for i, line in enumerate(lines) if b'"document"' in line)
    return _changed(lines, index, body='{"forged":true}')


def _blank_document(lines: list[bytes]) -> list[bytes]:
    index = next(i for i, line in enumerate(lines) if b'"document"' in line)
    return _changed(lines, index, body=None)


def _drop_definition(lines: list[bytes]) -> list[bytes]:
    index = next(i for i, line in enumerate(lines) if b'"role":"definition"' in line)
    return lines[:index] + lines[index + 1 :]


def _other_chain(lines: list[bytes]) -> list[bytes]:
    return _changed(lines, 0, chain_id="ab" * 16)


def _text_after_head(lines: list[bytes]) -> list[bytes]:
    return [*lines, lines[-2]]


DAMAGES = [
    _drop_event,
    _swap_events,
    _cut_tail,
    _cut_before_head,
    _edit_payload,
    _edit_envelope,
    _edit_hash,
    _blank_payload,
    _edit_document,
    _blank_document,
    _other_chain,
    _text_after_head,
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_to_an_export_is_found_by_the_checker_and_by_import(
    damage: Callable[[list[bytes]], list[bytes]], history: list[bytes], tmp_path: Path
) -> None:
    damaged = damage(history)
    done = check(damaged, tmp_path / "chain.jsonl")
    assert done.returncode == 1
    assert done.stderr.startswith("line ")
    from ledger.errors import LedgerError

    with opened(settings_for(tmp_path / "target")) as target:
        with pytest.raises(LedgerError):
            import_chain(target.store, damaged, "eu")
        with target.store.engine.reading() as connection:
            from ledger.store.store import list_catalogs

            assert list_catalogs(connection) == []


def test_an_export_that_lacks_a_definition_is_not_taken_in(history: list[bytes], tmp_path: Path) -> None:
    """The stand-alone checker proves the chain and the bytes it is given; that lists are whole is for the ledger."""
    from ledger.errors import ChainBroken

    with opened(settings_for(tmp_path)) as target, pytest.raises(ChainBroken, match="named by an event and missing"):
        import_chain(target.store, _drop_definition(history), "eu")


def test_an_export_rewritten_from_the_start_is_found_by_a_head_that_was_kept(tmp_path: Path) -> None:
    with opened(settings_for(tmp_path / "a")) as one, opened(settings_for(tmp_path / "b")) as two:
        kept = one.recorder().record("default", [{"kind": "note.added", "payload": {"text": "true"}}]).head
        two.recorder().record("default", [{"kind": "note.added", "payload": {"text": "forged"}}])
        forged = exported(two)
    done = check(forged, tmp_path / "chain.jsonl", kept.text())
    assert done.returncode == 1
    assert "does not contain the head you kept" in done.stderr
