"""Messages to and from a child process, one JSON text per line, with bounds the SDK's own transport lacks.

Measured on mcp 2.3: its `stdio_client` keeps a line of any length, copies it again with every chunk, and does
not end the process group when the leader leaves by itself. Above the stream of messages all is the SDK's.
"""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCMessage, jsonrpc_message_adapter
from pydantic import ValidationError

from ledger.gateway.child import Child
from ledger.gateway.wire import ServerFault, Wire

Incoming = SessionMessage | Exception

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

    from ledger.gateway.server_spec import ServerSpec

    Streams = tuple[MemoryObjectReceiveStream[Incoming], MemoryObjectSendStream[SessionMessage]]

_LAST_WORDS_BYTES = 8_192
# everyone who could write to the pipe is dead by then, unless one left the process group
_LAST_WORDS_S = 0.2
# a banner on stdout is common and forgiven; more lines than this are not a banner
_NOISE_BEFORE_FIRST_MESSAGE = 50
_NOISE = 1_000


@asynccontextmanager
async def stdio_transport(spec: ServerSpec, wire: Wire) -> AsyncIterator[Streams]:
    """Start the server and yield its streams; on the way out it and its group are ended, come what may."""
    child = _start(spec)
    wire.is_started = True
    try:
        to_session, from_server = anyio.create_memory_object_stream[Incoming]()
        to_server, from_session = anyio.create_memory_object_stream[SessionMessage]()
        spoken = anyio.Event()
        with to_session, from_server, to_server, from_session:
            async with anyio.create_task_group() as pipes:
                pipes.start_soon(_deliver, child, to_session, wire)
                pipes.start_soon(_send, child, from_session, to_session)
                pipes.start_soon(_keep_last_words, child, wire, spoken)
                try:
                    yield from_server, to_server
                finally:
                    with anyio.CancelScope(shield=True):
                        from_server.close()
                        to_server.close()
                        await _stop(child, wire, spoken)
                    pipes.cancel_scope.cancel()
    finally:
        child.kill_group()
        child.close_pipes()


async def _stop(child: Child, wire: Wire, spoken: anyio.Event) -> None:
    # a server that was caught at something gets no time to go on with it
    await child.stop(0.0 if wire.fault else wire.limits.grace_s)
    wire.exit_status = child.exit_status
    with anyio.move_on_after(_LAST_WORDS_S):
        await spoken.wait()


def _start(spec: ServerSpec) -> Child:
    try:
        return Child(spec.command, spec.args, env=get_default_environment() | dict(spec.env), cwd=spec.cwd)
    except FileNotFoundError as error:
        what = "the working directory" if error.filename == spec.cwd else "the command"
        raise ServerFault("command_not_found", f"{what} does not exist") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "an argument cannot be passed"
        raise ServerFault("spawn_failed", reason or type(error).__name__) from None


async def _deliver(child: Child, to_session: MemoryObjectSendStream[Incoming], wire: Wire) -> None:
    with to_session:
        try:
            async for line in _lines(child, wire):
                message = _parse(line, wire)
                if message is not None:
                    await to_session.send(SessionMessage(message))
        except (ServerFault, anyio.ClosedResourceError, anyio.BrokenResourceError):
            pass  # the fault is noted on the wire; the session sees the stream end
    while await child.read_output():
        pass  # a server that is stuck writing could not leave


async def _lines(child: Child, wire: Wire) -> AsyncIterator[bytes]:
    pending = bytearray()
    while chunk := await child.read_output():
        wire.count_bytes(len(chunk))
        *whole, rest = chunk.split(b"\n")
        for part in whole:
            pending += part
            wire.require_message_size(len(pending))
            yield bytes(pending)
            pending.clear()
        pending += rest
        wire.require_message_size(len(pending))
    wire.has_ended = True
    if pending.strip():
        wire.blame(ServerFault("connection_closed", "ended in the middle of a message"))


def _parse(line: bytes, wire: Wire) -> JSONRPCMessage | None:
    """None for a line that is no message; raises ServerFault for an unreadable answer, or too much noise."""
    if not line.strip():
        return None
    try:
        message = _message(line)
    except ValueError as error:
        if b'"result"' in line or b'"error"' in line:
            # its request would wait for ever
            raise wire.blame(ServerFault("malformed_message", f"sent an answer that is {_fault_in(error)}")) from None
        wire.noise += 1
        if wire.noise > (_NOISE if wire.messages else _NOISE_BEFORE_FIRST_MESSAGE):
            reason = f"wrote {wire.noise} lines to its standard output that are no messages"
            raise wire.blame(ServerFault("not_json_rpc", reason)) from None
        return None
    wire.messages += 1
    return message


def _message(line: bytes) -> JSONRPCMessage:
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        if error.errors(include_url=False, include_input=False)[0]["type"] != "json_invalid":
            raise
        # The SDK's parser refuses a whole message for a lone surrogate (a description cut inside an emoji) or
        # for nesting beyond 200. The standard one reads them, so that only the item at fault is rejected.
        try:
            value = json.loads(line)
        except RecursionError:
            raise ValueError("nested too deep") from None
        return jsonrpc_message_adapter.validate_python(value, by_name=False)


def _fault_in(error: ValueError) -> str:
    # never str(error) of a ValidationError: it quotes what the server sent
    return "not a JSON-RPC message" if isinstance(error, ValidationError) else "not JSON"


async def _send(
    child: Child,
    from_session: MemoryObjectReceiveStream[SessionMessage],
    to_session: MemoryObjectSendStream[Incoming],
) -> None:
    try:
        async with from_session:
            async for item in from_session:
                text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                await child.write(text.encode() + b"\n")
    except (OSError, ValueError, anyio.ClosedResourceError):
        to_session.close()  # nobody reads any more: the session must not wait for an answer


async def _keep_last_words(child: Child, wire: Wire, spoken: anyio.Event) -> None:
    """The end of what the child wrote to standard error; it is read to its end and never shown by us."""
    kept = b""
    while chunk := await child.read_errors():
        kept += chunk
        if len(kept) > _LAST_WORDS_BYTES:
            # whole lines only: one whose beginning is gone may begin inside a secret
            kept = kept[-_LAST_WORDS_BYTES:].partition(b"\n")[2]
        wire.last_words = kept.decode(errors="replace")
    spoken.set()
