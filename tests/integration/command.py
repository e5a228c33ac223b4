"""Runs the real command in this process, the way a shell would see it."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cli.app import app
from cli.exits import run

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


@dataclass(frozen=True)
class Said:
    """An exit code and what was printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Command:
    """`catledger` with a state home of its own."""

    def __init__(self, home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.home = home
        self._capfd = capfd
        self._monkeypatch = monkeypatch
        monkeypatch.setenv("CATLEDGER_STATE_HOME", str(home))

    def __call__(self, *arguments: str, stdin: bytes = b"") -> Said:
        source, sink = os.pipe()
        with os.fdopen(sink, "wb") as file:
            file.write(stdin)
        with os.fdopen(source, "r") as text:
            self._monkeypatch.setattr(sys, "stdin", text)
            code = run(app, arguments)
        sys.stdout.flush()
        captured = self._capfd.readouterr()
        return Said(code, captured.out, captured.err)
