"""`catledger diff`: what two catalogs disagree on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.integration.told import entry, listing, record, rendered, served
from tests.parts import tool

if TYPE_CHECKING:
    from tests.integration.command import Command


@pytest.fixture
def story(catledger: Command) -> Command:
    """Two tools are listed, rendered and served; then one is served in another wording, one is left out, one is new."""
    record(
        catledger,
        listing("fs", tool("read"), tool("write")),
        rendered(entry("fs", "read"), entry("fs", "write")),
        served(entry("fs", "read"), entry("fs", "write")),
        served(entry("fs", "read", description="other words"), entry("fs", "list")),
    )
    return catledger


def test_catalogs_that_agree_are_equal_and_exit_0(story: Command) -> None:
    said = story("diff", "intended", "live@3")
    assert (said.code, said.out.splitlines()[0]) == (0, "equal: intended@4 to live@3")


def test_catalogs_that_differ_are_told_by_tool_and_field_and_exit_1(story: Command) -> None:
    said = story("diff", "--json")
    assert said.code == 1
    answer = said.json
    assert answer["format"] == "catledger/diff/v1"
    assert answer["equal"] is False
    assert (answer["a"]["projection"], answer["b"]["projection"]) == ("intended", "live")
    told = {each["name"]: each for each in answer["changes"]}
    assert {name: each["change"] for name, each in told.items()} == {
        "list": "added",
        "read": "changed",
        "write": "removed",
    }
    (field,) = told["read"]["fields"]
    assert (field["path"], field["after"]) == ("/description", "other words")


def test_one_catalog_is_compared_with_itself_at_another_moment(story: Command) -> None:
    assert story("diff", "live@3", "live@4").code == 1
    assert story("diff", "live@4", "live@4").code == 0
    assert story("diff", "descriptors", "descriptors@1").code == 0


def test_the_order_of_required_arguments_is_no_difference(catledger: Command) -> None:
    def schema(*required: str) -> dict[str, object]:
        return {"type": "object", "properties": {"a": {}, "b": {}}, "required": list(required)}

    record(
        catledger,
        rendered(entry("fs", "read", inputSchema=schema("a", "b"))),
        served(entry("fs", "read", inputSchema=schema("b", "a"))),
    )
    assert catledger("diff").code == 0


def test_a_side_that_is_no_catalog_is_refused_with_what_is_one(story: Command) -> None:
    said = story("diff", "lives")
    assert said.code == 2
    assert "intended, live and descriptors" in said.err


def test_a_side_of_which_nothing_was_recorded_cannot_be_compared(catledger: Command) -> None:
    record(catledger, listing("fs", tool("read")))
    assert catledger("diff").code == 3
    assert catledger("diff", "descriptors", "descriptors@9").code == 3
