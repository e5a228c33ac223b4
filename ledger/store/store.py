"""The parts that an open ledger is made of, and the rows that its functions hand around."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ledger.errors import (
    AmbiguousCatalog,
    BadInput,
    NewerLedger,
    NothingRecorded,
    OlderLedger,
    TailLost,
    UnknownCatalog,
)
from ledger.store import sql
from ledger.store.receipts import Head

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from ledger.clock import Clock, Entropy
    from ledger.events.fact import Fact
    from ledger.store.documents import Documents
    from ledger.store.engine import Connection, Engine
    from ledger.store.receipts import Receipts

REVISION = "0001"
KNOWN_REVISIONS = ("0001",)
LEDGER_CATALOG = "_ledger"
DEFAULT_CATALOG = "default"
_CATALOG_NAME = re.compile(r"[a-z0-9._-]{1,64}")


class Catalog(NamedTuple):
    """A catalog's row: its label here, its chain, and the head."""

    catalog_id: int
    name: str
    chain_id: bytes
    is_remote: int
    epoch: int
    seq: int
    hash: bytes
    recorded_us: int
    claimed_us: int | None

    @property
    def head(self) -> Head:
        return Head(self.chain_id, self.epoch, self.seq, self.hash)


class Projector(Protocol):
    """Folds events into the projections' tables; called inside the transaction that appends them."""

    def project(self, connection: Connection, before: Catalog, after: Catalog, events: Sequence[Fact]) -> None:
        """`before` and `after` are the heads on both sides of `events`."""
        ...

    def refold(self, connection: Connection, catalog: Catalog) -> None:
        """Fold the whole catalog again, after bytes were erased underneath."""
        ...

    def unequal(self, connection: Connection, catalog: Catalog) -> list[str]:
        """Which projections are not the fold of their events, in words."""
        ...


@dataclass(frozen=True)
class Store:
    """An open ledger. `clock` of None means the engine's own clock."""

    engine: Engine
    receipts: Receipts
    documents: Documents
    projector: Projector
    entropy: Entropy
    clock: Clock | None = None

    def close(self) -> None:
        self.receipts.close()
        self.engine.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def require_current(engine: Engine) -> None:
    """Refuse a database that is missing, older or newer than the code."""
    revision = engine.revision()
    if revision is None:
        raise NothingRecorded(engine.location)
    if revision not in KNOWN_REVISIONS:
        raise NewerLedger(engine.location, revision)
    if revision != REVISION:
        raise OlderLedger(engine.location, revision)


def check_catalog_name(name: str) -> str:
    if not _CATALOG_NAME.fullmatch(name):
        raise BadInput("a catalog name is 1 to 64 of a-z, 0-9, `.`, `_` and `-`", repr(name))
    return name


def list_catalogs(connection: Connection) -> list[Catalog]:
    return [Catalog(*row) for row in connection.all(sql.CATALOGS)]


def find_catalog(connection: Connection, name: str | None) -> Catalog:
    """The catalog meant: the named one, or the only one there is besides the ledger's own."""
    catalogs = list_catalogs(connection)
    if name is not None:
        for catalog in catalogs:
            if catalog.name == name:
                return catalog
        raise UnknownCatalog(name, tuple(catalog.name for catalog in catalogs))
    named = [catalog for catalog in catalogs if catalog.name != LEDGER_CATALOG]
    if not named:
        raise NothingRecorded("this ledger")
    if len(named) > 1:
        raise AmbiguousCatalog(tuple(catalog.name for catalog in named))
    return named[0]


def name_for_writing(connection: Connection, name: str | None) -> str:
    """The catalog to append to; a ledger without any gets `default`."""
    if name == LEDGER_CATALOG:
        raise BadInput("it holds what concerns the whole ledger, and is written by catledger alone", name)
    if name is not None:
        return check_catalog_name(name)
    try:
        return find_catalog(connection, None).name
    except NothingRecorded:
        return DEFAULT_CATALOG


def refuse_lost_tail(catalog: Catalog, receipt: Head | None) -> None:
    """Appending to a chain whose end is missing would bury the loss."""
    if receipt is None or receipt.epoch < catalog.epoch:
        return
    if receipt.seq > catalog.seq:
        raise TailLost(catalog.name, catalog.seq, receipt.seq, "the receipt")
