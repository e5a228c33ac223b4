"""One layer: a file that says something about the intended catalog, or its absence."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledger.canon.jsontext import Json


class LayerKind(StrEnum):
    """Where a layer comes from, lowest first: what a later one says wins."""

    EMBEDDED = "embedded"
    TRACKED = "tracked"
    BUNDLE = "bundle"
    CATALOG = "catalog"
    LOCAL = "local"

    @property
    def rank(self) -> int:
        return _RANKS[self]


_RANKS = {kind: rank for rank, kind in enumerate(LayerKind)}


@dataclass(frozen=True, slots=True)
class Layer:
    """What one file held when it was read; `missing` when it was looked for in vain.

    `name` is the file's path relative to the configuration home, so that a render is the same on any machine.
    """

    kind: LayerKind
    name: str
    document: Json = None
    missing: bool = False

    def payload(self) -> dict[str, Json]:
        """As an item of `inputs` in `render.completed`."""
        if self.missing:
            return {"layer": str(self.kind), "name": self.name, "missing": True}
        return {"layer": str(self.kind), "name": self.name, "document": self.document}


def missing_layer(kind: LayerKind, name: str) -> Layer:
    """A file that is not there: recorded as such, so that a reset can be seen."""
    return Layer(kind, name, missing=True)


@dataclass(frozen=True, slots=True)
class Origin:
    """Who set a field: the layer's kind, its file, and the place in it.

    As text, which is how hidden tools and locks name their layer: `bundle:bundles/starter/catalog.json`.
    """

    layer: str
    file: str
    pointer: str = ""

    def __str__(self) -> str:
        return f"{self.layer}:{self.file}"


def in_layer_order(layers: Iterable[Layer]) -> tuple[Layer, ...]:
    """Lowest to highest, by name within a kind; the embedded defaults are added when they are not given."""
    given = tuple(layers)
    if not any(layer.kind is LayerKind.EMBEDDED for layer in given):
        given = (embedded_defaults(), *given)
    return tuple(sorted(given, key=lambda layer: (layer.kind.rank, layer.name)))


def embedded_defaults() -> Layer:
    """What holds before any file speaks."""
    defaults: dict[str, Json] = {
        "selectorField": "operation",
        "caseInsensitiveSelector": True,
        "timeoutSeconds": 60,
        "serverName": "tool_aggregator",
    }
    document: dict[str, Json] = {
        "schemaVersion": 1,
        "toolAggregations": {"schemaVersion": 1, "defaults": defaults},
    }
    return Layer(LayerKind.EMBEDDED, "defaults.json", document)
