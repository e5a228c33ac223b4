"""Diff: two catalogs of a ledger, each at a moment of its own, by tool and by field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ledger.catalog.difference import difference
from ledger.catalog.parity import UNKNOWN_SERVER, Item, item
from ledger.errors import BadInput
from ledger.services.catalog import read_catalog
from ledger.services.views import moment_asked, position_fields

if TYPE_CHECKING:
    from ledger.catalog.difference import ToolChange
    from ledger.store.engine import Connection
    from ledger.store.store import Catalog

_PROJECTIONS: Final = ("intended", "live", "descriptors")


@dataclass(frozen=True)
class Diff:
    """Which two catalogs were compared, and what must happen to the first to make it the second."""

    a: dict[str, Any]
    b: dict[str, Any]
    changes: tuple[ToolChange, ...]


def diff(connection: Connection, catalog: Catalog, a: str, b: str, *, zone: str | None = None) -> Diff:
    """Compare two sides, each `intended`, `live` or `descriptors`, with `@moment` where it is not now."""
    about_a, before = _side(connection, catalog, a, zone)
    about_b, after = _side(connection, catalog, b, zone)
    return Diff(about_a, about_b, tuple(difference(before, after)))


def _side(connection: Connection, catalog: Catalog, text: str, zone: str | None) -> tuple[dict[str, Any], list[Item]]:
    projection, _, when = text.partition("@")
    if projection not in _PROJECTIONS:
        raise BadInput("is none of intended, live and descriptors, with @moment where it is not now", text)
    moment = moment_asked(connection, catalog, as_of=when or None, zone=zone)
    answer = read_catalog(connection, catalog, projection, moment, full=True)
    about = {"projection": projection, **position_fields(catalog, moment), "digest": answer["digest"]}
    return about | {"stale": answer["stale"]}, [_item(tool) for tool in answer["tools"]]


def _item(tool: dict[str, Any]) -> Item:
    """A tool of which only the name is known is compared by it."""
    if tool["server"] != UNKNOWN_SERVER:
        return item(tool)
    return item({field: value for field, value in tool.items() if field not in ("server", "tool")})
