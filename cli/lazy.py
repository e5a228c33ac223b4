"""Commands by name, each loaded when it is called: `catledger --help` pays for none of them."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

# The line of each command in the help; a test keeps it equal to what the command says of itself.
SUMMARIES = {
    "init": "Create the ledger, or bring it to the newest schema.",
    "record": "Append JSON lines of {kind, payload, …}; a file is checked whole before the first write.",
    "capture": "List what real MCP servers offer and record it; exit 3 when one could not be listed whole.",
    "status": "Print catalogs, heads, coverage, open drift, escalated schemas, stalls and receipts on one screen.",
    "catalog": "Print a catalog, now or at any past moment.",
    "schemas": "Print the adoption state of every output schema; locked and untyped ones stand apart.",
    "drift": "Print the drift log, or what stands open.",
    "changes": "Print what changed since a moment, over all projections, the shortest list first.",
    "diff": "Compare two catalogs by tool and field; exit 1 when they differ.",
    "why": "Say why a tool is or is not there, since when, and which events prove it.",
    "log": "Print events, oldest first.",
    "show": "Show one event with its payload, its neighbours in the chain, and what it changed in each projection.",
    "check": "Fail when intended and live differ, a schema keeps failing, or projections differ from their events.",
    "waive": "Accept a drift until a moment: it stays in the log, marked, and the gate lets it pass.",
    "rebuild": "Fold projections from zero beside the old rows, and put them in place.",
    "verify": "Prove that no event was changed, removed or reordered, and that nothing is missing at the end.",
    "head": "Print `chain epoch seq hash` of each catalog: keep it elsewhere, and give it to `verify --anchor`.",
    "erase": "Blank a payload or a document; the chain stays whole and says who did it and why.",
    "chain": "The chain itself as JSON lines.",
    "settings": "List every setting with its value, its default and where the value came from.",
    "digest": "Print the digests that the ledger would compute of a file, and of each tool definition in it.",
}


class LazyGroup(TyperGroup):
    """The group behind `catledger`."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = _Commands()

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - Typer calls it so
        width = formatter.width - 6 - max(map(len, SUMMARIES))
        rows = [(name, _cut(summary, width)) for name, summary in SUMMARIES.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class _Commands(MutableMapping[str, Any]):
    """What Typer takes for a dictionary of commands; a command is made from its module when it is asked for."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            if name not in SUMMARIES:
                raise KeyError(name)
            self._made[name] = _make(name)
        return self._made[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        del self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(SUMMARIES)

    def __len__(self) -> int:
        return len(SUMMARIES)


def _make(name: str) -> Any:
    alone = typer.Typer(rich_markup_mode=None, add_completion=False)
    import_module(f"cli.commands.{name}").register(alone)
    made: Any = typer.main.get_command(alone)
    return made.commands[name] if hasattr(made, "commands") else made


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 3].rsplit(" ", 1)[0] + "..."
