"""The database is the one that the migrations make, and verification knows it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from ledger.errors import ForeignDatabase, NewerLedger
from ledger.store.expected import SCHEMA_DIGESTS
from ledger.store.migrate import scripts
from ledger.store.store import KNOWN_REVISIONS, REVISION
from tests.parts import opened, settings_for

if TYPE_CHECKING:
    from pathlib import Path

    from ledger.bootstrap import Ledger
    from ledger.config import Settings


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


def test_a_newer_ledger_is_refused_on_either_engine(settings: Settings) -> None:
    with opened(settings) as ledger, ledger.store.engine.writing() as connection:
        connection.raw.execute("UPDATE alembic_version SET version_num = '9999'")  # type: ignore[attr-defined]
    for read_only in (True, False):
        with pytest.raises(NewerLedger, match="9999"):
            opened(settings, read_only=read_only)


def test_a_database_with_other_tables_is_refused_and_left_alone(tmp_path: Path, postgres_url: str) -> None:
    import psycopg

    with psycopg.connect(postgres_url) as raw:
        raw.execute("DROP SCHEMA public CASCADE")
        raw.execute("CREATE SCHEMA public")
        raw.execute("CREATE TABLE mine (x int)")
    settings = settings_for(tmp_path, url=postgres_url)
    for read_only in (True, False):
        with pytest.raises(ForeignDatabase, match="mine"):
            opened(settings, read_only=read_only)
    with psycopg.connect(postgres_url) as raw:
        tables = raw.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    assert tables == [("mine",)]
