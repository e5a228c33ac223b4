"""Console blocks of a page: run in order in one shell, compared with what the page prints.

In a fence marked `console` a line that begins with `$ ` is a command (`> ` continues it); what follows is its output. A
line `…` stands for lines that are left out. Times, hashes and ids that differ from run to run are masked on both sides,
so that the rest must be equal to the letter: words, positions, digests, exit codes.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ROOT = Path(__file__).parents[2]
ELIDED = "…"
_FENCE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_RECORD_SEPARATOR = "\x1e"
# `$?` of a command stays what it was: the next one may print it.
_PRELUDE = "exec 2>&1\nended() { code=$?; printf '\\036'; return $code; }\n"

# In this order: what is long goes first. The digest of a document is the same every time and is not
# masked; that of rows is not, because rows hold times.
_MASKS = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?"), "<time>"),
    (re.compile(r"(?<![\w:-])[0-9a-f]{64}(?!\w)"), "<hash>"),
    (re.compile(r"(?<![\w:-])[0-9a-f]{32}(?!\w)"), "<chain>"),
    (re.compile(r"chain-[0-9a-f]{8}\b"), "<label>"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "<id>"),
    (re.compile(r"\b1\d{15}\b"), "<micros>"),
    (re.compile(r"rows1-sha256:[0-9a-f]{64}"), "<rows>"),
    (re.compile(r"hmac-sha256:[0-9a-f]{16}"), "<fingerprint>"),
    (re.compile(r"\[redacted:[0-9a-f]{16}\]"), "<redacted>"),
    (re.compile(r"(SQLite|PostgreSQL) \d+(\.\d+)+( \(\w+\))?"), r"\1 <version>"),
)


class Command(NamedTuple):
    """A command of a page, and the output that the page says it has."""

    text: str
    said: tuple[str, ...]


def pages() -> list[Path]:
    """Every page that has a console block."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in found if _FENCE.search(page.read_text(encoding="utf-8"))]


def commands_of(page: str) -> list[Command]:
    """The commands of a page in order."""
    return [command for block in _FENCE.findall(page) for command in _commands_of_block(block)]


def run(commands: Iterable[Command], home: Path, replacing: Mapping[str, str]) -> list[tuple[str, ...]]:
    """The output of each command, all run by one shell in `home`.

    `replacing` names what a page may say in place of something that only this run knows, such as the URL of a server.
    """
    script = _PRELUDE + "".join(f"{_meant(command.text, replacing)}\nended\n" for command in commands)
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=home,
        env=_environment(home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=300,
    )
    *outputs, rest = done.stdout.decode().split(_RECORD_SEPARATOR)
    assert not rest, f"the shell printed after its last command: {rest}"
    for said, meant in replacing.items():
        outputs = [output.replace(meant, said) for output in outputs]
    return [tuple(output.splitlines()) for output in outputs]


def difference(command: Command, printed: tuple[str, ...]) -> str:
    """How what a command printed differs from what the page says; empty if it does not."""
    said, found = masked(command.said), masked(printed)
    if _fits(said, found):
        return ""
    lines = unified_diff(said, found, "the page says", "it printed", lineterm="", n=100)
    return "\n".join([f"$ {command.text}", *lines])


def masked(lines: Iterable[str]) -> list[str]:
    """The lines with everything that differs from run to run under a mask."""
    return [_masked(line) for line in lines]


def rewritten(page: str, outputs: Iterable[tuple[str, ...]]) -> str:
    """The page with the real output under each command whose output is no longer what it says."""
    waiting = iter(outputs)

    def block(found: re.Match[str]) -> str:
        lines = ["```console"]
        for command in _commands_of_block(found[1]):
            printed = next(waiting)
            first, *more = command.text.split("\n")
            lines += [f"$ {first}", *(f"> {line}".rstrip() for line in more)]
            lines += printed if difference(command, printed) else command.said
        return "\n".join([*lines, "```"])

    return _FENCE.sub(block, page)


def _commands_of_block(block: str) -> list[Command]:
    commands: list[Command] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            commands.append(Command(line[2:], ()))
            continue
        assert commands, f"a console block begins with a command, not with {line!r}"
        text, said = commands[-1]
        is_continued = (line == ">" or line.startswith("> ")) and not said
        commands[-1] = Command(f"{text}\n{line[2:]}", said) if is_continued else Command(text, (*said, line))
    return commands


def _meant(text: str, replacing: Mapping[str, str]) -> str:
    for said, meant in replacing.items():
        text = text.replace(said, meant)
    return text


def _environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CATLEDGER_", "STELAE_", "XDG_"))}
    commands = f"{Path(sys.executable).parent}{os.pathsep}{kept.get('PATH', os.defpath)}"
    return kept | {"PATH": commands, "HOME": str(home), "USER": "ops", "TZ": "UTC", "COLUMNS": "100", "NO_COLOR": "1"}


def _masked(line: str) -> str:
    for pattern, mask in _MASKS:
        line = pattern.sub(mask, line)
    return line


def _fits(said: list[str], found: list[str]) -> bool:
    if ELIDED not in said:
        return said == found
    at = said.index(ELIDED)
    if said[:at] != found[:at]:
        return False
    rest = said[at + 1 :]
    return any(_fits(rest, found[start:]) for start in range(at, len(found) + 1))
