"""Where the real files lie, if they lie anywhere, and how they become layers and listings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ledger.catalog.layer import Layer, LayerKind
from tests.unit.catalog.builders import listing

if TYPE_CHECKING:
    from ledger.catalog.entry import Listing

STELAE = Path(__file__).resolve().parents[4] / "shared" / "data" / "stelae"


def read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def starter_bundle() -> Layer:
    return Layer(LayerKind.BUNDLE, "bundles/starter/catalog.json", read(STELAE / "bundles" / "starter.catalog.json"))


def real_listings() -> list[Listing]:
    """What the servers of that installation listed, in the order they were written down."""
    servers = read(STELAE / "samples" / "live_descriptors.renderer-shape.json")["servers"]
    return [
        listing(server, *({"name": name, **definition} for name, definition in found["tools"].items()))
        for server, found in servers.items()
    ]


def versions(family: str) -> list[Path]:
    """The versions of one file, in order of date."""
    return sorted((STELAE / "history" / family).glob("*.json"))
