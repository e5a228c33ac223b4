"""The digests of the database schema that verification accepts, one per engine; a test keeps them current."""

from __future__ import annotations

SCHEMA_DIGESTS = frozenset(())
