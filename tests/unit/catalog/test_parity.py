"""Two catalogs compared."""

from __future__ import annotations

from typing import Any

from ledger.canon.digest import digest
from ledger.catalog.parity import Item, compare, differing_parts, item
from ledger.catalog.statement import Identity
from tests.unit.catalog.builders import NEW_OUTPUT, OLD_OUTPUT, tool


def one(server: str | None, name: str, definition: Any = None, exposed: str | None = None, **fields: Any) -> Item:
    return Item(exposed or name, definition or tool(name), server, name if server else None, **fields)


def found(intended: list[Item], live: list[Item], **how: Any) -> list[tuple[str, str, tuple[str, ...]]]:
    differences = compare(intended, live, **how)
    return [(difference.category, str(difference.identity), difference.parts) for difference in differences]


def test_equal_catalogs_have_no_differences_in_any_order() -> None:
    catalog = [one("fs", "read"), one("mem", "note")]
    assert found(catalog, catalog[::-1]) == []
    assert found([], []) == []


def test_a_tool_that_is_not_served_is_missing_and_one_that_is_not_intended_is_extra() -> None:
    assert found([one("fs", "read")], [one("fs", "write")]) == [
        ("missing", "fs::read", ()),
        ("extra", "fs::write", ()),
    ]


def test_tools_are_compared_by_identity_not_by_name() -> None:
    intended = [one("fs", "list"), one("mem", "list", exposed="mem.list")]
    assert found(intended, [one("mem", "list", exposed="mem.list")]) == [("missing", "fs::list", ())]


def test_every_field_of_the_definition_counts() -> None:
    changed = tool("read", "path", description="Other.", _meta={"x": 1}, output=NEW_OUTPUT)
    assert found([one("fs", "read")], [one("fs", "read", changed)]) == [
        ("definition_differs", "fs::read", ("_meta", "description", "inputSchema", "outputSchema")),
    ]


def test_one_and_true_are_different_and_one_and_one_point_zero_are_not() -> None:
    assert differing_parts({"x": 1}, {"x": True}) == ("x",)
    assert differing_parts({"x": 1}, {"x": 1.0}) == ()
    assert differing_parts({"x": None}, {}) == ("x",)


def test_another_exposed_name_is_a_difference_of_the_same_tool() -> None:
    intended, live = [one("fs", "read", exposed="cat")], [one("fs", "read", exposed="fs.read")]
    assert found(intended, live) == [("definition_differs", "fs::read", ("name",))]
    assert found(intended, live, names_only=True) == [("definition_differs", "fs::read", ("name",))]


def test_the_weak_form_sees_only_names() -> None:
    intended = [one("fs", "read"), one("fs", "write")]
    live = [one("fs", "read", tool("read", "other"))]
    assert found(intended, live, names_only=True) == [("missing", "fs::write", ())]
    assert len(found(intended, live)) == 2


def test_a_hidden_tool_that_is_served_is_a_leak() -> None:
    hidden = [Identity("fs", "list")]
    live = [one("fs", "list"), one("mem", "list")]
    assert found([], live, hidden=hidden) == [("hidden_leak", "fs::list", ()), ("extra", "mem::list", ())]


def test_a_weaker_schema_that_is_served_is_a_fallback() -> None:
    intended = [one("fs", "read", tool("read", output=NEW_OUTPUT))]
    for source in ("prior_override", "generic_wrapper"):
        live = [one("fs", "read", tool("read", output=OLD_OUTPUT), schema_source=source)]
        assert found(intended, live) == [("schema_fallback", "fs::read", ("outputSchema",))]
    live = [one("fs", "read", tool("read", output=OLD_OUTPUT), schema_source="declared")]
    assert found(intended, live) == [("definition_differs", "fs::read", ("outputSchema",))]


def test_a_served_schema_that_differs_from_a_locked_one_is_locked() -> None:
    intended = [one("fs", "read", tool("read", output=OLD_OUTPUT), locked=True)]
    live = [one("fs", "read", tool("read", output=NEW_OUTPUT))]
    assert found(intended, live) == [("locked", "fs::read", ("outputSchema",))]
    also_reworded = [one("fs", "read", tool("read", output=NEW_OUTPUT, description="x"), locked=True)]
    assert found(intended, also_reworded)[0][0] == "definition_differs"


def test_a_gateway_that_knows_only_names_is_understood_through_the_intended_catalog() -> None:
    intended = [one("fs", "read", exposed="cat")]
    assert found(intended, [Item("cat", tool("read"))]) == []
    assert found(intended, [Item("dog", tool("read"))]) == [
        ("extra", "?::dog", ()),
        ("missing", "fs::read", ()),
    ]


def test_digests_stand_for_definitions() -> None:
    a, b = str(digest(tool("read"))), str(digest(tool("read", "path")))
    assert found([one("fs", "read", a)], [one("fs", "read", a)]) == []
    assert found([one("fs", "read", a)], [one("fs", "read", b)]) == [
        ("definition_differs", "fs::read", ("definition",))
    ]


def test_an_entry_of_an_event_is_an_item() -> None:
    entry: Any = {"name": "cat", "server": "fs", "tool": "read", "definition": tool("cat"), "locked": True}
    assert item(entry) == Item("cat", tool("cat"), "fs", "read", locked=True)
    assert item({"name": "cat", "definition": "jcs1-sha256:x", "schema_source": "declared"}) == Item(
        "cat", "jcs1-sha256:x", schema_source="declared"
    )


def test_a_difference_can_be_read() -> None:
    (difference,) = compare([one("fs", "read")], [one("fs", "read", tool("read", "x"))])
    assert str(difference) == "definition_differs: fs::read (inputSchema)"
