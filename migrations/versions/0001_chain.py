"""The chain, its documents, the projections' tables, and the guards that keep history as it was written.

Events are never migrated away, so there is no downgrade: restore a backup instead.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_Big = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_Name = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    _create_tables()
    guards = _SQLITE_GUARDS if op.get_bind().dialect.name == "sqlite" else _POSTGRES_GUARDS
    for statement in guards:
        op.execute(statement)


def _create_tables() -> None:
    op.create_table(
        "meta",
        sa.Column("name", _Name, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "catalogs",
        sa.Column("catalog_id", _Big, primary_key=True, autoincrement=False),
        sa.Column("name", _Name, nullable=False, unique=True),
        sa.Column("chain_id", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("is_remote", _Big, nullable=False),
        sa.Column("epoch", _Big, nullable=False),
        sa.Column("seq", _Big, nullable=False),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.Column("recorded_us", _Big, nullable=False),
        sa.Column("claimed_us", _Big),
        sqlite_strict=True,
    )
    op.create_table(
        "events",
        sa.Column("place", _Big, primary_key=True, autoincrement=False),
        sa.Column("catalog_id", _Big, nullable=False),
        sa.Column("event_id", sa.LargeBinary, nullable=False),
        sa.Column("kind", _Name, nullable=False),
        sa.Column("recorded_us", _Big, nullable=False),
        sa.Column("claimed_us", _Big),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.Column("salt", sa.LargeBinary),
        sa.Column("envelope", sa.LargeBinary, nullable=False),
        sa.Column("payload", sa.LargeBinary),
        sqlite_strict=True,
    )
    op.create_index("events_by_id", "events", ["catalog_id", "event_id"], unique=True)
    corrected = sa.text("kind = 'clock.corrected'")
    op.create_index("events_clock_corrected", "events", ["place"], sqlite_where=corrected, postgresql_where=corrected)
    op.create_table(
        "documents",
        sa.Column("document_id", _Big, primary_key=True, autoincrement=True),
        sa.Column("digest", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("role", _Name, nullable=False),
        sa.Column("body", sa.LargeBinary),
        sqlite_strict=True,
    )
    op.create_table(
        "erased_events",
        sa.Column("place", _Big, primary_key=True, autoincrement=False),
        sa.Column("by_place", _Big, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "erased_documents",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        sa.Column("by_place", _Big, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "projections",
        sa.Column("projection_id", _Big, primary_key=True, autoincrement=True),
        sa.Column("catalog_id", _Big, sa.ForeignKey("catalogs.catalog_id"), nullable=False),
        sa.Column("name", _Name, nullable=False),
        sa.Column("version", _Big, nullable=False),
        sa.Column("position", _Big, nullable=False),
        sa.Column("stalled", sa.Text),
        sa.UniqueConstraint("catalog_id", "name"),
        sqlite_strict=True,
    )
    op.create_table(
        "projection_keys",
        sa.Column("key_id", _Big, primary_key=True, autoincrement=True),
        sa.Column("projection_id", _Big, sa.ForeignKey("projections.projection_id"), nullable=False),
        sa.Column("name", _Name, nullable=False),
        sa.UniqueConstraint("projection_id", "name"),
        sqlite_strict=True,
    )
    op.create_table(
        "projection_versions",
        sa.Column("place", _Big, primary_key=True, autoincrement=False),
        sa.Column("state", sa.LargeBinary),
        sqlite_strict=True,
    )


# The guards protect from our own mistakes; they are no security boundary (whoever owns the file can drop them).
# An insert guard must look at every UNIQUE key: INSERT OR REPLACE on a connection without recursive_triggers deletes
# the old row without firing a delete trigger.
_SQLITE_GUARDS = (
    """
    CREATE TRIGGER events_no_delete BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'events are append-only'); END
    """,
    """
    CREATE TRIGGER events_only_erase BEFORE UPDATE ON events
    WHEN NOT (NEW.payload IS NULL AND NEW.salt IS NULL
        AND NEW.place = OLD.place AND NEW.catalog_id = OLD.catalog_id AND NEW.event_id = OLD.event_id
        AND NEW.kind = OLD.kind AND NEW.recorded_us = OLD.recorded_us AND NEW.claimed_us IS OLD.claimed_us
        AND NEW.hash = OLD.hash AND NEW.envelope = OLD.envelope
        AND EXISTS (SELECT 1 FROM erased_events WHERE place = OLD.place))
    BEGIN SELECT RAISE(ABORT, 'events are append-only'); END
    """,
    """
    CREATE TRIGGER events_insert_next BEFORE INSERT ON events
    WHEN EXISTS (SELECT 1 FROM events WHERE place = NEW.place)
        OR EXISTS (SELECT 1 FROM events WHERE catalog_id = NEW.catalog_id AND event_id = NEW.event_id)
        OR (NEW.place & 68719476735 <> 1 AND NOT EXISTS (SELECT 1 FROM events WHERE place = NEW.place - 1))
    BEGIN SELECT RAISE(ABORT, 'events are append-only and without gaps'); END
    """,
    """
    CREATE TRIGGER documents_no_delete BEFORE DELETE ON documents
    BEGIN SELECT RAISE(ABORT, 'documents are append-only'); END
    """,
    """
    CREATE TRIGGER documents_only_erase BEFORE UPDATE ON documents
    WHEN NOT (NEW.body IS NULL AND NEW.document_id = OLD.document_id AND NEW.digest = OLD.digest
        AND NEW.role = OLD.role AND EXISTS (SELECT 1 FROM erased_documents WHERE digest = OLD.digest))
    BEGIN SELECT RAISE(ABORT, 'documents are append-only'); END
    """,
    """
    CREATE TRIGGER documents_insert_new BEFORE INSERT ON documents
    WHEN EXISTS (SELECT 1 FROM documents WHERE document_id = NEW.document_id OR digest = NEW.digest)
    BEGIN SELECT RAISE(ABORT, 'documents are append-only'); END
    """,
    """
    CREATE TRIGGER erased_events_no_delete BEFORE DELETE ON erased_events
    BEGIN SELECT RAISE(ABORT, 'erasures are append-only'); END
    """,
    """
    CREATE TRIGGER erased_events_no_update BEFORE UPDATE ON erased_events
    BEGIN SELECT RAISE(ABORT, 'erasures are append-only'); END
    """,
    """
    CREATE TRIGGER erased_events_insert_named BEFORE INSERT ON erased_events
    WHEN EXISTS (SELECT 1 FROM erased_events WHERE place = NEW.place)
        OR NOT EXISTS (SELECT 1 FROM events WHERE place = NEW.by_place AND kind = 'payload.erased')
    BEGIN SELECT RAISE(ABORT, 'an erasure needs its event'); END
    """,
    """
    CREATE TRIGGER erased_documents_no_delete BEFORE DELETE ON erased_documents
    BEGIN SELECT RAISE(ABORT, 'erasures are append-only'); END
    """,
    """
    CREATE TRIGGER erased_documents_no_update BEFORE UPDATE ON erased_documents
    BEGIN SELECT RAISE(ABORT, 'erasures are append-only'); END
    """,
    """
    CREATE TRIGGER erased_documents_insert_named BEFORE INSERT ON erased_documents
    WHEN EXISTS (SELECT 1 FROM erased_documents WHERE digest = NEW.digest)
        OR NOT EXISTS (SELECT 1 FROM events WHERE place = NEW.by_place AND kind = 'payload.erased')
    BEGIN SELECT RAISE(ABORT, 'an erasure needs its event'); END
    """,
    """
    CREATE TRIGGER catalogs_no_delete BEFORE DELETE ON catalogs
    BEGIN SELECT RAISE(ABORT, 'catalogs are kept'); END
    """,
    """
    CREATE TRIGGER catalogs_only_forward BEFORE UPDATE ON catalogs
    WHEN NEW.catalog_id <> OLD.catalog_id OR NEW.chain_id <> OLD.chain_id OR NEW.seq < OLD.seq
        OR NEW.epoch < OLD.epoch
    BEGIN SELECT RAISE(ABORT, 'a head only moves forward'); END
    """,
    """
    CREATE TRIGGER catalogs_insert_new BEFORE INSERT ON catalogs
    WHEN EXISTS (SELECT 1 FROM catalogs
        WHERE catalog_id = NEW.catalog_id OR name = NEW.name OR chain_id = NEW.chain_id)
    BEGIN SELECT RAISE(ABORT, 'catalogs are kept'); END
    """,
)


def _postgres_row_guard(table: str, event: str, name: str, condition: str, message: str) -> tuple[str, ...]:
    returned = "OLD" if event == "DELETE" else "NEW"
    return (
        f"""
        CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $guard$
        BEGIN
            IF {condition} THEN RAISE EXCEPTION '{message}'; END IF;
            RETURN {returned};
        END $guard$
        """,
        f"CREATE TRIGGER {name} BEFORE {event} ON {table} FOR EACH ROW EXECUTE FUNCTION {name}()",
        # ALWAYS: otherwise session_replication_role = replica skips the guard.
        f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name}",
    )


def _postgres_truncate_guard(table: str) -> tuple[str, ...]:
    # Row triggers do not see TRUNCATE.
    return (
        f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} EXECUTE FUNCTION ledger_no_truncate()",
        f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_no_truncate",
    )


_POSTGRES_GUARDS = (
    """
    CREATE FUNCTION ledger_no_truncate() RETURNS trigger LANGUAGE plpgsql AS $guard$
    BEGIN RAISE EXCEPTION 'history is append-only'; END $guard$
    """,
    *_postgres_truncate_guard("events"),
    *_postgres_truncate_guard("documents"),
    *_postgres_truncate_guard("erased_events"),
    *_postgres_truncate_guard("erased_documents"),
    *_postgres_truncate_guard("catalogs"),
    *_postgres_row_guard("events", "DELETE", "events_no_delete", "TRUE", "events are append-only"),
    *_postgres_row_guard(
        "events",
        "UPDATE",
        "events_only_erase",
        """NOT (NEW.payload IS NULL AND NEW.salt IS NULL
            AND NEW.place = OLD.place AND NEW.catalog_id = OLD.catalog_id AND NEW.event_id = OLD.event_id
            AND NEW.kind = OLD.kind AND NEW.recorded_us = OLD.recorded_us
            AND NEW.claimed_us IS NOT DISTINCT FROM OLD.claimed_us
            AND NEW.hash = OLD.hash AND NEW.envelope = OLD.envelope
            AND EXISTS (SELECT 1 FROM erased_events WHERE place = OLD.place))""",
        "events are append-only",
    ),
    # Once per statement: a row trigger would cost more than the insert, and the primary key refuses doubles anyway.
    """
    CREATE FUNCTION events_insert_next() RETURNS trigger LANGUAGE plpgsql AS $guard$
    BEGIN
        IF EXISTS (SELECT 1 FROM fresh WHERE fresh.place & 68719476735 <> 1
                AND NOT EXISTS (SELECT 1 FROM events WHERE events.place = fresh.place - 1)) THEN
            RAISE EXCEPTION 'events are append-only and without gaps';
        END IF;
        RETURN NULL;
    END $guard$
    """,
    """
    CREATE TRIGGER events_insert_next AFTER INSERT ON events
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION events_insert_next()
    """,
    "ALTER TABLE events ENABLE ALWAYS TRIGGER events_insert_next",
    *_postgres_row_guard("documents", "DELETE", "documents_no_delete", "TRUE", "documents are append-only"),
    *_postgres_row_guard(
        "documents",
        "UPDATE",
        "documents_only_erase",
        """NOT (NEW.body IS NULL AND NEW.document_id = OLD.document_id AND NEW.digest = OLD.digest
            AND NEW.role = OLD.role AND EXISTS (SELECT 1 FROM erased_documents WHERE digest = OLD.digest))""",
        "documents are append-only",
    ),
    *_postgres_row_guard("erased_events", "DELETE", "erased_events_no_delete", "TRUE", "erasures are append-only"),
    *_postgres_row_guard("erased_events", "UPDATE", "erased_events_no_update", "TRUE", "erasures are append-only"),
    *_postgres_row_guard(
        "erased_events",
        "INSERT",
        "erased_events_insert_named",
        "NOT EXISTS (SELECT 1 FROM events WHERE place = NEW.by_place AND kind = 'payload.erased')",
        "an erasure needs its event",
    ),
    *_postgres_row_guard(
        "erased_documents", "DELETE", "erased_documents_no_delete", "TRUE", "erasures are append-only"
    ),
    *_postgres_row_guard(
        "erased_documents", "UPDATE", "erased_documents_no_update", "TRUE", "erasures are append-only"
    ),
    *_postgres_row_guard(
        "erased_documents",
        "INSERT",
        "erased_documents_insert_named",
        "NOT EXISTS (SELECT 1 FROM events WHERE place = NEW.by_place AND kind = 'payload.erased')",
        "an erasure needs its event",
    ),
    *_postgres_row_guard("catalogs", "DELETE", "catalogs_no_delete", "TRUE", "catalogs are kept"),
    *_postgres_row_guard(
        "catalogs",
        "UPDATE",
        "catalogs_only_forward",
        """NEW.catalog_id <> OLD.catalog_id OR NEW.chain_id <> OLD.chain_id OR NEW.seq < OLD.seq
            OR NEW.epoch < OLD.epoch""",
        "a head only moves forward",
    ),
)
