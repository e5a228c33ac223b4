"""The database is the one that the migrations make, and verification knows it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from ledger.store.expected import SCHEMA_DIGESTS
from ledger.store.migrate import scripts
from ledger.store.store import KNOWN_REVISIONS, REVISION

if TYPE_CHECKING:
    from ledger.bootstrap import Ledger


def test_the_expected_schema_digest_is_that_of_a_fresh_database(ledger: Ledger) -> None:
    with ledger.store.engine.reading() as connection:
        text = ledger.store.engine.schema_text(connection)
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert digest in SCHEMA_DIGESTS, f"put {digest} into ledger/store/expected.py"


def test_the_code_knows_exactly_the_revisions_there_are() -> None:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(scripts()))
    directory = ScriptDirectory.from_config(config)
    assert directory.get_heads() == [REVISION]
    assert {script.revision for script in directory.walk_revisions()} == set(KNOWN_REVISIONS)


def test_the_migrations_make_the_tables_that_the_code_describes(ledger: Ledger) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext
    from sqlalchemy import create_engine
    from sqlalchemy.pool import StaticPool

    from ledger.store.sqlite import driver
    from ledger.store.tables import metadata

    with ledger.store.engine.reading() as connection:
        raw = connection.raw  # type: ignore[attr-defined]
        is_sqlite = ledger.settings.is_file
        url = "sqlite://" if is_sqlite else "postgresql+psycopg://"
        options = {"module": driver} if is_sqlite else {}
        engine = create_engine(url, creator=lambda: raw, poolclass=StaticPool, **options)
        with engine.connect() as wrapped:
            assert compare_metadata(MigrationContext.configure(wrapped), metadata) == []
