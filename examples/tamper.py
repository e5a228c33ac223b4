"""Rewrites history in a copy of a ledger, with nothing but Python's own sqlite3: `tamper.py FILE clumsy|careful`.

Both change who made the render at position 4. The clumsy forger drops a guard and changes a byte. The careful one also
links the chain anew from there on, moves the head and puts the guard back, so that the file agrees with itself.
"""

import hashlib
import sqlite3
import sys

GUARD = "events_only_erase"
EVENT = 4
BEFORE, AFTER = b'"actor":"ci/render-17"', b'"actor":"ci/render-71"'


def forge(connection: sqlite3.Connection) -> None:
    """Change the bytes of one event."""
    place, envelope = events(connection)[EVENT - 1]
    connection.execute("UPDATE events SET envelope = ? WHERE place = ?", (envelope.replace(BEFORE, AFTER), place))


def link_anew(connection: sqlite3.Connection) -> None:
    """Make every hash fit again, as the chain format describes."""
    chain_id = connection.execute("SELECT chain_id FROM catalogs").fetchone()[0]
    previous = hashlib.sha256(b"catledger/chain/v1\n" + chain_id).digest()
    for place, envelope in events(connection):
        previous = hashlib.sha256(b"catledger/event/v1\n" + previous + envelope).digest()
        connection.execute("UPDATE events SET hash = ? WHERE place = ?", (previous, place))
    connection.execute("UPDATE catalogs SET hash = ?", (previous,))


def events(connection: sqlite3.Connection) -> list[tuple[int, bytes]]:
    return connection.execute("SELECT place, envelope FROM events ORDER BY place").fetchall()


def main(path: str, manner: str) -> None:
    connection = sqlite3.connect(path)
    guard = connection.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (GUARD,)).fetchone()[0]
    connection.execute(f"DROP TRIGGER {GUARD}")
    forge(connection)
    if manner == "careful":
        link_anew(connection)
        connection.execute(guard)
    connection.commit()
    connection.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
