"""`catledger capture`: start or reach real MCP servers, list everything, record the outcome."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ledger.bootstrap import Ledger
    from ledger.gateway.capture import Observation
    from ledger.gateway.server_spec import ServerSpec

_COULD_NOT_TELL = 3


def register(app: typer.Typer) -> None:
    app.command()(capture)


def capture(
    context: typer.Context,
    config: Annotated[Path, typer.Option(metavar="FILE", help="mcpServers, VS Code `servers`, or Codex TOML.")],
    server: Annotated[list[str] | None, typer.Argument(metavar="[SERVER]…", show_default=False)] = None,
    watch: Annotated[
        float | None, typer.Option(metavar="SECONDS", min=1, help="Go on observing, at least this often.")
    ] = None,
) -> None:
    """List what real MCP servers offer and record it; exit 3 when one could not be listed whole."""
    specs = _specs(config, server or [])
    with context.obj.open(read_only=False) as ledger:
        if watch is not None:
            _watch(ledger, specs, watch)
            return
        observations = _capture(ledger, specs)
    rows = [_row(spec.name, seen) for spec, seen in zip(specs, observations, strict=True)]
    output.table(rows)
    raise typer.Exit(0 if all(each.is_whole for each in observations) else _COULD_NOT_TELL)


def _specs(path: Path, only: Sequence[str]) -> tuple[ServerSpec, ...]:
    from ledger.config import process_environment
    from ledger.errors import BadInput
    from ledger.gateway.configuration import read_configuration

    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(getattr(error, "strerror", None) or str(error), str(path)) from error
    found = read_configuration(text, file=str(path), environment=process_environment(), only=only)
    for pointer in found.ignored:
        typer.echo(f"ignored: {output.printable(pointer)}", err=True)
    for name in found.disabled:
        typer.echo(f"disabled in {path}: {output.printable(name)}", err=True)
    if not found.servers:
        raise BadInput("it configures no server that is enabled", str(path))
    return found.servers


def _limits(ledger: Ledger) -> Any:
    from ledger.gateway.limits import Limits

    settings = ledger.settings
    return Limits(
        definition_bytes=settings.max_definition_bytes,
        event_bytes=settings.max_event_bytes,
        tools=settings.max_tools,
        depth=settings.max_depth,
    )


def _capture(ledger: Ledger, specs: Sequence[ServerSpec]) -> list[Observation]:
    import anyio

    from ledger.bootstrap import fingerprint_key
    from ledger.clock import SystemClock, iso
    from ledger.gateway.capture import capture_each
    from ledger.store.store import name_for_writing

    key = fingerprint_key(ledger.settings.key_file, ledger.store.entropy)

    async def observe() -> list[Observation]:
        return await capture_each(specs, clock=SystemClock(), limits=_limits(ledger), fingerprint_key=key)

    observations = anyio.run(observe)
    lines: list[dict[str, Any]] = [
        {"kind": each.kind, "payload": each.payload, "occurred_at": iso(each.occurred_at_us)} for each in observations
    ]
    with ledger.store.engine.reading() as connection:
        catalog = name_for_writing(connection, ledger.settings.catalog)
    ledger.recorder(secrets=_secrets(specs)).record(catalog, lines)
    return observations


def _watch(ledger: Ledger, specs: Sequence[ServerSpec], interval_s: float) -> None:
    import signal

    import anyio
    from anyio import to_thread

    from ledger.bootstrap import fingerprint_key
    from ledger.clock import SystemClock
    from ledger.gateway.watch import watch
    from ledger.store.store import name_for_writing

    recorder = ledger.recorder(secrets=_secrets(specs))
    key = fingerprint_key(ledger.settings.key_file, ledger.store.entropy)
    with ledger.store.engine.reading() as connection:
        catalog = name_for_writing(connection, ledger.settings.catalog)

    async def record(lines: list[dict[str, Any]]) -> None:
        done = await to_thread.run_sync(recorder.record, catalog, lines)
        for line, position in zip(lines, done.positions, strict=True):
            output.line(f"{position:>7}  {line['kind']:<22} {output.printable(str(line['payload'].get('server', '')))}")

    async def run() -> None:
        stop = anyio.Event()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_stop_on_signals, stop, (signal.SIGINT, signal.SIGTERM))
            session = ledger.store.entropy.token(8).hex()
            await watch(
                specs,
                interval_s=interval_s,
                record=record,
                stop=stop,
                clock=SystemClock(),
                session=session,
                limits=_limits(ledger),
                fingerprint_key=key,
            )
            tasks.cancel_scope.cancel()

    anyio.run(run)


async def _stop_on_signals(stop: Any, signals: tuple[Any, ...]) -> None:
    import anyio

    with anyio.open_signal_receiver(*signals) as received:
        async for _ in received:
            stop.set()
            return


def _secrets(specs: Sequence[ServerSpec]) -> frozenset[str]:
    return frozenset().union(*(spec.secrets for spec in specs))


def _row(name: str, seen: Observation) -> tuple[str, ...]:
    if seen.kind == "capture.failed":
        error = seen.payload["error"]
        return (name, "failed", f"{seen.payload['stage']}: {error.get('message') or error.get('code')}")
    rejected = len(seen.payload.get("rejected") or ())
    noted = f", {rejected} rejected" if rejected else ""
    return (name, seen.payload["outcome"], f"{len(seen.payload['tools'])} tools{noted}")
