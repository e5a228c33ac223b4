"""Causes: every fact that keeps a tool from being there as it should, the most specific first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ledger.projections.causes import reason_word
from ledger.projections.entries import NOBODY
from ledger.services.standing import ABSENT_HEALTH, FALLBACKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ledger.services.standing import Standing, Verdict

# From what concerns this tool alone to what concerns all; a reason that is not here comes last.
_RANK: Final = (
    "schema_fallback",
    "hidden_by_override",
    "hidden_by_aggregate",
    "disabled_by_same_name",
    "renamed",
    "moved",
    "name_collision",
    "invalid_definition",
    "not_listed",
    "pending_adoption",
    "locked",
    "not_rendered_yet",
    "not_intended",
    "not_served_yet",
    "server_disabled",
    "server_down",
    "capture_failed",
    "never_captured",
    "unobserved",
    "waived",
)


@dataclass(frozen=True)
class Cause:
    """A reason with the events that prove it: positions, or ids where that is all that is known."""

    reason: str
    summary: str
    events: tuple[int | str, ...] = ()
    other: str | None = None


def causes_of(standing: Standing, verdict: Verdict) -> list[Cause]:
    """All causes that hold at once; of a tool that is there, only what makes it other than it should be."""
    finders = (_degraded, _drifting, _waived) if verdict in ("present", "degraded") else (*_ABSENCE, _drifting, _waived)
    found = [cause for finder in finders for cause in finder(standing)]
    if not found and verdict in ("missing", "unknown"):
        found = [_unexplained(standing)]
    return _ranked(found)


def _ranked(causes: Iterable[Cause]) -> list[Cause]:
    """One cause a reason, with the evidence of all who gave it."""
    merged: dict[str, Cause] = {}
    for cause in causes:
        first = merged.setdefault(cause.reason, cause)
        events = tuple(dict.fromkeys((*first.events, *cause.events)))
        merged[cause.reason] = Cause(first.reason, first.summary, events, first.other or cause.other)
    order = {reason: place for place, reason in enumerate(_RANK)}
    return sorted(merged.values(), key=lambda cause: order.get(cause.reason, len(_RANK)))


def _degraded(standing: Standing) -> Iterator[Cause]:
    source = (standing.live or {}).get("schema_source")
    if source in FALLBACKS:
        told = (standing.schema or {}).get("last_fallback") or {}
        proof = told.get("seq") or (standing.live or {}).get("since")
        yield Cause("schema_fallback", f"its output schema is not the declared one but {source}", _known(proof))


def _hidden(standing: Standing) -> Iterator[Cause]:
    row = standing.hidden
    if row is not None:
        layer = f" by the layer {row['layer']}" if row.get("layer") else ""
        why = f": {row['reason']}" if row.get("reason") else ""
        yield Cause(reason_word(row.get("reason")) or "hidden_by_override", f"hidden{layer}{why}", (row["since"],))


def _unlisted(standing: Standing) -> Iterator[Cause]:
    """What the complete listings of its server say of a tool that they lack."""
    row, complete = standing.listed, standing.last_complete
    if standing.server == NOBODY or (row is not None and row["state"] == "listed"):
        return
    for rejected in (standing.listing or {}).get("rejected") or ():
        if rejected.get("name") == standing.tool:
            seq = (standing.listing or {})["seq"]
            yield Cause("invalid_definition", f"listed in a form that is refused: {rejected.get('reason')}", (seq,))
            return
    if row is not None and row.get("renamed_to"):
        new = f"{standing.server}::{row['renamed_to']}"
        yield Cause("renamed", f"its server calls it {row['renamed_to']} now", (row["gone"],), new)
    elif row is not None:
        yield Cause("not_listed", f"a complete listing of {standing.server} lacks it", (row["gone"],))
    elif complete is not None:
        yield Cause("not_listed", f"{standing.server} never listed it", (complete["seq"],))


def _said(standing: Standing) -> Iterator[Cause]:
    """What the last serving said of a tool that it left out."""
    row = standing.omitted
    word = reason_word(row.get("reason")) if row is not None and standing.live is None else None
    if row is not None and word is not None:
        detail = f": {row['detail']}" if row.get("detail") else ""
        yield Cause(
            word, f"left out of what is served as {row['reason']}{detail}", _known(row["since"], row.get("cause"))
        )


def _collided(standing: Standing) -> Iterator[Cause]:
    if standing.namesake is not None and standing.intended is not None:
        other, row = standing.namesake
        yield Cause("name_collision", f"clients see {other} under its name", (row["since"],), other)


def _unrendered(standing: Standing) -> Iterator[Cause]:
    render = standing.render
    if render is None or render.get("seq") is None or standing.intended is not None or standing.hidden is not None:
        return
    appeared = (standing.listed or {}).get("back") or (standing.listed or {}).get("first")
    if appeared is not None and appeared > render["seq"]:
        yield Cause("not_rendered_yet", "it appeared after the last render", (appeared,))
    else:
        yield Cause("not_intended", "the last render does not want it", (render["seq"],))


def _unserved(standing: Standing) -> Iterator[Cause]:
    intended, serving = standing.intended, standing.serving
    if (
        standing.basis == "served"
        and intended is not None
        and serving is not None
        and intended["since"] > serving["seq"]
    ):
        yield Cause("not_served_yet", "nothing was served since the render that wants it", (intended["since"],))


def _server_state(standing: Standing) -> Iterator[Cause]:
    health, watch = standing.health, standing.watch
    if health.get("state") in ABSENT_HEALTH:
        why = f": {health['reason']}" if health.get("reason") else ""
        summary = f"the server {standing.server} is {health['state']}{why}"
        yield Cause(ABSENT_HEALTH[health["state"]], summary, (health["since"],))
    if watch is not None and standing.is_failing:
        failure = watch["last_failure"]
        words = f"{standing.server} could not be listed ({failure['stage']}): {failure.get('message') or 'no message'}"
        yield Cause("capture_failed", words, (failure["seq"],))
    if standing.server != NOBODY and standing.last_complete is None:
        yield Cause("never_captured", f"{standing.server} was never listed whole")


def _drifting(standing: Standing) -> Iterator[Cause]:
    """The reason in the drift log, where the tool's entry is open."""
    row = standing.drift
    if row is not None and row["state"] == "open":
        parts = f" ({', '.join(row['parts'])})" if row.get("parts") else ""
        detail = f": {row['detail']}" if row.get("detail") else ""
        summary = f"drift {row['category']}{parts} is open since {row['opened']}{detail}"
        yield Cause(row["reason"], summary, _known(row["reason_seq"] or row["reason_event"]))


def _waived(standing: Standing) -> Iterator[Cause]:
    if standing.waiver is not None and standing.drift is not None and standing.drift["state"] == "open":
        waiver = standing.waiver
        yield Cause("waived", f"accepted for {waiver['subject']}: {waiver['reason']}", (waiver["seq"],))


def _unexplained(standing: Standing) -> Cause:
    """Nothing that was recorded explains it."""
    return Cause("unobserved", "no recorded event explains it", _known((standing.serving or {}).get("seq")))


def _known(*events: Any) -> tuple[int | str, ...]:
    return tuple(event for event in events if event)


_ABSENCE: Final = (_hidden, _unlisted, _collided, _said, _unrendered, _unserved, _server_state)
