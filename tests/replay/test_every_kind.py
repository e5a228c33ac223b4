"""Golden samples: one line of each (kind, version) ever released; they stay readable for ever."""

from pathlib import Path

import pytest

from ledger.canon.canonical import canonical
from ledger.canon.jsontext import parse
from ledger.canon.stored import load
from ledger.events.documents import Limits, pack, unpack
from ledger.events.redact import Redactor
from ledger.events.registry import KINDS, validated
from ledger.events.upcast import VERSIONS, upcast

SAMPLES = [
    parse(line)
    for file in sorted(Path(__file__).parent.glob("every-kind.*.jsonl"))
    for line in file.read_text(encoding="utf-8").splitlines()
]
NAMES = [f"{sample['kind']} v{sample['version']}" for sample in SAMPLES]


def test_there_is_exactly_one_sample_of_each_kind_and_version():
    released = [(kind, version) for kind, newest in VERSIONS.items() for version in range(1, newest + 1)]
    assert sorted((sample["kind"], sample["version"]) for sample in SAMPLES) == sorted(released)


def test_the_kinds_that_are_read_are_the_kinds_that_are_written():
    assert {kind: event.version for kind, event in KINDS.items()} == dict(VERSIONS)


@pytest.mark.parametrize("sample", SAMPLES, ids=NAMES)
def test_a_sample_passes_the_door_unchanged(sample):
    assert validated(sample["kind"], sample["version"], sample["payload"]) == sample["payload"]


@pytest.mark.parametrize("sample", SAMPLES, ids=NAMES)
def test_a_sample_packs_and_unpacks_to_itself(sample):
    kind = sample["kind"]
    packed = pack(kind, sample["payload"], Limits())
    stored = {document.digest: load(document.body) for document in packed.documents}
    read_again = upcast(kind, sample["version"], load(packed.payload))
    assert canonical(unpack(kind, read_again, stored.__getitem__)) == canonical(sample["payload"])


@pytest.mark.parametrize("sample", SAMPLES, ids=NAMES)
def test_a_sample_holds_nothing_to_redact(sample):
    """They were redacted when they were recorded; redacting again changes nothing."""
    assert Redactor(b"key").redact(sample["kind"], sample["payload"]) == (sample["payload"], [])


@pytest.mark.parametrize("sample", SAMPLES, ids=NAMES)
def test_a_sample_gives_every_field_of_its_kind(sample):
    """A field that no sample gives could be renamed without any test noticing."""
    fields = KINDS[sample["kind"]].model_fields
    wire_names = {field.alias or name for name, field in fields.items()} - {"redacted"}
    assert wire_names - sample["payload"].keys() == set()
