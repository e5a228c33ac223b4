"""The help: every command is there, with the line it gives itself."""

from __future__ import annotations

import typer

from cli.app import app
from cli.lazy import SUMMARIES


def test_each_line_of_the_help_is_what_the_command_says_of_itself() -> None:
    group = typer.main.get_command(app)
    told = {name: (command.help or "").strip().splitlines()[0] for name, command in group.commands.items()}  # type: ignore[attr-defined]
    assert told == SUMMARIES


def test_every_module_of_commands_is_in_the_help() -> None:
    import pkgutil

    import cli.commands

    assert {module.name for module in pkgutil.iter_modules(cli.commands.__path__)} == set(SUMMARIES)
