"""Runs Alembic on a driver's connection; the only module that imports it."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, create_engine, event
from sqlalchemy.pool import StaticPool


def scripts() -> Path:
    """Where the migrations are: inside the wheel, or beside the package in a checkout."""
    installed = Path(__file__).parents[1] / "_migrations"
    return installed if installed.is_dir() else Path(__file__).parents[2] / "migrations"


def upgrade(url: str, raw: Any, *, module: Any = None, prepare: str = "") -> None:
    """Bring the database behind `raw` to the newest revision, in one transaction."""
    # Alembic announces each step at INFO; whoever embeds us did not ask for that.
    logging.getLogger("alembic").setLevel(logging.WARNING)
    options = {"module": module} if module is not None else {}
    engine = create_engine(url, creator=lambda: raw, poolclass=StaticPool, **options)
    if url.startswith("sqlite"):
        event.listen(engine, "begin", _begin_immediate)
    config = Config()
    config.set_main_option("script_location", str(scripts()).replace("%", "%%"))
    with engine.connect() as connection, connection.begin():
        if prepare:
            connection.exec_driver_sql(prepare)
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _begin_immediate(connection: Connection) -> None:
    # The driver is in autocommit; without this each CREATE would commit on its own and a kill leave half a schema.
    connection.exec_driver_sql("BEGIN IMMEDIATE")
