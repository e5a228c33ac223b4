"""Which tools an event gives drift to look at, and what it has to remember of the event.

Each function here remembers the event and answers with keys: those whose intention or reality may be another now, and
the open entries whose reason may be. Lists are compared by what differs between them, so a change of one tool of a
thousand looks at one; only what cannot be told apart, a first list or an erased one, looks at everything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ledger.events.documents import list_changes, list_items
from ledger.projections.entries import NOBODY, entry_key
from ledger.projections.memory import marked, server_of, tool_of
from ledger.projections.scene import LISTED, NONE, SERVED, Scene, downstream

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ledger.projections.fold import Row
    from ledger.projections.whole_lists import Item


def by_capture(scene: Scene, payload: Mapping[str, Any]) -> set[str]:
    """A listing: the tools that it changes, on the listed basis and if it is whole; else the reasons it may change."""
    memory, server, is_partial = scene.memory, payload["server"], payload["outcome"] == "partial"
    newest = scene.descriptors[f"@server/{server}"]
    before, now = memory.server(server), marked(scene.event)
    said = {**before, "failing": None, "capture": now}
    is_new = newest["seq"] == scene.event.seq
    if is_new and is_partial:
        said["partial"] = now
    elif is_new:
        unreadable = bool(newest.get("erased"))
        said |= {"complete": now, "partial": None, "listing": payload["tools"], "unreadable": unreadable}
    memory.put_server(server, said)
    if not is_partial and scene.basis == NONE:
        scene.begin(LISTED)
        return _everything(scene)
    if is_partial or not is_new or scene.basis == SERVED:
        return _open_beside(scene, server)
    return _relisted(scene, server, before, said) | _open_beside(scene, server)


def by_server(scene: Scene, server: str, said: Row) -> set[str]:
    """A failure or a change of health: the open entries of the server, and of aggregates that call it."""
    scene.memory.put_server(server, {**scene.memory.server(server), **said})
    callers = scene.memory.callers_of_server(server)
    return {*scene.memory.open_of(server), *(callers.intersection(scene.memory.open_keys()) if callers else ())}


def by_render(scene: Scene, payload: Mapping[str, Any]) -> set[str]:
    """A render: the entries and the hidden tools that it changes, and every open entry."""
    memory, before = scene.memory, scene.memory.get("@rendered")
    tools, hidden = payload["intended"]["tools"], payload.get("hidden")
    if before is not None and (before["list"], before["hidden"]) == (tools, hidden):
        return set(memory.open_keys())
    memory.put("@rendered", {**marked(scene.event), "list": tools, "hidden": hidden})
    if before is None:
        memory.put_uses(_uses(scene))
        return _everything(scene)
    entries = _changed_items(scene, before["list"], tools)
    hidings = _changed_items(scene, before["hidden"], hidden)
    is_erased = any(map(_is_erased, (*entries, *hidings)))
    if is_erased or any(map(downstream, entries)):
        memory.put_uses(_uses(scene))
    if is_erased:
        return _everything(scene)
    keys = {key for entry in entries for key in (entry_key(entry), f"{NOBODY}::{entry['name']}")}
    called = {called for entry in entries for called in downstream(entry)}
    concealed = {f"{hiding.get('server') or NOBODY}::{hiding['tool']}" for hiding in hidings}
    return keys.union(memory.open_keys(), _wherever(scene, called | concealed))


def by_serving(scene: Scene, payload: Mapping[str, Any] | None) -> set[str]:
    """A serving: the entries that it changes, and the open ones it may explain; if it repeats the last, what waited."""
    memory, before = scene.memory, scene.memory.get("@served")
    served = _served(scene, payload)
    if scene.basis != SERVED:
        scene.begin(SERVED)
    if before is not None and {**before, **served} == before:
        return set(memory.awaited())
    memory.put("@served", {**marked(scene.event), **served})
    if before is None or before["unreadable"] or served["unreadable"] or before["names_of"] != served["names_of"]:
        return _everything(scene)
    entries = _changed_items(scene, before["list"], served["list"])
    if any(map(_is_erased, entries)):
        return _everything(scene)
    changed = {key for entry in entries for key in _identities(scene, entry)}
    return changed.union(memory.awaited(), _open_to_a_serving(scene))


def _served(scene: Scene, payload: Mapping[str, Any] | None) -> Row:
    if payload is None:
        return {"list": None, "omitted": None, "names_of": None, "unreadable": True}
    last = scene.live["@serving"]
    # What was left out may be erased as well; that leaves the entries readable.
    items = list_items(payload["tools"], scene.documents) if last.get("erased") else ()
    return {
        "list": payload["tools"],
        "omitted": payload.get("omitted"),
        "names_of": last.get("names_of"),
        "unreadable": any(map(_is_erased, items)),
    }


def _open_to_a_serving(scene: Scene) -> list[str]:
    """The open entries whose reason may be what a serving says of what it left out, or who has their name."""
    rows = ((key, scene.memory.get(key)) for key in scene.memory.open_keys())
    return [key for key, row in rows if row is not None and (row["category"] == "missing" or "name" in row["parts"])]


def _everything(scene: Scene) -> set[str]:
    wanted = {key for key, row in scene.intended.items() if "definition" in row}
    if scene.basis == SERVED:
        real = [key for key, row in scene.live.items() if "definition" in row]
    else:
        real = [key for key, row in scene.descriptors.items() if row.get("state") == "listed"]
    return wanted.union(real, scene.memory.open_keys())


def _relisted(scene: Scene, server: str, before: Row, said: Row) -> set[str]:
    """The tools in which two complete listings of a server differ, and the aggregates that call them."""
    gone, come = list_changes(before["listing"], said["listing"], scene.documents)
    items: list[Item] = [*gone, *come]
    if before["unreadable"] or said["unreadable"] or any(map(_is_erased, items)):
        return _everything(scene)
    scene.replaced = {f"{server}::{item[0]}": item for item in items[: len(gone)]}
    callers = [caller for item in items for caller in scene.memory.callers(server, item[0])]
    return {f"{server}::{item[0]}" for item in items}.union(callers)


def _open_beside(scene: Scene, server: str) -> set[str]:
    """The open entries that a listing may explain: of the server, of its callers, of tools that it gained or lost."""
    memory = scene.memory
    callers = memory.callers_of_server(server)
    return {
        key
        for key in memory.open_keys()
        if server_of(key) == server or key in callers or _is_touched(scene, f"{server}::{tool_of(key)}")
    }


def _is_touched(scene: Scene, key: str) -> bool:
    row = scene.descriptors.get(key)
    return row is not None and scene.event.seq in (row["since"], row["first"], row.get("back"), row.get("gone"))


def _changed_items(scene: Scene, before: str | None, after: str | None) -> list[Item]:
    """The items that only one of two lists has."""
    if after is None:
        return [] if before is None else list(list_items(before, scene.documents))
    left, come = list_changes(before, after, scene.documents)
    return [*left, *come]


def _is_erased(item: Item) -> bool:
    """Whether this stands for items that were erased: then only looking at everything tells what changed."""
    return isinstance(item, dict) and "erased" in item


def _identities(scene: Scene, entry: Mapping[str, Any]) -> Iterable[str]:
    """The keys that an entry of a serving may be found under: that of a mere name depends on the render."""
    yield entry_key(entry)
    if entry.get("server") is None:
        yield from (key for key, row in scene.intended.items() if row.get("name") == entry["name"])


def _uses(scene: Scene) -> dict[str, dict[str, list[str]]]:
    """Server → tool → the aggregates that call it."""
    uses: dict[str, dict[str, list[str]]] = {}
    for key, row in sorted(scene.intended.items()):
        for called in downstream(row):
            callers = uses.setdefault(server_of(called), {}).setdefault(tool_of(called), [])
            if key not in callers:
                callers.append(key)
    return uses


def _wherever(scene: Scene, keys: Iterable[str]) -> set[str]:
    """Keys, and in place of one that names no server those of every server."""
    return {
        f"{server}::{tool_of(key)}"
        for key in keys
        for server in ((NOBODY, *scene.memory.servers()) if server_of(key) == NOBODY else (NOBODY, server_of(key)))
    }
