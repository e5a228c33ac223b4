"""Words out: JSON documents, lines of JSON, and text in which hostile characters are harmless."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ledger.canon.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["document", "json_line", "line", "printable", "table"]


def document(name: str, fields: dict[str, Any]) -> None:
    """One JSON document, marked with its format."""
    import orjson

    value = {"format": f"catledger/{name}/v1", **fields}
    sys.stdout.buffer.write(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def json_line(fields: dict[str, Any]) -> None:
    import orjson

    sys.stdout.buffer.write(orjson.dumps(fields, option=orjson.OPT_APPEND_NEWLINE))


def line(text: str = "") -> None:
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace") + b"\n")


def table(rows: Iterable[tuple[str, ...]], indent: str = "") -> None:
    """Aligned columns; the last one runs free. Every cell is made harmless."""
    cells = [tuple(printable(cell) for cell in row) for row in rows]
    if not cells:
        return
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    for row in cells:
        fixed = (cell.ljust(width) for cell, width in zip(row[:-1], widths[:-1], strict=True))
        line((indent + "  ".join([*fixed, row[-1]])).rstrip())
