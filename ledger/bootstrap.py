"""Opens a ledger: the one place that chooses real parts."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ledger.clock import SystemEntropy
from ledger.errors import NothingRecorded, ReadOnlyStore
from ledger.projections.runner import Runner
from ledger.store.documents import Documents
from ledger.store.receipts import Receipts
from ledger.store.store import Store, list_catalogs, require_current

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from ledger.clock import Clock, Entropy
    from ledger.config import Settings
    from ledger.projections.fold import Fold
    from ledger.projections.rows import ProjectionRow
    from ledger.services.record import Recorder
    from ledger.store.engine import Engine

_KEY_BYTES = 32
SMALL = 50_000
"""Ledgers with fewer events fold again by themselves after an upgrade."""


@dataclass(frozen=True)
class Ledger:
    """An open ledger with the settings it was opened by."""

    store: Store
    settings: Settings
    runner: Runner

    def recorder(self, *, secrets: frozenset[str] = frozenset()) -> Recorder:
        """What appends to this ledger; `secrets` are exact values that must never be stored."""
        # Pydantic comes with it: readers do not pay for it.
        from ledger.events.documents import Limits  # noqa: PLC0415
        from ledger.events.redact import Redactor  # noqa: PLC0415
        from ledger.services.record import Recorder  # noqa: PLC0415

        settings = self.settings
        return Recorder(
            self.store,
            redactor=Redactor(fingerprint_key(settings.key_file, self.store.entropy), secrets),
            limits=Limits(
                max_event_bytes=settings.max_event_bytes,
                max_definition_bytes=settings.max_definition_bytes,
                max_depth=settings.max_depth,
                max_tools=settings.max_tools,
            ),
            actor=settings.actor,
        )

    def close(self) -> None:
        self.store.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_ledger(
    settings: Settings,
    *,
    read_only: bool = False,
    clock: Clock | None = None,
    entropy: Entropy | None = None,
    folds: Sequence[Fold] | None = None,
) -> Ledger:
    """Open a ledger for reading or writing; a writer gets an empty SQLite ledger where there is none."""
    engine = make_engine(settings, read_only=read_only)
    try:
        if not read_only and settings.is_file and engine.revision() is None:
            engine.create_or_upgrade()
        if not settings.is_file and engine.revision() is None:
            raise NothingRecorded(engine.location, hint="create the ledger there first: `catledger init`")
        require_current(engine)
    except BaseException:
        engine.close()
        raise
    runner = Runner(folds)
    store = Store(
        engine=engine,
        receipts=Receipts(settings.receipts_dir, strict=settings.strict_receipts),
        documents=Documents(),
        projector=runner,
        entropy=entropy or SystemEntropy(),
        clock=clock,
    )
    ledger = Ledger(store, settings, runner)
    if not read_only:
        _rebuild_small(ledger)
    return ledger


def _rebuild_small(ledger: Ledger) -> None:
    """After an upgrade the rows of an older fold are frozen; where folding again is a matter of seconds, do it."""
    from ledger.projections.rebuild import rebuild  # noqa: PLC0415 - readers never get here
    from ledger.projections.rows import read_projections  # noqa: PLC0415

    with ledger.store.engine.reading() as connection:
        versions = {each.NAME: each.VERSION for each in ledger.runner.folds}
        old = [
            catalog.name
            for catalog in list_catalogs(connection)
            if 0 < catalog.seq < SMALL and _is_outdated(read_projections(connection, catalog), versions)
        ]
    for name in old:
        rebuild(ledger.store, ledger.runner, name)


def _is_outdated(stored: Mapping[str, ProjectionRow], versions: Mapping[str, int]) -> bool:
    """Whether a projection of this code is missing or of another version; what this code does not know is not asked."""
    return any(name not in stored or stored[name].version != version for name, version in versions.items())


def make_engine(settings: Settings, *, read_only: bool) -> Engine:
    if settings.is_file:
        from ledger.store.sqlite import SqliteEngine  # noqa: PLC0415 - only the engine that is asked for is loaded

        return SqliteEngine(
            settings.path,
            read_only=read_only,
            wait_s=settings.lock_wait_s,
            force_network=settings.force_network_fs,
        )
    from ledger.store.postgres import PostgresEngine  # noqa: PLC0415 - an extra

    return PostgresEngine(settings.database, read_only=read_only, wait_s=settings.lock_wait_s)


def fingerprint_key(path: Path, entropy: Entropy) -> bytes:
    """The key of the fingerprints of secret values; made once, outside the database and its backups."""
    with suppress(FileNotFoundError):
        return path.read_bytes()
    fresh = path.with_name(f"{path.name}.{entropy.token(4).hex()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(entropy.token(_KEY_BYTES))
        with suppress(FileExistsError):  # somebody else made it just now: theirs is the key
            os.link(fresh, path)
        fresh.unlink()
    except OSError as error:
        raise ReadOnlyStore(str(path), error.strerror or str(error)) from error
    return path.read_bytes()
