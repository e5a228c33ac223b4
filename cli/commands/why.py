"""`catledger why`: why a tool is or is not there."""

from __future__ import annotations

import textwrap
from typing import Annotated, Any

import typer

from cli import output
from cli.answers import asked, footer
from cli.options import AsOfOption, JsonOption, OccurredOption, ZoneOption

_COULD_NOT_TELL = 3
_WIDTH = 80


def register(app: typer.Typer) -> None:
    app.command()(why)


def why(
    context: typer.Context,
    tool: Annotated[str, typer.Argument(metavar="TOOL", help="The name clients see, or server::tool.")],
    as_of: AsOfOption = None,
    occurred: OccurredOption = None,
    zone: ZoneOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say why a tool is or is not there, since when, and which events prove it."""
    from ledger.services.why import why as explain

    with asked(context, as_of=as_of, occurred=occurred, zone=zone) as (_, connection, found, moment):
        answer = explain(connection, found, tool, moment)
    if as_json:
        output.document("why", answer)
    else:
        _print(answer)
        footer(found, moment)
    raise typer.Exit(_COULD_NOT_TELL if answer["verdict"] == "unknown" else 0)


def _print(answer: dict[str, Any]) -> None:
    reason = f", {answer['reason']}" if answer["causes"] else ""
    output.line(f"{answer['verdict']}: {output.printable(answer['tool'])}{reason} (basis: {answer['basis']})")
    for word, at in (("since", answer["since"]), ("last present", answer["last_present"])):
        if at is not None:
            output.line(f"  {word} {at['seq']}, {at['recorded_at']}")
    for cause in answer["causes"]:
        _wrapped(f"{cause['reason']}: {cause['summary']}", "  ")
        for each in cause["evidence"]:
            moment = each["recorded_at"][:19].replace("T", " ")
            _cut(f"    {each['seq']:>7}  {moment}  {each['kind']:<20}  {output.printable(each['summary'])}")
    for note in answer["notes"]:
        _wrapped(f"note: {note}", "  ")
    for gap in answer["coverage"]["gaps"]:
        _wrapped(f"not watched ({gap['reason']}) from {gap['from'] or 'unknown'} to {gap['to'] or 'unknown'}", "  ")
    if answer["next_steps"]:
        output.line("next")
        for step in answer["next_steps"]:
            output.line(f"  {output.printable(step)}")


def _wrapped(text: str, indent: str) -> None:
    for each in textwrap.wrap(output.printable(text), _WIDTH - len(indent), subsequent_indent="  "):
        output.line(indent + each)


def _cut(text: str) -> None:
    output.line(text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…")
