"""How far a dotted path leads in a schema."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.catalog.reach import Reach, reach

CLOSED = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False}
NAMING = {"type": "object", "properties": {"a": {"type": "object"}, "l": {"type": "array", "items": CLOSED}}}


@pytest.mark.parametrize(
    ("schema", "path", "expected"),
    [
        (CLOSED, "a", Reach.DECLARED),
        (CLOSED, "b", Reach.NOWHERE),
        (CLOSED, "a.b", Reach.NOWHERE),
        (NAMING, "b", Reach.UNDECLARED),
        (NAMING, "a.b", Reach.OPEN),
        (NAMING, "l.0.a", Reach.DECLARED),
        (NAMING, "l.0.b", Reach.NOWHERE),
        (NAMING, "l.name", Reach.NOWHERE),
        ({**NAMING, "additionalProperties": True}, "b", Reach.OPEN),
        ({**NAMING, "additionalProperties": {"type": "string"}}, "b", Reach.OPEN),
        ({**CLOSED, "patternProperties": {"^x": True}}, "xb", Reach.OPEN),
        ({"$ref": "#/$defs/x"}, "a", Reach.OPEN),
        ({"anyOf": [CLOSED]}, "b", Reach.OPEN),
        ({"type": ["object", "null"]}, "a", Reach.OPEN),
        ({"type": ["string", "null"]}, "a", Reach.NOWHERE),
        ({}, "a", Reach.OPEN),
        (True, "a", Reach.OPEN),
        (False, "a", Reach.NOWHERE),
        (None, "a", Reach.OPEN),
    ],
)
def test_a_path_leads_as_far_as_the_schema_lets_it(schema: Any, path: str, expected: Reach) -> None:
    assert reach(schema, tuple(path.split("."))) is expected
