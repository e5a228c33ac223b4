"""Why a tool drifts: one reason for each difference, with the event that proves it.

`waived` is decided when reading, because a waiver ends with time: see waivers.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ledger.projections.absence import absence
from ledger.projections.adoption import FAILED, PENDING
from ledger.projections.causes import Reason, condition, moved_from, name_taken, reason_word
from ledger.projections.comparison import OUTPUT
from ledger.projections.memory import server_of
from ledger.projections.scene import SERVED, Scene, appeared

if TYPE_CHECKING:
    from ledger.projections.comparison import Difference
    from ledger.projections.fold import Row
    from ledger.projections.memory import Mark


def reason(scene: Scene, key: str, difference: Difference) -> Reason:
    """Why intention and reality differ about this tool."""
    wanted = scene.wanted(key)
    if wanted is None:
        return _leak(scene, key) if difference.category == "hidden_leak" else _surplus(scene, key)
    match difference.category:
        case "missing" | "unobserved":
            return absence(scene, key, wanted, difference)
        case "schema_fallback":
            return Reason("schema_fallback", scene.mark(_fallback_seq(scene, key), key))
        case "locked":
            return Reason("locked", scene.mark(wanted["since"], key))
        case _:
            return _changed(scene, key, wanted, difference)


def _leak(scene: Scene, key: str) -> Reason:
    """Why a hidden tool is served: it was hidden since, or the gateway does not obey."""
    row = scene.intended[scene.hidden(key) or ""]
    hidden = scene.mark(row["since"], key)
    if row["since"] > scene.serving_seq:
        return Reason("not_served_yet", hidden, row["layer"])
    return Reason(reason_word(row["reason"]) or "hidden_by_override", hidden, row["layer"])


def _surplus(scene: Scene, key: str) -> Reason:
    """Why a tool is there that no render wants."""
    rendered = scene.memory.get("@rendered") or {}
    if scene.basis == SERVED and rendered["seq"] > scene.serving_seq:
        return Reason("not_served_yet", scene.mark(rendered["seq"], key))
    listed = scene.descriptors.get(key)
    if listed is not None and listed["state"] == "listed":
        if "renamed_from" in listed:
            old = f"{server_of(key)}::{listed['renamed_from']}"
            return Reason("renamed", scene.mark(appeared(listed), key), old)
        moved = moved_from(scene, key, listed)
        if moved is not None:
            return moved
        if appeared(listed) > scene.render_seq:
            return Reason("not_rendered_yet", scene.mark(appeared(listed), key))
    if scene.basis != SERVED:
        return Reason("unobserved", _shown(scene, key))
    is_newer = scene.live[key]["since"] > scene.render_seq
    return Reason("not_rendered_yet" if is_newer else "unobserved", _shown(scene, key))


def _shown(scene: Scene, key: str) -> Mark:
    """The serving or the listing that shows the tool as it is."""
    seen = scene.live[key] if scene.basis == SERVED else scene.descriptors[key]
    return scene.mark(seen["since"], key)


def _fallback_seq(scene: Scene, key: str) -> int:
    """The fallback that led to a weaker schema; where none was told, the serving that shows it."""
    told = (scene.schemas.get(key) or {}).get("last_fallback")
    return int(told["seq"] if told else scene.live[key]["since"])


def _changed(scene: Scene, key: str, wanted: Row, difference: Difference) -> Reason:
    """Why a tool is another than it should be."""
    if scene.basis == SERVED:
        if wanted["since"] > scene.serving_seq:
            return Reason("not_served_yet", scene.mark(wanted["since"], key))
        taken = name_taken(scene, key, wanted["name"]) if "name" in difference.parts else None
        if taken is not None:
            return taken
    listed = scene.descriptors.get(key)
    if listed is not None and listed["since"] > scene.render_seq:
        return Reason("not_rendered_yet", scene.mark(listed["since"], key))
    if OUTPUT in difference.parts and _is_on_trial(scene.schemas.get(key)):
        return Reason("pending_adoption", scene.mark(wanted["since"], key))
    return condition(scene, server_of(key)) or Reason("unobserved", _shown(scene, key))


def _is_on_trial(adoption: Row | None) -> bool:
    """Whether the server's newest output schema waits to become the intended one."""
    return adoption is not None and adoption["state"] in (PENDING, FAILED) and adoption["hash"] != adoption["promoted"]
