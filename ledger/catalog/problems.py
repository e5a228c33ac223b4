"""What is wrong, and where: the rule, the subject, the file, the JSON pointer and the reason."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Literal

from ledger.canon.pointer import join

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ledger.canon.jsontext import Json

Severity = Literal["error", "warning", "notice"]
_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "notice")

MOST_RECORDED: Final = 1_000
"""Ten thousand tools may each have several; an event of four megabytes has no room for all of them."""


class RuleId(StrEnum):
    """Stable ids: L for what is wrong with a file, V for what `--verify` checks, N for what is only told."""

    INVALID_LAYER = "L1"
    TOLERATED_LAYER = "L2"
    HIDDEN_LEAK = "V1"
    MAPPING = "V2"
    NOT_CAPTURED = "V3"
    NAME_COLLISION = "V4"
    ORPHAN_OPERATION = "V5"
    INVALID_SCHEMA = "V6"
    SCHEMA_LINT = "V7"
    SELECTOR_READ = "V8"
    PREFIXED_NAME = "N1"
    UNKNOWN_TOOL = "N2"
    SCHEMA_WITHHELD = "N3"
    SCHEMA_LOST = "N4"


@dataclass(frozen=True, slots=True)
class Place:
    """A value inside a file; `file` is a label relative to its home, never an absolute path."""

    file: str
    pointer: str = ""

    def at(self, *keys: str | int) -> Place:
        """The place of a value further inside."""
        return Place(self.file, self.pointer + join(keys))

    def __str__(self) -> str:
        return f"{self.file}#{self.pointer}"


@dataclass(frozen=True, slots=True)
class Problem:
    """One rule that one subject offends against.

    `subject` is a tool (`server::tool`), a server or a file. An error fails `--verify`, and an error of rule
    L1 makes the input unfit to be rendered; warnings and notices only tell.
    """

    rule: RuleId
    subject: str
    reason: str
    severity: Severity = "error"
    place: Place | None = None

    @property
    def file(self) -> str:
        return self.place.file if self.place else ""

    @property
    def pointer(self) -> str:
        return self.place.pointer if self.place else ""

    @property
    def message(self) -> str:
        """The reason, after the place it concerns where there is one."""
        return f"{self.place}: {self.reason}" if self.place else self.reason

    def payload(self) -> dict[str, Json]:
        """As `render.completed` carries it."""
        return {"rule": str(self.rule), "subject": self.subject, "message": self.message}


def invalid(place: Place, reason: str) -> Problem:
    """A layer that cannot be used as it is."""
    return Problem(RuleId.INVALID_LAYER, place.file, reason, "error", place)


def tolerated(place: Place, reason: str) -> Problem:
    """A layer that is wrong in a way whose meaning is beyond doubt."""
    return Problem(RuleId.TOLERATED_LAYER, place.file, reason, "warning", place)


def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Without repetitions, in an order that depends on the problems alone."""
    return tuple(sorted(set(problems), key=_sort_key))


def payload_of(problems: Sequence[Problem], *, most: int = MOST_RECORDED) -> list[Json]:
    """The problems for an event, which has a limit: errors first, and beyond `most` only how many each rule has."""
    by_weight = sorted(problems, key=lambda problem: _SEVERITIES.index(problem.severity))
    left_out = Counter(problem.rule for problem in by_weight[most:])
    written: list[Json] = [problem.payload() for problem in by_weight[:most]]
    written.extend(
        {"rule": str(rule), "subject": "*", "message": f"{count} more are not recorded"}
        for rule, count in sorted(left_out.items())
    )
    return written


def _sort_key(problem: Problem) -> tuple[str, str, str, str, str]:
    return problem.rule, problem.subject, problem.file, problem.pointer, problem.reason
