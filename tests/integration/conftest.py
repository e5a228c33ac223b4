"""The command, ready to be called."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.integration.command import Command

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def catledger(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    return Command(tmp_path / "home", capfd, monkeypatch)
