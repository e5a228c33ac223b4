"""Comparing a chain with a head that was kept outside the database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ledger.canon.stored import load
from ledger.errors import ChainBroken, TailLost
from ledger.store.chain import hash_at
from ledger.store.read import StoredEvent, read_backward

if TYPE_CHECKING:
    from ledger.store.engine import Connection
    from ledger.store.receipts import Head
    from ledger.store.store import Catalog


class Superseded(ChainBroken):
    """A head from before a restore, beyond the point from which the restored chain goes its own way."""

    code = "superseded"
    hint = "the events between are lost; `catledger log --kind ledger.restored` shows who accepted that"


def reach(connection: Connection, catalog: Catalog, head: Head, source: str) -> None:
    """Prove that the chain contains the event the head names; raises what is wrong otherwise."""
    # 1. a head of an earlier epoch counts only up to the point where the restore cut it off
    # 2. the chain is at least as long as the head says: nothing is missing at the end
    # 3. the event at that position has the hash the head states: nothing before it was changed
    # 4. a head of a later epoch than the chain's own was written after a restore that this file has not seen
    if head.epoch < catalog.epoch:
        fork = _fork_of(connection, catalog, head.epoch)
        if fork is not None and head.seq >= fork:
            raise Superseded(catalog.name, head.seq, f"({source}) is superseded by the restore at seq {fork}")
    if head.seq > catalog.seq or head.epoch > catalog.epoch:
        raise TailLost(catalog.name, catalog.seq, head.seq, f"the {source}")
    if hash_at(connection, catalog, head.seq) != head.hash:
        raise ChainBroken(catalog.name, head.seq, f"is not the one that the {source} names: history was rewritten")


def _fork_of(connection: Connection, catalog: Catalog, epoch: int) -> int | None:
    """The seq of the restore that ended `epoch`: the first event of a later one."""
    fork = None
    for row in read_backward(connection, catalog, catalog.seq, kind="ledger.restored"):
        event = StoredEvent(*row)
        if event.header().epoch > epoch and event.payload is not None and load(event.payload):
            fork = int(event.seq)
    return fork
