"""Every test here leaves nothing running."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.integration.gateway.arena import left_running

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _nothing_is_left_running() -> Iterator[None]:
    yield
    assert left_running() == []
