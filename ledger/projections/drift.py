"""Where intention and reality parted and met again, per tool, with a reason that may change while it stays open.

Keys: `server::tool` for every tool that ever drifted, `@basis`, `waiver/<subject>`, and what memory.py describes.

An entry opens and closes when what it compares changes: after a render, after a serving, and on the listed basis after
a complete or empty listing. Everything else that is folded here changes reasons only. `payload.erased` is not folded:
the store folds the catalog anew, and what was erased is already unknown at the event that it belonged to. There is no
entry before the first render: nothing was intended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ledger.projections.comparison import difference
from ledger.projections.episodes import closed, is_open, opened, still_open
from ledger.projections.memory import NEVER_HEARD_OF, Memory, marked
from ledger.projections.reasons import reason
from ledger.projections.scene import SERVED, Scene
from ledger.projections.touched import by_capture, by_render, by_server, by_serving
from ledger.projections.waivers import waived

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ledger.events.fact import Fact
    from ledger.projections.fold import Changes, Documents, Row, State

NAME: Final = "drift"
VERSION: Final = 1
KINDS: Final = frozenset(
    (
        "descriptors.captured",
        "capture.failed",
        "health.changed",
        "live.served",
        "render.completed",
        "drift.waived",
    )
)
NEEDS: tuple[str, ...] = ("descriptors", "servers", "schemas", "intended", "live")


def fold(state: State, event: Fact, views: Mapping[str, State], documents: Documents) -> Changes:
    """The entries that an event opens, changes or closes."""
    payload = event.payload
    if payload is None:
        # Of all that may be erased, only a serving leaves something unknown that was known before.
        return _looked_at(state, event, views, documents, {}) if event.kind == "live.served" else {}
    if _repeats(state, event, payload, views):
        return {}
    if event.kind == "drift.waived":
        return waived(event)
    return _looked_at(state, event, views, documents, payload)


def _repeats(state: State, event: Fact, payload: Mapping[str, Any], views: Mapping[str, State]) -> bool:
    """Whether the event says what is known: most events do, and they must cost next to nothing."""
    match event.kind:
        case "descriptors.captured":
            known = state.get(f"@server/{payload['server']}", NEVER_HEARD_OF)
            newest = views["descriptors"][f"@server/{payload['server']}"]
            return known["capture"] is not None and known["failing"] is None and newest["seq"] != event.seq
        case "capture.failed":
            return state.get(f"@server/{payload['server']}", NEVER_HEARD_OF)["failing"] is not None
        case "health.changed":
            health = state.get(f"@server/{payload['server']}", NEVER_HEARD_OF)["health"]
            return health is not None and health["state"] == payload["after"]
        case "live.served":
            return "@awaited" not in state and _is_served_again(state.get("@served"), payload, views["live"])
        case _:
            return False


def _is_served_again(known: Row | None, payload: Mapping[str, Any], live: State) -> bool:
    return (
        known is not None
        and known["list"] == payload["tools"]
        and known["omitted"] == payload.get("omitted")
        and known["names_of"] == live["@serving"].get("names_of")
        and not known["unreadable"]
    )


def _looked_at(
    state: State, event: Fact, views: Mapping[str, State], documents: Documents, payload: Mapping[str, Any]
) -> Changes:
    scene = Scene(event, views, documents, Memory(state))
    match event.kind:
        case "descriptors.captured":
            keys = by_capture(scene, payload)
        case "capture.failed":
            keys = by_server(scene, payload["server"], {"failing": marked(event)})
        case "health.changed":
            health = {**marked(event), "state": payload["after"]}
            keys = by_server(scene, payload["server"], {"health": health})
        case "render.completed":
            keys = by_render(scene, payload)
        case _:
            keys = by_serving(scene, event.payload)
    if scene.memory.get("@rendered") is not None:
        _judge(scene, keys)
    return scene.memory.changes


def _judge(scene: Scene, keys: Iterable[str]) -> None:
    """Compare intention and reality for these tools, and put what follows into the memory of the scene."""
    memory = scene.memory
    came: list[str] = []
    left: list[str] = []
    awaited = set(memory.awaited())
    for key in sorted(keys):
        before = memory.get(key)
        row = _entry(scene, key, before)
        memory.put(key, row)
        if is_open(row) and not is_open(before):
            came.append(key)
        elif is_open(before) and not is_open(row):
            left.append(key)
        awaited.discard(key)
        if row is not None and _awaits_serving(scene, row):
            awaited.add(key)
    memory.put_open(came, left)
    memory.put_awaited(awaited)


def _entry(scene: Scene, key: str, before: Row | None) -> Row | None:
    """The row of a tool's entry after this event: the one before it where nothing changed."""
    standing = before if before is not None and is_open(before) else None
    found = difference(scene, key, standing)
    if found is None:
        return before if standing is None else closed(scene, standing)
    why = reason(scene, key, found)
    if standing is None:
        return opened(scene, key, found, why)
    return still_open(scene, key, standing, found, why)


def _awaits_serving(scene: Scene, row: Row) -> bool:
    """Whether the reason rests on something newer than the last serving, so that the next one may end it."""
    return is_open(row) and scene.basis == SERVED and (row["reason_seq"] or 0) > scene.serving_seq
