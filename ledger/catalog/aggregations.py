"""Tool aggregations, version 1: defaults, hidden tools, and aggregates that several layers may share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ledger.catalog.problems import invalid
from ledger.catalog.shapes import (
    anything,
    constant,
    fitted,
    flag,
    json_object,
    list_of,
    name,
    nullable,
    one_of,
    positive,
    prose,
    record,
    server_name,
    text,
)
from ledger.catalog.statement import Identity, Statement, hiding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ledger.canon.jsontext import Json
    from ledger.catalog.problems import Place, Problem
    from ledger.catalog.statement import HideCause

_HIDDEN = record({"server": server_name, "tool": name, "reason": prose}, required=("server", "tool"))
_RULE = record(
    {
        "target": text,
        "source": text,
        "from": text,
        "value": anything,
        "literal": anything,
        "default": anything,
        "required": flag,
        "allowNull": flag,
        "stripIfNull": flag,
    },
    required=("target",),
)
_OPERATION = record(
    {
        "value": text,
        "downstreamTool": name,
        "downstreamServer": server_name,
        "description": prose,
        "aliases": list_of(text),
        "timeoutSeconds": positive,
        "argumentMappings": list_of(_RULE),
        "responseMappings": list_of(_RULE),
        "requireAnyOf": list_of(list_of(text, at_least=1)),
        # written by a renderer into its own output; accepted, and worked out anew
        "downstreamSchemaRef": anything,
    },
    required=("value", "downstreamTool"),
)
_STATE = record(
    {
        "path": text,
        "defaults": json_object,
        "fields": json_object,
        "operations": list_of(record({"value": text, "mode": one_of("passthrough", "state_only")}, others=anything)),
    }
)
_AGGREGATION = record(
    {
        "name": name,
        "description": text,
        "annotations": json_object,
        "inputSchema": json_object,
        "outputSchema": nullable(json_object),
        "selector": record({"field": text, "caseInsensitive": flag}),
        "timeoutSeconds": positive,
        "proxyURL": text,
        "server": server_name,
        "serverName": server_name,
        "operations": list_of(_OPERATION, at_least=1),
        "state": _STATE,
        "hideTools": list_of(_HIDDEN),
        "lockSchema": flag,
    },
    required=("name",),
)
_DEFAULTS = record(
    {
        "selectorField": text,
        "caseInsensitiveSelector": flag,
        "timeoutSeconds": positive,
        "proxyURL": text,
        "serverName": server_name,
    }
)
_VERSION_1 = record(
    {
        "schemaVersion": constant(1),
        "proxyURL": text,
        "defaults": _DEFAULTS,
        "hiddenTools": list_of(_HIDDEN),
        "aggregations": list_of(_AGGREGATION),
    }
)
HIDDEN_LIST = list_of(_HIDDEN)


@dataclass(frozen=True, slots=True)
class Part:
    """What one layer says about one aggregate; the layers below and above may say the rest."""

    name: str
    fields: Mapping[str, Json]
    place: Place


@dataclass(frozen=True, slots=True)
class Aggregations:
    """What an aggregations file says."""

    defaults: Mapping[str, Json] = field(default_factory=dict)
    hidden: tuple[Statement, ...] = ()
    parts: tuple[Part, ...] = ()


def aggregations(document: Json, place: Place, problems: list[Problem]) -> Aggregations:
    """Read an aggregations file; two aggregates of one name in it are a problem, and the first is used."""
    found = fitted(_VERSION_1, document, place, problems)
    defaults = found.get("defaults")
    return Aggregations(
        defaults if isinstance(defaults, dict) else {},
        tuple(hidden_tools(found.get("hiddenTools"), place.at("hiddenTools"))),
        tuple(_parts(found.get("aggregations"), place.at("aggregations"), problems)),
    )


def hidden_tools(hidden: Json, place: Place, *, cause: HideCause = "hidden_by_override") -> Iterator[Statement]:
    """Statements for a list of hidden tools that has the right shape; anything else in it is passed over."""
    for index, item in enumerate(hidden if isinstance(hidden, list) else ()):
        if isinstance(item, dict):
            identity = Identity(str(item["server"]), str(item["tool"]))
            yield hiding(identity, place.at(index), cause=cause, reason=str(item.get("reason", "")))


def _parts(found: Json, place: Place, problems: list[Problem]) -> Iterator[Part]:
    first: dict[str, int] = {}
    for index, item in enumerate(found if isinstance(found, list) else ()):
        if not isinstance(item, dict):
            continue
        aggregate = str(item["name"])
        if aggregate in first:
            elsewhere = place.at(first[aggregate])
            problems.append(invalid(place.at(index), f"{aggregate} is defined twice, first at {elsewhere}"))
            continue
        first[aggregate] = index
        yield Part(aggregate, item, place.at(index))
