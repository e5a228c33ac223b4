"""The head of each chain, noted outside the database: what makes a lost tail visible.

A hash chain alone cannot see that its end is missing, and SQLite turns a damaged WAL into a shorter, valid chain. So
after each commit the head is written to a small file of its own, under the writer's lock, only forward, by rename. A
receipt that is behind is harmless; one that is ahead of the database means loss.
"""

from __future__ import annotations

import fcntl
import os
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ledger.errors import BadInput, ReceiptNotWritten, StoreUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FORMAT = "catledger-receipt/v1"
_SYNC_EVERY_S = 1.0
_LONGEST = 4_096


@dataclass(frozen=True, slots=True)
class Head:
    """The end of a chain: the thing to keep elsewhere."""

    chain_id: bytes
    epoch: int
    seq: int
    hash: bytes

    def text(self) -> str:
        return f"{self.chain_id.hex()} {self.epoch} {self.seq} {self.hash.hex()}"

    @classmethod
    def parse(cls, text: str) -> Head:
        try:
            chain, epoch, seq, digest = text.split()
            head = cls(bytes.fromhex(chain), int(epoch), int(seq), bytes.fromhex(digest))
        except ValueError as error:
            raise BadInput("a head is `chain epoch seq hash`", text[:120]) from error
        if len(head.chain_id) != 16 or len(head.hash) != 32 or head.epoch < 0 or head.seq < 0:
            raise BadInput("a head is `chain epoch seq hash`", text[:120])
        return head


class Receipts:
    """The receipts of one ledger, one file per chain in `directory`."""

    def __init__(self, directory: Path, *, strict: bool = False) -> None:
        self.directory = directory
        self._strict = strict
        self._unsynced: set[str] = set()
        self._timer: threading.Timer | None = None
        self._guard = threading.Lock()
        # What was read or written last, with the identity of the file it stood in: a rename makes a new one.
        self._known: dict[str, tuple[tuple[int, int], Head]] = {}
        self._paths: dict[bytes, str] = {}

    def note(self, head: Head) -> None:
        """Write the head, only forward. In strict mode it is on disk when this returns, else within a second."""
        path = self._path(head.chain_id)
        try:
            with self._locked():
                known = self._read(path)
                if known is not None and (known.epoch, known.seq) > (head.epoch, head.seq):
                    return
                self._replace(path, head)
        except OSError as error:
            raise ReceiptNotWritten(path, error.strerror or str(error)) from error
        with self._guard:
            self._unsynced.add(path)
            if not self._strict and self._timer is None:
                self._timer = threading.Timer(_SYNC_EVERY_S, self._sync_quietly)
                self._timer.daemon = True
                self._timer.start()
        if self._strict:
            self.sync()

    def of(self, chain_id: bytes) -> Head | None:
        return self._read(self._path(chain_id))

    def all(self) -> list[Head]:
        """Every readable receipt; a file that is no receipt is a `BadInput` with its path."""
        if not self.directory.is_dir():
            return []
        heads = (self._read(str(path)) for path in sorted(self.directory.glob("*.head")))
        return [head for head in heads if head is not None]

    def sync(self) -> None:
        """Put what was noted on the disk: the files, then the directory that names them."""
        with self._guard:
            waiting, self._unsynced = self._unsynced, set()
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        try:
            for path in [*sorted(waiting), *([str(self.directory)] if waiting else [])]:
                _sync(path)
        except OSError as error:
            raise ReceiptNotWritten(str(self.directory), error.strerror or str(error)) from error

    def close(self) -> None:
        self.sync()

    def _sync_quietly(self) -> None:
        # On the timer's thread nobody could catch it; the next append or close meets the same disk and says so.
        try:
            self.sync()
        except ReceiptNotWritten:
            return

    def _path(self, chain_id: bytes) -> str:
        if chain_id not in self._paths:
            self._paths[chain_id] = str(self.directory / f"{chain_id.hex()}.head")
        return self._paths[chain_id]

    def _read(self, path: str) -> Head | None:
        try:
            identity = _identity(os.stat(path))
            known = self._known.get(path)
            if known is not None and known[0] == identity:
                return known[1]
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                text = os.read(descriptor, _LONGEST).decode("ascii", "replace")
            finally:
                os.close(descriptor)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreUnavailable(path, error.strerror or str(error)) from error
        form, _, rest = text.strip().partition(" ")
        if form != _FORMAT:
            raise BadInput(f"it does not begin with {_FORMAT}", path, "move the damaged receipt away")
        head = Head.parse(rest)
        self._known[path] = (identity, head)
        return head

    def _replace(self, path: str, head: Head) -> None:
        fresh = path.removesuffix(".head") + ".new"
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            os.write(descriptor, f"{_FORMAT} {head.text()}\n".encode())
            identity = _identity(os.fstat(descriptor))
        finally:
            os.close(descriptor)
        os.replace(fresh, path)
        self._known[path] = (identity, head)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """PostgreSQL's writers share no local lock, and SQLite's hold one already: taking it again costs little."""
        try:
            descriptor = os.open(self.directory, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(self.directory, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_ino, status.st_mtime_ns


def _sync(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
