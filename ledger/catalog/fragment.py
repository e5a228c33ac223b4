"""A layer read into what it says, whichever of the known shapes its file has."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ledger.catalog.aggregations import HIDDEN_LIST, Aggregations, aggregations, hidden_tools
from ledger.catalog.layer import Layer, LayerKind
from ledger.catalog.overrides import overrides
from ledger.catalog.problems import Place, Problem, invalid, tolerated
from ledger.catalog.shapes import (
    anything,
    constant,
    fitted,
    flag,
    json_object,
    list_of,
    prose,
    record,
    server_name,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledger.canon.jsontext import Json
    from ledger.catalog.aggregations import Part
    from ledger.catalog.statement import Statement

_HIDDEN_FIELDS = ("hideTools", "hide_tools", "hiddenTools")
_SERVER = record({"name": server_name}, required=("name",), others=anything)
_CATALOG = record(
    {
        "schemaVersion": constant(1),
        "name": text,
        "description": prose,
        "coreServers": list_of(server_name),
        "servers": list_of(_SERVER),
        "toolOverrides": json_object,
        "toolAggregations": json_object,
        **dict.fromkeys(_HIDDEN_FIELDS, HIDDEN_LIST),
        # what is left behind when a bundle moves to another folder
        "deprecated": flag,
        "bundleRef": text,
        "message": prose,
    }
)
_ONLY_IN_CATALOGS = {
    "toolOverrides",
    "toolAggregations",
    "coreServers",
    "bundleRef",
    "hideTools",
    "hide_tools",
}
_ONLY_IN_AGGREGATIONS = {"aggregations", "defaults", "hiddenTools", "proxyURL"}


@dataclass(frozen=True, slots=True)
class Fragment:
    """What one layer says. `servers` are those that a bundle brings along, in its order."""

    layer: Layer
    statements: tuple[Statement, ...] = ()
    defaults: Mapping[str, Json] = field(default_factory=dict)
    parts: tuple[Part, ...] = ()
    servers: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def fragment(layer: Layer) -> Fragment:
    """Read a layer; what is wrong with it is among the problems, and is left out of the rest."""
    if layer.missing:
        return Fragment(layer)
    place = Place(layer.name)
    document = layer.document
    if not isinstance(document, dict):
        return Fragment(layer, problems=(invalid(place, "must hold a JSON object"),))
    if _is_catalog(document, layer.kind):
        return _from_catalog(layer, document, place)
    problems: list[Problem] = []
    if document.keys() & _ONLY_IN_AGGREGATIONS:
        return _assembled(layer, (), aggregations(document, place, problems), problems)
    return _assembled(layer, overrides(document, place, problems), Aggregations(), problems)


def _is_catalog(document: dict[str, Json], kind: LayerKind) -> bool:
    if document.keys() & _ONLY_IN_CATALOGS or isinstance(document.get("servers"), list):
        return True
    tells_nothing = not document.keys() & (_ONLY_IN_AGGREGATIONS | {"master", "servers", "tools"})
    return tells_nothing and kind in (LayerKind.EMBEDDED, LayerKind.BUNDLE, LayerKind.CATALOG)


def _from_catalog(layer: Layer, document: dict[str, Json], place: Place) -> Fragment:
    problems: list[Problem] = []
    found = fitted(_CATALOG, document, place, problems)
    if "bundleRef" in found:
        moved = f"is deprecated and has moved to {found['bundleRef']}; nothing is read from here"
        problems.append(tolerated(place, moved))
    said = overrides(found.get("toolOverrides", {}), place.at("toolOverrides"), problems)
    grouped = aggregations(found.get("toolAggregations", {}), place.at("toolAggregations"), problems)
    hidden = [statement for listed in _HIDDEN_FIELDS for statement in hidden_tools(found.get(listed), place.at(listed))]
    return _assembled(layer, (*said, *hidden), grouped, problems, servers=_server_names(found.get("servers")))


def _assembled(
    layer: Layer,
    said: tuple[Statement, ...],
    grouped: Aggregations,
    problems: list[Problem],
    servers: tuple[str, ...] = (),
) -> Fragment:
    return Fragment(layer, (*said, *grouped.hidden), grouped.defaults, grouped.parts, servers, tuple(problems))


def _server_names(servers: Json) -> tuple[str, ...]:
    listed = servers if isinstance(servers, list) else []
    return tuple(str(server["name"]) for server in listed if isinstance(server, dict))
