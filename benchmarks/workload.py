"""The workload: what a gateway with 1,000 tools on 40 servers records, the same every time.

Of every thousand events 600 repeat what is known (polls, validations of settled schemas), 350 move a streak (passes,
failures, fallbacks) and 50 change something (46 a listing, 2 a render, 2 a serving). Nothing here grows with the number
of events: a change takes the place of what it changes, and a name that goes comes back.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import orjson

from ledger.canon.digest import digest

if TYPE_CHECKING:
    from collections.abc import Iterator

Line = dict[str, Any]
"""What a producer hands in: `{kind, payload, occurred_at}`, definitions inline."""

SEED: Final = 20_261_118
SERVERS: Final = 40
TOOLS_PER_SERVER: Final = 25
MOVING: Final = 300
"""How many of the thousand tools have schemas that still fail now and then."""

OPENING: Final = SERVERS + 3
"""How many lines come before everything else."""
KILOBYTE: Final = 1_024
_BLOCK: Final = (
    ["poll"] * 300 + ["settled"] * 300 + ["moving"] * 280 + ["fallback"] * 70
    + ["listing"] * 46 + ["render"] * 2 + ["serving"] * 2
)  # fmt: skip
_BEGAN: Final = datetime(2026, 11, 17, 12, tzinfo=UTC)
_VERBS: Final = ("search", "read", "write", "list", "create", "delete", "update", "summarise")
_NOUNS: Final = ("issue", "file", "branch", "message", "record", "invoice", "calendar", "image", "query", "page")
_COMPLAINT: Final = (
    "the connection to the upstream service was lost while its tools were listed and the worker gave up after "
    "several attempts because the answer did not fit the schema that it had declared before so the next poll "
    "will try again with the last known definition and a longer pause"
)


@dataclass
class Tool:
    """A tool as its server lists it now; `revision` counts its changes."""

    name: str
    revision: int = 0
    listed: bool = True
    definition: dict[str, Any] = field(default_factory=dict)
    output_digest: str = ""
    source_digest: str = ""


@dataclass
class Server:
    """A downstream server and what a poll of it is sure to bring again until something changes."""

    name: str
    tools: list[Tool]
    launch: dict[str, Any]


class Workload:
    """A world of servers and tools that speaks in producers' lines; `seed` decides everything."""

    def __init__(self, seed: int = SEED) -> None:
        self._random = random.Random(seed)
        self._clock = _BEGAN
        self.servers = [self._new_server(number) for number in range(SERVERS)]
        places = [(server, tool) for server in self.servers for tool in server.tools]
        self._random.shuffle(places)
        self._moving, self._settled = places[:MOVING], places[MOVING:]

    def lines(self, count: int) -> Iterator[Line]:
        """So many lines, the opening of the catalog among them."""
        return islice(self._endless(), count)

    def opening(self) -> Iterator[Line]:
        """What comes before everything: watching begins, every server is listed, one render, one serving."""
        watches = [*(server.name for server in self.servers), "served"]
        yield self._line("recording.started", {"session": "bench", "watches": watches, "interval_s": 3600})
        for server in self.servers:
            yield self._capture(server, "boot")
        yield self._render()
        yield self._serving("boot")

    def _endless(self) -> Iterator[Line]:
        yield from self.opening()
        while True:
            block = _BLOCK.copy()
            self._random.shuffle(block)
            for what in block:
                yield self._event(what)

    def _event(self, what: str) -> Line:
        match what:
            case "poll":
                return self._capture(self._random.choice(self.servers), "poll")
            case "settled":
                return self._validation(*self._random.choice(self._settled), passes=True)
            case "moving":
                return self._validation(*self._random.choice(self._moving), passes=self._random.random() < 0.5)
            case "fallback":
                return self._fallback(*self._random.choice(self._moving))
            case "listing":
                return self._changed_listing(self._random.choice(self.servers))
            case "render":
                return self._render()
            case _:
                return self._serving("refresh")

    # -- events ---------------------------------------------------------------------------------------------------

    def _capture(self, server: Server, trigger: str) -> Line:
        return self._line(
            "descriptors.captured",
            {
                "server": server.name,
                "outcome": "complete",
                "trigger": trigger,
                "transport": "stdio",
                "protocol_version": "2025-11-25",
                "server_info": {"name": server.name, "version": "1.4.2"},
                "capabilities": {"tools": {"listChanged": True}},
                "launch": server.launch,
                "tools": [tool.definition for tool in server.tools if tool.listed],
                "duration_ms": self._duration_ms(),
            },
        )

    def _validation(self, server: Server, tool: Tool, *, passes: bool) -> Line:
        payload: dict[str, Any] = {
            "server": server.name,
            "tool": tool.name,
            "schema_hash": tool.output_digest,
            "result": "pass" if passes else "fail",
            "duration_ms": self._duration_ms(),
        }
        if not passes:
            payload["error"] = {"pointer": "/items/0/total", "keyword": "type", "type": "string"}
        return self._line("schema.validated", payload)

    def _fallback(self, server: Server, tool: Tool) -> Line:
        payload = {
            "server": server.name,
            "tool": tool.name,
            "from_hash": tool.output_digest,
            "step": self._random.choice(("prior_override", "generic_wrapper")),
            "reason": "the answer did not fit",
        }
        return self._line("fallback.engaged", payload)

    def _changed_listing(self, server: Server) -> Line:
        tool = self._random.choice(server.tools)
        if not tool.listed:
            tool.listed = True
        elif self._random.random() < 0.15:
            tool.listed = False
        else:
            tool.revision += 1
            _define(tool)
        return self._capture(server, "list_changed")

    def _render(self) -> Line:
        entries = [
            {
                "name": tool.name,
                "server": server.name,
                "tool": tool.name,
                "definition": tool.definition,
                "source_digest": tool.source_digest,
            }
            for server in self.servers
            for tool in server.tools
            if tool.listed
        ]
        payload = {
            "settings": {"SCHEMA_SUCCESS_THRESHOLD": 1},
            "descriptor_source": "live",
            "intended": {"tools": entries},
            "duration_ms": self._duration_ms(),
        }
        return self._line("render.completed", payload)

    def _serving(self, trigger: str) -> Line:
        entries, omitted = [], []
        for server in self.servers:
            for tool in server.tools:
                identity = {"name": tool.name, "server": server.name, "tool": tool.name}
                if tool.listed:
                    entries.append(identity | {"definition": tool.definition, "schema_source": "declared"})
                else:
                    omitted.append(identity | {"reason": "not_listed"})
        return self._line("live.served", {"trigger": trigger, "tools": entries, "omitted": omitted})

    def _line(self, kind: str, payload: dict[str, Any]) -> Line:
        self._clock += timedelta(milliseconds=250)
        return {"kind": kind, "payload": payload, "occurred_at": self._clock.isoformat()}

    def _duration_ms(self) -> float:
        return round(self._random.uniform(1, 90), 3)

    # -- the world ------------------------------------------------------------------------------------------------

    def _new_server(self, number: int) -> Server:
        name = server_name(number)
        tools = [Tool(tool_name(number, index)) for index in range(TOOLS_PER_SERVER)]
        for tool in tools:
            _define(tool)
        launch = {"command": "npx", "args": ["-y", f"@bench/{name}"], "env": [f"{name.upper()}_HOME"]}
        return Server(name, tools, launch)


def server_name(number: int) -> str:
    return f"server{number % SERVERS:02}"


def tool_name(server: int, index: int) -> str:
    """A name that no other server has."""
    number = server % SERVERS * TOOLS_PER_SERVER + index % TOOLS_PER_SERVER
    return f"{_VERBS[number % len(_VERBS)]}_{_NOUNS[number % len(_NOUNS)]}_{number:03}"


def producer_bytes(line: Line) -> int:
    """How long the line is as its producer writes it, definitions inline."""
    return len(orjson.dumps(line)) + 1


def listing_of(count: int) -> Line:
    """A complete capture of one server with so many tools."""
    tools = [Tool(tool_name(index // TOOLS_PER_SERVER, index)) for index in range(count)]
    for tool in tools:
        _define(tool)
    definitions = [tool.definition for tool in tools]
    payload = {"server": "large", "outcome": "complete", "trigger": "poll", "tools": definitions}
    return {"kind": "descriptors.captured", "payload": payload}


def kilobyte_lines(seed: int = SEED) -> Iterator[Line]:
    """Lines without end whose payloads are 1 KB; all are searched for secrets, and each moves a projection."""
    chosen = random.Random(seed)
    while True:
        number = chosen.randrange(SERVERS)
        for kind in ("capture.failed", "fallback.engaged", "health.changed"):
            yield {"kind": kind, "payload": _padded(_kilobyte_payload(kind, number, chosen), chosen)}


def _kilobyte_payload(kind: str, server: int, chosen: random.Random) -> dict[str, Any]:
    name = server_name(server)
    match kind:
        case "capture.failed":
            return {"server": name, "stage": "list", "error": {"code": "timeout", "message": ""}}
        case "fallback.engaged":
            tool = tool_name(server, chosen.randrange(TOOLS_PER_SERVER))
            return {"server": name, "tool": tool, "step": "generic_wrapper", "reason": ""}
        case _:
            after = chosen.choice(("up", "degraded", "down"))
            return {"server": name, "after": after, "consecutive_failures": 3, "reason": ""}


def _padded(payload: dict[str, Any], chosen: random.Random) -> dict[str, Any]:
    """The payload with its empty text filled with words until it is a kilobyte of JSON."""
    room = KILOBYTE - len(orjson.dumps(payload))
    text = " ".join(chosen.choices(_COMPLAINT.split(), k=room // 3))[:room].ljust(room, ".")
    if "error" in payload:
        return payload | {"error": payload["error"] | {"message": text}}
    return payload | {"reason": text}


def _define(tool: Tool) -> None:
    """Give the tool the definition of its revision: prose changes most, the input less, the output seldom."""
    prose, given, answered = tool.revision, tool.revision // 3, tool.revision // 7
    inputs = {
        f"{noun}_{given if index == 0 else 0}": {"type": "string", "description": f"The {noun} that is meant."}
        for index, noun in enumerate(_NOUNS[: 3 + len(tool.name) % 4])
    }
    outputs = {
        f"total_{answered}": {"type": "integer", "minimum": 0},
        "items": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}}}},
    }
    tool.definition = {
        "name": tool.name,
        "title": tool.name.replace("_", " ").title(),
        "description": f"{tool.name.replace('_', ' ').capitalize()}, as of edition {prose}. Returns what was found.",
        "inputSchema": {"type": "object", "properties": inputs, "required": sorted(inputs)[:2]},
        "outputSchema": {"type": "object", "properties": outputs, "required": ["items"]},
        "annotations": {"readOnlyHint": tool.revision % 2 == 0, "openWorldHint": True},
    }
    tool.output_digest = str(digest(tool.definition["outputSchema"]))
    tool.source_digest = str(digest(tool.definition))
