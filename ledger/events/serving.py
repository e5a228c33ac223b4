"""Facts about what clients saw."""

from typing import ClassVar

from ledger.events.model import Entry, Event, Omitted


class LiveServed(Event):
    """Clients were given this catalog.

    Recorded by the gateway that served it, when the served list changes and at each declared interval.
    `omitted` names what it left out, with the reason. It says what clients could see from then on; it does
    not say that a client asked, nor that a tool works.
    """

    kind: ClassVar[str] = "live.served"

    trigger: str | None = None
    tools: list[Entry]
    omitted: list[Omitted] | None = None
