"""An aggregate expanded into one tool: its operations resolved against what is captured, and compiled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ledger.canon.digest import digest
from ledger.catalog.operation import CompiledAggregate, compile_aggregate
from ledger.catalog.statement import Identity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledger.canon.jsontext import Json
    from ledger.catalog.entry import Captured
    from ledger.catalog.layers import Aggregation
    from ledger.catalog.mapping import Flaw
    from ledger.catalog.overlay import Overlaid
    from ledger.catalog.problems import Place

_TAKEN_OVER = (
    "aliases",
    "description",
    "timeoutSeconds",
    "argumentMappings",
    "responseMappings",
    "requireAnyOf",
)


@dataclass(frozen=True, slots=True)
class Expansion:
    """What becomes of an aggregate: its operations as the entry carries them, and ready to be called.

    `places` says where each operation was written, `flaws` what does not compile.
    """

    identity: Identity
    operations: tuple[Mapping[str, Json], ...]
    places: tuple[Place, ...]
    compiled: CompiledAggregate
    flaws: tuple[Flaw, ...]


def expand(aggregation: Aggregation, defaults: Overlaid, captured: Captured) -> Expansion:
    """Resolve each operation's downstream tool, refer to its schema, and compile the mappings.

    An operation that does not name its server means the server whose tool the aggregate hides under that
    name, else the only server that lists it; otherwise it is an orphan.
    """
    written = aggregation.fields.value.get("operations")
    place = aggregation.place("operations")
    listed = [
        (place.at(index), one)
        for index, one in enumerate(written if isinstance(written, list) else ())
        if isinstance(one, dict)
    ]
    resolver = _Resolver(aggregation, defaults, captured)
    operations = tuple(resolver.resolved(one) for _, one in listed)
    places = tuple(at for at, _ in listed)
    compiled, flaws = compile_aggregate(operations, places)
    return Expansion(aggregation.identity, operations, places, compiled, flaws)


class _Resolver:
    """What the operations of one aggregate have in common."""

    def __init__(self, aggregation: Aggregation, defaults: Overlaid, captured: Captured) -> None:
        own = aggregation.fields.value
        self._captured = captured
        self._timeout = own.get("timeoutSeconds", defaults.value.get("timeoutSeconds"))
        self._selector = _selector(own.get("selector"), defaults.value)
        self._hidden_on = _hidden_on(own.get("hideTools"))
        self._without_call = _state_only(own.get("state"))

    def resolved(self, written: Mapping[str, Json]) -> dict[str, Json]:
        """The operation as the intended catalog carries it."""
        value, tool = str(written["value"]), str(written["downstreamTool"])
        server = self._server(written.get("downstreamServer"), tool)
        operation: dict[str, Json] = {"value": value, "tool": tool, "selector": self._selector}
        if server is not None:
            operation["server"] = server
        if self._timeout is not None:
            operation["timeoutSeconds"] = self._timeout
        operation.update({field: written[field] for field in _TAKEN_OVER if field in written})
        if value in self._without_call:
            operation["mode"] = "state_only"
        if not written.get("responseMappings"):
            operation["downstreamSchemaRef"] = {
                "tool": tool,
                "server": server,
                "operation": value,
                "schema_hash": self._schema_hash(server, tool),
            }
        return operation

    def _server(self, named: Json, tool: str) -> str | None:
        if isinstance(named, str):
            return named
        candidates = self._hidden_on.get(tool) or self._captured.servers_with(tool)
        return candidates[0] if len(candidates) == 1 else None

    def _schema_hash(self, server: str | None, tool: str) -> str | None:
        found = self._captured.get(Identity(server, tool)) if server is not None else None
        schema = found.definition.get("outputSchema") if found else None
        return None if schema is None else str(digest(schema))


def _selector(own: Json, defaults: Mapping[str, Json]) -> dict[str, Json]:
    written = own if isinstance(own, dict) else {}
    return {
        "field": written.get("field", defaults.get("selectorField", "operation")),
        "caseInsensitive": written.get("caseInsensitive", defaults.get("caseInsensitiveSelector", True)),
    }


def _hidden_on(hidden: Json) -> dict[str, tuple[str, ...]]:
    """By tool, the servers on which the aggregate hides it: what it wraps."""
    found: dict[str, tuple[str, ...]] = {}
    for item in hidden if isinstance(hidden, list) else ():
        if isinstance(item, dict):
            tool, server = str(item["tool"]), str(item["server"])
            found[tool] = tuple(dict.fromkeys((*found.get(tool, ()), server)))
    return found


def _state_only(state: Json) -> frozenset[str]:
    operations = state.get("operations") if isinstance(state, dict) else None
    return frozenset(
        str(one.get("value"))
        for one in (operations if isinstance(operations, list) else ())
        if isinstance(one, dict) and one.get("mode") == "state_only"
    )
