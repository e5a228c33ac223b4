"""What the stories of the views tell: listings, renders, servings and watching, in few words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.unit.projections.story import FIRST_US, SECOND_US, Story, Told, event

if TYPE_CHECKING:
    from ledger.projections.fold import Fold

Tool = str | dict[str, Any]


def tool(name: str, **fields: Any) -> dict[str, Any]:
    """A definition that no tool of another name has, in words or in meaning."""
    schema = {"type": "object", "properties": {f"{name}_id": {"type": "string"}}}
    return {"name": name, "description": f"does {name}", "inputSchema": schema, **fields}


def capture(server: str, *tools: Tool, outcome: str = "complete", **fields: Any) -> Told:
    definitions = [tool(each) if isinstance(each, str) else each for each in tools]
    return event("descriptors.captured", server=server, outcome=outcome, tools=definitions, **fields)


def partial(server: str, *tools: Tool, **fields: Any) -> Told:
    return capture(server, *tools, outcome="partial", **fields)


def empty(server: str) -> Told:
    return capture(server, outcome="empty")


def failure(server: str, stage: str = "timeout", **error: Any) -> Told:
    return event("capture.failed", server=server, stage=stage, error=error)


def entry(identity: str, name: str | None = None, **fields: Any) -> dict[str, Any]:
    """An entry from `server::tool`, or from a mere name that clients see."""
    server, found, bare = identity.rpartition("::")
    exposed = name or bare
    who = {"server": server, "tool": bare} if found else {}
    return {"name": exposed, **who, "definition": tool(exposed), **fields}


def served(*entries: str | dict[str, Any], **fields: Any) -> Told:
    return event("live.served", tools=[_whole(each) for each in entries], **fields)


def rendered(*entries: str | dict[str, Any], **fields: Any) -> Told:
    return event("render.completed", intended={"tools": [_whole(each) for each in entries]}, **fields)


def _whole(given: str | dict[str, Any]) -> dict[str, Any]:
    return entry(given) if isinstance(given, str) else given


def watching(*watches: str, every: float | None = 60, session: str | None = "s1") -> Told:
    promise = {"session": session, "interval_s": every}
    return event("recording.started", watches=list(watches), **{k: v for k, v in promise.items() if v is not None})


def at(second: int, told: Told, *, actor: str = "test") -> Told:
    """The same, recorded this many seconds after the beginning of the story."""
    return told._replace(recorded_us=us(second), actor=actor)


def us(second: int) -> int:
    """The recorded time of a second of the story."""
    return FIRST_US + second * SECOND_US


def reads(fold: Fold, story: Story, told: Told) -> list[str]:
    """The documents that a fold reads for one more event."""
    after = story.when(told)
    read: list[str] = []

    def documents(digest: str) -> Any:
        read.append(digest)
        return after.documents[digest]

    fold.fold(story.rows, after.events[-1], story.states, documents)
    return read


def list_digest(story: Story) -> str:
    """The digest of the list that the last event of a story brought."""
    payload = story.events[-1].payload
    assert payload is not None
    digest: str = payload["tools"] if "tools" in payload else payload["intended"]["tools"]
    return digest
