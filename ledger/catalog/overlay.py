"""JSON objects laid over one another, with a note of who set each field."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ledger.canon.pointer import escape

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ledger.canon.jsontext import Json
    from ledger.catalog.layer import Origin


@dataclass(frozen=True, slots=True)
class Overlaid:
    """The result: `origins` maps the JSON pointer of every leaf to the layer that set it.

    A leaf is anything but an object that has fields.
    """

    value: dict[str, Json] = field(default_factory=dict)
    origins: dict[str, Origin] = field(default_factory=dict)

    def origin_of(self, pointer: str) -> Origin | None:
        """Who set the field at `pointer`, or the object or list it lies in; None if no layer did."""
        while pointer and pointer not in self.origins:
            pointer = pointer.rpartition("/")[0]
        return self.origins.get(pointer)


def overlay(layers: Iterable[tuple[Mapping[str, Json], Origin]]) -> Overlaid:
    """Lay objects over one another, lowest first: objects merge deeply, everything else replaces.

    An origin's pointer is where the object stands in its file; that of a leaf is made from it. The given
    values are left as they are; leaves are shared with them.
    """
    result = Overlaid()
    for top, origin in layers:
        _lay(result.value, top, "", origin, result.origins)
    return result


def _lay(base: dict[str, Json], top: Mapping[str, Json], path: str, origin: Origin, origins: dict[str, Origin]) -> None:
    for key, value in top.items():
        inside = f"{path}/{escape(key)}"
        if isinstance(value, dict):
            below = base.get(key)
            if isinstance(below, dict):
                if value:
                    origins.pop(inside, None)  # no longer a leaf, if it was an empty object
                _lay(below, value, inside, origin, origins)
                continue
            fresh: dict[str, Json] = {}
            base[key] = fresh
            origins.pop(inside, None)
            if value:
                _lay(fresh, value, inside, origin, origins)
                continue
        else:
            if isinstance(base.get(key), dict):
                _forget(origins, inside)
            base[key] = value
        origins[inside] = replace(origin, pointer=origin.pointer + inside)


def _forget(origins: dict[str, Origin], pointer: str) -> None:
    for inner in [known for known in origins if known.startswith(pointer + "/")]:
        del origins[inner]
