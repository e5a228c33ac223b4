"""Aggregates ready to be called."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.catalog.operation import (
    CompiledAggregate,
    apply_arguments,
    apply_response,
    choose,
    compile_aggregate,
)
from ledger.errors import BadInput


def compiled(*operations: dict[str, Any], **selector: Any) -> CompiledAggregate:
    written = [{"tool": one["value"], "selector": selector, **one} for one in operations]
    aggregate, flaws = compile_aggregate(written)
    assert flaws == ()
    return aggregate


def chosen(aggregate: CompiledAggregate, value: Any) -> str:
    return choose(aggregate, {aggregate.selector_field: value}).value


def test_an_operation_is_chosen_by_its_value_or_an_alias_whatever_the_case() -> None:
    aggregate = compiled({"value": "read_file", "aliases": ["cat"]}, {"value": "write_file"})
    assert [chosen(aggregate, text) for text in ("read_file", "READ_file", "Cat")] == ["read_file"] * 3
    assert chosen(aggregate, "write_file") == "write_file"


def test_an_operation_that_another_producer_recorded_without_a_value_is_chosen_by_its_tool() -> None:
    aggregate, _ = compile_aggregate([{"tool": "read", "server": "fs"}])
    assert chosen(aggregate, "read") == "read"


def test_case_matters_where_the_selector_says_so() -> None:
    aggregate = compiled({"value": "Read"}, caseInsensitive=False)
    assert chosen(aggregate, "Read") == "Read"
    with pytest.raises(BadInput):
        chosen(aggregate, "read")


def test_the_selector_may_have_another_name() -> None:
    aggregate = compiled({"value": "read"}, field="action")
    assert choose(aggregate, {"action": "read"}).value == "read"


@pytest.mark.parametrize("arguments", [{}, {"operation": None}, {"operation": 3}])
def test_a_call_without_a_selector_is_refused(arguments: Any) -> None:
    with pytest.raises(BadInput, match="operation: must name an operation"):
        choose(compiled({"value": "read"}), arguments)


def test_a_call_of_an_unknown_operation_is_told_the_known_ones() -> None:
    with pytest.raises(BadInput, match="there are: read, write"):
        chosen(compiled({"value": "read", "aliases": ["cat"]}, {"value": "write"}), "delete")


def operation(**fields: Any) -> Any:
    return choose(compiled({"value": "go", **fields}), {"operation": "go"})


def test_argument_mappings_build_the_arguments() -> None:
    one = operation(argumentMappings=[{"target": "file", "from": "path", "required": True}])
    assert apply_arguments(one, {"operation": "go", "path": "x", "other": 1}) == {"file": "x"}


def test_without_argument_mappings_the_arguments_pass_through_all_but_the_selector() -> None:
    assert apply_arguments(operation(), {"operation": "go", "path": "x"}) == {"path": "x"}


def test_an_empty_list_of_argument_mappings_sends_nothing() -> None:
    assert apply_arguments(operation(argumentMappings=[]), {"operation": "go", "path": "x"}) == {}


def test_of_each_required_group_one_argument_must_be_given() -> None:
    one = operation(requireAnyOf=[["manifest_path", "manifest_url"], ["params.tag"]])
    good: Any = {"manifest_url": "x", "params": {"tag": "t"}}
    assert apply_arguments(one, good) == good
    with pytest.raises(BadInput, match="manifest_path or manifest_url is required"):
        apply_arguments(one, {"manifest_path": None, "params": {"tag": "t"}})
    with pytest.raises(BadInput, match=r"params\.tag is required"):
        apply_arguments(one, {"manifest_url": "x", "params": {}})


def test_response_mappings_build_the_answer() -> None:
    one = operation(responseMappings=[{"target": "text", "from": "result.content"}])
    assert apply_response(one, {"result": {"content": "x"}, "more": 1}) == {"text": "x"}


@pytest.mark.parametrize("fields", [{}, {"responseMappings": []}])
@pytest.mark.parametrize("structured", [{"a": 1}, [1], "text", None])
def test_without_response_mappings_the_answer_passes_through(fields: Any, structured: Any) -> None:
    assert apply_response(operation(**fields), structured) == structured


def test_an_operation_keeps_what_a_caller_needs() -> None:
    one = operation(server="fs", tool="read", timeoutSeconds=5)
    assert (one.server, one.tool, one.timeout_seconds, one.calls_downstream) == ("fs", "read", 5.0, True)
    assert not operation(mode="state_only").calls_downstream


def test_a_group_that_is_no_list_of_paths_does_not_compile() -> None:
    _, flaws = compile_aggregate([{"value": "go", "tool": "go", "requireAnyOf": [["a..b"]]}])
    assert [str(flaw.place) for flaw in flaws] == ["operations#/0/requireAnyOf/0"]
