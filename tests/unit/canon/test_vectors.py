"""The published vectors: whoever computes digests by other code must find these."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from ledger.canon.canonical import canonical
from ledger.canon.digest import digest, digest_bytes, semantic_digest
from ledger.canon.jsontext import parse
from ledger.errors import BadInput

VECTORS: dict[str, Any] = json.loads(Path(__file__).with_name("vectors.json").read_text("ascii"))


def named(vector: dict[str, Any]) -> str:
    return str(vector["name"])


@pytest.mark.parametrize("vector", VECTORS["canonical"], ids=named)
def test_a_vector_has_its_canonical_text_and_its_digest(vector: dict[str, str]) -> None:
    value = parse(vector["input"])
    assert canonical(value).decode() == vector["canonical"]
    assert digest(value) == vector["digest"]


@pytest.mark.parametrize("vector", VECTORS["canonical"], ids=named)
def test_the_canonical_text_of_a_vector_is_its_own_canonical_text(vector: dict[str, str]) -> None:
    octets = vector["canonical"].encode()
    assert canonical(parse(octets)) == octets
    assert digest_bytes(octets) == vector["digest"] == f"jcs1-sha256:{hashlib.sha256(octets).hexdigest()}"


@pytest.mark.parametrize("vector", VECTORS["semantic"], ids=named)
def test_a_semantic_vector_has_its_digest(vector: dict[str, Any]) -> None:
    assert semantic_digest(vector["definition"]) == vector["digest"]
    hashed = vector["hashed"].encode()
    assert vector["digest"] == f"sem1-sha256:{hashlib.sha256(hashed).hexdigest()}"


@pytest.mark.parametrize("vector", VECTORS["refused"], ids=named)
def test_a_refused_text_is_bad_input(vector: dict[str, str]) -> None:
    with pytest.raises(BadInput):
        parse(vector["input"])


def test_no_two_vectors_share_a_name() -> None:
    names = [named(vector) for part in ("canonical", "semantic", "refused") for vector in VECTORS[part]]
    assert len(set(names)) == len(names)
