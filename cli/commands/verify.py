"""`catledger verify`: prove what is stored, and say what could not be proved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli import output
from cli.options import JsonOption

if TYPE_CHECKING:
    from ledger.services.verify import Verification
    from ledger.store.receipts import Head

_MARKS = {"ok": "ok", "incomplete": "??", "mismatch": "NO"}


def register(app: typer.Typer) -> None:
    app.command()(verify)


def verify(
    context: typer.Context,
    anchor: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE|HEAD",
            help="A head kept elsewhere, or a file of them; repeatable.",
            show_default=False,
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Heads, receipts and guards only.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Prove that no event was changed, removed or reordered, and that nothing is missing at the end."""
    from cli.progress import progress
    from ledger.services.verify import verify as prove

    anchors = [each for text in anchor or () for each in _anchors(text)]
    with context.obj.open(read_only=True) as ledger, progress("verifying") as advance:
        found = prove(ledger.store, anchors=anchors, quick=quick, progress=advance)
    if as_json:
        output.document("verify", _fields(found))
    else:
        _print(found)
    raise typer.Exit(found.exit_code)


def _anchors(text: str) -> list[tuple[str, Head]]:
    from ledger.errors import BadInput
    from ledger.store.receipts import Head

    if len(text.split()) == 4:
        return [("anchor", Head.parse(text))]
    try:
        lines = Path(text).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise BadInput(error.strerror or str(error), text) from error
    except UnicodeDecodeError as error:
        raise BadInput("is not text: a file of heads has one `chain epoch seq hash` per line", text) from error
    heads = [(f"anchor {text}", Head.parse(line)) for line in lines if line.strip()]
    if not heads:
        raise BadInput("it has no head: nothing to compare with", text)
    return heads


def _fields(found: Verification) -> dict[str, object]:
    fields: dict[str, object] = {
        "result": found.result,
        "events": found.events,
        "catalogs": found.catalogs,
        "erased": found.erased,
        "checks": [{"name": each.name, "result": each.result, "detail": each.detail} for each in found.checks],
        "anchors": [{"catalog": each.catalog, "seq": each.seq, "source": each.source} for each in found.anchors],
        "unanchored_tail": found.unanchored_tail,
    }
    if found.first_bad is not None:
        fields["first_bad"] = {"catalog": found.first_bad[0], "seq": found.first_bad[1]}
    return fields


def _print(found: Verification) -> None:
    erased = f", {found.erased} erased" if found.erased else ""
    output.line(f"{found.result}: {found.events} events in {found.catalogs} catalogs{erased}")
    output.table([(_MARKS[each.result], each.name, each.detail) for each in found.checks], indent="  ")
    if found.first_bad is not None:
        output.line(f"  first bad: {found.first_bad[0]} at {found.first_bad[1]}")
    if found.result == "unchecked":
        output.line("  nothing is recorded, so nothing was proved: record events first")
    elif found.unanchored_tail:
        output.line(f"  {found.unanchored_tail} events lie after the last anchor")
