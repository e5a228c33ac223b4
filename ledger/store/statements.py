"""Every statement, written once in SQLAlchemy Core; `make sql` compiles them into ledger/store/sql.py.

The hot paths run on the driver's cursor: Core costs 350 to 450 µs of CPU per transaction, its import a second of
start-up. So this module is imported when sql.py is generated and by the test that keeps it current, never at run time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    BigInteger,
    LargeBinary,
    bindparam,
    delete,
    func,
    insert,
    literal_column,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql.psycopg import dialect as psycopg_dialect

from ledger.store.place import SEQ_SPAN
from ledger.store.tables import (
    catalogs,
    documents,
    erased_documents,
    erased_events,
    events,
    meta,
    projection_keys,
    projection_versions,
    projections,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.sql import ClauseElement

_DIALECTS: dict[str, Any] = {
    "sqlite": sqlite.dialect(paramstyle="qmark"),
    "postgres": psycopg_dialect(paramstyle="format"),  # type: ignore[no-untyped-call]  # untyped in SQLAlchemy
}


def _int(name: str) -> Any:
    return bindparam(name, type_=BigInteger())


def _bytes(name: str) -> Any:
    return bindparam(name, type_=LargeBinary())


def _statements(dialect: str) -> dict[str, ClauseElement]:
    insert_or_ignore: Callable[..., Any] = sqlite.insert if dialect == "sqlite" else postgresql.insert
    event = (
        events.c.place,
        events.c.event_id,
        events.c.kind,
        events.c.recorded_us,
        events.c.claimed_us,
        events.c.hash,
        events.c.salt,
        events.c.envelope,
        events.c.payload,
    )
    between = events.c.place.between(_int("first"), _int("last"))
    version_at = (
        select(func.max(projection_versions.c.place))
        .where(
            projection_versions.c.place.between(
                projection_keys.c.key_id * literal_column(str(SEQ_SPAN)),
                projection_keys.c.key_id * literal_column(str(SEQ_SPAN)) + _int("seq"),
            )
        )
        .correlate(projection_keys)
        .scalar_subquery()
    )
    newest = projection_versions.alias("newest")
    head = (
        catalogs.c.catalog_id,
        catalogs.c.name,
        catalogs.c.chain_id,
        catalogs.c.is_remote,
        catalogs.c.epoch,
        catalogs.c.seq,
        catalogs.c.hash,
        catalogs.c.recorded_us,
        catalogs.c.claimed_us,
    )
    by_name = select(*head).where(catalogs.c.name == bindparam("name"))
    return {
        "META_ALL": select(meta.c.name, meta.c.value).order_by(meta.c.name),
        "META_SET": insert(meta),
        "CATALOG_BY_NAME": by_name,
        "CATALOG_FOR_UPDATE": by_name if dialect == "sqlite" else by_name.with_for_update(),
        "CATALOG_BY_CHAIN": select(*head).where(catalogs.c.chain_id == _bytes("chain_id")),
        "CATALOGS": select(*head).order_by(catalogs.c.name),
        "CATALOG_LAST_ID": select(func.max(catalogs.c.catalog_id)),
        "CATALOG_INSERT": insert(catalogs),
        "HEAD_MOVE": update(catalogs)
        .where(catalogs.c.catalog_id == _int("catalog"))
        .values(
            epoch=_int("epoch_"),
            seq=_int("seq_"),
            hash=_bytes("hash_"),
            recorded_us=_int("recorded_us_"),
            claimed_us=_int("claimed_us_"),
        ),
        "EVENT_INSERT": insert(events),
        "EVENT_PLACE_BY_ID": select(events.c.place).where(
            events.c.catalog_id == _int("catalog"), events.c.event_id == _bytes("event_id")
        ),
        "EVENT_AT": select(*event).where(events.c.place == _int("place")),
        "EVENTS_FORWARD": select(*event).where(between).order_by(events.c.place),
        "EVENTS_BACKWARD": select(*event).where(between).order_by(events.c.place.desc()),
        "EVENTS_BACKWARD_OF_KIND": select(*event)
        .where(between, events.c.kind == bindparam("kind"))
        .order_by(events.c.place.desc()),
        "EVENT_TIMES_AT": select(events.c.recorded_us, events.c.claimed_us).where(events.c.place == _int("place")),
        "EVENT_COUNT": select(func.count()).select_from(events).where(between),
        "CLOCK_CORRECTIONS": select(events.c.place)
        .where(between, literal_column("kind = 'clock.corrected'"))
        .order_by(events.c.place),
        "EVENT_BLANK": update(events)
        .where(events.c.place == _int("at"))
        .values(salt=literal_column("NULL"), payload=literal_column("NULL")),
        "ERASED_EVENT_INSERT": insert(erased_events),
        "ERASED_EVENTS": select(erased_events.c.place, erased_events.c.by_place).order_by(erased_events.c.place),
        "ERASED_DOCUMENT_INSERT": insert(erased_documents),
        "ERASED_DOCUMENTS": select(erased_documents.c.digest, erased_documents.c.by_place).order_by(
            erased_documents.c.digest
        ),
        "DOCUMENT_KNOWN": select(documents.c.document_id).where(documents.c.digest == _bytes("digest")),
        "DOCUMENT_INSERT": insert_or_ignore(documents)
        .values(digest=_bytes("digest"), role=bindparam("role"), body=_bytes("body"))
        .on_conflict_do_nothing(),
        "DOCUMENT_AT": select(documents.c.role, documents.c.body).where(documents.c.digest == _bytes("digest")),
        "DOCUMENTS": select(documents.c.digest, documents.c.role, documents.c.body).order_by(documents.c.document_id),
        "DOCUMENT_BLANK": update(documents)
        .where(documents.c.digest == _bytes("at"))
        .values(body=literal_column("NULL")),
        "PROJECTIONS": select(
            projections.c.projection_id,
            projections.c.name,
            projections.c.version,
            projections.c.position,
            projections.c.stalled,
        )
        .where(projections.c.catalog_id == _int("catalog"))
        .order_by(projections.c.name),
        "PROJECTION_INSERT": insert(projections)
        .values(
            catalog_id=_int("catalog_id"),
            name=bindparam("name"),
            version=_int("version"),
            position=_int("position"),
            stalled=bindparam("stalled"),
        )
        .returning(projections.c.projection_id),
        "PROJECTION_MOVE": update(projections)
        .where(projections.c.projection_id == _int("projection"))
        .values(position=_int("position_"), stalled=bindparam("stalled_")),
        "PROJECTIONS_MOVE": update(projections)
        .where(projections.c.catalog_id == _int("catalog"))
        .values(position=_int("position_")),
        "PROJECTION_DELETE": delete(projections).where(projections.c.projection_id == _int("projection")),
        "KEY_INSERT": insert(projection_keys)
        .values(projection_id=_int("projection_id"), name=bindparam("name"))
        .returning(projection_keys.c.key_id),
        "KEY_BY_NAME": select(projection_keys.c.key_id).where(
            projection_keys.c.projection_id == _int("projection"), projection_keys.c.name == bindparam("name")
        ),
        "KEYS": select(projection_keys.c.name, projection_keys.c.key_id)
        .where(projection_keys.c.projection_id == _int("projection"))
        .order_by(projection_keys.c.name),
        "KEYS_DELETE": delete(projection_keys).where(projection_keys.c.projection_id == _int("projection")),
        "VERSION_INSERT": insert(projection_versions),
        "VERSIONS_OF_KEY": select(projection_versions.c.place, projection_versions.c.state)
        .where(projection_versions.c.place.between(_int("first"), _int("last")))
        .order_by(projection_versions.c.place),
        "VERSION_AT": select(projection_versions.c.place, projection_versions.c.state).where(
            projection_versions.c.place
            == select(func.max(newest.c.place))
            .where(newest.c.place.between(_int("first"), _int("last")))
            .scalar_subquery()
        ),
        "VERSIONS_DELETE": delete(projection_versions).where(
            projection_versions.c.place.between(_int("first"), _int("last"))
        ),
        "ROWS_AS_OF": select(projection_keys.c.name, projection_versions.c.place, projection_versions.c.state)
        .select_from(projection_keys.join(projection_versions, projection_versions.c.place == version_at))
        .where(projection_keys.c.projection_id == _int("projection"))
        .order_by(projection_keys.c.name),
    }


def compiled() -> dict[str, tuple[str, str, tuple[str, ...]]]:
    """Name → (SQLite text, PostgreSQL text, names of the positional parameters, the same on both)."""
    texts: dict[str, tuple[str, str, tuple[str, ...]]] = {}
    for_sqlite, for_postgres = _statements("sqlite"), _statements("postgres")
    for name in for_sqlite:
        one = for_sqlite[name].compile(dialect=_DIALECTS["sqlite"])
        two = for_postgres[name].compile(dialect=_DIALECTS["postgres"])
        parameters = tuple(getattr(one, "positiontup", None) or ())
        if parameters != tuple(getattr(two, "positiontup", None) or ()):
            raise AssertionError(f"{name}: the dialects order their parameters differently")
        texts[name] = (" ".join(str(one).split()), " ".join(str(two).split()), parameters)
    return texts
