"""Which output schemas are trusted: per tool the adoption state, its streaks, and what they rest on.

Rows: `server::tool` → see adoption.py, where the table of states is; `@settings` → {success, failure, quiet} of the
last render; `@aliases/<server>` → see schema_names.py; `@served` → {list} of the last serving. Only the key of a tool
has `::` in it. An entry without identity is `?::name`, an aggregate its server and name.

Where the table leaves room:

- The candidate of a tool that was never captured is the schema of the render's entry, else the producer's name for it.
- A render promotes what it lists in `promoted`, if it was earned under the render's own settings; an unearned citation
  changes nothing, and what is not listed stays promotable. A render that says nothing of promotions promotes what its
  entries carry, if it was promotable before.
- A pass before the render counts for a schema that is the newest captured at that moment, and for one that cannot be
  compared with it; a failure ends that streak. The next render that shows the tool uses the passes or drops them.
- A tool whose first schema comes after it was untyped, locked, or only validated has it promoted on probation too.
- Escalation ends with enough passes in a row, another schema, none, or a lock; not with one pass, not with a higher
  threshold. Of settings that a render does not give, the defaults hold.
- Of a render whose list is erased in part, what cannot be read is not taken for absent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ledger.canon.digest import is_digest
from ledger.events.documents import list_items
from ledger.projections.adoption import (
    FAIL,
    LOCKED,
    ON_TRIAL,
    PASS,
    Sight,
    Thresholds,
    failed,
    fallen_back,
    kept_waiting,
    known_by,
    not_rendered,
    not_rendered_yet,
    noted,
    passed,
    rendered,
    under,
)
from ledger.projections.schema_names import Aliases, digest_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ledger.events.fact import Fact
    from ledger.projections.fold import Changes, Documents, Row, State

NAME: Final = "schemas"
VERSION: Final = 1
KINDS: Final = frozenset(("schema.validated", "fallback.engaged", "render.completed", "live.served"))
NEEDS: Final = ("descriptors",)

SETTINGS: Final = "@settings"
SERVED: Final = "@served"
DEFAULTS: Final = Thresholds()


def fold(state: State, event: Fact, views: Mapping[str, State], documents: Documents) -> Changes:
    """Move adoption by one event; captures and health are none of its business."""
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


def limits_of(state: State) -> Thresholds:
    """The thresholds in force: those of the last render, the defaults before any."""
    row = state.get(SETTINGS)
    return DEFAULTS if row is None else Thresholds(row["success"], row["failure"], row["quiet"])


def _on_validation(state: State, event: Fact, payload: Mapping[str, Any], captured: State) -> Changes:
    result, schema = payload.get("result"), payload.get("schema_hash")
    server, tool = payload.get("server"), payload.get("tool")
    if (result != PASS and result != FAIL) or not schema or not server or not tool:
        return {}
    key = f"{server}::{tool}"
    row = state.get(key)
    if row is None or row["hash"] != schema:
        schema = digest_of(state, server, tool, schema)
        row = not_rendered_yet(schema) if row is None else row
    limits = limits_of(state)
    if row["hash"] != schema or row["state"] not in ON_TRIAL:
        aside = noted(row, event.seq, schema, result)
        if row["state"] != LOCKED and _may_be_candidate(schema, captured.get(key)):
            aside = kept_waiting(aside, event.event_id, schema, result, limits)
        return {key: aside}
    if result == PASS:
        return {key: passed(row, event.event_id, limits)}
    return {key: failed(row, event.seq, payload.get("error") or {}, limits)}


def _may_be_candidate(schema: str, captured: Row | None) -> bool:
    return captured is None or captured["output"] == schema or not is_digest(schema)


def _on_fallback(state: State, event: Fact, payload: Mapping[str, Any]) -> Changes:
    key = f"{payload.get('server')}::{payload.get('tool')}"
    row, step = state.get(key), payload.get("step")
    return {} if row is None or not step else {key: fallen_back(row, event.seq, step)}


def _on_serving(state: State, payload: Mapping[str, Any], documents: Documents) -> Changes:
    served = payload.get("tools")
    if not isinstance(served, str) or state.get(SERVED) == {"list": served}:
        return {}
    aliases = Aliases(state)
    for entry in _entries(served, documents):
        server, tool, name, output = (entry.get(field) for field in ("server", "tool", "schema_hash", "output"))
        if server and tool and name and output:
            aliases.learn(server, tool, name, output)
    return {SERVED: {"list": served}, **aliases.changes}


def _on_render(
    state: State, event: Fact, payload: Mapping[str, Any], captured: State, documents: Documents
) -> Changes:
    intended = payload.get("intended")
    listed = intended.get("tools") if isinstance(intended, dict) else None
    if not isinstance(listed, str):
        return {}
    render = _Render(event.seq, payload)
    aliases = Aliases(state)
    shown: Changes = {}
    whole = True
    for entry in _entries(listed, documents):
        if "definition" not in entry:
            whole = False
            continue
        server, tool = _identity(entry)
        key = f"{server}::{tool}"
        if key not in shown:
            ...
    return {}
