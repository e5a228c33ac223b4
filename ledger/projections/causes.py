"""The reasons of drift, and the single facts that can be one: what a server does, what was said, who has a name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple, cast, get_args

from ledger.projections.memory import Mark, server_of, tool_of
from ledger.projections.scene import Scene, appeared

if TYPE_CHECKING:
    from ledger.projections.fold import Row

ReasonName = Literal[
    "server_down",
    "server_disabled",
    "capture_failed",
    "not_listed",
    "hidden_by_override",
    "hidden_by_aggregate",
    "disabled_by_same_name",
    "name_collision",
    "renamed",
    "moved",
    "invalid_definition",
    "schema_fallback",
    "pending_adoption",
    "locked",
    "not_rendered_yet",
    "not_served_yet",
    "waived",
    "never_captured",
    "unobserved",
]
REASONS: Final[tuple[str, ...]] = get_args(ReasonName)

# Nobody but a reader can tell that a drift is waived.
_SAYABLE: Final = frozenset(REASONS) - {"waived"}
# What gateways of other makes write where we have a word of our own.
_OTHER_WORDS: Final[dict[str, ReasonName]] = {
    "down": "server_down",
    "health_gate": "server_down",
    "server_unhealthy": "server_down",
    "unhealthy": "server_down",
    "discovery_failure": "capture_failed",
    "hidden": "hidden_by_override",
    "collision": "name_collision",
    "name_conflict": "name_collision",
    "invalid": "invalid_definition",
    "invalid_schema": "invalid_definition",
    "never_seen": "never_captured",
}
_ABSENT_HEALTH: Final[dict[str, ReasonName]] = {"down": "server_down", "disabled": "server_disabled"}
NO_EVENT: Final = Mark(None, None)


class Reason(NamedTuple):
    """Why a tool drifts; `mark` is the event that proves it, `detail` another tool, a layer or words."""

    name: ReasonName
    mark: Mark = NO_EVENT
    detail: str | None = None


def reason_word(text: str | None) -> ReasonName | None:
    """The reason that a producer's words mean: they are one, or begin with one and a colon."""
    word = (text or "").partition(":")[0].strip().lower().replace(" ", "_").replace("-", "_")
    return cast("ReasonName", word) if word in _SAYABLE else _OTHER_WORDS.get(word)


def condition(scene: Scene, server: str) -> Reason | None:
    """What keeps a server from showing its tools now: it is disabled or down, or it cannot be listed."""
    known = scene.memory.server(server)
    health = known["health"]
    if health is not None and health["state"] in _ABSENT_HEALTH:
        return Reason(_ABSENT_HEALTH[health["state"]], Mark(health["seq"], health["event"]))
    failing = known["failing"]
    return None if failing is None else Reason("capture_failed", Mark(failing["seq"], failing["event"]))


def recovery(scene: Scene, server: str) -> Mark | None:
    """The newest sign of life of a server since the last serving."""
    known = scene.memory.server(server)
    signs = [sign for sign in (known["health"], known["capture"]) if sign is not None]
    if condition(scene, server) is not None or not signs:
        return None
    newest = max(signs, key=lambda sign: int(sign["seq"]))
    return Mark(newest["seq"], newest["event"]) if newest["seq"] > scene.serving_seq else None


def moved_to(scene: Scene, key: str, gone: Row) -> Reason | None:
    """The one other server that lists the same definition, and began to after this one did."""
    rows = _elsewhere(scene, key, "listed")
    found = [(other, row) for other, row in rows if _is_same(gone, row) and appeared(row) > appeared(gone)]
    if len(found) != 1:
        return None
    other, row = found[0]
    proof = scene.mark(gone["gone"], key) if gone["gone"] > appeared(row) else scene.mark(appeared(row), other)
    return Reason("moved", proof, other)


def moved_from(scene: Scene, key: str, listed: Row) -> Reason | None:
    """The one other server that listed the same definition before, and does no more."""
    rows = _elsewhere(scene, key, "gone")
    found = [(other, row) for other, row in rows if _is_same(listed, row) and appeared(row) < appeared(listed)]
    if len(found) != 1:
        return None
    other, row = found[0]
    proof = scene.mark(row["gone"], other) if row["gone"] > appeared(listed) else scene.mark(appeared(listed), key)
    return Reason("moved", proof, other)


def name_taken(scene: Scene, key: str, name: str) -> Reason | None:
    """The other tool that clients were served under this name."""
    holder = next((other for other in scene.holders(name) if other != key), None)
    return None if holder is None else Reason("name_collision", scene.mark(scene.live[holder]["since"], holder), holder)


def same_name_hidden(scene: Scene, key: str) -> Reason | None:
    """A tool of the same name that is hidden on another server: a rule by name may have struck this one too."""
    hider = next((row for row in scene.hiders(tool_of(key)) if row != f"hidden/{key}"), None)
    if hider is None:
        return None
    return Reason(
        "disabled_by_same_name",
        scene.mark(scene.intended[hider]["since"], key),
        hider.removeprefix("hidden/"),
    )


def _elsewhere(scene: Scene, key: str, state: str) -> list[tuple[str, Row]]:
    """The tools of the same name on other servers that are listed, or gone."""
    others = [f"{server}::{tool_of(key)}" for server in scene.memory.servers() if server != server_of(key)]
    rows = [(other, scene.descriptors.get(other)) for other in others]
    return [(other, row) for other, row in rows if row is not None and row["state"] == state]


def _is_same(one: Row, other: Row) -> bool:
    return bool(one["nameless"] == other["nameless"] or one["semantic"] == other["semantic"])
