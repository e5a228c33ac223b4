"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
JsonLinesOption = Annotated[bool, typer.Option("--jsonl", help="Print one JSON object per line.")]
AsOfOption = Annotated[
    str | None,
    typer.Option(metavar="MOMENT", help="As recorded by then: a position, an event id, a time, or `2 hours ago`."),
]
OccurredOption = Annotated[str | None, typer.Option(metavar="TIME", help="As claimed to have occurred by then.")]
ZoneOption = Annotated[
    str | None, typer.Option("--tz", metavar="ZONE", help="Zone of times without one, e.g. Europe/Berlin.")
]
