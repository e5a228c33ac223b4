"""List documents: long lists cut by content, so that a change of one item stores one chunk and one root.

A list document is `{"list":[item,…]}` up to 64 items, else `{"chunks":[digest,…]}` whose chunks are such
lists.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from enum import Enum
from hashlib import sha256
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar, cast

from ledger.canon.canonical import canonical
from ledger.canon.digest import digest_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ledger.canon.jsontext import Json

MOST_ITEMS: Final = 64
# A chunk ends after an item whose digest begins with a byte below this: 1 in 32. The item decides alone, so
# an insertion moves no boundary but its own.
CUT_BELOW: Final = 8


class Erased(Enum):
    """What a reader gets in place of a document that was erased on purpose."""

    ERASED = "erased"


ERASED: Final = Erased.ERASED
Read = Callable[[str], "Json | Erased"]
Key = TypeVar("Key", str, bytes)


def erased_mark(digest: str) -> dict[str, Json]:
    """What stands in an unpacked payload, or among the items of a list, where a document was erased."""
    return {"erased": digest}


def list_bodies(items: Sequence[bytes]) -> list[tuple[str, bytes]]:
    """Digests and bytes of a list document, from the canonical bytes of its items; the root comes last."""
    if len(items) <= MOST_ITEMS:
        return [_flat(items)]
    chunks = [_flat(chunk) for chunk in _cut(items)]
    root = b'{"chunks":["' + b'","'.join(digest.encode() for digest, _ in chunks) + b'"]}'
    return [*chunks, (digest_bytes(root), root)]


def _flat(items: Sequence[bytes]) -> tuple[str, bytes]:
    body = b'{"list":[' + b",".join(items) + b"]}"
    return digest_bytes(body), body


def _cut(items: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    start = 0
    for end, item in enumerate(items, 1):
        if end - start == MOST_ITEMS or sha256(item).digest()[0] < CUT_BELOW:
            yield items[start:end]
            start = end
    if start < len(items):
        yield items[start:]


def list_items(digest: str, read: Read) -> Iterator[Json]:
    """The items of a list document in order; an erased part is one item, its mark."""
    for part in _parts(digest, read):
        yield from _items(part, read)


def list_changes(before: str | None, after: str, read: Read) -> tuple[list[Json], list[Json]]:
    """The items that only `before` has and those that only `after` has, each in its own order.

    Items are compared as values, and counted: a list that is only reordered has no changes. Chunks that both
    have are not read.
    """
    if before == after:
        return [], []
    old = [] if before is None else _parts(before, read)
    new = _parts(after, read)
    removed = [item for part in _beyond(old, new) for item in _items(part, read)]
    added = [item for part in _beyond(new, old) for item in _items(part, read)]
    return _items_beyond(removed, added), _items_beyond(added, removed)


class _Part(NamedTuple):
    """A flat list within a list; `items` where opening the whole has already read them."""

    digest: str
    items: list[Json] | None


def _parts(digest: str, read: Read) -> list[_Part]:
    document = read(digest)
    if document is ERASED:
        return [_Part(digest, [erased_mark(digest)])]
    root = cast("dict[str, list[Json]]", document)
    if "chunks" in root:
        return [_Part(cast("str", chunk), None) for chunk in root["chunks"]]
    return [_Part(digest, root["list"])]


def _items(part: _Part, read: Read) -> list[Json]:
    if part.items is not None:
        return part.items
    document = read(part.digest)
    return [erased_mark(part.digest)] if document is ERASED else cast("dict[str, list[Json]]", document)["list"]


def _beyond(parts: list[_Part], others: list[_Part]) -> list[_Part]:
    shared = Counter(other.digest for other in others)
    return [part for part in parts if not _taken(shared, part.digest)]


def _items_beyond(items: list[Json], others: list[Json]) -> list[Json]:
    shared = Counter(canonical(other) for other in others)
    return [item for item in items if not _taken(shared, canonical(item))]


def _taken(shared: Counter[Key], key: Key) -> bool:
    """Whether one more of `key` was there to take."""
    if shared[key] <= 0:
        return False
    shared[key] -= 1
    return True
