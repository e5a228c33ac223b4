"""Digests of JSON values, printed with the scheme that made them."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING, ClassVar, TypeGuard

from ledger.canon.canonical import canonical
from ledger.canon.jsontext import DEEPEST
from ledger.canon.positions import LISTS_OF_SCHEMAS, MAPS_OF_SCHEMAS, SCHEMAS
from ledger.errors import BadInput, OverLimit

if TYPE_CHECKING:
    from ledger.canon.jsontext import Json

_FULL = re.compile(r"jcs1-sha256:[0-9a-f]{64}")
_ANY = re.compile(r"(?:jcs1|sem1)-sha256:[0-9a-f]{64}")


class Digest(str):
    """`<scheme>:<64 hex digits>`; make one with `digest`, or with `Digest.parse` from text.

    The scheme says what was hashed, so digests of different schemes are never equal by accident.
    """

    __slots__ = ()

    FULL: ClassVar[str] = "jcs1-sha256"
    """SHA-256 of the canonical bytes."""
    SEMANTIC: ClassVar[str] = "sem1-sha256"
    """SHA-256 of the canonical bytes of a tool definition without its prose."""

    @classmethod
    def parse(cls, text: str) -> Digest:
        """The digest that a text is; BadInput if it is none."""
        if not _ANY.fullmatch(text):
            raise BadInput(f"not a digest ({cls.FULL}: and 64 lower-case hex digits)", place=text[:80])
        return cls(text)

    @property
    def scheme(self) -> str:
        return self.partition(":")[0]

    @property
    def hex(self) -> str:
        return self.partition(":")[2]


def is_digest(text: object) -> TypeGuard[str]:
    """Whether a value is the text of a full digest, the kind that documents are stored under."""
    return isinstance(text, str) and _FULL.fullmatch(text) is not None


def digest(value: Json) -> Digest:
    """The full digest of a JSON value."""
    return digest_bytes(canonical(value))


def digest_bytes(canonical_bytes: bytes) -> Digest:
    """The full digest of bytes that are canonical already; nothing checks that they are."""
    return Digest(f"{Digest.FULL}:{sha256(canonical_bytes).hexdigest()}")


def nameless_digest(definition: dict[str, Json]) -> Digest:
    """The full digest of a tool definition without its name: equal for a tool that was only renamed."""
    return digest({key: value for key, value in definition.items() if key != "name"})


_PROSE_OF_DEFINITION = frozenset({"name", "title", "description", "icons", "_meta"})
_PROSE_OF_SCHEMA = frozenset({"title", "description", "examples", "$comment"})
_SETS_OF_SCHEMA = frozenset({"required", "enum", "type"})


def semantic_digest(definition: dict[str, Json]) -> Digest:
    """The digest of what a tool definition means to a program: equal when only prose or the name changed.

    Left out are the top-level name, title, description, icons and _meta, the title in annotations, and title,
    description, examples and $comment of every schema in inputSchema and outputSchema. `required`, `enum` and
    a list of types count as sets. Everything else counts, `default` and `deprecated` too.
    """
    kept = definition.keys() - _PROSE_OF_DEFINITION
    meaning = {key: _meaning(key, definition[key]) for key in kept}
    return Digest(f"{Digest.SEMANTIC}:{sha256(canonical(meaning)).hexdigest()}")


def _meaning(key: str, part: Json) -> Json:
    if key == "annotations" and isinstance(part, dict):
        return {name: hint for name, hint in part.items() if name != "title"}
    return _meaning_of_schema(part, DEEPEST) if key in ("inputSchema", "outputSchema") else part


def _meaning_of_schema(schema: Json, room: int) -> Json:
    if not isinstance(schema, dict):
        return schema
    if not room:
        raise OverLimit("max_depth", allowed=DEEPEST, found=DEEPEST + 1)
    return {
        keyword: _meaning_of_keyword(keyword, value, room - 1)
        for keyword, value in schema.items()
        if keyword not in _PROSE_OF_SCHEMA
    }


def _meaning_of_keyword(keyword: str, value: Json, room: int) -> Json:
    if isinstance(value, list):
        if keyword in LISTS_OF_SCHEMAS:
            return [_meaning_of_schema(held, room) for held in value]
        return _as_set(value) if keyword in _SETS_OF_SCHEMA else value
    if isinstance(value, dict):
        if keyword in MAPS_OF_SCHEMAS:
            return {name: _meaning_of_schema(held, room) for name, held in value.items()}
        return _meaning_of_schema(value, room) if keyword in SCHEMAS else value
    return value


def _as_set(members: list[Json]) -> Json:
    """Each member once, in the order of the canonical bytes."""
    by_bytes = {canonical(member): member for member in members}
    return [by_bytes[key] for key in sorted(by_bytes)]
