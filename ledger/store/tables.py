"""The tables, defined once for both engines; migrations create them, statements name them."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

# STRICT tables of SQLite know INTEGER only, and only INTEGER PRIMARY KEY is the rowid itself.
_Big = BigInteger().with_variant(Integer, "sqlite")
# Keys are compared and ordered by bytes on both engines; a locale must not change a digest.
_Name = Text().with_variant(Text(collation="C"), "postgresql")

metadata = MetaData()

meta = Table(
    "meta",
    metadata,
    Column("name", _Name, primary_key=True),
    Column("value", Text, nullable=False),
    sqlite_strict=True,
)

# One row per catalog: its label here, its chain, and the head that appends lock and move.
catalogs = Table(
    "catalogs",
    metadata,
    Column("catalog_id", _Big, primary_key=True, autoincrement=False),
    Column("name", _Name, nullable=False, unique=True),
    Column("chain_id", LargeBinary, nullable=False, unique=True),
    Column("is_remote", _Big, nullable=False),
    Column("epoch", _Big, nullable=False),
    Column("seq", _Big, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    Column("recorded_us", _Big, nullable=False),
    Column("claimed_us", _Big),
    sqlite_strict=True,
)

# `place` is catalog_id * 2**36 + seq: one integer that clusters each chain in SQLite's rowid order, so that a scan of a
# chain is a scan of the file and needs no second index. Only ledger/store/place.py knows the arithmetic.
# `claimed_us` is the running maximum of occurred_at: as-of by claimed time is then a look-up as well.
events = Table(
    "events",
    metadata,
    Column("place", _Big, primary_key=True, autoincrement=False),
    Column("catalog_id", _Big, nullable=False),
    Column("event_id", LargeBinary, nullable=False),
    Column("kind", _Name, nullable=False),
    Column("recorded_us", _Big, nullable=False),
    Column("claimed_us", _Big),
    Column("hash", LargeBinary, nullable=False),
    Column("salt", LargeBinary),
    Column("envelope", LargeBinary, nullable=False),
    Column("payload", LargeBinary),
    Index("events_by_id", "catalog_id", "event_id", unique=True),
    # Recorded time restarts at these, so a look-up by time needs to know them; they are very few.
    Index(
        "events_clock_corrected",
        "place",
        sqlite_where=text("kind = 'clock.corrected'"),
        postgresql_where=text("kind = 'clock.corrected'"),
    ),
    sqlite_strict=True,
)

documents = Table(
    "documents",
    metadata,
    Column("document_id", _Big, primary_key=True, autoincrement=True),
    Column("digest", LargeBinary, nullable=False, unique=True),
    Column("role", _Name, nullable=False),
    Column("body", LargeBinary),
    sqlite_strict=True,
)

# What may be blanked, and by which event: the guards let a payload or body go only when it is named here.
erased_events = Table(
    "erased_events",
    metadata,
    Column("place", _Big, primary_key=True, autoincrement=False),
    Column("by_place", _Big, nullable=False),
    sqlite_strict=True,
)

erased_documents = Table(
    "erased_documents",
    metadata,
    Column("digest", LargeBinary, primary_key=True),
    Column("by_place", _Big, nullable=False),
    sqlite_strict=True,
)

# One row per projection of a catalog. `position` is the last seq folded; `stalled` says why it stopped there.
projections = Table(
    "projections",
    metadata,
    Column("projection_id", _Big, primary_key=True, autoincrement=True),
    Column("catalog_id", _Big, ForeignKey("catalogs.catalog_id"), nullable=False),
    Column("name", _Name, nullable=False),
    Column("version", _Big, nullable=False),
    Column("position", _Big, nullable=False),
    Column("stalled", Text),
    UniqueConstraint("catalog_id", "name"),
    sqlite_strict=True,
)

projection_keys = Table(
    "projection_keys",
    metadata,
    Column("key_id", _Big, primary_key=True, autoincrement=True),
    Column("projection_id", _Big, ForeignKey("projections.projection_id"), nullable=False),
    Column("name", _Name, nullable=False),
    UniqueConstraint("projection_id", "name"),
    sqlite_strict=True,
)

# The state of a key from a position on; `place` is key_id * 2**36 + seq. A state of NULL says that the key is gone.
# The newest version is the current one: nothing is ever updated, and "as of n" is one seek per key.
projection_versions = Table(
    "projection_versions",
    metadata,
    Column("place", _Big, primary_key=True, autoincrement=False),
    Column("state", LargeBinary),
    sqlite_strict=True,
)
