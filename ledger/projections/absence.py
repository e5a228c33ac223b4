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

    What the gateway said stands until something newer happens to the server. Only then is anything inferred.
    """
    subjects = difference.parts or downstream(wanted) or [key]
    if scene.basis != SERVED:
        found = _first_cause(scene, subjects) or Reason("unobserved")
        return found if found.mark != NO_EVENT else found._replace(mark=scene.mark(wanted["since"], key))
    if scene.is_unreadable:
        return Reason("unobserved", _last_serving(scene))
    if wanted["since"] > scene.serving_seq:
        return Reason("not_served_yet", scene.mark(wanted["since"], key))
    omission = _omission(scene, key, wanted)
    said = None if omission is None else _said(scene, key, omission)
    if said is not None:
        return _still(scene, subjects, said)
    return _first_cause(scene, subjects) or _inferred(scene, key, wanted, subjects, omission)


def _omission(scene: Scene, key: str, wanted: Row) -> Row | None:
    """What the last serving said of a tool that it left out: of this one, of its name, or of all of its server."""
    for place in (key, wanted["name"], f"{server_of(key)}::*"):
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


def _still(scene: Scene, subjects: list[str], said: Reason) -> Reason:
    """What was said in the last serving, unless the server has fallen, or recovered, since."""
    now = [found for subject in subjects if (found := condition(scene, server_of(subject)))]
    newer = next((each for each in now if (each.mark.seq or 0) > scene.serving_seq), None)
    if newer is not None:
        return newer
    signs = [sign for subject in subjects if (sign := recovery(scene, server_of(subject)))]
    return Reason("not_served_yet", signs[0]) if said.name in _CONDITIONS and signs and not now else said


def _first_cause(scene: Scene, subjects: list[str]) -> Reason | None:
    return next((found for subject in subjects if (found := _cause(scene, subject))), None)


def _cause(scene: Scene, key: str) -> Reason | None:
    """What a server does, or what its listing shows, whichever is newer."""
    state, lack = condition(scene, server_of(key)), _lack(scene, key)
    if state is None or lack is None:
        return state or lack
    return lack if (lack.mark.seq or 0) > (state.mark.seq or 0) else state


def _lack(scene: Scene, key: str) -> Reason | None:
    """What the listings of its server show of a tool that is not there; None if they show it."""
    server = server_of(key)
    known = scene.memory.server(server)
    if server == NOBODY:
        return None
    if known["complete"] is None:
        return Reason("unobserved", Mark(**known["partial"])) if known["partial"] else Reason("never_captured")
    if known["unreadable"]:
        return Reason("unobserved", Mark(**known["complete"]))
    row = scene.descriptors.get(key)
    if row is None or row["state"] == "gone":
        return _rejected(scene, key) or _not_listed(scene, key, row, known)
    is_seen_in_part = scene.basis != SERVED and row.get("partial") and known["partial"]
    return Reason("unobserved", Mark(**known["partial"])) if is_seen_in_part else None


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


def _inferred(scene: Scene, key: str, wanted: Row, subjects: list[str], omission: Row | None) -> Reason:
    """What explains an absence that nobody has explained."""
    found = name_taken(scene, key, wanted["name"]) or same_name_hidden(scene, key)
    if found is not None:
        return found
    signs = [sign for subject in subjects if (sign := recovery(scene, server_of(subject)))]
    if signs:
        return Reason("not_served_yet", signs[0])
    words = None if omission is None else omission["detail"] or omission["reason"]
    return Reason("unobserved", _last_serving(scene), words)


def _last_serving(scene: Scene) -> Mark:
    """The last serving that said something new."""
    served = scene.memory.get("@served")
    return NO_EVENT if served is None else Mark(served["seq"], served["event"])
