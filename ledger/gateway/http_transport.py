"""The SDK's streamable HTTP transport, with a client that bounds what a server may send back."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx2
from mcp.client.streamable_http import streamable_http_client

from ledger.gateway.wire import ServerFault, Wire

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from mcp.client._transport import TransportStreams

    from ledger.gateway.server_spec import ServerSpec


@asynccontextmanager
async def http_transport(spec: ServerSpec, wire: Wire) -> AsyncIterator[TransportStreams]:
    """Yield the streams of a session with `spec.url`; the session is given back on the way out."""
    wire.is_started = True
    # Reads have no time limit of their own: an idle event stream is not a fault, and requests have theirs.
    timeout = httpx2.Timeout(wire.limits.request_s, read=None)
    hooks: dict[str, list[Callable[..., Any]]] = {"response": [_Guard(wire)]}
    # Decompression happens above the bytes we count, so a small body could become a huge one: refuse it.
    headers = {**spec.headers, "accept-encoding": "identity"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=timeout, event_hooks=hooks) as client,
        streamable_http_client(spec.url, http_client=client, max_sse_event_size=wire.limits.message_bytes) as streams,
    ):
        yield streams


class _Guard:
    """Sees each response before its body: notes the status and puts a bound on the body."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    async def __call__(self, response: httpx2.Response) -> None:
        if response.request.method == "POST":
            self._wire.http_status = response.status_code
        encoding = response.headers.get("content-encoding", "identity")
        if encoding.strip().lower() not in ("", "identity"):
            self._wire.blame(ServerFault("compressed_answer", "answered compressed, though it was told not to"))
            raise _Stopped
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        is_stream_of_messages = response.headers.get("content-type", "").startswith("text/event-stream")
        response.stream = _BoundedBody(response.stream, self._wire, is_one_message=not is_stream_of_messages)


class _BoundedBody(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, wire: Wire, *, is_one_message: bool) -> None:
        self._inner = inner
        self._wire = wire
        self._is_one_message = is_one_message

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._inner:
            size += len(chunk)
            try:
                self._wire.count_bytes(len(chunk))
                if self._is_one_message:
                    self._wire.require_message_size(size)
            except ServerFault:
                raise _Stopped from None
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Stopped(httpx2.StreamError):
    """Ends a body; of this family, because the SDK's transport hands such an error to whoever waits."""

    def __init__(self) -> None:
        super().__init__("stopped reading; the fault is noted on the wire")
