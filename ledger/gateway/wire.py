"""What the transports notice that the protocol layer above them cannot tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ledger.gateway.limits import Limits


class ServerFault(Exception):
    """A server did what no server should; it becomes a recorded fact and never leaves this room.

    `code` is stable and documented; `message` is for people and may quote the server.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message


class Wire:
    """The notes of one connection: faults, counts, the last HTTP status, how a child ended."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.start_over()

    def start_over(self) -> None:
        """Forget everything: the server is started once more."""
        #: the first fault; it explains better than the closed connection that follows from it
        self.fault: ServerFault | None = None
        self.is_started = False
        self.has_ended = False
        self.messages = 0
        self.noise = 0
        self.received_bytes = 0
        self.http_status: int | None = None
        self.exit_status: int | None = None
        self.last_words = ""

    def renew_allowance(self) -> None:
        """A new observation on the same connection gets the whole allowance again."""
        self.received_bytes = 0

    def blame(self, fault: ServerFault) -> ServerFault:
        """Note a fault, unless one was noted before; returns it, to be raised."""
        self.fault = self.fault or fault
        return fault

    def count_bytes(self, size: int) -> None:
        """Raises ServerFault when the server has sent more than one observation may take."""
        self.received_bytes += size
        if self.received_bytes > self.limits.total_bytes:
            raise self.blame(ServerFault("flood", f"sent more than {self.limits.total_bytes} bytes"))

    def require_message_size(self, size: int) -> None:
        """Raises ServerFault for a message that is longer than a message may be."""
        if size > self.limits.message_bytes:
            reason = f"sent a message of more than {self.limits.message_bytes} bytes"
            raise self.blame(ServerFault("message_too_large", reason))
