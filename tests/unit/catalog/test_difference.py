"""Two catalogs compared by tool and field."""

from __future__ import annotations

from typing import Any

from ledger.catalog.difference import ToolChange, difference
from ledger.catalog.parity import Item
from tests.unit.catalog.builders import tool


def one(server: str | None, name: str, exposed: str | None = None, **fields: Any) -> Item:
    return Item(exposed or name, {**tool(name), **fields}, server, name if server else None)


def deeds(before: list[Item], after: list[Item]) -> list[tuple[str, str]]:
    return [(each.name, each.change) for each in difference(before, after)]


def test_equal_catalogs_have_no_difference_in_any_order() -> None:
    catalog = [one("fs", "read"), one("mem", "note")]
    assert difference(catalog, catalog[::-1]) == ()


def test_tools_come_and_go_by_name() -> None:
    assert deeds([one("fs", "a")], [one("fs", "b")]) == [("a", "removed"), ("b", "added")]


def test_one_name_on_two_servers_is_two_tools() -> None:
    assert deeds([one("fs", "list")], [one("mem", "list")]) == [("list", "added"), ("list", "removed")]


def test_a_tool_without_identity_is_found_by_its_name() -> None:
    assert difference([one("fs", "read")], [one(None, "read")]) == ()


def test_another_exposed_name_of_the_same_tool_is_a_renaming() -> None:
    (found,) = difference([one("fs", "read")], [one("fs", "read", exposed="fs.read")])
    assert found.payload() == {
        "name": "fs.read",
        "change": "renamed",
        "fields": [{"path": "/name", "before": "read", "after": "fs.read"}],
    }


def test_a_changed_field_is_named_with_both_values_and_null_is_a_value() -> None:
    (found,) = difference([one("fs", "read", title="a")], [one("fs", "read", title="b", icons=None)])
    assert found.change == "changed"
    fields = found.payload()["fields"]
    assert isinstance(fields, list)
    assert sorted(fields, key=str) == [
        {"path": "/icons", "after": None},
        {"path": "/title", "before": "a", "after": "b"},
    ]


def test_the_order_of_required_arguments_is_no_change() -> None:
    a = one("fs", "read", inputSchema={"type": "object", "required": ["x", "y"]})
    b = one("fs", "read", inputSchema={"type": "object", "required": ["y", "x"]})
    assert difference([a], [b]) == ()


def test_digests_alone_say_that_a_tool_changed() -> None:
    before, after = Item("read", "jcs1-a", "fs", "read"), Item("read", "jcs1-b", "fs", "read")
    assert difference([before], [after]) == (ToolChange("read", "changed"),)


def test_what_a_hostile_name_holds_is_printed_harmless() -> None:
    assert "\x1b" not in str(ToolChange("a\x1b[2J", "added"))
