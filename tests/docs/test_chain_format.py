"""The vectors of the chain format: recomputed with the standard library alone, and equal to what the code does.

The first half is written from the page and imports nothing of ours: it is what a stranger would write.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.docs.console import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGE = (ROOT / "docs/reference/chain-format.md").read_text(encoding="utf-8")
VALUES, DEFINITIONS, LISTS = (json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL))
(CHAIN_TEXT,) = re.findall(r"```jsonl\n(.*?)```", PAGE, re.DOTALL)
CHAIN = [json.loads(line) for line in CHAIN_TEXT.splitlines()]
EVENTS = [line for line in CHAIN if "envelope" in line]
SALT, PAYLOAD = bytes.fromhex("22" * 16), '{"text":"héllo"}'
FIRST_PREVIOUS = "15db2cd071529eeebf574287d57bec51890b36f72ba525d85e1cc21b0f2a7ef0"

PROSE_OF_DEFINITION = {"name", "title", "description", "icons", "_meta"}
PROSE_OF_SCHEMA = {"title", "description", "examples", "$comment"}
SETS = {"required", "enum", "type"}
MAPS = {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
SCHEMAS = {
    *("items", "additionalItems", "unevaluatedItems", "contains", "additionalProperties", "unevaluatedProperties"),
    *("propertyNames", "not", "if", "then", "else", "contentSchema"),
}
LISTS_OF_SCHEMAS = {"allOf", "anyOf", "oneOf", "prefixItems", "items"}


def canonical(value: Any) -> str:
    """Canonical JSON, as the page describes it."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(key)}:{canonical(value[key])}" for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, float):
        return ecmascript(value)
    return json.dumps(value, ensure_ascii=False)


def ecmascript(number: float) -> str:
    """A double as ECMAScript prints it; the shortest digits are those of Python."""
    if number == 0:
        return "0"
    sign, (digits, exponent) = ("-" if number < 0 else ""), shortest(abs(number))
    point = exponent + 1
    if not -6 < point <= 21:
        fraction = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{fraction}e{exponent:+d}"
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    return sign + (digits.ljust(point, "0") if len(digits) <= point else f"{digits[:point]}.{digits[point:]}")


def shortest(number: float) -> tuple[str, int]:
    """The shortest digits of a double and the power of ten of the first one."""
    assert math.isfinite(number)
    mantissa, _, exponent = repr(number).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    leading = len(whole) - 1 if whole != "0" else -1 - (len(fraction) - len(fraction.lstrip("0")))
    return digits.rstrip("0"), leading + int(exponent or 0)


def jcs(value: Any) -> str:
    return "jcs1-sha256:" + sha256(canonical(value).encode())


def sem(definition: dict[str, Any]) -> str:
    kept = {key: part for key, part in definition.items() if key not in PROSE_OF_DEFINITION}
    if isinstance(kept.get("annotations"), dict):
        kept["annotations"] = {key: hint for key, hint in kept["annotations"].items() if key != "title"}
    for key in kept.keys() & {"inputSchema", "outputSchema"}:
        kept[key] = without_prose(kept[key])
    return "sem1-sha256:" + sha256(canonical(kept).encode())


def without_prose(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    kept: dict[str, Any] = {}
    for key, value in schema.items():
        if key in PROSE_OF_SCHEMA:
            continue
        if isinstance(value, list) and key in LISTS_OF_SCHEMAS:
            kept[key] = [without_prose(each) for each in value]
        elif isinstance(value, list) and key in SETS:
            kept[key] = [json.loads(each) for each in sorted({canonical(each) for each in value}, key=str.encode)]
        elif isinstance(value, dict) and key in MAPS:
            kept[key] = {name: without_prose(each) for name, each in value.items()}
        else:
            kept[key] = without_prose(value) if key in SCHEMAS else value
    return kept


def chunks(items: list[str]) -> Iterator[list[str]]:
    chunk: list[str] = []
    for item in items:
        chunk.append(item)
        if len(chunk) == 64 or hashlib.sha256(item.encode()).digest()[0] < 8:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def list_root(items: list[str]) -> dict[str, Any]:
    if len(items) <= 64:
        return {"list": [json.loads(item) for item in items]}
    return {"chunks": [jcs({"list": [json.loads(item) for item in chunk]}) for chunk in chunks(items)]}


def sha256(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


@pytest.mark.parametrize("vector", VALUES, ids=lambda vector: vector["input"])
def test_a_value_has_the_canonical_bytes_and_the_digest_of_its_vector(vector: dict[str, str]) -> None:
    value = json.loads(vector["input"])
    assert canonical(value) == vector["canonical"]
    assert jcs(value) == vector["digest"]


@pytest.mark.parametrize("vector", DEFINITIONS, ids=lambda vector: vector["definition"]["name"])
def test_a_definition_has_the_digests_of_its_vector(vector: dict[str, Any]) -> None:
    definition = vector["definition"]
    nameless = {key: part for key, part in definition.items() if key != "name"}
    assert [jcs(definition), jcs(nameless), sem(definition)] == [
        vector["digest"],
        vector["nameless"],
        vector["semantic"],
    ]


@pytest.mark.parametrize("vector", LISTS, ids=lambda vector: str(vector["count"]))
def test_a_list_is_cut_as_its_vector_says(vector: dict[str, Any]) -> None:
    items = [str(number) for number in range(vector["count"])]
    cut = chunks(items) if len(items) > 64 else []
    assert [len(chunk) for chunk in cut] == vector["chunks"]
    assert jcs(list_root(items)) == vector["digest"]


def test_every_event_of_the_vector_links_to_the_one_before() -> None:
    previous = hashlib.sha256(b"catledger/chain/v1\n" + bytes.fromhex(CHAIN[0]["chain_id"])).digest()
    assert previous.hex() == FIRST_PREVIOUS
    for event in EVENTS:
        previous = hashlib.sha256(b"catledger/event/v1\n" + previous + event["envelope"].encode()).digest()
        assert previous.hex() == event["hash"]
        assert canonical(json.loads(event["envelope"])) == event["envelope"]
    assert CHAIN[-1] == {"head": {"epoch": 0, "hash": previous.hex(), "seq": len(EVENTS)}}


def test_every_event_of_the_vector_commits_to_its_payload() -> None:
    payloads = [(SALT, PAYLOAD)] + [(bytes.fromhex(event["salt"]), event["payload"]) for event in EVENTS[1:]]
    for event, (salt, payload) in zip(EVENTS, payloads, strict=True):
        commitment = sha256(b"catledger/payload/v1\n" + salt + payload.encode())
        assert commitment == json.loads(event["envelope"])["payload_digest"]


def test_the_documents_of_the_vector_are_named_by_their_digests() -> None:
    listing, definition = [line for line in CHAIN if "document" in line]
    for document in (listing, definition):
        assert jcs(json.loads(document["body"])) == document["document"]
    tool = json.loads(definition["body"])
    nameless = {key: part for key, part in tool.items() if key != "name"}
    item = [tool["name"], jcs(tool), jcs(nameless), sem(tool), jcs(tool["inputSchema"]), None]
    assert json.loads(listing["body"]) == {"list": [item]}
    assert json.loads(EVENTS[1]["payload"])["tools"] == listing["document"]


def test_every_line_of_the_vector_is_canonical() -> None:
    assert [canonical(line) for line in CHAIN] == CHAIN_TEXT.splitlines()


def test_the_stand_alone_checker_accepts_the_vector(tmp_path: Path) -> None:
    (tmp_path / "chain.jsonl").write_text(CHAIN_TEXT, encoding="utf-8")
    checker = ROOT / "docs/reference/check_chain.py"
    command = [sys.executable, "-I", str(checker), "chain.jsonl"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("3 events, 2 documents, 1 erased; head ")


def test_the_code_exports_the_vector(tmp_path: Path) -> None:
    """What the page freezes is what the ledger does: the same history gives the same bytes."""
    from ledger.bootstrap import open_ledger
    from ledger.services.erase import erase_event
    from ledger.store.ship import export_chain
    from ledger.store.store import find_catalog
    from tests.parts import StepClock, settings_for

    settings = settings_for(tmp_path, actor="cli/zoë")
    start_us = json.loads(EVENTS[0]["envelope"])["recorded_at"]
    with open_ledger(settings, clock=StepClock(start_us - 1_000_000), entropy=_KnownEntropy()) as ledger:
        recorder = ledger.recorder()
        for line in _history():
            recorder.record("default", [line])
        erase_event(ledger.store, recorder, None, 1, "not ours to keep")
        with ledger.store.engine.reading() as connection:
            exported = b"".join(export_chain(connection, find_catalog(connection, None)))
    assert exported.decode() == CHAIN_TEXT


@pytest.mark.parametrize("vector", VALUES, ids=lambda vector: vector["input"])
def test_the_code_digests_values_as_the_page_says(vector: dict[str, str]) -> None:
    from ledger.canon.canonical import canonical as ours
    from ledger.canon.jsontext import parse

    assert ours(parse(vector["input"])).decode() == vector["canonical"]


def test_the_code_digests_definitions_and_lists_as_the_page_says() -> None:
    from ledger.canon.digest import semantic_digest
    from ledger.events.lists import list_bodies

    assert [semantic_digest(each["definition"]) for each in DEFINITIONS] == [each["semantic"] for each in DEFINITIONS]
    roots = [list_bodies([str(number).encode() for number in range(each["count"])])[-1][0] for each in LISTS]
    assert roots == [each["digest"] for each in LISTS]


class _KnownEntropy:
    """16 bytes of 0x11, then of 0x22 and so on, for a chain's id and for salts; zeros for everything else."""

    def __init__(self) -> None:
        self._count = 0

    def token(self, size: int) -> bytes:
        if size != 16:
            return bytes(size)
        self._count += 1
        return bytes([0x11 * self._count]) * size


def _history() -> list[dict[str, Any]]:
    producer = {"name": "vector", "version": "1"}
    ids = [f"019a8c00-0000-7000-8000-00000000000{number}" for number in (1, 2)]
    schema = {"type": "object", "properties": {"limit": {"type": "number", "default": 1.0}}}
    tool = {"name": "read_file", "description": "Read a file", "inputSchema": schema}
    return [
        {"kind": "note.added", "payload": {"text": "héllo"}, "event_id": ids[0], "producer": producer},
        {
            "kind": "descriptors.captured",
            "payload": {"server": "files", "outcome": "complete", "tools": [tool]},
            "event_id": ids[1],
            "producer": producer,
            "occurred_at": "2026-11-16T07:59:59.5Z",
            "correlation_id": "run-1",
            "causation": ids[:1],
        },
    ]
