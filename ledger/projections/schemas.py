"""Which output schemas are trusted: per tool the adoption state, its streaks, and what they rest on.

Rows: `server::tool` → see adoption.py, which holds the table of states; `@settings` → {success, failure,
quiet} of the last render; `@aliases/<server>` → see schema_names.py; `@served` → {list} of the last
serving. A key with `::` in it is a tool's, no other: `?::name` where an entry says no server, its server
and name for an aggregate.

Where the table leaves room:

- The candidate of a tool that was never captured is the schema of the render's entry, else what that calls
  it.
- A render promotes what it lists in `promoted`, if it was earned by the render's own settings; also a
  schema that it is the first to show. What it does not list stays promotable; what it lists unearned stays
  as it is. A render that says nothing of promotions promotes what its entries carry, if it was known and
  promotable before.
- A pass before a render shows the schema counts if that was the newest captured one at the time, or if the
  two cannot be compared; a failure ends that streak. The next render that shows the tool uses the passes or
  drops them.
- The first schema of a tool that was untyped, locked or only validated until then is promoted on probation
  too.
- Escalation ends with enough passes in a row, with another schema, with none, or with a lock: not with one
  pass, nor with a higher threshold. A setting that a render does not give has its default.
- A lock that keeps a changed schema from being tried is noted as `lock_held`.
- Of a list that is erased in part, what cannot be read is not taken for absent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ledger.canon.digest import is_digest
from ledger.events.documents import list_items
from ledger.projections.adoption import (
    FAIL,
    LOCKED,
    ON_TRIAL,
    PASS,
    Thresholds,
    failed,
    fallen_back,
    is_settled,
    kept_waiting,
    known_by,
    not_rendered,
    not_rendered_yet,
    noted,
    passed,
    rendered,
    under,
)
from ledger.projections.entries import entry_key
from ledger.projections.schema_names import Aliases, digest_of
from ledger.projections.sights import DEFAULTS, Render, Shown, render_of, sight_of
from ledger.projections.whole_lists import whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ledger.events.fact import Fact
    from ledger.projections.fold import Changes, Documents, Row, State
    from ledger.projections.whole_lists import Replacement

NAME = "schemas"
VERSION = 1
KINDS = frozenset({"schema.validated", "fallback.engaged", "render.completed", "live.served"})
NEEDS: tuple[str, ...] = ("descriptors",)

SETTINGS: Final = "@settings"
SERVED: Final = "@served"
_BEFORE_ANY_RENDER: Final[Row] = DEFAULTS._asdict()


def fold(state: State, event: Fact, views: Mapping[str, State], documents: Documents) -> Changes:
    """The rows after one event. Captures and health move nothing: a render finds what was captured."""
    payload = event.payload
    if payload is None:
        return {}
    match event.kind:
        case "schema.validated":
            return _on_validation(state, event, payload, views["descriptors"])
        case "fallback.engaged":
            return _on_fallback(state, event, payload)
        case "live.served":
            return _on_serving(state, payload, documents)
        case "render.completed":
            return _on_render(state, event, payload, views["descriptors"], documents)
        case _:
            return {}


def _on_validation(state: State, event: Fact, payload: Mapping[str, Any], captured: State) -> Changes:
    result, schema = payload.get("result"), payload.get("schema_hash")
    server, tool = payload.get("server"), payload.get("tool")
    if result not in (PASS, FAIL) or not schema or not server or not tool:
        return {}
    key = f"{server}::{tool}"
    row = state.get(key)
    if row is None or row["hash"] != schema:
        schema = digest_of(state, key, schema)
        row = not_rendered_yet(schema) if row is None else row
    limits = state.get(SETTINGS, _BEFORE_ANY_RENDER)
    if row["hash"] != schema or row["state"] not in ON_TRIAL:
        aside = noted(row, event.seq, schema, result)
        if row["state"] != LOCKED and _may_be_candidate(schema, captured.get(key)):
            aside = kept_waiting(aside, event.event_id, schema, result, limits["success"])
        return {key: aside}
    if result == PASS:
        return {key: passed(row, event.event_id, limits["success"])}
    return {key: failed(row, event.seq, payload.get("error") or {}, limits["failure"])}


def _may_be_candidate(schema: str, captured: Row | None) -> bool:
    return captured is None or captured["output"] == schema or not is_digest(schema)


def _on_fallback(state: State, event: Fact, payload: Mapping[str, Any]) -> Changes:
    key = f"{payload.get('server')}::{payload.get('tool')}"
    row, step = state.get(key), payload.get("step")
    return {} if row is None or not step else {key: fallen_back(row, event.seq, step)}


def _on_serving(state: State, payload: Mapping[str, Any], documents: Documents) -> Changes:
    """What was served moves no adoption; its entries may say what their producer calls a schema."""
    served = payload.get("tools")
    if not isinstance(served, str) or state.get(SERVED) == {"list": served}:
        return {}
    aliases = Aliases(state)
    items: Iterable[Any] = list_items(served, documents)
    for entry in items:
        if "schema_hash" in entry and "output" in entry:
            aliases.learn(entry_key(entry), entry["schema_hash"], entry["output"])
    return {SERVED: {"list": served}, **aliases.changes}


def _on_render(state: State, event: Fact, payload: Mapping[str, Any], captured: State, documents: Documents) -> Changes:
    listed = (payload.get("intended") or {}).get("tools")
    if not isinstance(listed, str):
        return {}
    render = render_of(event.seq, payload)
    aliases = Aliases(state)
    entries = whole(list_items(listed, documents), entry_key, tuple)
    rows: dict[str, Row] = {SETTINGS: render.limits._asdict()}
    is_tuned = rows[SETTINGS] != state.get(SETTINGS)
    for key, entry in entries.present.items():
        row, newest = state.get(key), captured.get(key)
        if is_tuned or not _is_settled(row, newest) or render.says_more_of(key, entry):
            names = _names(key, entry, newest, aliases)
            rows[key] = _after(row, Shown(key, entry, newest, names), render)
    rows |= _not_shown(state, entries, render.limits)
    changes: Changes = {key: row for key, row in rows.items() if row != state.get(key)}
    return changes | aliases.changes


def _is_settled(row: Row | None, captured: Row | None) -> bool:
    """Most tools in most renders: not looking further makes a render of a thousand tools much faster."""
    return row is not None and captured is not None and row["hash"] == captured["output"] and is_settled(row)


def _names(key: str, entry: Mapping[str, Any], captured: Row | None, aliases: Aliases) -> Mapping[str, str]:
    """What producers call the tool's schemas, with what its entry calls its own."""
    schema = entry.get("output") or (captured and captured["output"])
    if schema and "schema_hash" in entry:
        aliases.learn(key, entry["schema_hash"], schema)
    return aliases.of(key)


def _after(row: Row | None, shown: Shown, render: Render) -> Row:
    if row is not None and shown.names:
        row = known_by(row, shown.names)
    return rendered(row, sight_of(shown, row, render), render.limits)


def _not_shown(state: State, entries: Replacement, limits: Thresholds) -> dict[str, Row]:
    rest = {key: row for key, row in state.items() if "::" in key and key not in entries.present}
    if entries.erased:
        return {key: under(row, limits) for key, row in rest.items()}
    return {key: not_rendered(row, limits) for key, row in rest.items()}
