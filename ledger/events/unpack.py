"""From the stored payload back to the given one: the documents that it names are put back in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from ledger.canon.digest import is_digest
from ledger.events.lists import ERASED, Read, erased_mark, list_items

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ledger.canon.jsontext import Json

DEFINITION: Final = "definition"
LIST: Final = "list"
ABOUT: Final = "about"
FILE: Final = "file"

# In a captured list an item is [tool name, definition, nameless, semantic, input, output]; only the second is
# a document.
ITEM_DEFINITION: Final = 1
# What packing adds to an entry beside its definition's digest.
ENTRY_PARTS: Final = ("input", "output")

Payload = dict[str, "Json"]
Reference = tuple[str, str]


def unpack(kind: str, payload: Payload, read: Read) -> Payload:
    """The payload as it was given, every document in its place; an erased one is `{"erased": digest}`."""
    put_back = _UNPACK.get(kind)
    return payload if put_back is None else put_back(payload, read)


def references(kind: str, payload: Payload) -> list[Reference]:
    """The documents that a stored payload names itself, with roles; `nested` says what those name in turn."""
    return list(_references(kind, payload))


def nested(role: str, document: Json) -> list[Reference]:
    """The documents that a document names, with their roles."""
    if role != LIST or not isinstance(document, dict):
        return []
    if "chunks" in document:
        return [(chunk, LIST) for chunk in cast("list[str]", document["chunks"])]
    items = cast("list[Json]", document["list"])
    return [(digest, DEFINITION) for digest in map(_definition_of, items) if digest is not None]


def _definition_of(item: Json) -> str | None:
    if isinstance(item, list):
        return cast("str", item[ITEM_DEFINITION])
    return cast("str | None", item.get("definition")) if isinstance(item, dict) else None


def _references(kind: str, payload: Payload) -> Iterator[Reference]:
    for field, role in _ROLES.get(kind, ()):
        value = payload.get(field)
        if field == "inputs":
            documents = [given.get("document") for given in cast("list[Payload]", value or [])]
            yield from ((document, role) for document in documents if isinstance(document, str))
        elif field == "intended":
            yield cast("str", cast("Payload", value)["tools"]), role
        elif isinstance(value, str):
            yield value, role


_ROLES: Final = {
    "descriptors.captured": (("tools", LIST), ("about", ABOUT)),
    "live.served": (("tools", LIST), ("omitted", LIST)),
    "render.completed": (("inputs", FILE), ("intended", LIST), ("hidden", LIST)),
    "render.refused": (("inputs", FILE),),
    "legacy.imported": (("document", FILE),),
}


NAMING_KINDS: Final = frozenset(_ROLES)
"""The kinds whose payloads may name documents; the others need not be read to know that they do not."""


def _captured(payload: Payload, read: Read) -> Payload:
    given = dict(payload)
    given["tools"] = _definitions(cast("str", payload["tools"]), read)
    if "about" in payload:
        digest = cast("str", given.pop("about"))
        about = read(digest)
        given |= {"about": erased_mark(digest)} if about is ERASED else cast("Payload", about)
    return given


def _served(payload: Payload, read: Read) -> Payload:
    given = dict(payload)
    given["tools"] = _entries(cast("str", payload["tools"]), read)
    return _with_list(given, "omitted", read)


def _rendered(payload: Payload, read: Read) -> Payload:
    given = dict(payload)
    intended = cast("dict[str, str]", payload["intended"])
    given["intended"] = {"tools": _entries(intended["tools"], read)}
    return _with_inputs(_with_list(given, "hidden", read), read)


def _with_list(given: Payload, field: str, read: Read) -> Payload:
    digest = given.get(field)
    return given | {field: _whole_list(digest, read)} if isinstance(digest, str) else given


def _with_inputs(payload: Payload, read: Read) -> Payload:
    inputs = payload.get("inputs")
    if not isinstance(inputs, list):
        return payload
    return payload | {"inputs": [_with_document(cast("Payload", given), read) for given in inputs]}


def _with_document(payload: Payload, read: Read) -> Payload:
    digest = payload.get("document")
    return payload | {"document": _document(digest, read)} if is_digest(digest) else payload


def _definitions(digest: str, read: Read) -> Json:
    items = _whole_list(digest, read)
    if not isinstance(items, list):
        return items
    return [_document(cast("str", item[ITEM_DEFINITION]), read) if isinstance(item, list) else item for item in items]


def _entries(digest: str, read: Read) -> Json:
    items = _whole_list(digest, read)
    return [_entry(cast("Payload", item), read) for item in items] if isinstance(items, list) else items


def _entry(item: Payload, read: Read) -> Payload:
    if "definition" not in item:
        return item
    given = {name: value for name, value in item.items() if name not in ENTRY_PARTS}
    return given | {"definition": _document(cast("str", item["definition"]), read)}


def _whole_list(digest: str, read: Read) -> Json:
    if read(digest) is ERASED:
        return erased_mark(digest)
    return list(list_items(digest, read))


def _document(digest: str, read: Read) -> Json:
    document = read(digest)
    return erased_mark(digest) if document is ERASED else document


_UNPACK: Final[dict[str, Callable[[Payload, Read], Payload]]] = {
    "descriptors.captured": _captured,
    "live.served": _served,
    "render.completed": _rendered,
    "render.refused": _with_inputs,
    "legacy.imported": _with_document,
}
