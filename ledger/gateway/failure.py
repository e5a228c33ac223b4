"""Why an observation broke off, in words that can be recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import httpx2
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, PARSE_ERROR, REQUEST_TIMEOUT
from pydantic import ValidationError

from ledger.gateway.secrecy import redact
from ledger.gateway.wire import ServerFault, Wire

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledger.gateway.server_spec import ServerSpec

Stage = Literal["spawn", "connect", "handshake", "list", "timeout"]

_MESSAGE_SHOWN = 500
_CUT = " … [cut]"
# what the SDK itself says when a connection ends; a server may send the same code with a text of its own
_SDK_CLOSED = ("Connection closed", "SSE stream ended")
_SDK_EVENT_TOO_LARGE = "SSE stream failed"
_SDK_HTTP_ERRORS = ("Server returned an error response", "Not Found", "Session terminated")


def explain(error: BaseException, wire: Wire) -> ServerFault:
    """The fault behind whatever was raised; one noted on the wire explains more than what followed."""
    if wire.fault is not None:
        return wire.fault
    return min((_fault_of(leaf, wire) for leaf in _leaves(error)), key=_rank)


def stage_of(fault: ServerFault, spec: ServerSpec, wire: Wire, *, is_listing: bool) -> Stage:
    """How far the observation had come when the fault ended it."""
    if fault.code == "timeout":
        return "timeout"
    if is_listing:
        return "list"
    if spec.transport == "stdio":
        return "handshake" if wire.is_started else "spawn"
    return "connect" if fault.code == "unreachable" else "handshake"


def told(fault: ServerFault, spec: ServerSpec, wire: Wire) -> str:
    """The fault as a sentence without secrets: redacted whole, and only then cut."""
    parts = [fault.message]
    if fault.code == "connection_closed" and wire.exit_status is not None:
        parts.append(_ending(wire.exit_status))
    if last_line := _last_line(wire.last_words):
        parts.append(f"its last line on standard error: {last_line}")
    return shown("; ".join(parts), spec)


def shown(text: str, spec: ServerSpec) -> str:
    """Text that may quote the server, fit to be recorded."""
    text = redact(text.encode(errors="replace").decode(), spec.secrets)
    return text if len(text) <= _MESSAGE_SHOWN else text[: _MESSAGE_SHOWN - len(_CUT)] + _CUT


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:
            yield from _leaves(part)
    else:
        yield error


def _rank(fault: ServerFault) -> int:
    # several tasks may fail at one cause; the vaguest words come last
    order = ["timeout", "connection_closed", "connection_lost", "unexpected"]
    return order.index(fault.code) if fault.code in order else -1


def _fault_of(error: BaseException, wire: Wire) -> ServerFault:
    match error:
        case ServerFault():
            return error
        case MCPError():
            return _fault_of_answer(error, wire)
        case TimeoutError():
            return _timeout(f"was not done within {wire.limits.total_s:g} s", wire)
        case ValidationError():
            # never its text: it quotes what the server sent
            return ServerFault("malformed_result", "answered something that the protocol does not allow")
        case httpx2.ConnectError() | httpx2.ConnectTimeout() | httpx2.UnsupportedProtocol():
            return ServerFault("unreachable", f"cannot be reached: {error}")
        case httpx2.HTTPError() | httpx2.InvalidURL() | OSError():
            return ServerFault("connection_lost", f"the connection broke ({type(error).__name__})")
        case RuntimeError() if "protocol version" in str(error):
            return ServerFault("unsupported_protocol", "speaks no version of the protocol that we know")
        case _:
            return ServerFault("unexpected", f"made the client fail ({type(error).__name__})")


def _fault_of_answer(error: MCPError, wire: Wire) -> ServerFault:
    if error.code == REQUEST_TIMEOUT:
        return _timeout(f"did not answer within {wire.limits.request_s:g} s", wire)
    if wire.http_status is not None and wire.http_status >= 400:
        words = "" if error.message in _SDK_HTTP_ERRORS else f": {error.message}"
        return ServerFault(f"http_{wire.http_status}", f"answered HTTP {wire.http_status}{words}")
    if error.code == CONNECTION_CLOSED and error.message.startswith(_SDK_CLOSED):
        return ServerFault("connection_closed", "closed the connection")
    if error.code == CONNECTION_CLOSED and error.message.startswith(_SDK_EVENT_TOO_LARGE):
        return ServerFault("message_too_large", f"sent an event of more than {wire.limits.message_bytes} bytes")
    if error.code == PARSE_ERROR:
        # the SDK puts a ValidationError's text here, which quotes the server in a form nobody can redact
        return ServerFault("malformed_message", "sent an answer that is not a JSON-RPC message")
    return ServerFault("rpc_error", f"answered error {error.code}: {error.message}")


def _timeout(what: str, wire: Wire) -> ServerFault:
    if wire.noise and not wire.messages:
        return ServerFault("not_json_rpc", f"{what}, and wrote {wire.noise} lines that are no messages")
    return ServerFault("timeout", what)


def _ending(exit_status: int) -> str:
    return f"exit status {exit_status}" if exit_status >= 0 else f"ended by signal {-exit_status}"


def _last_line(words: str) -> str:
    return words.strip().rpartition("\n")[2].strip()
