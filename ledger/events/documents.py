"""Heavy values leave the payload: they are stored once by digest, and the payload names them.

`pack` takes them out and `unpack` puts them back; lists.py says how long lists are stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, cast

from ledger.canon.canonical import canonical
from ledger.canon.digest import digest_bytes, is_digest
from ledger.errors import OverLimit
from ledger.events.limits import Limits, check_depth
from ledger.events.listings import Document, Listing, Listings, listing
from ledger.events.lists import ERASED, Erased, Read, list_changes, list_items
from ledger.events.unpack import ABOUT, FILE, nested, references, unpack

if TYPE_CHECKING:
    from collections.abc import Sequence

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


class Packer:
    """Packs one payload after another and remembers what comes again. Not for several threads at once."""

    def __init__(self, limits: Limits, *, remembered: int = 20_000) -> None:
        self._limits = limits
        self._listings = Listings(limits, remembered=remembered)

    def pack(self, kind: str, payload: Payload) -> Packed:
        """Replace the heavy values of a validated payload by the digests of documents; raises OverLimit."""
        if kind not in HEAVY_KINDS:
            return _packed(payload, (), self._limits)
        pile = _Pile(self._limits)
        fields = self._without_heavy_values(kind, payload, pile)
        return _packed(fields, tuple(pile.documents.values()), self._limits)

    def _without_heavy_values(self, kind: str, payload: Payload, pile: _Pile) -> Payload:
        match kind:
            case "descriptors.captured":
                tools = self._listings.captured(_tools_of(payload), "payload.tools")
                return _with_about(payload, pile) | {"tools": pile.add_listing(tools)}
            case "live.served":
                tools = self._listings.entries(_tools_of(payload), "payload.tools")
                return _with_list(payload, "omitted", pile) | {"tools": pile.add_listing(tools)}
            case "render.completed":
                intended = cast("Payload", payload["intended"])
                tools = self._listings.entries(_tools_of(intended), "payload.intended.tools")
                fields = _with_inputs(_with_list(payload, "hidden", pile), pile)
                return fields | {"intended": {"tools": pile.add_listing(tools)}}
            case "render.refused":
                return _with_inputs(payload, pile)
            case _:
                return _with_document(payload, pile, "payload.document")


def _packed(fields: Payload, documents: Sequence[Document], limits: Limits) -> Packed:
    body = canonical(fields)
    check_depth(body, limits, "payload")
    size = len(body)
    if documents:
        size += sum([len(document.body) for document in documents])
    if size > limits.max_event_bytes:
        raise OverLimit("max_event_bytes", limits.max_event_bytes, size, "payload")
    return Packed(body, documents, fields)


class _Pile:
    """The documents of one payload by digest, in an order in which they may be stored."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.documents: dict[str, Document] = {}

    def add(self, role: str, value: Json, place: str) -> str:
        body = canonical(value)
        check_depth(body, self._limits, place)
        name = digest_bytes(body)
        self.documents[name] = Document(name, role, body)
        return name

    def add_listing(self, tools: Listing) -> str:
        self.documents |= tools.documents
        return tools.root


def _tools_of(holder: Payload) -> list[Payload]:
    return cast("list[Payload]", holder["tools"])


def _with_about(payload: Payload, pile: _Pile) -> Payload:
    fields = {name: value for name, value in payload.items() if name not in ABOUT_FIELDS}
    about = {name: value for name, value in payload.items() if name in ABOUT_FIELDS}
    if about:
        fields["about"] = pile.add(ABOUT, about, "payload")
    return fields


def _with_list(payload: Payload, field: str, pile: _Pile) -> Payload:
    items = payload.get(field)
    if not isinstance(items, list):
        return payload
    return payload | {field: pile.add_listing(listing([canonical(item) for item in items]))}


def _with_inputs(payload: Payload, pile: _Pile) -> Payload:
    inputs = payload.get("inputs")
    if not isinstance(inputs, list):
        return payload
    places = (f"payload.inputs[{index}].document" for index in range(len(inputs)))
    named: list[Json] = [
        _with_document(cast("Payload", given), pile, place) for given, place in zip(inputs, places, strict=True)
    ]
    return payload | {"inputs": named}


def _with_document(payload: Payload, pile: _Pile, place: str) -> Payload:
    """A digest that is given names a document known already; null is no document."""
    document = payload.get("document")
    if document is None or (isinstance(document, str) and is_digest(document)):
        return payload
    return payload | {"document": pile.add(FILE, document, place)}
