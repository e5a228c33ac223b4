"""What each server really listed: complete and empty listings replace, partial ones add, failures do nothing.

Keys: `server::tool` for every tool that was ever listed, and `@server/<server>` for its newest listing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ledger.events.documents import list_items
from ledger.projections.renames import renames
from ledger.projections.whole_lists import Item, Replacement, Standing, present_rows, replaced_by, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ledger.events.fact import Fact
    from ledger.projections.fold import Changes, Documents, Row, State

NAME = "descriptors"
VERSION = 1
KINDS = frozenset({"descriptors.captured"})
NEEDS: tuple[str, ...] = ()

_NEVER_LISTED: Row = {"listing": None, "outcome": None, "exact": False, "tools": 0}


def fold(state: State, event: Fact, views: Mapping[str, State], documents: Documents) -> Changes:  # noqa: ARG001
    """The rows after a listing.

    One that says what the last one said changes nothing here; that it was seen is told in `servers`.
    """
    payload = event.payload
    if payload is None:
        return {}
    key = f"@server/{payload['server']}"
    known = state.get(key, _NEVER_LISTED)
    if _is_applied(known, payload):
        return {}
    listing = _added if payload["outcome"] == "partial" else _replaced
    changes, header = listing(state, event.seq, payload, known, documents)
    if payload.get("rejected"):
        header["rejected"] = payload["rejected"]
    if not changes and header == {name: value for name, value in known.items() if name != "seq"}:
        return {}
    return changes | {key: header | {"seq": event.seq}}


def _is_applied(known: Row, payload: Mapping[str, Any]) -> bool:
    """Whether the rows are known to say already what a listing says; asked before any document is read."""
    if payload["outcome"] != known["outcome"] or (payload.get("rejected") or None) != known.get("rejected"):
        return False
    if payload["outcome"] == "partial":
        return bool(payload["tools"] == known["partial"])
    return bool(known["exact"] and payload["tools"] == known["listing"])


def _added(state: State, seq: int, payload: Mapping[str, Any], known: Row, documents: Documents) -> tuple[Changes, Row]:
    prefix = f"{payload['server']}::"
    additions = whole(list_items(payload["tools"], documents), lambda item: prefix + item[0], tuple)
    changes = present_rows(state, additions, lambda item, row: _listed(row, item, seq, partial=True))
    header = {
        "listing": known["listing"],
        "outcome": "partial",
        "partial": payload["tools"],
        "exact": known["exact"] and not changes,
        "tools": known["tools"] + len(_newcomers(state, additions.present)),
    }
    return changes, header | ({"erased": True} if additions.erased else {})


def _replaced(
    state: State, seq: int, payload: Mapping[str, Any], known: Row, documents: Documents
) -> tuple[Changes, Row]:
    replacement = _replacement(state, payload, known, documents)
    newcomers = _newcomers(state, replacement.present)
    changes = present_rows(state, replacement, lambda item, row: _listed(row, item, seq, partial=False))
    changes |= {key: _gone(state[key], seq) for key in replacement.absent}
    changes |= _renamed(changes, payload, newcomers, replacement.absent)
    header = {
        "listing": payload["tools"],
        "outcome": payload["outcome"],
        "exact": replacement.exact,
        "tools": known["tools"] + len(newcomers) - len(replacement.absent),
    }
    return changes, header | ({"erased": True} if replacement.erased else {})


def _replacement(state: State, payload: Mapping[str, Any], known: Row, documents: Documents) -> Replacement:
    prefix = f"{payload['server']}::"

    def listed_keys() -> list[str]:
        if known is _NEVER_LISTED:
            return []
        return [key for key, row in state.items() if key.startswith(prefix) and _is_listed(row)]

    if payload["outcome"] == "empty":  # the word says it: there is nothing to read
        return whole((), str, listed_keys)
    before = known["listing"] if known["exact"] else None
    standing = Standing(lambda key: _is_listed(state.get(key)), listed_keys)
    return replaced_by(payload["tools"], before, documents, lambda item: prefix + item[0], standing)


def _newcomers(state: State, keys: Iterable[str]) -> list[str]:
    return [key for key in keys if not _is_listed(state.get(key))]


def _is_listed(row: Row | None) -> bool:
    return row is not None and row["state"] == "listed"


def _listed(row: Row | None, item: Item, seq: int, *, partial: bool) -> Row:
    """The row of a listed tool; `since` is the age of its definition, which an absence does not renew."""
    _, definition, nameless, semantic, input_schema, output_schema = item
    listed: Row = {
        "definition": definition,
        "nameless": nameless,
        "semantic": semantic,
        "input": input_schema,
        "output": output_schema,
        "since": seq,
        "first": seq,
        "state": "listed",
    }
    if partial:
        listed["partial"] = True
    return listed if row is None else _continued(row, listed, seq)


def _continued(row: Row, listed: Row, seq: int) -> Row:
    """What a tool's row keeps of the one before."""
    is_same = row["definition"] == listed["definition"]
    if not _is_listed(row):
        listed["back"] = seq
    elif is_same and ("partial" in listed or "partial" not in row):
        return row  # a partial listing takes nothing from what a complete one has said
    else:
        listed |= {name: row[name] for name in ("back", "renamed_from") if name in row}
    return listed | {"since": row["since"] if is_same else seq, "first": row["first"]}


def _gone(row: Row, seq: int) -> Row:
    kept = {name: value for name, value in row.items() if name != "partial"}
    return kept | {"state": "gone", "gone": seq}


def _renamed(changes: Changes, payload: Mapping[str, Any], newcomers: list[str], absent: list[str]) -> Changes:
    """Both rows of each rename that a complete listing proves."""
    prefix = f"{payload['server']}::"
    # What the server still lists, but in a form nobody can use, has not got another name.
    unusable = {f"{prefix}{each['name']}" for each in payload.get("rejected") or () if each.get("name")}
    rows = {key: row for key, row in changes.items() if row is not None}
    gone = {key: rows[key] for key in absent if key not in unusable}
    marked: Changes = {}
    for old, new in renames(gone, {key: rows[key] for key in newcomers}).items():
        marked[old] = rows[old] | {"renamed_to": new.removeprefix(prefix)}
        marked[new] = rows[new] | {"renamed_from": old.removeprefix(prefix)}
    return marked
