"""Overrides applied to definitions."""

from __future__ import annotations

from ledger.catalog.definitions import exposed_name, from_layers, overridden, with_name, with_output_schema
from tests.unit.catalog.builders import NEW_OUTPUT, OLD_OUTPUT, tool


def test_what_an_override_does_not_name_stays_as_captured() -> None:
    captured = tool("read", "path", icons=[{"src": "x"}], _meta={"vendor/x": 1})
    changed = overridden(captured, {"description": "Read it."})
    assert changed == {**captured, "description": "Read it."}


def test_annotations_are_added_one_by_one() -> None:
    captured = tool("read", annotations={"title": "Read", "readOnlyHint": True})
    changed = overridden(captured, {"annotations": {"title": "Cat"}})
    assert changed["annotations"] == {"title": "Cat", "readOnlyHint": True}
    assert captured["annotations"] == {"title": "Read", "readOnlyHint": True}


def test_empty_annotations_add_nothing() -> None:
    assert overridden(tool("read"), {"annotations": {}}) == tool("read")


def test_a_schema_replaces_the_captured_one_whole() -> None:
    changed = overridden(tool("read", "path", output=OLD_OUTPUT), {"outputSchema": {"type": "object"}})
    assert changed["outputSchema"] == {"type": "object"}


def test_a_null_takes_a_schema_away() -> None:
    assert "outputSchema" not in overridden(tool("read", output=OLD_OUTPUT), {"outputSchema": None})


def test_settings_of_the_ledger_do_not_reach_the_definition() -> None:
    assert overridden(tool("read"), {"enabled": True, "lockSchema": True, "name": "cat"}) == tool("read")


def test_the_exposed_name_is_the_overrides_else_the_bare_tool_name() -> None:
    assert exposed_name("read", {"name": "cat"}) == "cat"
    assert exposed_name("read", {}) == "read"
    assert with_name(tool("read"), "cat")["name"] == "cat"


def test_a_definition_made_by_layers_alone_takes_any_object_unless_it_says_more() -> None:
    assert from_layers("a", {"description": "d"}) == {
        "name": "a",
        "description": "d",
        "inputSchema": {"type": "object"},
    }


def test_an_output_schema_is_put_in_or_left_out() -> None:
    assert with_output_schema(tool("read", output=OLD_OUTPUT), NEW_OUTPUT)["outputSchema"] == NEW_OUTPUT
    assert with_output_schema(tool("read", output=OLD_OUTPUT), None) == tool("read")
    assert with_output_schema(tool("read"), None) == tool("read")
