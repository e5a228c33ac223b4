"""Digests of JSON values: what a value is called, with the scheme in front."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from ledger.canon.canonical import canonical

if TYPE_CHECKING:
    from ledger.canon.jsontext import Json


class Digest(str):
    __slots__ = ()


def digest_bytes(body: bytes) -> Digest:
    return Digest("jcs1-sha256:" + sha256(body).hexdigest())


def digest(value: Json) -> Digest:
    return digest_bytes(canonical(value))


def is_digest(text: object) -> bool:
    return isinstance(text, str) and text.startswith("jcs1-sha256:") and len(text) == 76


def nameless_digest(definition: dict[str, Json]) -> Digest:
    return digest({k: v for k, v in definition.items() if k != "name"})


def semantic_digest(definition: dict[str, Json]) -> Digest:
    return Digest("sem1-sha256:" + nameless_digest(definition)[12:])
