"""Whether what is intended and what is real agree about one tool, and if not, in what.

Against what was served: the whole definition and the exposed name. Against what was listed: the descriptor that the
entry was rendered from; an aggregate agrees when every tool that it calls is listed. A tool that nobody has looked for
is `unobserved`: silence is no proof of absence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple, get_args

from ledger.canon.digest import is_digest, nameless_digest
from ledger.catalog.parity import differing_parts
from ledger.events.documents import ERASED
from ledger.projections.adoption import LOCKED
from ledger.projections.entries import NOBODY
from ledger.projections.memory import server_of, tool_of
from ledger.projections.scene import LISTED, SERVED, UNKNOWN, Scene, Unknown, downstream

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ledger.projections.fold import Row

Category = Literal["missing", "extra", "schema_fallback", "definition_differs", "locked", "hidden_leak", "unobserved"]
CATEGORIES: Final[tuple[str, ...]] = get_args(Category)

OUTPUT: Final = "outputSchema"
_SCHEMAS: Final = (("inputSchema", "input"), (OUTPUT, "output"))
_FALLBACKS: Final = ("prior_override", "generic_wrapper")


class Difference(NamedTuple):
    """How a tool's intention and its reality differ.

    `intended` and `actual` are the digests of the definitions, `source` the one that the entry was rendered from where
    that is known and is not the intended one. The parts are fields of the definition; of an aggregate they are the
    tools that it lacks.
    """

    category: Category
    name: str
    parts: list[str]
    intended: str | None = None
    actual: str | None = None
    actual_name: str | None = None
    source: str | None = None


def difference(scene: Scene, key: str, before: Row | None) -> Difference | None:
    """How a tool's intention and its reality differ, None where they agree.

    `before` is the open entry of the tool: parts of definitions that it has compared are not compared again.
    """
    wanted = scene.wanted(key)
    if scene.basis == SERVED:
        return _from_served(scene, key, wanted, before)
    if scene.basis == LISTED:
        return _from_listed(scene, key, wanted, before)
    return None


def _from_served(scene: Scene, key: str, wanted: Row | None, before: Row | None) -> Difference | None:
    actual = scene.served(key)
    if wanted is None:
        if actual is None or scene.is_unreadable:
            return None
        category: Category = "extra" if scene.hidden(key) is None else "hidden_leak"
        return Difference(category, actual["name"], [], None, actual["definition"], actual["name"])
    if scene.is_unreadable:
        return _lacking("unobserved", wanted)
    if actual is None:
        return _lacking("missing", wanted)
    if wanted["definition"] == actual["definition"] and wanted["name"] == actual["name"]:
        return None
    found = Difference(
        "definition_differs", wanted["name"], [], wanted["definition"], actual["definition"], actual["name"]
    )
    parts = _known_parts(found, before) or _served_parts(scene, wanted, actual)
    return found._replace(category=_category(scene, key, wanted, actual, parts), parts=parts)


def _lacking(category: Category, wanted: Row, parts: list[str] | None = None) -> Difference:
    return Difference(category, wanted["name"], parts or [], wanted["definition"])


def _served_parts(scene: Scene, wanted: Row, actual: Row) -> list[str]:
    parts = _parts(scene, wanted["definition"], actual["definition"], wanted, actual)
    return sorted({*parts, "name"}) if wanted["name"] != actual["name"] else parts


def _category(scene: Scene, key: str, wanted: Row, actual: Row, parts: list[str]) -> Category:
    if OUTPUT in parts and actual.get("schema_source") in _FALLBACKS:
        return "schema_fallback"
    # A lock holds the output schema and nothing else.
    if parts == [OUTPUT] and (wanted.get("locked") or scene.schemas.get(key, {}).get("state") == LOCKED):
        return "locked"
    return "definition_differs"


def _from_listed(scene: Scene, key: str, wanted: Row | None, before: Row | None) -> Difference | None:
    if wanted is None:
        return _surplus(scene, key)
    if wanted.get("kind") == "aggregate":
        return _aggregate(scene, wanted)
    actual = scene.listed(key)
    if actual is UNKNOWN:
        return _lacking("unobserved", wanted)
    if actual is None:
        return _lacking("missing", wanted)
    agrees = _is_rendered_from(scene, wanted, actual)
    if agrees is UNKNOWN:
        return _lacking("unobserved", wanted)
    return None if agrees else _from_source(scene, key, wanted, actual, before)


def _surplus(scene: Scene, key: str) -> Difference | None:
    """A tool that is listed and not rendered; one that is hidden or called by an aggregate is meant to be listed."""
    actual = scene.listed(key)
    if not isinstance(actual, dict) or scene.hidden(key) or scene.memory.callers(server_of(key), tool_of(key)):
        return None
    return Difference("extra", tool_of(key), [], None, actual["definition"])


def _aggregate(scene: Scene, wanted: Row) -> Difference | None:
    found = {tool: _listed_downstream(scene, tool) for tool in downstream(wanted)}
    absent = sorted(tool for tool, row in found.items() if row is None)
    unknown = sorted(tool for tool, row in found.items() if row is UNKNOWN)
    if absent:
        return _lacking("missing", wanted, absent)
    return _lacking("unobserved", wanted, unknown) if unknown else None


def _listed_downstream(scene: Scene, key: str) -> Row | Unknown | None:
    return scene.listed_anywhere(tool_of(key)) if server_of(key) == NOBODY else scene.listed(key)


def _is_rendered_from(scene: Scene, wanted: Row, actual: Row) -> bool | Unknown:
    source = wanted.get("source_digest")
    if is_digest(source):
        return source in (actual["definition"], actual["nameless"])
    # A producer's own name for the source says nothing here: as without one, the definitions decide.
    if wanted["definition"] == actual["definition"]:
        return True
    nameless = _nameless(scene, wanted["definition"])
    return UNKNOWN if nameless is None else nameless == actual["nameless"]


def _from_source(scene: Scene, key: str, wanted: Row, actual: Row, before: Row | None) -> Difference:
    source = _source(scene, key, wanted, before)
    found = Difference(
        "definition_differs", wanted["name"], [], wanted["definition"], actual["definition"], None, source
    )
    parts = _known_parts(found, before)
    if not parts:
        compared = _parts(scene, source or wanted["definition"], actual["definition"], wanted, actual)
        parts = [part for part in compared if part != "name"]
    return found._replace(category=_category(scene, key, wanted, actual, parts), parts=parts)


def _source(scene: Scene, key: str, wanted: Row, before: Row | None) -> str | None:
    """The definition that the entry was rendered from, if this event replaced it or the open entry knows it.

    The digest alone does not lead to it: a producer may name a descriptor that this ledger never held.
    """
    digest = wanted.get("source_digest")
    replaced = scene.replaced.get(key)
    if not is_digest(digest):
        return None
    if replaced is not None and digest in (replaced[1], replaced[2]):
        return str(replaced[1])
    known: str | None = None if before is None else before["source"]
    return known if known is not None and digest in (known, _nameless(scene, known)) else None


def _nameless(scene: Scene, digest: str) -> str | None:
    definition = _read(scene, digest)
    return None if definition is None else nameless_digest(dict(definition))


def _known_parts(found: Difference, before: Row | None) -> list[str]:
    compared = ("intended", "actual", "name", "actual_name", "source")
    if before is None or any(before[field] != getattr(found, field) for field in compared):
        return []
    return list(before["parts"])


def _parts(scene: Scene, a: str, b: str, wanted: Row, actual: Row) -> list[str]:
    """The fields in which two definitions differ; of one that is erased, the schemas whose digests differ."""
    one, other = _read(scene, a), _read(scene, b)
    if one is not None and other is not None:
        return list(differing_parts(one, other))
    return [part for part, digest in _SCHEMAS if wanted.get(digest) != actual.get(digest)]


def _read(scene: Scene, digest: str) -> Mapping[str, Any] | None:
    definition = scene.documents(digest)
    return definition if definition is not ERASED and isinstance(definition, dict) else None
