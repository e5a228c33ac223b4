"""What drift looks at when an event has happened: the catalogs, the listings, and what it remembers itself."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from ledger.events.documents import list_items
from ledger.projections.entries import NOBODY
from ledger.projections.memory import Mark, Memory, server_of, tool_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ledger.events.fact import Fact
    from ledger.projections.fold import Documents, Row, State
    from ledger.projections.whole_lists import Item

SERVED: Final = "served"
LISTED: Final = "listed"
NONE: Final = "none"


class Unknown(Enum):
    """What stands for a tool that nobody has looked for: neither there nor absent."""

    UNKNOWN = "unknown"


UNKNOWN: Final = Unknown.UNKNOWN


class Scene:
    """The views after one event. Whatever costs more than a look-up is read when it is first asked for.

    `render_seq` and `serving_seq` are the last of their kind, whatever they changed, and 0 before any. `replaced` holds
    the items that a listing had in place of those that this event brings, by key.
    """

    def __init__(self, event: Fact, views: Mapping[str, State], documents: Documents, memory: Memory) -> None:
        self.event = event
        self.documents = documents
        self.memory = memory
        self.descriptors = views["descriptors"]
        self.servers = views["servers"]
        self.schemas = views["schemas"]
        self.intended = views["intended"]
        self.live = views["live"]
        self.basis: str = (memory.get("@basis") or {"basis": NONE})["basis"]
        self.render_seq: int = self.intended.get("@render", {}).get("seq") or 0
        self.serving_seq: int = self.live.get("@serving", {}).get("seq") or 0
        self.replaced: Mapping[str, Item] = {}
        self._complete: dict[str, dict[str, Row]] = {}
        self._holders: dict[str, list[str]] | None = None
        self._hiders: dict[str, list[str]] | None = None

    @property
    def is_unreadable(self) -> bool:
        """Whether what was served last has been erased."""
        row = self.memory.get("@served")
        return row is not None and row["unreadable"]

    def begin(self, basis: str) -> None:
        """From this event on, reality is what this basis says."""
        self.basis = basis
        self.memory.put("@basis", {"basis": basis, "seq": self.event.seq})

    def wanted(self, key: str) -> Row | None:
        """The intended entry."""
        row = self.intended.get(key)
        return row if row is not None and "definition" in row else None

    def served(self, key: str) -> Row | None:
        """The served entry."""
        row = self.live.get(key)
        return row if row is not None and "definition" in row else None

    def listed(self, key: str) -> Row | Unknown | None:
        """The descriptor in the last complete listing of its server; what a later partial one adds is not in it."""
        known = self.memory.server(server_of(key))
        if known["listing"] is None or known["unreadable"]:
            return UNKNOWN
        row = self.descriptors.get(key)
        if row is None or row["state"] != "listed":
            return None
        return self._completely_listed(known["listing"]).get(tool_of(key)) if row.get("partial") else row

    def listed_anywhere(self, tool: str) -> Row | Unknown | None:
        """The descriptor of a tool whose server nobody names."""
        found = [self.listed(f"{server}::{tool}") for server in self.memory.servers()]
        known = next((each for each in found if isinstance(each, dict)), None)
        return UNKNOWN if known is None and (UNKNOWN in found or not found) else known

    def _completely_listed(self, listing: str) -> dict[str, Row]:
        if listing not in self._complete:
            items: Iterable[Item] = list_items(listing, self.documents)
            self._complete[listing] = {item[0]: _descriptor(item) for item in items if isinstance(item, list)}
        return self._complete[listing]

    def hidden(self, key: str) -> str | None:
        """The key of the row that hides a tool; one that is known by its name only is hidden by that name."""
        own, everywhere = f"hidden/{key}", f"hidden/{NOBODY}::{tool_of(key)}"
        if own in self.intended:
            return own
        if everywhere in self.intended:
            return everywhere
        return next(iter(self.hiders(tool_of(key))), None) if server_of(key) == NOBODY else None

    def hiders(self, tool: str) -> list[str]:
        """The keys of the rows that hide tools of this name."""
        if self._hiders is None:
            rows = (key for key, row in self.intended.items() if key.startswith("hidden/") and "definition" not in row)
            self._hiders = _grouped((tool_of(key), key) for key in rows)
        return sorted(self._hiders.get(tool, ()))

    def holders(self, name: str) -> list[str]:
        """The keys of the tools that clients were served under this name."""
        if self._holders is None:
            self._holders = _grouped((row["name"], key) for key, row in self.live.items() if "definition" in row)
        return sorted(self._holders.get(name, ()))

    def mark(self, seq: int, key: str) -> Mark:
        """The event at a position that has to do with this tool."""
        return self.memory.mark(seq, server_of(key))


def appeared(descriptor: Row) -> int:
    """The listing in which a tool came, or came back."""
    return int(descriptor["back"] if "back" in descriptor else descriptor["first"])


def downstream(entry: Row) -> list[str]:
    """The tools that the operations of an aggregate call."""
    operations = entry.get("operations") or ()
    return [f"{operation.get('server') or NOBODY}::{operation['tool']}" for operation in operations]


def _descriptor(item: Item) -> Row:
    return dict(zip(("definition", "nameless", "semantic", "input", "output"), item[1:], strict=True))


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for group, key in pairs:
        found.setdefault(group, []).append(key)
    return found
