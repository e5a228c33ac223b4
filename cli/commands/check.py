"""`catledger check`: the CI gate."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from cli import output
from cli.answers import asked, footer

if TYPE_CHECKING:
    from ledger.services.check import Checked

_EXIT_CODES = {"pass": 0, "fail": 1, "unchecked": 3, "damaged": 4}


class Format(StrEnum):
    text = "text"
    json = "json"
    junit = "junit"
    github = "github"
    sarif = "sarif"


def register(app: typer.Typer) -> None:
    app.command()(check)


def check(
    context: typer.Context,
    form: Annotated[Format, typer.Option("--format", help="How to print the answer.")] = Format.text,
) -> None:
    """Fail when intended and live differ, a schema keeps failing, or projections differ from their events."""
    from ledger.exports.gates import worst
    from ledger.services.check import check as ask

    with asked(context) as (ledger, connection, found, moment):
        checked = ask(connection, found, ledger.runner.folds, ledger.store.receipts)
    if form is Format.text:
        _print(checked)
        footer(found, moment)
    elif form is Format.json:
        _print_json(checked)
    else:
        _export(checked, form)
    raise typer.Exit(_EXIT_CODES[worst(checked.gates)])


def _print(checked: Checked) -> None:
    from ledger.exports.gates import worst

    output.line(f"{worst(checked.gates)} (basis: {checked.basis})")
    for gate in checked.gates:
        output.line(f"  {gate.result:<9} {gate.name}")
        output.table([(each.severity, each.subject, each.message) for each in gate.findings], indent="      ")


def _print_json(checked: Checked) -> None:
    from ledger.exports.gates import worst

    gates = [
        {
            "name": gate.name,
            "result": gate.result,
            "findings": [
                {
                    "rule": each.rule,
                    "subject": each.subject,
                    "message": each.message,
                    "severity": each.severity,
                }
                for each in gate.findings
            ],
        }
        for gate in checked.gates
    ]
    output.document("check", {"result": worst(checked.gates), "basis": checked.basis, "gates": gates})


def _export(checked: Checked, form: Format) -> None:
    import sys

    from ledger import __version__
    from ledger.exports.github import to_annotations
    from ledger.exports.junit import to_junit
    from ledger.exports.sarif import to_sarif

    if form is Format.junit:
        sys.stdout.buffer.write(to_junit(checked.gates, at_us=checked.moment.recorded_us))
    elif form is Format.sarif:
        sys.stdout.buffer.write(to_sarif(checked.gates, tool_version=__version__))
    else:
        sys.stdout.write(to_annotations(checked.gates))
