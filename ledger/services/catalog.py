"""Catalog: what should be, what was served, or what servers listed, at any moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ledger.errors import NothingRecorded, UnknownName
from ledger.events.documents import ERASED
from ledger.services.names import nearest
from ledger.services.views import View, coverage_of, position_fields, read_view
from ledger.store.documents import read_document

if TYPE_CHECKING:
    from ledger.projections.fold import Row
    from ledger.services.moments import Moment
    from ledger.store.engine import Connection
    from ledger.store.store import Catalog

# What must have been recorded for there to be an answer, and the row that proves that it was.
_SOURCES = {
    "intended": ("@render", "render (`render.completed`)"),
    "live": ("@serving", "serving (`live.served`)"),
    "descriptors": ("@server/", "listing (`descriptors.captured`)"),
}


def read_catalog(
    connection: Connection,
    catalog: Catalog,
    projection: str,
    moment: Moment,
    *,
    server: str | None = None,
    tool: str | None = None,
    full: bool = False,
) -> dict[str, Any]:
    """The answer of `catledger catalog`, with the fields that cli.md promises."""
    view = read_view(connection, catalog, projection, moment)
    mark, what = _SOURCES[projection]
    if not any(key.startswith(mark) for key in view.rows):
        raise NothingRecorded(f"{catalog.name} of any {what} up to {moment.seq}")
    rows = {key: row for key, row in view.tools().items() if _is_meant(key, row, server, tool)}
    if not rows and (server is not None or tool is not None):
        _require_known(view, server, tool)
    tools = [_tool(connection, key, row, full=full) for key, row in sorted(rows.items())]
    omitted = _omitted(view)
    servers = {each["server"] for each in (*tools, *omitted) if each.get("server")} | ({server} if server else set())
    return {
        **position_fields(catalog, moment),
        "projection": projection,
        "digest": view.digest(),
        "stale": view.stale,
        "tools": tools,
        "omitted": omitted,
        "coverage": coverage_of(connection, catalog, moment, servers),
    }


def _require_known(view: View, server: str | None, tool: str | None) -> None:
    """A name that was never seen is no empty answer."""
    keys = [key.partition("::") for key in view.tools()]
    if server is not None and server not in {owner for owner, _, _ in keys}:
        raise UnknownName("server", server, nearest(server, {owner for owner, _, _ in keys}))
    names = {name for _, _, name in keys} | {str(row["name"]) for row in view.tools().values() if "name" in row}
    if tool is not None and tool not in names:
        raise UnknownName("tool", tool, nearest(tool, names))


def _is_meant(key: str, row: Row, server: str | None, tool: str | None) -> bool:
    owner, _, name = key.partition("::")
    is_there = row.get("state", "listed") == "listed"
    return is_there and server in (None, owner) and tool in (None, name, row.get("name"))


def _tool(connection: Connection, key: str, row: Row, *, full: bool) -> dict[str, Any]:
    server, _, name = key.partition("::")
    fields: dict[str, Any] = {
        "name": row.get("name", name),
        "server": server,
        "tool": name,
        "definition_hash": row.get("definition"),
        "input_schema_hash": row.get("input"),
        "output_schema_hash": row.get("output"),
        "since": row.get("since"),
    }
    fields |= {each: row[each] for each in ("kind", "locked", "schema_source", "operations", "partial") if each in row}
    if full:
        definition = read_document(connection, row["definition"])
        fields["definition"] = {"erased": row["definition"]} if definition is ERASED else definition
    return fields


def _omitted(view: View) -> list[dict[str, Any]]:
    names = ("name", "server", "tool", "reason", "detail", "cause", "since", "layer")
    found = []
    for key, row in sorted(view.rows.items()):
        if key.startswith(("omitted/", "hidden/")):
            server, _, tool = key.partition("/")[2].partition("::")
            identity = {"server": server, "tool": tool} if tool else {"name": server}
            found.append({**identity, **{name: row[name] for name in names if row.get(name) is not None}})
    return found
