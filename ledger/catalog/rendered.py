"""What a render decides: the intended catalog with its reasons, ready to be recorded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from ledger.catalog.problems import RuleId, payload_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledger.canon.jsontext import Json
    from ledger.catalog.entry import Entry
    from ledger.catalog.layer import Layer, Origin
    from ledger.catalog.operation import CompiledAggregate
    from ledger.catalog.problems import Problem
    from ledger.catalog.sayings import Hiding
    from ledger.catalog.statement import Identity

DescriptorSource = Literal["live", "overrides"]


@dataclass(frozen=True, slots=True)
class Settings:
    """The thresholds and flags in force.

    `from_overrides` lets the overrides describe the tools of servers that were never listed; `hidden_servers`
    are switched off from outside the layers. `flags` are recorded as they are and decide nothing here.
    """

    success_threshold: int = 2
    failure_threshold: int = 2
    quiet_after: int = 10
    from_overrides: bool = False
    hidden_servers: frozenset[str] = frozenset()
    flags: Mapping[str, Json] = field(default_factory=dict)

    def payload(self) -> dict[str, Json]:
        """As `settings` of `render.completed`, by the names that the fold of adoption reads."""
        return {
            **self.flags,
            "SCHEMA_SUCCESS_THRESHOLD": self.success_threshold,
            "SCHEMA_FAILURE_THRESHOLD": self.failure_threshold,
            "SCHEMA_STABLE_RETENTION": self.quiet_after,
            "FROM_OVERRIDES": self.from_overrides,
            "HIDDEN_SERVERS": [*sorted(self.hidden_servers)],
        }


@dataclass(frozen=True, slots=True)
class Promotion:
    """An output schema that becomes the intended one, with the ids of the events that earned it."""

    identity: Identity
    schema_hash: str
    evidence: tuple[str, ...]

    def payload(self) -> dict[str, Json]:
        server, tool = self.identity
        return {
            "server": server,
            "tool": tool,
            "schema_hash": self.schema_hash,
            "evidence": list(self.evidence),
        }


@dataclass(frozen=True, slots=True)
class Lock:
    """A tool whose output schema is frozen, and the layer that says so."""

    identity: Identity
    origin: Origin | None

    def payload(self) -> dict[str, Json]:
        server, tool = self.identity
        return {"server": server, "tool": tool, "layer": str(self.origin) if self.origin else None}


@dataclass(frozen=True, slots=True)
class Rendered:
    """The outcome of a render, each part in an order that depends on the inputs alone.

    `aggregates` are the compiled ones by exposed name, for whoever serves the catalog; they are no part of
    the payload, and `operation.compile_aggregate` makes them again from the entries.
    """

    inputs: tuple[Layer, ...]
    settings: Settings
    descriptor_source: DescriptorSource
    intended: tuple[Entry, ...]
    hidden: tuple[Hiding, ...]
    promoted: tuple[Promotion, ...]
    locked: tuple[Lock, ...]
    problems: tuple[Problem, ...]
    aggregates: Mapping[str, CompiledAggregate]

    @property
    def errors(self) -> tuple[Problem, ...]:
        """What fails `--verify`."""
        return tuple(problem for problem in self.problems if problem.severity == "error")

    @property
    def invalid_input(self) -> tuple[Problem, ...]:
        """What makes the layers unfit to be rendered: with any of these a render is refused."""
        return tuple(one for one in self.problems if one.rule is RuleId.INVALID_LAYER)

    def payload(self) -> dict[str, Json]:
        """What of `render.completed` follows from the inputs: all but captures, leave and duration."""
        return {
            "inputs": [layer.payload() for layer in self.inputs],
            "settings": self.settings.payload(),
            "descriptor_source": self.descriptor_source,
            "intended": {"tools": [entry.payload() for entry in self.intended]},
            "hidden": [hiding.payload() for hiding in self.hidden],
            "promoted": [promotion.payload() for promotion in self.promoted],
            "locked": [lock.payload() for lock in self.locked],
            "problems": payload_of(self.problems),
        }
