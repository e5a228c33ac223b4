"""The laws on definitions that real servers published, where that data is at hand."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ledger.canon.changes import apply, changes
from ledger.canon.printable import printable
from ledger.canon.words import in_words
from tests.unit.changes.jsonvalues import text, text_of_definition, text_of_schema

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"
HISTORIES = sorted((DATA / "realmcp").glob("*.jsonl"))
PAIRS = sorted((DATA / "compat").glob("dev.jsonl"))


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("history", HISTORIES, ids=lambda path: path.stem)
def test_each_version_of_a_real_tool_is_the_last_one_with_its_changes_applied(history: Path) -> None:
    for old, new in pairwise(tools_by_name(line) for line in lines(history)):
        for name in old.keys() & new.keys():
            found = changes(old[name], new[name])
            assert text_of_definition(apply(old[name], found)) == text_of_definition(new[name])


@pytest.mark.parametrize("history", HISTORIES, ids=lambda path: path.stem)
def test_each_real_listing_is_the_last_one_with_its_changes_applied(history: Path) -> None:
    for old, new in pairwise(line["captured"] for line in lines(history)):
        assert text(apply(old, changes(old, new, reading="plain"))) == text(new)


@pytest.mark.parametrize("history", HISTORIES, ids=lambda path: path.stem)
def test_every_real_change_has_words_that_can_be_printed(history: Path) -> None:
    for old, new in pairwise(tools_by_name(line) for line in lines(history)):
        for name in old.keys() & new.keys():
            found = changes(old[name], new[name])
            words = in_words(found, before=old[name], after=new[name])
            assert bool(words) == bool(found)
            assert all(line == printable(line) for line in words)


@pytest.mark.parametrize("pairs", PAIRS, ids=lambda path: path.stem)
def test_each_changed_schema_is_the_old_one_with_its_changes_applied(pairs: Path) -> None:
    for pair in lines(pairs):
        found = changes(pair["old"], pair["new"], reading="schema")
        assert text_of_schema(apply(pair["old"], found)) == text_of_schema(pair["new"])


@pytest.mark.parametrize("pairs", PAIRS, ids=lambda path: path.stem)
def test_every_changed_schema_has_words_that_can_be_printed(pairs: Path) -> None:
    for pair in lines(pairs):
        found = changes(pair["old"], pair["new"], reading="schema")
        words = in_words(found, before=pair["old"], after=pair["new"], reading="schema")
        assert bool(words) == bool(found), pair["id"]
        assert all(line == printable(line) for line in words)


def tools_by_name(line: Any) -> dict[str, Any]:
    return {tool["name"]: tool for tool in line["captured"].get("tools", [])}
