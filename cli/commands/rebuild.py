"""`catledger rebuild`: fold from zero, compare, switch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cli import output
from cli.options import JsonOption

if TYPE_CHECKING:
    from ledger.bootstrap import Ledger


def register(app: typer.Typer) -> None:
    app.command()(rebuild)


def rebuild(
    context: typer.Context,
    projection: Annotated[list[str] | None, typer.Argument(metavar="[PROJECTION]…", show_default=False)] = None,
    check: Annotated[bool, typer.Option("--check", help="Only compare; exit 1 when they differ.")] = False,
    bisect: Annotated[bool, typer.Option("--bisect", help="Only name the first event at which they differ.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Fold projections from zero beside the old rows, and put them in place."""
    names = projection or []
    if check or bisect:
        with context.obj.open(read_only=True) as ledger:
            code = _compare(ledger, names, as_json) if check else _bisect(ledger, names, as_json)
        raise typer.Exit(code)
    from cli.progress import progress
    from ledger.projections.rebuild import rebuild as build
    from ledger.store.store import find_catalog

    with context.obj.open(read_only=False) as ledger:
        with ledger.store.engine.reading() as connection:
            found = find_catalog(connection, ledger.settings.catalog)
        with progress("rebuilding", found.seq) as advance:
            done = build(ledger.store, ledger.runner, found.name, names, advance)
    if as_json:
        fields = {"catalog": done.catalog, "position": done.position, "projections": list(done.projections)}
        output.document("rebuild", {**fields, "stalled": done.stalled})
    else:
        output.line(f"{done.catalog}: {', '.join(done.projections)} rebuilt up to {done.position}")
        output.table([("stalled", name, reason) for name, reason in done.stalled.items()], indent="  ")
    raise typer.Exit(3 if done.stalled else 0)


def _compare(ledger: Ledger, names: list[str], as_json: bool) -> int:
    from cli.progress import progress
    from ledger.projections.equality import compare
    from ledger.projections.rebuild import chosen_folds
    from ledger.store.store import find_catalog

    chosen = {each.NAME for each in chosen_folds(ledger.runner.folds, names)}
    with ledger.store.engine.reading() as connection, progress("comparing") as advance:
        found = find_catalog(connection, ledger.settings.catalog)
        unequal = [each for each in compare(connection, found, ledger.runner.folds, advance) if each.name in chosen]
    if as_json:
        rows = [{"projection": each.name, "reason": each.reason} for each in unequal]
        output.document(
            "rebuild-check",
            {"catalog": found.name, "position": found.seq, "equal": not unequal, "unequal": rows},
        )
    elif unequal:
        for each in unequal:
            output.line(output.printable(str(each)))
        output.line("run `catledger rebuild` to mend it, `catledger rebuild --bisect` to see where it began")
    else:
        output.line(f"{found.name}: {', '.join(sorted(chosen))} equal the fold of {found.seq} events")
    return 1 if unequal else 0


def _bisect(ledger: Ledger, names: list[str], as_json: bool) -> int:
    import orjson

    from ledger.projections.rebuild import bisect, chosen_folds
    from ledger.store.store import find_catalog

    chosen = {each.NAME for each in chosen_folds(ledger.runner.folds, names)}
    with ledger.store.engine.reading() as connection:
        found = find_catalog(connection, ledger.settings.catalog)
        partings = [each for each in bisect(connection, found, ledger.runner.folds) if each.projection in chosen]
    if as_json:
        rows = [
            {
                "projection": each.projection,
                "seq": each.seq,
                "key": each.key,
                "stored": each.stored,
                "folded": each.folded,
            }
            for each in partings
        ]
        output.document("bisect", {"catalog": found.name, "partings": rows})
    for each in [] if as_json else partings:
        output.line(f"{each.projection} parts at event {each.seq}, in {output.printable(each.key)}")
        output.line("  stored " + output.printable(orjson.dumps(each.stored).decode()))
        output.line("  folded " + output.printable(orjson.dumps(each.folded).decode()))
    if not partings and not as_json:
        output.line(f"{found.name}: nothing parts")
    return 1 if partings else 0
