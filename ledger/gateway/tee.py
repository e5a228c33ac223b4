"""The raw tee: sees every message between a transport and the SDK's typed layer, and changes none.

The typed layer drops unknown fields, adds defaults, and raises for a whole listing when one tool is
malformed. Evidence is therefore taken one layer below: results with unknown keys and key order as they came.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
from mcp_types import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse, RequestId

if TYPE_CHECKING:
    import contextvars
    from collections.abc import AsyncIterator
    from types import TracebackType

    from mcp.client._transport import ReadStream, TransportStreams, WriteStream
    from mcp.shared.message import SessionMessage

TEED_METHODS = frozenset(
    {
        "initialize",
        "server/discover",
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
    }
)
_LIST_CHANGED = frozenset(f"notifications/{listed}/list_changed" for listed in ("tools", "prompts", "resources"))


class Tee:
    """The last raw result of each listing and handshake of a connection, and whether a list changed."""

    def __init__(self) -> None:
        self._asked: dict[str, str] = {}
        self._results: dict[str, dict[str, Any]] = {}
        self._news = anyio.Event()
        self.is_list_changed = False
        self.is_closed = False

    @asynccontextmanager
    async def around(self, transport: AbstractAsyncContextManager[TransportStreams]) -> AsyncIterator[TransportStreams]:
        """The same transport, with its messages seen here first."""
        async with transport as (read, write):
            yield _TeedRead(read, self), _TeedWrite(write, self)

    def take(self, method: str) -> dict[str, Any] | None:
        """The raw result of the last request of `method`, once; None if none came."""
        return self._results.pop(method, None)

    async def wait_for_news(self) -> None:
        """Return when a list changed or the connection closed; at once if that was so before."""
        while not (self.is_list_changed or self.is_closed):
            self._news = anyio.Event()
            await self._news.wait()

    def saw_outgoing(self, item: SessionMessage) -> None:
        message = item.message
        if isinstance(message, JSONRPCRequest) and message.method in TEED_METHODS:
            # an answer to an older request of this method would come too late to count
            self._asked = {key: method for key, method in self._asked.items() if method != message.method}
            self._asked[_key(message.id)] = message.method
            self._results.pop(message.method, None)

    def saw_incoming(self, item: SessionMessage | Exception) -> None:
        if isinstance(item, Exception):
            return
        match item.message:
            case JSONRPCResponse(id=request_id, result=result):
                method = self._asked.pop(_key(request_id), None)
                if method is not None:
                    # a copy: the SDK writes into the object it received (it lifts a negative ttlMs to 0)
                    self._results[method] = dict(result)
            case JSONRPCNotification(method=method) if method in _LIST_CHANGED:
                self.is_list_changed = True
                self._news.set()

    def saw_end(self) -> None:
        self.is_closed = True
        self._news.set()


class _TeedRead:
    """A transport's incoming stream; each item is shown to the tee on its way up."""

    def __init__(self, inner: ReadStream[SessionMessage | Exception], tee: Tee) -> None:
        self._inner = inner
        self._tee = tee

    @property
    def last_context(self) -> contextvars.Context | None:
        """The SDK hands handlers the sender's context through this attribute, where a transport has one."""
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        try:
            item = await self._inner.receive()
        except (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError):
            self._tee.saw_end()
            raise
        self._tee.saw_incoming(item)
        return item

    async def aclose(self) -> None:
        await self._inner.aclose()

    def __aiter__(self) -> _TeedRead:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> _TeedRead:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class _TeedWrite:
    """A transport's outgoing stream; requests are noted, so that answers can be told apart."""

    def __init__(self, inner: WriteStream[SessionMessage], tee: Tee) -> None:
        self._inner = inner
        self._tee = tee

    async def send(self, item: SessionMessage, /) -> None:
        self._tee.saw_outgoing(item)
        await self._inner.send(item)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> _TeedWrite:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _key(request_id: RequestId | None) -> str:
    # a peer may answer "7" to 7; the SDK takes both for one
    return str(request_id)
