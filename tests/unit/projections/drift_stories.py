"""Stories about drift: all six folds, and the few questions that its tests ask of a story."""

from __future__ import annotations

from typing import Any

from ledger.canon.digest import digest
from ledger.projections import descriptors, drift, intended, live, schemas, servers
from tests.unit.projections.facts import Tool, entry, tool
from tests.unit.projections.story import Story, Told, event, event_id, stories_of

given = stories_of(descriptors, servers, schemas, intended, live, drift)


def open_entries(story: Story) -> dict[str, str]:
    """The open entries by key, each with its category."""
    return {
        key: row["category"]
        for key, row in story.rows.items()
        if key.partition("::")[1] and not key.startswith("waiver/") and row["state"] == "open"
    }


def basis(story: Story) -> str:
    return story.rows.get("@basis", {"basis": "none"})["basis"]


def why(story: Story, key: str) -> tuple[str, int | None]:
    """(the reason, the position of its proof) of an open entry; a proof that has an id has that of its position."""
    row = story.rows[key]
    assert row["state"] == "open"
    seq = row["reason_seq"]
    assert row["reason_event"] in (None, event_id(seq) if seq else None)
    return row["reason"], seq


def proved(story: Story, key: str) -> tuple[str, str | None]:
    """(the reason, the id of the event that proves it) of an open entry."""
    row = story.rows[key]
    assert row["state"] == "open"
    return row["reason"], row["reason_event"]


def health(server: str, after: str) -> Told:
    return event("health.changed", server=server, after=after)


def from_source(identity: str, source: Tool, **fields: Any) -> dict[str, Any]:
    """An entry that was rendered from this descriptor; it shows what `fields` make of it."""
    descriptor = tool(source) if isinstance(source, str) else source
    return entry(identity, source_digest=digest(descriptor), **fields)


def aggregate(identity: str, *called: str, **fields: Any) -> dict[str, Any]:
    """An aggregate whose operations call these tools, `server::tool` or a mere name."""
    operations = []
    for each in called:
        server, found, name = each.rpartition("::")
        operations.append({"tool": name, **({"server": server} if found else {})})
    return entry(identity, kind="aggregate", operations=operations, **fields)


def hidden(*identities: str, reason: str = "hidden_by_override", layer: str | None = None) -> list[dict[str, Any]]:
    found = []
    for identity in identities:
        server, _, name = identity.rpartition("::")
        found.append({"server": server or None, "tool": name, "reason": reason, "layer": layer})
    return [{name: value for name, value in each.items() if value is not None} for each in found]


def omitted(identity: str, reason: str, **fields: Any) -> dict[str, Any]:
    server, _, name = identity.rpartition("::")
    return {"server": server, "tool": name, "reason": reason, **fields}
