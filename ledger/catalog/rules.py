"""The verify rules: what a rendered catalog must not have, each with a stable id."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ledger.canon import schema as schemas
from ledger.canon.canonical import canonical
from ledger.catalog.problems import Problem, RuleId
from ledger.catalog.statement import Identity
from ledger.catalog.wiring import Wired, mappings_to_nowhere, orphan_operations, selector_reads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ledger.canon.jsontext import Json
    from ledger.catalog.aggregate import Expansion
    from ledger.catalog.entry import Captured, Entry
    from ledger.catalog.sayings import Hiding

_SCHEMA_FIELDS = ("inputSchema", "outputSchema")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the rules look at: the entries, and everything they were made from."""

    intended: tuple[Entry, ...]
    hidden: tuple[Hiding, ...]
    captured: Captured
    expansions: Mapping[Identity, Expansion]

    def wired(self) -> Iterator[Wired]:
        """The aggregates that clients see."""
        for entry in self.intended:
            if entry.identity in self.expansions:
                yield Wired(self.expansions[entry.identity], entry.definition, self.captured)


def verify(outcome: Outcome) -> tuple[Problem, ...]:
    """Every offence against every rule; errors fail `--verify`, warnings do not."""
    return tuple(problem for check in RULES.values() for problem in check(outcome))


def no_hidden_tool_leaks(outcome: Outcome) -> Iterator[Problem]:
    """V1: no entry is a tool that a layer hides; a tool of the same name elsewhere is another tool."""
    hidden = {hiding.identity: hiding for hiding in outcome.hidden}
    for entry in outcome.intended:
        if entry.identity in hidden:
            reason = f"is hidden by {hidden[entry.identity].origin} and yet in the catalog as {entry.name}"
            yield Problem(RuleId.HIDDEN_LEAK, str(entry.identity), reason)


def every_mapping_compiles(outcome: Outcome) -> Iterator[Problem]:
    """V2: every mapping compiles, also those of an aggregate that is hidden, and leads somewhere."""
    for expansion in outcome.expansions.values():
        for flaw in expansion.flaws:
            yield Problem(RuleId.MAPPING, str(expansion.identity), flaw.reason, place=flaw.place)
    for wired in outcome.wired():
        yield from mappings_to_nowhere(wired)


def only_captured_descriptors(outcome: Outcome) -> Iterator[Problem]:
    """V3: every entry was made from a captured definition, and every operation calls a captured tool."""
    for entry in outcome.intended:
        tool = outcome.captured.get(entry.identity)
        if entry.kind == "tool" and (tool is None or tool.digest != entry.source_digest):
            yield Problem(RuleId.NOT_CAPTURED, str(entry.identity), "no captured descriptor stands behind it")
    for wired in outcome.wired():
        for place, operation in wired.operations():
            if operation.get("mode") == "state_only" or "server" not in operation:
                continue
            called = Identity(str(operation["server"]), str(operation["tool"]))
            if called not in outcome.captured:
                reason = f"calls {called}, which is not captured"
                yield Problem(RuleId.NOT_CAPTURED, wired.subject, reason, place=place)


def no_unresolved_collision(outcome: Outcome) -> Iterator[Problem]:
    """V4: no two entries have one name."""
    holders: dict[str, list[Identity]] = defaultdict(list)
    for entry in outcome.intended:
        holders[entry.name].append(entry.identity)
    for name, rivals in holders.items():
        for identity in rivals[1:]:
            reason = f"has the name {name}, as {rivals[0]} has"
            yield Problem(RuleId.NAME_COLLISION, str(identity), reason)


def no_orphan_operation(outcome: Outcome) -> Iterator[Problem]:
    """V5: every operation can be chosen and calls a tool of one server."""
    for wired in outcome.wired():
        yield from orphan_operations(wired)


def schemas_are_valid(outcome: Outcome) -> Iterator[Problem]:
    """V6: every schema is valid JSON Schema 2020-12; a remote reference is named, never fetched."""
    for subject, field, found in _inspected(outcome, schemas.problems):
        yield Problem(RuleId.INVALID_SCHEMA, subject, f"/{field}{found.pointer}: {found.message}")


def schemas_are_lint_clean(outcome: Outcome) -> Iterator[Problem]:
    """V7: no schema holds what is valid and yet refused by some clients. Warnings only."""
    for subject, field, found in _inspected(outcome, schemas.lint):
        yield Problem(RuleId.SCHEMA_LINT, subject, f"/{field}{found.pointer}: {found.message}", "warning")


def no_mapping_reads_the_selector(outcome: Outcome) -> Iterator[Problem]:
    """V8: no argument is mapped from the selector, which an operation cannot share. Warnings only."""
    for wired in outcome.wired():
        yield from selector_reads(wired)


RULES: Mapping[RuleId, Callable[[Outcome], Iterator[Problem]]] = {
    RuleId.HIDDEN_LEAK: no_hidden_tool_leaks,
    RuleId.MAPPING: every_mapping_compiles,
    RuleId.NOT_CAPTURED: only_captured_descriptors,
    RuleId.NAME_COLLISION: no_unresolved_collision,
    RuleId.ORPHAN_OPERATION: no_orphan_operation,
    RuleId.INVALID_SCHEMA: schemas_are_valid,
    RuleId.SCHEMA_LINT: schemas_are_lint_clean,
    RuleId.SELECTOR_READ: no_mapping_reads_the_selector,
}


def _inspected(
    outcome: Outcome, inspect: Callable[[Json], list[schemas.SchemaProblem]]
) -> Iterator[tuple[str, str, schemas.SchemaProblem]]:
    """What is found in the schemas of all entries, by tool and field; equal schemas are read once."""
    known: dict[bytes, list[schemas.SchemaProblem]] = {}
    for entry in outcome.intended:
        for field in _SCHEMA_FIELDS:
            if field not in entry.definition:
                continue
            schema = entry.definition[field]
            written = canonical(schema)
            if written not in known:
                known[written] = inspect(schema)
            for found in known[written]:
                yield str(entry.identity), field, found
