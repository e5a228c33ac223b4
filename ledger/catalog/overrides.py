"""Tool overrides, version 1 and version 2, read into statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ledger.catalog.problems import invalid
from ledger.catalog.shapes import (
    constant,
    fitted,
    flag,
    json_object,
    map_of,
    name,
    prose,
    record,
    server_name,
    text,
)
from ledger.catalog.statement import ANY_TOOL, Statement, Weight

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledger.canon.jsontext import Json
    from ledger.catalog.problems import Place, Problem
    from ledger.catalog.statement import HideCause

_ANNOTATIONS = record(
    {
        "title": prose,
        "readOnlyHint": flag,
        "destructiveHint": flag,
        "idempotentHint": flag,
        "openWorldHint": flag,
    }
)
_OVERRIDE = record(
    {
        "enabled": flag,
        "name": name,
        "description": prose,
        "annotations": _ANNOTATIONS,
        "inputSchema": json_object,
        "outputSchema": json_object,
        "lockSchema": flag,
    }
)
_TOOLS = map_of(_OVERRIDE, key=name)
_SERVER = record(
    {"enabled": flag, "metadata": record({"description": prose, "source": text}), "tools": _TOOLS},
)
_MASTER = record({"enabled": flag, "tools": _TOOLS})
_SERVERS = map_of(_SERVER, key=server_name)
_VERSION_1 = record({"schemaVersion": constant(1), "master": _MASTER, "servers": _SERVERS, "tools": _TOOLS})
_VERSION_2 = record({"schemaVersion": constant(2), "master": _MASTER, "servers": _SERVERS})


def overrides(document: Json, place: Place, problems: list[Problem]) -> tuple[Statement, ...]:
    """What an overrides file says; version 1 is the one without a `schemaVersion`.

    Version 1 also names tools without their server, under `master.tools` and under `tools`: such a statement
    speaks of that tool on every server, and weighs less than anything said about a server or about one tool
    of one server.
    """
    version_2 = isinstance(document, dict) and document.get("schemaVersion", 1) not in (1, None)
    found = fitted(_VERSION_2 if version_2 else _VERSION_1, document, place, problems)
    said = [
        *_master(_part(found, "master"), place.at("master")),
        *_flat(_part(found, "tools"), place.at("tools"), Weight.FLAT_TOOL),
        *_servers(_part(found, "servers"), place.at("servers")),
    ]
    problems.extend(_misplaced(said, version_2=version_2))
    return tuple(said)


def _master(master: dict[str, Json], place: Place) -> Iterator[Statement]:
    if "enabled" in master:
        yield Statement(None, None, Weight.MASTER, place, {"enabled": master["enabled"]})
    yield from _flat(_part(master, "tools"), place.at("tools"), Weight.MASTER_TOOL)


def _flat(tools: dict[str, Json], place: Place, weight: Weight) -> Iterator[Statement]:
    """Statements keyed by a bare tool name."""
    for tool in tools:
        fields = _part(tools, tool)
        if tool == ANY_TOOL:
            yield Statement(None, None, Weight.MASTER_ANY_TOOL, place.at(tool), fields)
        else:
            same_name: HideCause = "disabled_by_same_name"
            yield Statement(None, tool, weight, place.at(tool), fields, cause=same_name)


def _servers(servers: dict[str, Json], place: Place) -> Iterator[Statement]:
    for server in servers:
        fragment = _part(servers, server)
        inside = place.at(server)
        if "enabled" in fragment:
            enabled = {"enabled": fragment["enabled"]}
            yield Statement(server, None, Weight.SERVER, inside, enabled, cause="server_disabled")
        tools = _part(fragment, "tools")
        for tool in tools:
            at = inside.at("tools", tool)
            if tool == ANY_TOOL:
                yield Statement(server, None, Weight.SERVER_ANY_TOOL, at, _part(tools, tool))
            else:
                yield Statement(server, tool, Weight.TOOL, at, _part(tools, tool))


def _misplaced(said: list[Statement], *, version_2: bool) -> Iterator[Problem]:
    for statement in said:
        if statement.tool is None and "name" in statement.fields:
            yield invalid(statement.place.at("name"), "one name cannot be given to several tools")
        if version_2 and statement.weight is Weight.MASTER_TOOL:
            yield invalid(statement.place, 'only "*" may stand here in version 2; name the tool under its server')


def _part(whole: dict[str, Json], key: str) -> dict[str, Json]:
    part = whole.get(key)
    return part if isinstance(part, dict) else {}
