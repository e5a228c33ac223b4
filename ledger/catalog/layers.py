"""The layers merged, lowest to highest, into what they say about each tool and each aggregate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ledger.catalog.aggregations import hidden_tools
from ledger.catalog.fragment import Fragment, fragment
from ledger.catalog.layer import Layer, Origin, in_layer_order
from ledger.catalog.overlay import Overlaid, overlay
from ledger.catalog.problems import Place, Problem, invalid
from ledger.catalog.sayings import Ranked, Said, Sayings, ranked
from ledger.catalog.statement import Identity, Statement, Weight

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ledger.catalog.aggregations import Part

_DEFINING = ("description", "annotations", "inputSchema", "outputSchema", "lockSchema")
_NEEDED = ("description", "inputSchema", "operations")


@dataclass(frozen=True, slots=True)
class Aggregation:
    """One aggregate merged over all layers; `places` says where each of its fields was last set."""

    identity: Identity
    fields: Overlaid
    places: dict[str, Place]

    def place(self, field: str) -> Place:
        """Where to point a reader who has to mend that field."""
        return self.places.get(field) or self.places["name"]


@dataclass(frozen=True, slots=True)
class Layers:
    """Every layer merged: the files, the defaults of aggregates, the aggregates, and the word on each tool.

    `servers` are those that bundles bring along. The problems are those of the files; what they concern is
    left out.
    """

    inputs: tuple[Layer, ...]
    defaults: Overlaid
    aggregations: tuple[Aggregation, ...]
    sayings: Sayings
    servers: tuple[str, ...]
    problems: tuple[Problem, ...]

    def said_about(self, identity: Identity) -> Said:
        """Which fields the layers set for a tool, which of them set each, and whether it is hidden."""
        return self.sayings.about(identity)


def merge(layers: Iterable[Layer]) -> Layers:
    """Merge layers, given in any order.

    Objects merge deeply, lists replace, hidden tools and aggregates merge by identity; a later layer wins.
    """
    fragments = [fragment(layer) for layer in in_layer_order(layers)]
    defaults = overlay((one.defaults, Origin(one.layer.kind, one.layer.name)) for one in fragments)
    spread = _by_aggregate(fragments)
    aggregations = [_aggregation(parts, defaults) for _, parts in sorted(spread.items())]
    homes = {one.identity.tool: one.identity for one in aggregations}
    problems = [problem for one in fragments for problem in one.problems]
    problems.extend(problem for parts in spread.values() for problem in _rivals(parts))
    problems.extend(problem for one in aggregations for problem in _incomplete(one))
    return Layers(
        inputs=tuple(one.layer for one in fragments),
        defaults=defaults,
        aggregations=tuple(aggregations),
        sayings=Sayings(_statements(fragments, homes)),
        servers=tuple(dict.fromkeys(server for one in fragments for server in one.servers)),
        problems=tuple(problems),
    )


_Spread = list[tuple[Fragment, "Part"]]


def _by_aggregate(fragments: list[Fragment]) -> dict[str, _Spread]:
    spread: dict[str, _Spread] = {}
    for one in fragments:
        for part in one.parts:
            spread.setdefault(part.name, []).append((one, part))
    return spread


def _aggregation(spread: _Spread, defaults: Overlaid) -> Aggregation:
    fields = overlay((part.fields, Origin(one.layer.kind, part.place.file, part.place.pointer)) for one, part in spread)
    own = fields.value
    server = str(own.get("server") or own.get("serverName") or defaults.value["serverName"])
    places = {field: part.place.at(field) for _, part in spread for field in part.fields}
    return Aggregation(Identity(server, spread[0][1].name), fields, places)


def _rivals(spread: _Spread) -> Iterator[Problem]:
    """Two files of one layer that each define an aggregate in full: neither is above the other."""
    first: dict[str, Part] = {}
    for one, part in spread:
        if "operations" not in part.fields:
            continue
        rival = first.setdefault(one.layer.kind, part)
        if rival is not part and rival.fields != part.fields:
            yield invalid(part.place, f"{part.name} is also defined at {rival.place}, in the same layer")


def _incomplete(aggregation: Aggregation) -> Iterator[Problem]:
    """Judged when merged: a layer may set a single field of an aggregate that another defines."""
    place = aggregation.place("name")
    outer = Place(place.file, place.pointer.removesuffix("/name"))
    for field in _NEEDED:
        if field not in aggregation.fields.value:
            yield invalid(outer, f"{aggregation.identity.tool} lacks the field {field}, in every layer")


def _statements(fragments: list[Fragment], homes: dict[str, Identity]) -> Iterator[Ranked]:
    hides: dict[str, list[Ranked]] = {}
    for file, one in enumerate(fragments):
        for statement in one.statements:
            yield ranked(statement, one.layer, file)
        for part in one.parts:
            yield ranked(_definition(part, homes[part.name]), one.layer, file)
            if "hideTools" in part.fields:
                # a list replaces: what a higher layer hides for this aggregate is all that it hides
                hides[part.name] = [ranked(hidden, one.layer, file) for hidden in _hidden_by(part)]
    for hidden_for_one in hides.values():
        yield from hidden_for_one


def _definition(part: Part, identity: Identity) -> Statement:
    """What an aggregate says of itself: below anything that overrides say in the same layer."""
    fields = {field: part.fields[field] for field in _DEFINING if field in part.fields}
    return Statement(identity.server, identity.tool, Weight.AGGREGATE, part.place, fields)


def _hidden_by(part: Part) -> Iterator[Statement]:
    return hidden_tools(part.fields["hideTools"], part.place.at("hideTools"), cause="hidden_by_aggregate")
