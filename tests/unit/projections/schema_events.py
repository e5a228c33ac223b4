"""Events for stories about schema adoption: one tool, github::search, its output schema named by a letter."""

from __future__ import annotations

from typing import Any

from ledger.canon.digest import digest
from tests.unit.projections.story import Told, event, event_id

SERVER, TOOL = "github", "search"
KEY = f"{SERVER}::{TOOL}"


def schema(letter: str) -> dict[str, Any]:
    return {"type": "object", "properties": {letter: {"type": "string"}}}


def hash_of(letter: str) -> str:
    return str(digest(schema(letter)))


def definition(letter: str | None, tool: str = TOOL, text: str = "Finds things") -> dict[str, Any]:
    known = {"name": tool, "description": text, "inputSchema": {"type": "object"}}
    return known if letter is None else {**known, "outputSchema": schema(letter)}


def captured(letter: str | None, *, text: str = "Finds things") -> Told:
    """The server lists the tool with this output schema, None for without."""
    return event("descriptors.captured", server=SERVER, outcome="complete", tools=[definition(letter, text=text)])


def entry(letter: str | None, **more: Any) -> dict[str, Any]:
    return {"name": TOOL, "server": SERVER, "tool": TOOL, "definition": definition(letter), **more}


def rendered(*entries: dict[str, Any], promoted: list[dict[str, Any]] | None = None, **more: Any) -> Told:
    """A render with these entries, which promotes what it lists and nothing else."""
    return event("render.completed", intended={"tools": list(entries)}, promoted=promoted or [], **more)


def rendered_elsewhere(*entries: dict[str, Any], **more: Any) -> Told:
    """A render by a producer that says nothing of promotions."""
    return event("render.completed", intended={"tools": list(entries)}, **more)


def promotion(letter: str, *evidence: int) -> dict[str, Any]:
    """A render's claim that the passes at these positions earned the schema its promotion."""
    cited = {"evidence": [event_id(seq) for seq in evidence]} if evidence else {}
    return {"server": SERVER, "tool": TOOL, "schema_hash": hash_of(letter), **cited}


def passed(letter: str) -> Told:
    return validated(hash_of(letter), "pass")


def failed(letter: str, pointer: str = "/items/0", keyword: str = "type") -> Told:
    return validated(hash_of(letter), "fail", error={"pointer": pointer, "keyword": keyword})


def validated(schema_hash: str, result: str, **more: Any) -> Told:
    return event("schema.validated", server=SERVER, tool=TOOL, schema_hash=schema_hash, result=result, **more)


def fell_back(step: str = "generic_wrapper") -> Told:
    return event("fallback.engaged", server=SERVER, tool=TOOL, step=step)


def served(*entries: dict[str, Any]) -> Told:
    return event("live.served", tools=list(entries))


def thresholds(success: object = 2, failure: object = 2, quiet: object = 10) -> dict[str, object]:
    """The settings of a render."""
    return {
        "SCHEMA_SUCCESS_THRESHOLD": success,
        "SCHEMA_FAILURE_THRESHOLD": failure,
        "SCHEMA_STABLE_RETENTION": quiet,
    }
