"""Two catalogs compared tool by tool: what should be there against what is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ledger.canon.canonical import canonical
from ledger.catalog.statement import Identity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ledger.canon.jsontext import Json

Category = Literal["missing", "extra", "schema_fallback", "definition_differs", "hidden_leak", "locked"]
UNKNOWN_SERVER = "?"
_OUTPUT = "outputSchema"


@dataclass(frozen=True, slots=True)
class Item:
    """A tool of one catalog; `definition` is the whole object, or its digest where that is all there is.

    A foreign gateway that knows only names leaves `server` and `tool` out.
    """

    name: str
    definition: Mapping[str, Json] | str
    server: str | None = None
    tool: str | None = None
    locked: bool = False
    schema_source: str | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """One tool on which two catalogs disagree; `parts` are the fields of the definition that differ."""

    identity: Identity
    name: str
    category: Category
    parts: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = f" ({', '.join(self.parts)})" if self.parts else ""
        return f"{self.category}: {self.identity}{parts}"


def item(entry: Mapping[str, Json]) -> Item:
    """An entry of `render.completed` or `live.served`, made comparable."""
    definition = entry["definition"]
    server, tool, source = entry.get("server"), entry.get("tool"), entry.get("schema_source")
    return Item(
        name=str(entry["name"]),
        definition=definition if isinstance(definition, dict) else str(definition),
        server=str(server) if server is not None else None,
        tool=str(tool) if tool is not None else None,
        locked=entry.get("locked") is True,
        schema_source=str(source) if source is not None else None,
    )


def compare(
    intended: Sequence[Item],
    live: Sequence[Item],
    *,
    hidden: Iterable[Identity] = (),
    names_only: bool = False,
) -> tuple[Difference, ...]:
    """What is different in `live`, by identity, in a fixed order; empty when the two agree.

    Compared are the exposed name and the whole definition; with `names_only` just the name, which is weaker:
    it sees a tool that is gone, not one that changed. A tool is the same tool under another name, and two
    tools of one name on two servers are two tools.
    """
    known = _by_identity(intended, {})
    seen = _by_identity(live, {one.name: identity for identity, one in known.items()})
    concealed = frozenset(hidden)
    found = [_judged(identity, one, seen.get(identity), names_only) for identity, one in known.items()]
    surplus = (_surplus(identity, one, concealed) for identity, one in seen.items() if identity not in known)
    differences = [difference for difference in found if difference is not None]
    return tuple(sorted((*differences, *surplus), key=lambda one: (one.identity, one.name)))


def differing_parts(a: Mapping[str, Json] | str, b: Mapping[str, Json] | str) -> tuple[str, ...]:
    """The top-level fields in which two definitions differ; `definition` when only digests are known."""
    if isinstance(a, str) or isinstance(b, str):
        return () if a == b else ("definition",)
    return tuple(_differing(a, b))


def _differing(a: Mapping[str, Json], b: Mapping[str, Json]) -> Iterator[str]:
    for field in sorted(a.keys() | b.keys()):
        if (field in a) != (field in b) or not _same(a[field], b[field]):
            yield field


def _same(a: Json, b: Json) -> bool:
    # canonical, because Python takes true for 1
    return a is b or canonical(a) == canonical(b)


def _by_identity(items: Iterable[Item], by_name: Mapping[str, Identity]) -> dict[Identity, Item]:
    """Items by who they are; one that only has a name is found by it in the other catalog, else unknown."""
    found: dict[Identity, Item] = {}
    for one in items:
        if one.server is not None and one.tool is not None:
            found[Identity(one.server, one.tool)] = one
        else:
            found[by_name.get(one.name, Identity(UNKNOWN_SERVER, one.name))] = one
    return found


def _judged(identity: Identity, wanted: Item, got: Item | None, names_only: bool) -> Difference | None:
    if got is None:
        return Difference(identity, wanted.name, "missing")
    parts = () if names_only else differing_parts(wanted.definition, got.definition)
    if wanted.name != got.name:
        parts = tuple(dict.fromkeys(("name", *parts)))
    if not parts:
        return None
    return Difference(identity, wanted.name, _category(wanted, got, parts), parts)


def _category(wanted: Item, got: Item, parts: tuple[str, ...]) -> Category:
    if _OUTPUT in parts and got.schema_source in ("prior_override", "generic_wrapper"):
        return "schema_fallback"
    return "locked" if wanted.locked and parts == (_OUTPUT,) else "definition_differs"


def _surplus(identity: Identity, one: Item, hidden: frozenset[Identity]) -> Difference:
    return Difference(identity, one.name, "hidden_leak" if identity in hidden else "extra")
