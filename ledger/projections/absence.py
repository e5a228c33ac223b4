"""Why an intended tool is not there, or why nobody can say whether it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ledger.projections.causes import (
    NO_EVENT,
    Reason,
    condition,
    moved_to,
    name_taken,
    reason_word,
    recovery,
    same_name_hidden,
)
from ledger.projections.entries import NOBODY
from ledger.projections.memory import Mark, server_of, tool_of
from ledger.projections.scene import SERVED, Scene, downstream

if TYPE_CHECKING:
    from ledger.projections.comparison import Difference
    from ledger.projections.fold import Row

_CONDITIONS: Final = frozenset(("server_down", "server_disabled", "capture_failed"))


def absence(scene: Scene, key: str, wanted: Row, difference: Difference) -> Reason:
    """Why an intended tool is not there: what was said of it, what its server does, what its listings show.

    What the gateway said stands until something newer happens to the server. Only then is anything inferred. Where no
    event is a reason, that something never happened, the render that wants the tool is shown.
    """
    # An aggregate is not there because of the tools that it calls.
    subjects = difference.parts or downstream(wanted) or [key]
    found = _unserved(scene, key, wanted, subjects) if scene.basis == SERVED else _first_cause(scene, key, subjects)
    found = found or Reason("unobserved")
    return found if found.mark != NO_EVENT else found._replace(mark=scene.mark(wanted["since"], key))


def _unserved(scene: Scene, key: str, wanted: Row, subjects: list[str]) -> Reason:
    if scene.is_unreadable:
        return Reason("unobserved", _last_serving(scene))
    if wanted["since"] > scene.serving_seq:
        return Reason("not_served_yet", scene.mark(wanted["since"], key))
    servers = list(dict.fromkeys(server_of(each) for each in (*subjects, key)))
    omission = _omission(scene, key, wanted)
    said = None if omission is None else _said(scene, key, omission)
    if said is not None:
        return _still(scene, servers, said)
    return _first_cause(scene, key, subjects) or _inferred(scene, key, wanted, servers, omission)


def _omission(scene: Scene, key: str, wanted: Row) -> Row | None:
    """What the last serving said of a tool that it left out, by who it is or by the name that clients see."""
    for place in (key, f"{server_of(key)}::{wanted['name']}", wanted["name"]):
        row = scene.live.get(f"omitted/{place}")
        if row is not None and "definition" not in row:
            return row
    return None


def _said(scene: Scene, key: str, omission: Row) -> Reason | None:
    word = reason_word(omission["reason"])
    if word is None:
        return None
    proof = Mark(None, omission["cause"]) if omission["cause"] else scene.mark(omission["since"], key)
    return Reason(word, proof, omission["detail"])


def _still(scene: Scene, servers: list[str], said: Reason) -> Reason:
    """What was said in the last serving, unless a server has fallen, or recovered, since."""
    now = [found for server in servers if (found := condition(scene, server))]
    newer = next((each for each in now if (each.mark.seq or 0) > scene.serving_seq), None)
    if newer is not None:
        return newer
    sign = _recovery(scene, servers) if said.name in _CONDITIONS and not now else None
    return said if sign is None else Reason("not_served_yet", sign)


def _recovery(scene: Scene, servers: list[str]) -> Mark | None:
    return next((sign for server in servers if (sign := recovery(scene, server))), None)


def _first_cause(scene: Scene, key: str, subjects: list[str]) -> Reason | None:
    """The first of these tools that is not there for a reason; else what the entry's own server does."""
    found = next((cause for subject in subjects if (cause := _cause(scene, subject))), None)
    return found or condition(scene, server_of(key))


def _cause(scene: Scene, key: str) -> Reason | None:
    """What a server does, or what its listing shows, whichever is newer."""
    state, lack = condition(scene, server_of(key)), _lack(scene, key)
    if state is None or lack is None:
        return state or lack
    return lack if (lack.mark.seq or 0) > (state.mark.seq or 0) else state


def _lack(scene: Scene, key: str) -> Reason | None:
    """What the listings of its server show of a tool that is not there; None if they show it."""
    server, row = server_of(key), scene.descriptors.get(key)
    known = scene.memory.server(server)
    is_listed = row is not None and row["state"] == "listed"
    if server == NOBODY or (is_listed and scene.basis == SERVED):
        return None
    if known["partial"] is not None and (is_listed or known["complete"] is None):
        return Reason("unobserved", Mark(**known["partial"]))  # only a whole listing decides
    if known["complete"] is None:
        return Reason("never_captured")
    if known["unreadable"]:
        return Reason("unobserved", Mark(**known["complete"]))
    return None if is_listed else _rejected(scene, key) or _not_listed(scene, key, row, known)


def _rejected(scene: Scene, key: str) -> Reason | None:
    """The capture that found it listed in a form that is no definition."""
    newest = scene.descriptors[f"@server/{server_of(key)}"]
    for rejected in newest.get("rejected") or ():
        if rejected.get("name") == tool_of(key):
            return Reason("invalid_definition", scene.mark(newest["seq"], key), rejected.get("reason"))
    return None


def _not_listed(scene: Scene, key: str, row: Row | None, known: Row) -> Reason:
    if row is None:
        return Reason("not_listed", Mark(**known["complete"]))
    if "renamed_to" in row:
        return Reason("renamed", scene.mark(row["gone"], key), f"{server_of(key)}::{row['renamed_to']}")
    return moved_to(scene, key, row) or Reason("not_listed", scene.mark(row["gone"], key))


def _inferred(scene: Scene, key: str, wanted: Row, servers: list[str], omission: Row | None) -> Reason:
    """What explains an absence that nobody has explained."""
    found = name_taken(scene, key, wanted["name"]) or same_name_hidden(scene, key)
    if found is not None:
        return found
    sign = _recovery(scene, servers)
    if sign is not None:
        return Reason("not_served_yet", sign)
    words = None if omission is None else omission["detail"] or omission["reason"]
    return Reason("unobserved", _last_serving(scene), words)


def _last_serving(scene: Scene) -> Mark:
    """The last serving that said something new."""
    served = scene.memory.get("@served")
    return NO_EVENT if served is None else Mark(served["seq"], served["event"])
