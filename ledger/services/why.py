"""Why: whether a tool is there, since when, and every cause with the events that prove it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from ledger.clock import iso
from ledger.projections.entries import NOBODY
from ledger.services.naming import find_tool
from ledger.services.standing import read_spell, read_standing, verdict_of
from ledger.services.views import position_fields, read_view
from ledger.services.why_causes import Cause, causes_of
from ledger.store.read import position_of_id, read_event

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ledger.services.moments import Moment
    from ledger.services.naming import Named
    from ledger.services.standing import Standing
    from ledger.store.engine import Connection
    from ledger.store.store import Catalog

_MOST_STEPS: Final = 5
# What of a payload says most in a few words.
_TELLING: Final = ("reason", "outcome", "stage", "trigger", "result", "step")
_OF_SERVER: Final = ("server_down", "server_disabled", "capture_failed")


def why(connection: Connection, catalog: Catalog, asked: str, moment: Moment) -> dict[str, Any]:
    """The answer of `catledger why`; it never takes silence for removal."""
    named = find_tool(connection, catalog, asked, moment)
    standing = read_standing(connection, catalog, named.key, moment)
    verdict = verdict_of(standing)
    causes = causes_of(standing, verdict)
    proved = [(cause, list(_evidence(connection, catalog, cause.events, moment))) for cause in causes]
    spell = read_spell(connection, catalog, standing)
    return {
        **position_fields(catalog, moment),
        "tool": named.key,
        "verdict": verdict,
        "basis": standing.basis,
        "reason": causes[0].reason if causes else verdict,
        "since": _at(connection, catalog, spell.since or _first_seq(proved)),
        "causes": [{"reason": each.reason, "summary": each.summary, "evidence": shown} for each, shown in proved],
        "last_present": _at(connection, catalog, spell.last_present),
        "coverage": _coverage(connection, catalog, standing),
        "next_steps": _next_steps(standing, proved),
        "candidates": [cause.other for cause in causes if cause.other],
        "notes": list(_notes(named, standing)),
    }


def _evidence(
    connection: Connection, catalog: Catalog, events: Iterable[int | str], moment: Moment
) -> Iterator[dict[str, Any]]:
    seen: set[int] = set()
    for each in events:
        seq = each if isinstance(each, int) else _position(connection, catalog, each)
        if seq is None or seq > moment.seq or seq in seen:
            continue
        seen.add(seq)
        event = read_event(connection, catalog, seq)
        fields = event.fields() or {}
        told = [
            fields.get("server"),
            next((fields[name] for name in _TELLING if isinstance(fields.get(name), str)), None),
        ]
        yield {
            "seq": seq,
            "event_id": event.header().event_id,
            "kind": event.kind,
            "recorded_at": iso(event.recorded_us),
            "summary": ": ".join(str(word) for word in told if word),
        }


def _position(connection: Connection, catalog: Catalog, event_id: str) -> int | None:
    """Where the event is that a producer named as the cause; it may never have come."""
    try:
        found = position_of_id(connection, catalog, UUID(event_id))
    except ValueError:
        return None
    return None if found is None else int(found)


def _first_seq(proved: list[tuple[Cause, list[dict[str, Any]]]]) -> int | None:
    return next((shown[0]["seq"] for _, shown in proved if shown), None)


def _at(connection: Connection, catalog: Catalog, seq: int | None) -> dict[str, Any] | None:
    if seq is None:
        return None
    return {"seq": seq, "recorded_at": iso(read_event(connection, catalog, seq).recorded_us)}


def _coverage(connection: Connection, catalog: Catalog, standing: Standing) -> dict[str, Any]:
    """When its server was last listed whole, and the spans in which nobody watched."""
    last, watch = standing.last_complete, standing.watch or {}
    watched = "served" if standing.basis == "served" else standing.server
    rows = read_view(connection, catalog, "servers", standing.moment).rows
    gaps = [
        row
        for key, row in sorted(rows.items())
        if key.rpartition("/")[0] in {f"gap/{standing.server}", f"gap/{watched}"}
    ]
    until = watch.get("covered_until_us")
    return {
        "server": None if standing.server == NOBODY else standing.server,
        "last_complete": last and {"seq": last["seq"], "recorded_at": iso(last["recorded_us"])},
        "covered_until": None if until is None else iso(until),
        "gaps": [_gap(row) for row in gaps],
    }


def _gap(row: dict[str, Any]) -> dict[str, Any]:
    ends = {end: row[end]["recorded_us"] for end in ("from", "to")}
    return {end: None if at is None else iso(at) for end, at in ends.items()} | {"reason": row["reason"]}


def _next_steps(standing: Standing, proved: list[tuple[Cause, list[dict[str, Any]]]]) -> list[str]:
    """Commands that show more, in the order of the causes."""
    steps: list[str] = []
    server = shlex.quote(standing.server)
    for cause, shown in proved:
        steps += [f"catledger show {shown[0]['seq']}"] if shown else []
        if cause.other:
            steps.append(f"catledger why {shlex.quote(cause.other)}")
        if cause.reason in _OF_SERVER:
            steps.append(f"catledger log --server {server}")
        if cause.reason == "never_captured":
            steps.append(f"catledger capture {server} --config FILE")
    return list(dict.fromkeys(steps))[:_MOST_STEPS]


def _notes(named: Named, standing: Standing) -> Iterator[str]:
    if named.note:
        yield named.note
    if standing.basis == "listed":
        yield "judged by what servers list; no serving is recorded"
    if (standing.render or {}).get("seq") is None:
        yield "nothing was ever rendered: there is no intended catalog"
    back = (standing.listed or {}).get("back")
    if back:
        yield f"it had been away and was listed again at {back}"
