"""What each server really listed: complete and empty listings replace, partial ones add, failures do nothing.

Keys: `server::tool` for every tool that was ever listed, and `@server/<server>` for its newest listing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ledger.events.documents import list_items
from ledger.projections.renames import renames
from ledger.projections.whole_lists import Item, Replacement, Standing, replaced_by, row_changes, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledger.events.fact import Fact
    from ledger.projections.fold import Changes, Documents, Row, State

NAME = "descriptors"
VERSION = 1
KINDS = frozenset({"descriptors.captured"})
NEEDS: tuple[str, ...] = ()


def fold(state: State, event: Fact, views: Mapping[str, State], documents: Documents) -> Changes:  # noqa: ARG001
    """The rows after a listing.

    One that says what the last one said changes nothing here; that it was seen is told in `servers`.
    """
    payload = event.payload
    if payload is None:
        return {}
    known = state.get(f"@server/{payload['server']}")
    if known is not None and _says_the_same(known, payload):
        return {}
    if payload["outcome"] == "partial":
        return _added(state, event.seq, payload, known, documents)
    return _replaced(state, event.seq, payload, known, documents)


def _says_the_same(known: Row, payload: Mapping[str, Any]) -> bool:
    outcome = payload["outcome"]
    applied = known.get("partial") if outcome == "partial" else known["exact"] and known["listing"]
    return (
        outcome == known["outcome"]
        and payload["tools"] == applied
        and (payload.get("rejected") or None) == known.get("rejected")
    )


def _replaced(
    state: State, seq: int, payload: Mapping[str, Any], known: Row | None, documents: Documents
) -> Changes:
    server, listing = payload["server"], payload["tools"]
    replacement = _replacement(state, payload, known, documents)
    newcomers = [key for key in replacement.present if not _is_listed(state.get(key))]
    changes = row_changes(state, replacement, lambda item, row: _listed(row, item, seq, partial=False))
    changes |= {key: _gone(state[key], seq) for key in replacement.absent}
    _tell_renames(changes, payload, newcomers, replacement.absent)
    count = (known["tools"] if known else 0) + len(newcomers) - len(replacement.absent)
    about_it = {"listing": listing, "outcome": payload["outcome"], "exact": replacement.exact}
    changes[f"@server/{server}"] = _header(about_it, seq, count, payload, erased=replacement.erased)
    return changes


def _replacement(
    state: State, payload: Mapping[str, Any], known: Row | None, documents: Documents
) -> Replacement:
    prefix = f"{payload['server']}::"

    def listed_keys() -> list[str]:
        if known is None:
            return []
        return [key for key, row in state.items() if key.startswith(prefix) and _is_listed(row)]

    if payload["outcome"] == "empty":  # the word says it: there is nothing to read
        return whole((), str, listed_keys)
    before = known["listing"] if known is not None and known["exact"] else None
    standing = Standing(lambda key: _is_listed(state.get(key)), listed_keys)
    return replaced_by(payload["tools"], before, documents, lambda item: prefix + item[0], standing)


def _added(
    state: State, seq: int, payload: Mapping[str, Any], known: Row | None, documents: Documents
) -> Changes:
    server, listing = payload["server"], payload["tools"]
    items = list_items(listing, documents)
    additions = whole(items, lambda item: f"{server}::{item[0]}", tuple)
    newcomers = [key for key in additions.present if not _is_listed(state.get(key))]
    changes = row_changes(state, additions, lambda item, row: _listed(row, item, seq, partial=True))
    about_it = {
        "listing": known["listing"] if known else None,
        "outcome": "partial",
        "partial": listing,
        "exact": known is not None and known["exact"] and not changes,
    }
    count = (known["tools"] if known else 0) + len(newcomers)
    changes[f"@server/{server}"] = _header(about_it, seq, count, payload, erased=additions.erased)
    return changes


def _header(about_it: Row, seq: int, count: int, payload: Mapping[str, Any], *, erased: bool) -> Row:
    row = {**about_it, "seq": seq, "tools": count}
    if payload.get("rejected"):
        row["rejected"] = payload["rejected"]
    if erased:
        row["erased"] = True
    return row


def _is_listed(row: Row | None) -> bool:
    return row is not None and row["state"] == "listed"


def _listed(row: Row | None, item: Item, seq: int, *, partial: bool) -> Row:
    """The row of a listed tool; `since` is the age of its definition, which an absence does not renew."""
    _, definition, nameless, semantic, input_schema, output_schema = item
    is_same = row is not None and row["definition"] == definition
    if row is not None and is_same and _is_listed(row) and (partial or "partial" not in row):
        return row
    listed: Row = {
        "definition": definition,
        "nameless": nameless,
        "semantic": semantic,
        "input": input_schema,
        "output": output_schema,
        "since": row["since"] if row is not None and is_same else seq,
        "first": seq if row is None else row["first"],
        "state": "listed",
    }
    if partial:
        listed["partial"] = True
    if row is not None and _is_listed(row):
        listed |= {name: row[name] for name in ("back", "renamed_from") if name in row}
    elif row is not None:
        listed["back"] = seq
    return listed


def _gone(row: Row, seq: int) -> Row:
    kept = {name: value for name, value in row.items() if name != "partial"}
    return kept | {"state": "gone", "gone": seq}


def _tell_renames(
    changes: Changes, payload: Mapping[str, Any], newcomers: list[str], absent: list[str]
) -> None:
    """Mark both rows of each rename, in the changes of the listing that proves it."""
    prefix = f"{payload['server']}::"
    # What the server still lists, but in a form nobody can use, has not got another name.
    unusable = {f"{prefix}{each['name']}" for each in payload.get("rejected") or () if each.get("name")}
    rows = {key: row for key, row in changes.items() if row is not None}
    gone = {key: rows[key] for key in absent if key not in unusable}
    for old, new in renames(gone, {key: rows[key] for key in newcomers}).items():
        changes[old] = rows[old] | {"renamed_to": new.removeprefix(prefix)}
        changes[new] = rows[new] | {"renamed_from": old.removeprefix(prefix)}
