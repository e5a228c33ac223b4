"""`${…}` in configurations, as the programs that own them expand it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING

from ledger.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Mapping

_REFERENCE = re.compile(r"\$\{([^{}]*)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# what these hold is on every machine, and in paths that are worth reading
_PUBLIC_NAMES = frozenset({"HOME", "USER", "LOGNAME", "PATH", "PWD", "SHELL", "LANG", "TMPDIR", "TEMP", "USERPROFILE"})
_EDITOR_ONLY = frozenset({"command", "config"})
# editors keep a folder of their own inside the workspace: the file lies one step deeper
_EDITOR_FOLDERS = frozenset({".vscode", ".cursor", ".codex", ".claude"})


@dataclass(frozen=True)
class Expanded:
    """A value after expansion, and which parts of it came from the environment or an input."""

    text: str
    taken: tuple[str, ...] = ()


@dataclass(frozen=True)
class Expander:
    """Replaces `${NAME}`, `${NAME:-default}`, `${env:NAME}`, `${input:id}` and the editors' folder names.

    Once: what a variable holds is never expanded again. An `${input:id}` that an editor would ask for is read
    from the variable `CATLEDGER_INPUT_<ID>`, else from the input's own default.
    """

    environment: Mapping[str, str] = field(repr=False)
    file: str = ""
    input_defaults: Mapping[str, str] = field(default_factory=dict, repr=False)

    def expand(self, text: str, place: str) -> Expanded:
        """Raises BadInput at `place` for a name that has no value; the message never holds a value."""
        taken: list[str] = []

        def replace(match: re.Match[str]) -> str:
            value, is_public = self._resolve(match[1], place)
            if not is_public:
                taken.append(value)
            return value

        return Expanded(_REFERENCE.sub(replace, text), tuple(taken))

    def _resolve(self, reference: str, place: str) -> tuple[str, bool]:
        if (folder := self._folder(reference)) is not None:
            return folder, True
        kind, colon, rest = reference.partition(":")
        if kind == "input" and colon:
            return self._input(rest, place), False
        if kind in _EDITOR_ONLY and colon:
            raise BadInput(f"${{{kind}:…}} can only be expanded by the editor", place)
        name, has_default, default = (rest if kind == "env" and colon else reference).partition(":-")
        if not _NAME.fullmatch(name):
            return f"${{{reference}}}", True  # not a reference: a password may hold these characters
        if name in self.environment:
            return self.environment[name], name in _PUBLIC_NAMES
        if not has_default:
            raise BadInput(f"the environment variable {name} is not set, and no default is given", place)
        return default, True

    def _input(self, identifier: str, place: str) -> str:
        variable = "CATLEDGER_INPUT_" + re.sub(r"[^A-Za-z0-9]", "_", identifier).upper()
        value = self.environment.get(variable, self.input_defaults.get(identifier))
        if value is None:
            raise BadInput(f"the input {identifier!r} has no value: set {variable}", place)
        return value

    def _folder(self, reference: str) -> str | None:
        workspace = PurePath(self.file).parent
        if workspace.name in _EDITOR_FOLDERS:
            workspace = workspace.parent
        match reference:
            case "workspaceFolder" | "cwd":
                return str(workspace)
            case "workspaceFolderBasename":
                return workspace.name
            case "userHome":
                return self.environment.get("HOME") or self.environment.get("USERPROFILE", "")
            case "pathSeparator" | "/":
                return "/"
            case _:
                return None
