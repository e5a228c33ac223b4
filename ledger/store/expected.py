"""The digests of the database schema that verification accepts, one per engine; a test keeps them current."""

from __future__ import annotations

SCHEMA_DIGESTS = frozenset(
    (
        "1dd66463d849e251c12437ca3336caf00e8ad0e47f7f24b0369b28627eec9889",  # SQLite
        "583558070d6574c522952b9b9c5bf3fde7c674fb2fd32b9f43a1d4d5fadb2fdf",  # PostgreSQL
    )
)
