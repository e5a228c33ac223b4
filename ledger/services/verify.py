"""Verify: prove that the ledger holds what was recorded, and say what could not be proved."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal

from ledger.errors import BadInput, ChainBroken, LedgerError, TailLost
from ledger.store.anchors import Superseded, reach
from ledger.store.chain import Walked, prove_chain, prove_documents, prove_head
from ledger.store.expected import SCHEMA_DIGESTS
from ledger.store.store import list_catalogs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ledger.store.engine import Connection
    from ledger.store.receipts import Head
    from ledger.store.store import Catalog, Store

Result = Literal["verified", "incomplete", "unchecked", "mismatch"]
_EXIT_CODES: dict[Result, int] = {"verified": 0, "incomplete": 3, "unchecked": 3, "mismatch": 4}


@dataclass(frozen=True)
class Check:
    """One thing that was looked at: `ok`, `incomplete` (could not be proved) or `mismatch`."""

    name: str
    result: Literal["ok", "incomplete", "mismatch"]
    detail: str


@dataclass(frozen=True)
class Anchor:
    """A head from outside the database that the chain reaches."""

    catalog: str
    seq: int
    source: str


@dataclass
class Verification:
    """What was checked, and what it proves."""

    events: int = 0
    catalogs: int = 0
    erased: int = 0
    checks: list[Check] = field(default_factory=list)
    anchors: list[Anchor] = field(default_factory=list)
    first_bad: tuple[str, int] | None = None
    unanchored_tail: int = 0

    @property
    def result(self) -> Result:
        found = {check.result for check in self.checks}
        if "mismatch" in found:
            return "mismatch"
        if self.events == 0:
            return "unchecked"
        return "incomplete" if "incomplete" in found else "verified"

    @property
    def exit_code(self) -> int:
        return _EXIT_CODES[self.result]


def verify(
    store: Store,
    *,
    anchors: Sequence[tuple[str, Head]] = (),
    quick: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Verification:
    """Prove what can be proved. `anchors` are (source, head) that were kept elsewhere.

    `quick` looks at heads, receipts and guards only, so it never says "verified".
    """
    # 1. the engine's own check of its file
    # 2. tables, indexes and guards are the ones the migrations made
    # 3. every chain, event by event (chain.walk); what is blank was blanked by an event
    # 4. every document has the bytes of its digest, every named one is there
    # 5. every projection equals the fold of its events
    # 6. receipts: the database reaches the head that was noted after the last commit
    # 7. anchors that were given: the same, for heads that the reader kept
    # Each catches damage that the others miss.
    found = Verification()
    with store.engine.reading() as connection:
        catalogs = list_catalogs(connection)
        found.catalogs = len(catalogs)
        _guarded(found, "file", partial(_file, store, connection, found))
        _guarded(found, "schema", partial(_schema, store, connection, found))
        walks: dict[str, Walked] = {}
        for catalog in catalogs:
            _guarded(
                found,
                "chain",
                partial(_chain, connection, catalog, found, walks, quick=quick, progress=progress),
            )
        if quick:
            found.checks.append(Check("depth", "incomplete", "--quick: events were not read; run `catledger verify`"))
        else:
            _guarded(found, "documents", partial(_documents, connection, walks, found))
            for catalog in catalogs:
                if catalog.name in walks:
                    _guarded(
                        found,
                        "projections",
                        partial(_projections, store, connection, catalog, found),
                    )
        held = [("receipt", head) for head in _receipts(store, found)]
        for source, head in [*held, *anchors]:
            _guarded(
                found,
                "anchor",
                partial(_anchor, connection, catalogs, source, head, found),
            )
        _tails(catalogs, found)
    return found


def _guarded(found: Verification, name: str, step: Callable[[], None]) -> None:
    """One stage's failure does not keep the others from being looked at."""
    try:
        step()
    except ChainBroken as error:
        found.checks.append(Check(name, "mismatch", str(error)))
        if error.seq and (found.first_bad is None):
            found.first_bad = (error.catalog, error.seq)
    except (TypeError, ValueError, AttributeError, LookupError) as error:
        # A flipped bit can turn a blob into a number: what cannot even be decoded is damage, not a bug of ours.
        found.checks.append(Check(name, "mismatch", f"cannot be decoded: {error}"))
    except TailLost as error:
        found.checks.append(Check(name, "mismatch", str(error)))
        found.first_bad = found.first_bad or (error.catalog, error.seq + 1)
    except LedgerError as error:
        result: Literal["mismatch", "incomplete"] = "mismatch" if error.exit_code == 4 else "incomplete"
        found.checks.append(Check(name, result, str(error)))


def _file(store: Store, connection: Connection, found: Verification) -> None:
    damage = store.engine.damage(connection)
    if damage:
        found.checks.append(Check("file", "mismatch", "; ".join(damage[:3])))
    else:
        found.checks.append(Check("file", "ok", "the engine finds no damage"))


def _schema(store: Store, connection: Connection, found: Verification) -> None:
    text = store.engine.schema_text(connection)
    if hashlib.sha256(text.encode()).hexdigest() in SCHEMA_DIGESTS:
        found.checks.append(Check("schema", "ok", "tables and guards are as they were made"))
    else:
        found.checks.append(Check("schema", "mismatch", "a table, an index or a guard was changed"))


def _chain(
    connection: Connection,
    catalog: Catalog,
    found: Verification,
    walks: dict[str, Walked],
    *,
    quick: bool,
    progress: Callable[[int], None] | None,
) -> None:
    if quick:
        prove_head(connection, catalog)
        found.events += catalog.seq
        found.checks.append(Check("chain", "ok", f"{catalog.name}: the head fits its event"))
        return
    walked = prove_chain(connection, catalog, progress=progress)
    walks[catalog.name] = walked
    found.events += walked.events
    found.erased += len(walked.erased)
    erased = f", {len(walked.erased)} erased and recorded as such" if walked.erased else ""
    found.checks.append(Check("chain", "ok", f"{catalog.name}: {walked.events} events{erased}"))


def _documents(connection: Connection, walks: dict[str, Walked], found: Verification) -> None:
    erasable = set().union(*(walked.erased_documents for walked in walks.values())) if walks else set()
    count = prove_documents(connection, erasable)
    found.checks.append(Check("documents", "ok", f"{count} documents"))


def _projections(store: Store, connection: Connection, catalog: Catalog, found: Verification) -> None:
    unequal = store.projector.unequal(connection, catalog)
    if unequal:
        detail = f"{catalog.name}: {', '.join(unequal)}; run `catledger rebuild`"
        found.checks.append(Check("projections", "incomplete", detail))
    else:
        found.checks.append(Check("projections", "ok", f"{catalog.name}: equal to the fold of its events"))


def _receipts(store: Store, found: Verification) -> list[Head]:
    try:
        return store.receipts.all()
    except BadInput as error:
        found.checks.append(Check("receipts", "incomplete", str(error)))
        return []


def _anchor(connection: Connection, catalogs: Sequence[Catalog], source: str, head: Head, found: Verification) -> None:
    catalog = next((each for each in catalogs if each.chain_id == head.chain_id), None)
    if catalog is None:
        detail = f"{source}: chain {head.chain_id.hex()} is not in this ledger"
        found.checks.append(Check("anchor", "incomplete", detail))
        return
    try:
        reach(connection, catalog, head, source)
    except Superseded as error:
        if source == "receipt":
            raise
        found.checks.append(Check("anchor", "mismatch", str(error)))
        return
    found.anchors.append(Anchor(catalog.name, head.seq, source))
    found.checks.append(Check("anchor", "ok", f"{catalog.name}: reaches the {source} at {head.seq}"))


def _tails(catalogs: Sequence[Catalog], found: Verification) -> None:
    for catalog in catalogs:
        reached = max((anchor.seq for anchor in found.anchors if anchor.catalog == catalog.name), default=None)
        if reached is None and catalog.seq and found.result != "mismatch":
            detail = (
                f"{catalog.name}: no receipt and no anchor; compare with a head you kept: `catledger verify --anchor`"
            )
            found.checks.append(Check("tail", "incomplete", detail))
        found.unanchored_tail += catalog.seq - (reached or 0)
