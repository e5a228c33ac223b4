"""What one place in one layer says about some tools, and how much it weighs."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledger.canon.jsontext import Json
    from ledger.catalog.problems import Place

ANY_TOOL = "*"

HideCause = Literal["hidden_by_override", "hidden_by_aggregate", "disabled_by_same_name", "server_disabled"]


class Identity(NamedTuple):
    """Who a tool is, whatever clients call it."""

    server: str
    tool: str

    def __str__(self) -> str:
        return f"{self.server}::{self.tool}"


class Weight(IntEnum):
    """Within one layer the heavier statement wins; a later layer beats any weight of an earlier one.

    A statement about one tool of one server is heavier than one about a whole server, and that one heavier
    than one about every server. Hiding a tool is the last word of its layer.
    """

    AGGREGATE = 0
    MASTER = 1
    MASTER_ANY_TOOL = 2
    MASTER_TOOL = 3
    FLAT_TOOL = 4
    SERVER = 5
    SERVER_ANY_TOOL = 6
    TOOL = 7
    HIDING = 8


@dataclass(frozen=True, slots=True)
class Statement:
    """Fields that one place sets for the tools it speaks of.

    `server` or `tool` is None where it speaks of all of them. `cause` and `reason` say why a tool is hidden,
    should `fields` hold `enabled: false`.
    """

    server: str | None
    tool: str | None
    weight: Weight
    place: Place
    fields: Mapping[str, Json] = field(default_factory=dict)
    cause: HideCause = "hidden_by_override"
    reason: str = ""


def hiding(identity: Identity, place: Place, *, cause: HideCause, reason: str) -> Statement:
    """The statement that a tool is not for clients."""
    return Statement(
        identity.server, identity.tool, Weight.HIDING, place, {"enabled": False}, cause=cause, reason=reason
    )
