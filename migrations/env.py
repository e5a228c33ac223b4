"""Alembic's entry: runs migrations on the connection it is handed, else on the URL given with `-x url=`."""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection, create_engine

from ledger.store.tables import metadata


def _run(connection: Connection) -> None:
    context.configure(connection=connection, target_metadata=metadata, transaction_per_migration=False)
    with context.begin_transaction():
        context.run_migrations()


given = context.config.attributes.get("connection")
if isinstance(given, Connection):
    _run(given)
else:
    with create_engine(context.get_x_argument(as_dictionary=True)["url"]).begin() as own:
        _run(own)
