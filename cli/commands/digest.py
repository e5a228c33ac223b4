"""`catledger digest`: the digests the ledger would compute."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from cli import output
from cli.options import JsonOption


def register(app: typer.Typer) -> None:
    app.command()(digest)


def digest(
    file: Annotated[
        Path, typer.Argument(metavar="FILE|-", help="A JSON file: any value, a definition, or {tools: […]}.")
    ],
    as_json: JsonOption = False,
) -> None:
    """Print the digests that the ledger would compute of a file, and of each tool definition in it."""
    from ledger.errors import BadInput
    from ledger.services.digests import digests_of

    try:
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise BadInput(error.strerror or str(error), str(file)) from error
    found = digests_of(raw)
    if as_json:
        output.document("digest", found)
        return
    output.line(f"value  {found['value']}")
    for tool in found["tools"]:
        output.line(output.printable(tool["name"]))
        output.table([(part, tool[part] or "-") for part in tool if part != "name"], indent="  ")
