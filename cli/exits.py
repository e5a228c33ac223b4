"""One function from what went wrong to words on standard error and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from typing import TYPE_CHECKING

import typer

from ledger.errors import LedgerError

if TYPE_CHECKING:
    from collections.abc import Sequence

INTERRUPTED = 130
BROKEN_PIPE = 141


def run(app: typer.Typer, arguments: Sequence[str]) -> int:
    """Run a command and return its exit code."""
    try:
        code = app(args=list(arguments), standalone_mode=False)
        sys.stdout.flush()
    except LedgerError as error:
        return _failed(error, show_trace="--debug" in arguments)
    except typer.TyperException as error:
        return _misused(error)
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read us has seen enough; without this Python would complain once more when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    return code if isinstance(code, int) else 0


def _misused(error: typer.TyperException) -> int:
    message = error.format_message()
    if message.startswith("Usage:"):  # no command at all: Typer's message is the help itself
        typer.echo(message)
        return error.exit_code
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "catledger"
    typer.echo(f"catledger: {message}", err=True)
    typer.echo(f"  `{command} --help` says what it takes", err=True)
    return error.exit_code


def _failed(error: LedgerError, *, show_trace: bool) -> int:
    from cli.output import printable

    if show_trace:
        traceback.print_exception(error)
    sys.stdout.flush()
    typer.echo(f"catledger: {printable(str(error))}", err=True)
    if error.hint:
        typer.echo(f"  {printable(error.hint)}", err=True)
    return error.exit_code
