"""Heavy values leave the payload: they are stored once by digest, and the payload names them.

`pack` takes them out and `unpack` puts them back; lists.py says how long lists are stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, cast

import orjson

from ledger.canon.canonical import canonical
from ledger.canon.digest import digest, digest_bytes, is_digest, nameless_digest, semantic_digest
from ledger.events.limits import Limits, check_depth, check_size
from ledger.events.lists import ERASED, Erased, Read, list_bodies, list_changes, list_items
from ledger.events.unpack import ABOUT, DEFINITION, ENTRY_PARTS, FILE, LIST, nested, references, unpack

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ledger.canon.jsontext import Json

__all__ = [
    "ERASED",
    "Document",
    "Erased",
    "Limits",
    "Packed",
    "Packer",
    "Read",
    "list_changes",
    "list_items",
    "nested",
    "pack",
    "references",
    "unpack",
]

Payload = dict[str, "Json"]

HEAVY_KINDS: Final = frozenset(
    ("descriptors.captured", "live.served", "render.completed", "render.refused", "legacy.imported")
)
# What a server says about itself rather than about its tools: it changes seldom, and then together.
ABOUT_FIELDS: Final = frozenset(
    (
        "protocol_version",
        "server_info",
        "capabilities",
        "instructions",
        "prompts",
        "resources",
        "resource_templates",
    )
)


class Document(NamedTuple):
    """A value to be stored under its digest, as canonical bytes.

    `under` is the digest, named by the payload itself, beneath which this one is named; None if the payload names it.
    A store that holds that one holds this one too, and need not look.
    """

    digest: str
    role: str
    body: bytes
    under: str | None = None


class Packed(NamedTuple):
    """What is stored of a payload: `payload` are the canonical bytes of `fields`.

    Documents stand before those that name them, and none stands twice.
    """

    payload: bytes
    documents: Sequence[Document]
    fields: Payload


def pack(kind: str, payload: Payload, limits: Limits) -> Packed:
    """Replace the heavy values of a validated payload by the digests of documents; raises OverLimit."""
    return Packer(limits, remembered=0).pack(kind, payload)


def _packed(fields: Payload, documents: Sequence[Document], limits: Limits) -> Packed:
    body = canonical(fields)
    check_depth(body, limits, "payload")
    size = len(body) + sum([len(document.body) for document in documents])
    check_size("max_event_bytes", limits.max_event_bytes, size, "payload")
    return Packed(body, documents, fields)


class Packer:
    """Packs one payload after another and remembers what it derived from definitions, up to `remembered` of them.

    A listing that comes again then costs its canonical bytes and a hash for each definition. Not for several threads.
    """

    def __init__(self, limits: Limits, *, remembered: int = 20_000) -> None:
        self._limits = limits
        self._remembered = remembered
        self._parts: dict[str, _Parts] = {}

    def pack(self, kind: str, payload: Payload) -> Packed:
        """Replace the heavy values of a validated payload by the digests of documents; raises OverLimit."""
        if kind not in HEAVY_KINDS:
            return _packed(payload, (), self._limits)
        pile = _Pile(self._limits)
        match kind:
            case "descriptors.captured":
                fields = _with_about(payload, pile)
                fields["tools"] = self._captured(cast("list[Payload]", payload["tools"]), pile)
            case "live.served":
                fields = _with_list(payload, "omitted", pile)
                fields["tools"] = self._entries(payload, pile, "payload.tools")
            case "render.completed":
                fields = _with_inputs(_with_list(payload, "hidden", pile), pile)
                intended = cast("Payload", payload["intended"])
                fields["intended"] = {"tools": self._entries(intended, pile, "payload.intended.tools")}
            case "render.refused":
                fields = _with_inputs(payload, pile)
            case _:
                fields = _with_document(payload, pile, "payload.document")
        return _packed(fields, pile.documents(), self._limits)

    def _captured(self, tools: list[Payload], pile: _Pile) -> str:
        check_size("max_tools", self._limits.max_tools, len(tools), "payload.tools")
        items, definitions = [], []
        for index, tool in enumerate(tools):
            name, body, parts = self._definition(tool, f"payload.tools[{index}]")
            items.append(parts.item)
            definitions.append((name, body))
        return pile.add_list(items, definitions)

    def _entries(self, holder: Payload, pile: _Pile, place: str) -> str:
        entries = cast("list[Payload]", holder["tools"])
        check_size("max_tools", self._limits.max_tools, len(entries), place)
        items, definitions = [], []
        for index, entry in enumerate(entries):
            definition = cast("Payload", entry["definition"])
            name, body, parts = self._definition(definition, f"{place}[{index}].definition")
            items.append(canonical(entry | {"definition": name} | parts.of_an_entry))
            definitions.append((name, body))
        return pile.add_list(items, definitions)

    def _definition(self, definition: Payload, place: str) -> tuple[str, bytes, _Parts]:
        body = canonical(definition)
        name = digest_bytes(body)
        # What was taken last goes last, so the first is the one that was not wanted for longest.
        parts = self._parts.pop(name, None)
        if parts is None:
            check_size("max_definition_bytes", self._limits.max_definition_bytes, len(body), place)
            check_depth(body, self._limits, place)
            parts = _parts(definition, name)
        if self._remembered:
            self._parts[name] = parts
            if len(self._parts) > self._remembered:
                del self._parts[next(iter(self._parts))]
        return name, body, parts


class _Parts(NamedTuple):
    """What is derived from a definition, and dear to derive.

    `item` are its bytes in a captured list, `of_an_entry` the digests that stand beside it in an entry.
    """

    item: bytes
    of_an_entry: dict[str, Json]


def _parts(definition: Payload, name: str) -> _Parts:
    schemas = (definition.get("inputSchema"), definition.get("outputSchema"))
    given, taken = (None if schema is None else digest(schema) for schema in schemas)
    nameless, semantic = nameless_digest(definition), semantic_digest(definition)
    # Strings and nulls only: orjson writes these as canonical JSON does.
    item = orjson.dumps([definition.get("name"), name, nameless, semantic, given, taken])
    beside = zip(ENTRY_PARTS, (given, taken), strict=True)
    return _Parts(item, {part: value for part, value in beside if value is not None})


class _Pile:
    """The documents of one payload, each once, in an order in which they may be stored."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._documents: dict[str, Document] = {}

    def documents(self) -> list[Document]:
        return list(self._documents.values())

    def add(self, role: str, value: Json, place: str) -> str:
        body = canonical(value)
        check_depth(body, self._limits, place)
        name = digest_bytes(body)
        self._documents.setdefault(name, Document(name, role, body))
        return name

    def add_list(self, items: Sequence[bytes], definitions: Iterable[tuple[str, bytes]] = ()) -> str:
        *chunks, (root, body) = list_bodies(items)
        for name, inner in definitions:
            self._documents.setdefault(name, Document(name, DEFINITION, inner, root))
        for name, inner in chunks:
            self._documents.setdefault(name, Document(name, LIST, inner, root))
        self._documents[root] = Document(root, LIST, body)
        return root


def _with_about(payload: Payload, pile: _Pile) -> Payload:
    fields = {name: value for name, value in payload.items() if name not in ABOUT_FIELDS}
    about = {name: value for name, value in payload.items() if name in ABOUT_FIELDS}
    if about:
        fields["about"] = pile.add(ABOUT, about, "payload")
    return fields


def _with_list(payload: Payload, field: str, pile: _Pile) -> Payload:
    items = payload.get(field)
    if not isinstance(items, list):
        return dict(payload)
    return payload | {field: pile.add_list([canonical(item) for item in items])}


def _with_inputs(payload: Payload, pile: _Pile) -> Payload:
    inputs = payload.get("inputs")
    if not isinstance(inputs, list):
        return dict(payload)
    places = (f"payload.inputs[{index}].document" for index in range(len(inputs)))
    named = [
        _with_document(cast("Payload", given), pile, place) for given, place in zip(inputs, places, strict=True)
    ]
    return payload | {"inputs": named}


def _with_document(payload: Payload, pile: _Pile, place: str) -> Payload:
    """A digest that is given names a document known already; null is no document."""
    document = payload.get("document")
    if document is None or (isinstance(document, str) and is_digest(document)):
        return payload
    return payload | {"document": pile.add(FILE, document, place)}
