"""Exposed names: the first server in configuration order keeps a name."""

from __future__ import annotations

from itertools import permutations

from ledger.catalog.naming import Wish, exposed_names
from ledger.catalog.statement import Identity


def wish(server: str, tool: str, name: str | None = None) -> Wish:
    return Wish(Identity(server, tool), name or tool)


def given_names(*wishes: Wish, servers: tuple[str, ...]) -> dict[str, str]:
    return {str(identity): name for identity, name in exposed_names(wishes, servers).of.items()}


def test_a_name_that_only_one_tool_wants_is_its_own() -> None:
    assert given_names(wish("fs", "read"), wish("mem", "note"), servers=("fs", "mem")) == {
        "fs::read": "read",
        "mem::note": "note",
    }


def test_the_first_server_in_configuration_order_keeps_the_name_and_the_others_are_prefixed() -> None:
    wishes = [wish("fs", "list"), wish("mem", "list"), wish("sh", "list")]
    for order in permutations(wishes):
        assert given_names(*order, servers=("sh", "fs", "mem")) == {
            "sh::list": "list",
            "fs::list": "fs.list",
            "mem::list": "mem.list",
        }


def test_each_tool_that_is_prefixed_is_told_of() -> None:
    names = exposed_names([wish("fs", "list"), wish("mem", "list")], ("fs", "mem"))
    (notice,) = names.problems
    assert (notice.rule, notice.severity, notice.subject) == ("N1", "notice", "mem::list")
    assert notice.reason == "the name list belongs to fs::list; this one is shown as mem.list"


def test_a_server_that_is_not_configured_comes_after_those_that_are() -> None:
    assert given_names(wish("aaa", "list"), wish("fs", "list"), servers=("fs",)) == {
        "fs::list": "list",
        "aaa::list": "aaa.list",
    }


def test_an_alias_of_an_earlier_server_goes_before_the_own_name_of_a_later_one() -> None:
    assert given_names(wish("fs", "find", "search"), wish("web", "search"), servers=("fs", "web")) == {
        "fs::find": "search",
        "web::search": "web.search",
    }


def test_within_a_server_the_own_name_goes_before_an_alias() -> None:
    assert given_names(wish("fs", "find", "search"), wish("fs", "search"), servers=("fs",)) == {
        "fs::search": "search",
        "fs::find": "fs.find",
    }
