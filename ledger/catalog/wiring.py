"""Whether an aggregate's operations can be chosen, and its mappings lead from somewhere to somewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ledger.catalog.mapping import Rule, compile_rules, dotted
from ledger.catalog.operation import selecting_names
from ledger.catalog.problems import Place, Problem, RuleId, Severity
from ledger.catalog.reach import Reach, reach
from ledger.catalog.statement import Identity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ledger.canon.jsontext import Json
    from ledger.catalog.aggregate import Expansion
    from ledger.catalog.entry import Captured


@dataclass(frozen=True, slots=True)
class Wired:
    """An aggregate with what its operations meet: the definition clients see, and the captured tools."""

    expansion: Expansion
    definition: Mapping[str, Json]
    captured: Captured

    @property
    def subject(self) -> str:
        return str(self.expansion.identity)

    def operations(self) -> Iterator[tuple[Place, Mapping[str, Json]]]:
        return zip(self.expansion.places, self.expansion.operations, strict=True)

    def downstream(self, operation: Mapping[str, Json]) -> Mapping[str, Json] | None:
        """The captured definition that an operation calls, if it calls one and it is captured."""
        if operation.get("mode") == "state_only" or "server" not in operation:
            return None
        found = self.captured.get(Identity(str(operation["server"]), str(operation["tool"])))
        return found.definition if found else None


def mappings_to_nowhere(wired: Wired) -> Iterator[Problem]:
    """V2: a compiled mapping that reads what no client can send, or writes what no server takes."""
    own_input, own_output = wired.definition.get("inputSchema"), wired.definition.get("outputSchema")
    for place, operation in wired.operations():
        downstream = wired.downstream(operation) or {}
        arguments = operation.get("argumentMappings"), place.at("argumentMappings")
        response = operation.get("responseMappings"), place.at("responseMappings")
        if operation.get("mode") != "state_only":
            for at, rule in _placed_rules(*arguments):
                yield from _source(wired, rule, own_input, at)
                yield from _target(wired, rule, downstream.get("inputSchema"), at, "error")
        for at, rule in _placed_rules(*response):
            yield from _source(wired, rule, downstream.get("outputSchema"), at)
            yield from _target(wired, rule, own_output, at, "warning")


def orphan_operations(wired: Wired) -> Iterator[Problem]:
    """V5: an operation that calls nobody or that nobody can choose, and a choice that has no operation."""
    for place, operation in wired.operations():
        if "server" not in operation and operation.get("mode") != "state_only":
            yield _orphan(wired, _homeless(wired, str(operation["tool"])), place)
    yield from _clashes(wired)
    yield from _against_selector(wired)


def selector_reads(wired: Wired) -> Iterator[Problem]:
    """V8: a mapping from the selector always yields the name of its own operation."""
    selector = wired.expansion.compiled.selector_field
    for place, operation in wired.operations():
        mappings = operation.get("argumentMappings"), place.at("argumentMappings")
        for at, rule in _placed_rules(*mappings):
            if rule.source == (selector,):
                reason = f"reads the selector {selector}: {dotted(rule.target)} is always this operation's name"
                yield Problem(RuleId.SELECTOR_READ, wired.subject, reason, "warning", at)


def _placed_rules(written: Json, place: Place) -> Iterator[tuple[Place, Rule]]:
    """The rules that compile, each with its place; the others are reported as they are compiled."""
    for index, item in enumerate(written if isinstance(written, list) else ()):
        for rule in compile_rules([item], place)[0]:
            yield place.at(index), rule


def _source(wired: Wired, rule: Rule, schema: Json, place: Place) -> Iterator[Problem]:
    if rule.source is not None:
        told = f"reads {dotted(rule.source)}, which its schema does not have"
        yield from _unreached(wired, told, reach(schema, rule.source), place, "warning")


def _target(wired: Wired, rule: Rule, schema: Json, place: Place, undeclared: Severity) -> Iterator[Problem]:
    told = f"writes {dotted(rule.target)}, which its schema does not have"
    yield from _unreached(wired, told, reach(schema, rule.target), place, undeclared)


def _unreached(wired: Wired, told: str, how_far: Reach, place: Place, undeclared: Severity) -> Iterator[Problem]:
    severities: dict[Reach, Severity] = {Reach.NOWHERE: "error", Reach.UNDECLARED: undeclared}
    if how_far in severities:
        yield Problem(RuleId.MAPPING, wired.subject, told, severities[how_far], place)


def _homeless(wired: Wired, tool: str) -> str:
    homes = ", ".join(wired.captured.servers_with(tool))
    return f"several servers list {tool} ({homes}); name one of them" if homes else f"no server lists {tool}"


def _clashes(wired: Wired) -> Iterator[Problem]:
    holders: dict[str, Place] = {}
    for place, operation in wired.operations():
        for name in selecting_names(operation):
            holder = holders.setdefault(wired.expansion.compiled.key(name), place)
            if holder != place:
                yield _orphan(wired, f"{name} already selects the operation at {holder}", place)


def _against_selector(wired: Wired) -> Iterator[Problem]:
    compiled = wired.expansion.compiled
    schema = wired.definition.get("inputSchema")
    if schema is not None and reach(schema, (compiled.selector_field,)) is Reach.NOWHERE:
        yield _orphan(wired, f"the input schema has no {compiled.selector_field} to choose an operation with")
        return
    choices = _choices(schema, compiled.selector_field)
    if choices is None:
        return
    offered = {compiled.key(choice) for choice in choices}
    for choice in choices:
        if compiled.key(choice) not in compiled.operations:
            yield _orphan(wired, f"the selector offers {choice}, which is no operation")
    for place, operation in wired.operations():
        if not any(compiled.key(name) in offered for name in selecting_names(operation)):
            yield _orphan(wired, f"the selector does not offer {operation['value']}", place)


def _choices(schema: Json, selector: str) -> list[str] | None:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    chosen = properties.get(selector) if isinstance(properties, dict) else None
    listed = chosen.get("enum") if isinstance(chosen, dict) else None
    return [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else None


def _orphan(wired: Wired, reason: str, place: Place | None = None) -> Problem:
    return Problem(RuleId.ORPHAN_OPERATION, wired.subject, reason, place=place)
