"""Random histories: lines that producers could send, odd ones included."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

SERVERS = ("fs", "git", "web")
TOOLS = ("read", "write", "list", "find")
SCHEMAS: tuple[dict[str, Any] | None, ...] = (None, {"type": "object"}, {"type": "object", "required": ["a"]})

servers = st.sampled_from(SERVERS)
tools = st.sampled_from(TOOLS)


def definition(name: str, variant: int, output: dict[str, Any] | None) -> dict[str, Any]:
    fields: dict[str, Any] = {"name": name, "description": f"v{variant}", "inputSchema": {"type": "object"}}
    return fields | ({"outputSchema": output} if output is not None else {})


definitions = st.builds(definition, tools, st.integers(0, 2), st.sampled_from(SCHEMAS))
listings = st.lists(definitions, max_size=4, unique_by=lambda each: each["name"])


def _entry(server: str, each: dict[str, Any], locked: bool) -> dict[str, Any]:
    return {"name": each["name"], "server": server, "tool": each["name"], "definition": each} | (
        {"locked": True} if locked else {}
    )


entries = st.lists(
    st.builds(_entry, servers, definitions, st.booleans()),
    max_size=5,
    unique_by=lambda each: (each["server"], each["tool"]),
)


def _captured(server: str, outcome: str, listed: list[dict[str, Any]]) -> dict[str, Any]:
    return {"server": server, "outcome": outcome, "tools": [] if outcome == "empty" else listed}


def _of(kind: str, payload: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return payload.map(lambda fields: {"kind": kind, "payload": fields})


hashes = st.sampled_from(["own-hash-1", "own-hash-2"])
omitted = st.lists(
    st.fixed_dictionaries({"name": tools, "reason": st.sampled_from(["server_down", "hidden_by_override"])}), max_size=2
)

lines = st.one_of(
    _of(
        "descriptors.captured",
        st.builds(_captured, servers, st.sampled_from(["complete", "partial", "empty"]), listings),
    ),
    _of("descriptors.captured", st.builds(_captured, servers, st.just("complete"), listings)),
    _of(
        "capture.failed",
        st.fixed_dictionaries({"server": servers, "stage": st.just("timeout"), "error": st.just({"code": "t"})}),
    ),
    _of(
        "health.changed",
        st.fixed_dictionaries({"server": servers, "after": st.sampled_from(["up", "down", "disabled", "degraded"])}),
    ),
    _of("render.completed", st.fixed_dictionaries({"intended": st.fixed_dictionaries({"tools": entries})})),
    _of("render.refused", st.just({"reason": "descriptors_missing"})),
    _of("live.served", st.fixed_dictionaries({"tools": entries, "omitted": omitted})),
    _of(
        "schema.validated",
        st.fixed_dictionaries(
            {"server": servers, "tool": tools, "schema_hash": hashes, "result": st.sampled_from(["pass", "fail"])}
        ),
    ),
    _of(
        "fallback.engaged",
        st.fixed_dictionaries({"server": servers, "tool": tools, "step": st.just("generic_wrapper")}),
    ),
    _of(
        "recording.started",
        st.fixed_dictionaries(
            {"session": st.just("s1"), "watches": st.just(["fs", "served"]), "interval_s": st.just(2)}
        ),
    ),
    _of("recording.stopped", st.fixed_dictionaries({"session": st.just("s1"), "reason": st.just("done")})),
    _of(
        "drift.waived",
        st.fixed_dictionaries({"subject": tools, "reason": st.just("known"), "until": st.just("2027-01-01T00:00:00Z")}),
    ),
    _of("note.added", st.fixed_dictionaries({"text": st.text(min_size=1, max_size=5)})),
)
