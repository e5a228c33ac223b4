"""Small catalogs to test with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ledger.canon.digest import digest
from ledger.catalog.entry import CapturedTool, Entry, Listing
from ledger.catalog.layer import Layer, LayerKind
from ledger.catalog.layers import merge
from ledger.catalog.render import render
from ledger.catalog.rendered import Rendered, Settings
from ledger.catalog.statement import Identity

if TYPE_CHECKING:
    from ledger.catalog.adoption import AdoptionRow
    from ledger.catalog.problems import Problem

OBJECT: dict[str, Any] = {"type": "object"}
OLD_OUTPUT: dict[str, Any] = {"type": "object", "properties": {"lines": {"type": "integer"}}}
NEW_OUTPUT: dict[str, Any] = {"type": "object", "properties": {"lines": {"type": "string"}}}


def tool(name: str, *arguments: str, output: Any = None, **fields: Any) -> dict[str, Any]:
    """A tool definition that takes these texts."""
    properties = {argument: {"type": "string"} for argument in arguments}
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    made = {"name": name, "description": f"The tool {name}.", "inputSchema": schema, **fields}
    return made if output is None else {**made, "outputSchema": output}


def listing(server: str, *tools: dict[str, Any]) -> Listing:
    return Listing(server, tuple(CapturedTool(one, str(digest(one))) for one in tools))


def tracked(document: Any, name: str = "tool_overrides.json") -> Layer:
    return Layer(LayerKind.TRACKED, name, document)


def bundle(document: Any, name: str = "bundles/demo/catalog.json") -> Layer:
    return Layer(LayerKind.BUNDLE, name, document)


def home(document: Any, name: str = "catalog/core.json") -> Layer:
    return Layer(LayerKind.CATALOG, name, document)


def local(document: Any, name: str = "tool_overrides.local.json") -> Layer:
    return Layer(LayerKind.LOCAL, name, document)


def overriding(server: str, tool_name: str, **fields: Any) -> dict[str, Any]:
    """A version 2 overrides file about one tool."""
    return {"schemaVersion": 2, "servers": {server: {"tools": {tool_name: fields}}}}


def operation(value: str, tool_name: str = "", server: str | None = "fs", **fields: Any) -> dict[str, Any]:
    written = {"value": value, "downstreamTool": tool_name or value, **fields}
    return written if server is None else {**written, "downstreamServer": server}


def aggregate(name: str, *operations: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """An aggregation whose clients may send a selector, a path and a text."""
    properties = {field: {"type": "string"} for field in ("operation", "path", "text")}
    return {
        "name": name,
        "description": f"The aggregate {name}.",
        "inputSchema": {"type": "object", "properties": properties, "additionalProperties": False},
        "operations": list(operations),
        **fields,
    }


def aggregating(*aggregations: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """An aggregations file."""
    return {"schemaVersion": 1, "aggregations": list(aggregations), **fields}


def rendered(
    *layers: Layer,
    listings: list[Listing],
    adoption: dict[Identity, AdoptionRow] | None = None,
    settings: Settings | None = None,
) -> Rendered:
    return render(merge(layers), listings, adoption or {}, settings or Settings())


def entry_of(result: Rendered, server: str, tool_name: str) -> Entry:
    return next(entry for entry in result.intended if entry.identity == Identity(server, tool_name))


def names(result: Rendered) -> dict[str, str]:
    """By identity text, the exposed name of each intended tool."""
    return {str(entry.identity): entry.name for entry in result.intended}


def told(problems: tuple[Problem, ...], rule: str) -> list[tuple[str, str]]:
    """The pointers and reasons of the problems of one rule."""
    return [(problem.pointer, problem.reason) for problem in problems if problem.rule == rule]
