"""Published servers over their published versions: time travel gives back what they listed, drift opens where it must.

The expectations come from the lines themselves, by plain comparison of JSON values.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ledger.services.catalog import read_catalog
from ledger.services.drift import open_drift
from ledger.services.moments import Moment, position_of
from ledger.store.place import Position
from ledger.store.store import find_catalog
from tests.parts import StepClock, opened, settings_for

if TYPE_CHECKING:
    from ledger.bootstrap import Ledger

DATA = Path(__file__).parents[3] / "shared" / "data" / "realmcp"
HISTORIES = sorted(DATA.glob("*.jsonl")) if DATA.is_dir() else []


def versions_of(path: Path) -> list[dict[str, Any]]:
    """The versions in the order in which they took effect, which once is not the order of their numbers."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return sorted(lines, key=lambda line: line["effective_at"])


def captured(line: dict[str, Any]) -> dict[str, Any]:
    tools = line["captured"]["tools"]
    payload = {"server": line["server"], "outcome": "complete" if tools else "empty", "tools": tools}
    return {"kind": "descriptors.captured", "payload": payload, "occurred_at": line["effective_at"]}


def same(one: Any, two: Any) -> bool:
    """Equality of JSON values: 1.0 is 1 there, but true is not, as it is in Python."""
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(same, one, two))
    return isinstance(one, bool) == isinstance(two, bool) and one == two


def listed(ledger: Ledger, server: str, moment_text: str) -> list[dict[str, Any]]:
    with ledger.store.engine.reading() as connection:
        catalog = find_catalog(connection, None)
        moment = position_of(connection, catalog, moment_text, claimed=True)
        answer = read_catalog(connection, catalog, "descriptors", moment, server=server, full=True)
    return [each["definition"] for each in answer["tools"]]


@pytest.mark.parametrize("path", HISTORIES, ids=lambda path: path.stem)
def test_as_of_any_version_the_ledger_gives_back_what_was_listed(path: Path, tmp_path: Path) -> None:
    lines = versions_of(path)
    with opened(settings_for(tmp_path), clock=StepClock()) as ledger:
        recorder = ledger.recorder()
        for line in lines:
            recorder.record("default", [captured(line)])
        for number, line in enumerate(lines):
            if number + 1 < len(lines) and lines[number + 1]["effective_at"] == line["effective_at"]:
                continue  # two versions of one instant: the later one stands
            found = listed(ledger, line["server"], line["effective_at"])
            expected = sorted(line["captured"]["tools"], key=lambda each: each["name"])
            assert same(sorted(found, key=lambda each: each["name"]), expected), line["version"]


def _nameless(definition: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in definition.items() if key != "name"}


def _parted(intended: list[dict[str, Any]], line: dict[str, Any]) -> set[str]:
    """The names that are in one of the two only, or whose definitions differ."""
    should = {each["name"]: _nameless(each) for each in intended}
    does = {each["name"]: _nameless(each) for each in line["captured"]["tools"]}
    return {
        name
        for name in should.keys() | does.keys()
        if name not in should or name not in does or not same(should[name], does[name])
    }


@pytest.mark.parametrize("path", HISTORIES, ids=lambda path: path.stem)
def test_drift_on_the_listed_basis_opens_and_closes_where_a_set_difference_says(path: Path, tmp_path: Path) -> None:
    lines = versions_of(path)
    intended = lines[len(lines) // 2]["captured"]["tools"]
    server = lines[0]["server"]
    entries = [{"name": each["name"], "server": server, "tool": each["name"], "definition": each} for each in intended]
    with opened(settings_for(tmp_path), clock=StepClock()) as ledger:
        recorder = ledger.recorder()
        recorder.record("default", [{"kind": "render.completed", "payload": {"intended": {"tools": entries}}}])
        for line in lines:
            recorder.record("default", [captured(line)])
        with ledger.store.engine.reading() as connection:
            catalog = find_catalog(connection, None)
            for number, line in enumerate(lines):
                moment = Moment(Position(number + 2), 0, "each")
                found = {each["tool"] for each in open_drift(connection, catalog, moment)}
                assert found == _parted(intended, line), line["version"]
