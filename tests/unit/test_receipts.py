"""Receipts: only forward, by rename, on disk when they must be."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from ledger.errors import BadInput
from ledger.store.receipts import Head, Receipts

if TYPE_CHECKING:
    from pathlib import Path

CHAIN = b"\x01" * 16


def head(seq: int, epoch: int = 0) -> Head:
    return Head(CHAIN, epoch, seq, bytes([seq]) * 32)


def test_a_receipt_never_goes_back(tmp_path: Path) -> None:
    receipts = Receipts(tmp_path / "r")
    receipts.note(head(5))
    receipts.note(head(3))
    assert receipts.of(CHAIN) == head(5)
    receipts.note(head(1, epoch=1))
    assert receipts.of(CHAIN) == head(1, epoch=1)
    receipts.close()


def test_a_strict_receipt_is_synced_before_it_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda descriptor: (synced.append(descriptor), real(descriptor))[1])
    Receipts(tmp_path / "r", strict=True).note(head(1))
    assert len(synced) == 2  # the file and the directory that names it
    relaxed = Receipts(tmp_path / "s")
    relaxed.note(head(1))
    assert len(synced) == 2
    relaxed.close()
    assert len(synced) == 4


def test_nothing_half_written_is_left_beside_a_receipt(tmp_path: Path) -> None:
    receipts = Receipts(tmp_path / "r")
    for seq in range(1, 20):
        receipts.note(head(seq))
    receipts.close()
    assert [path.name for path in (tmp_path / "r").iterdir()] == [f"{CHAIN.hex()}.head"]


def test_a_head_is_the_same_after_it_was_written_down() -> None:
    assert Head.parse(head(7).text()) == head(7)


@pytest.mark.parametrize(
    "text", ["", "a b c d", "00 0 1 00", f"{'00' * 16} -1 1 {'00' * 32}", f"{'00' * 16} 0 1 {'zz' * 32}"]
)
def test_what_is_no_head_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="a head is"):
        Head.parse(text)
