"""Names that nobody has seen: the nearest ones there are."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST = 3


def nearest(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """The known names that look most like `name`, the best first."""
    return tuple(difflib.get_close_matches(name, sorted(known), n=_MOST, cutoff=0.5))
