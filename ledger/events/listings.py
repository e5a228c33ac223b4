"""Lists of tools as documents: each definition once, named in the list with the digests of its parts."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final, NamedTuple, cast

import orjson

from ledger.canon.canonical import canonical
from ledger.canon.digest import digest, digest_bytes, nameless_digest, semantic_digest
from ledger.events.limits import Limits, check_depth, check_size
from ledger.events.lists import list_bodies
from ledger.events.unpack import DEFINITION, ENTRY_PARTS, LIST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ledger.canon.jsontext import Json

Payload = dict[str, "Json"]

# Bytes of documents that are kept at hand for lists that come again; the gateway's own catalogs are smaller.
MOST_HELD: Final = 32_000_000


class Document(NamedTuple):
    """A value to be stored under its digest, as canonical bytes.

    `under` is the digest, named by the payload itself, beneath which this one is named; None if the payload
    names it. A store that holds that one holds this one too, and need not look.
    """

    digest: str
    role: str
    body: bytes
    under: str | None = None


class Listing(NamedTuple):
    """A list document with everything that it names, by digest; each stands before those that name it."""

    root: str
    documents: dict[str, Document]


def listing(items: Sequence[bytes], definitions: Iterable[tuple[str, bytes]] = ()) -> Listing:
    """The documents of a list, from the canonical bytes of its items and of the definitions they name."""
    *chunks, (root, body) = list_bodies(items)
    documents = {name: Document(name, DEFINITION, inner, root) for name, inner in definitions}
    documents |= {name: Document(name, LIST, inner, root) for name, inner in chunks}
    documents[root] = Document(root, LIST, body)
    return Listing(root, documents)


class Listings:
    """Makes listings and remembers them, and what it derived from up to `remembered` definitions.

    A list of tools that comes again as it was costs one writing and one hash; one that changed a little, its
    canonical bytes and a hash for each definition. Values must be JSON, as `parse` gives them.
    """

    def __init__(self, limits: Limits, *, remembered: int) -> None:
        self._limits = limits
        self._remembered = remembered
        self._parts: dict[str, _Parts] = {}
        self._listings: dict[bytes, Listing] = {}
        self._held = 0

    def captured(self, tools: list[Payload], place: str) -> Listing:
        """Whole definitions, as a server lists them."""
        return self._once(b"captured", tools, place, self._new_captured)

    def entries(self, entries: list[Payload], place: str) -> Listing:
        """Entries of a catalog, whose definitions become digests."""
        return self._once(b"entries", entries, place, self._new_entries)

    def _once(
        self, what: bytes, tools: list[Payload], place: str, new: Callable[[list[Payload], str], Listing]
    ) -> Listing:
        check_size("max_tools", self._limits.max_tools, len(tools), place)
        key = _key(what, tools) if self._remembered else None
        if key is None:
            return new(tools, place)
        # What was wanted last goes last, so the first is the one that was not wanted for longest.
        known = self._listings.pop(key, None)
        if known is None:
            known = new(tools, place)
            self._held += _size(known)
        self._listings[key] = known
        while self._held > MOST_HELD:
            self._held -= _size(self._listings.pop(next(iter(self._listings))))
        return known

    def _new_captured(self, tools: list[Payload], place: str) -> Listing:
        items, definitions = [], []
        for index, tool in enumerate(tools):
            name, body, parts = self._definition(tool, f"{place}[{index}]")
            items.append(parts.item)
            definitions.append((name, body))
        return listing(items, definitions)

    def _new_entries(self, entries: list[Payload], place: str) -> Listing:
        items, definitions = [], []
        for index, entry in enumerate(entries):
            definition = cast("Payload", entry["definition"])
            name, body, parts = self._definition(definition, f"{place}[{index}].definition")
            items.append(canonical(entry | {"definition": name} | parts.beside))
            definitions.append((name, body))
        return listing(items, definitions)

    def _definition(self, definition: Payload, place: str) -> tuple[str, bytes, _Parts]:
        body = canonical(definition)
        name = digest_bytes(body)
        parts = self._parts.pop(name, None)
        if parts is None:
            check_size("max_definition_bytes", self._limits.max_definition_bytes, len(body), place)
            check_depth(body, self._limits, place)
            parts = _parts_of(definition, name)
        self._parts[name] = parts
        if len(self._parts) > self._remembered:
            del self._parts[next(iter(self._parts))]
        return name, body, parts


class _Parts(NamedTuple):
    """What is derived from a definition, and dear to derive.

    `item` are its bytes in a captured list, `beside` the digests that stand beside it in an entry.
    """

    item: bytes
    beside: dict[str, Json]


def _parts_of(definition: Payload, name: str) -> _Parts:
    schemas = (definition.get("inputSchema"), definition.get("outputSchema"))
    digests = [None if schema is None else digest(schema) for schema in schemas]
    nameless, semantic = nameless_digest(definition), semantic_digest(definition)
    # Strings and nulls only: orjson writes these as canonical JSON does.
    item = orjson.dumps([definition.get("name"), name, nameless, semantic, *digests])
    beside = zip(ENTRY_PARTS, digests, strict=True)
    return _Parts(item, {part: found for part, found in beside if found is not None})


def _key(what: bytes, tools: list[Payload]) -> bytes | None:
    try:
        return sha256(what + orjson.dumps(tools)).digest()
    except TypeError:  # an integer beyond 64 bits, or something that is not JSON and will be refused
        return None


def _size(known: Listing) -> int:
    return sum([len(document.body) for document in known.documents.values()])
