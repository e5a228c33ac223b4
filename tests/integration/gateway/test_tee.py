"""The raw tee, between the SDK's client and a transport that a test plays by hand."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from ledger.gateway.tee import Tee

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable


async def with_teed_streams(body: Callable[[Tee, Any, Any, Any], Awaitable[None]]) -> None:
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage | Exception](10)
    to_server, from_client = anyio.create_memory_object_stream[SessionMessage](10)

    @asynccontextmanager
    async def transport() -> AsyncIterator[Any]:
        yield from_server, to_server

    tee = Tee()
    with to_client, from_server, to_server, from_client:
        async with tee.around(transport()) as (read, write):
            await body(tee, read, write, to_client)


def request(identifier: int, method: str = "tools/list") -> SessionMessage:
    return SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=identifier, method=method))


def answer(identifier: int | str, result: dict[str, Any]) -> SessionMessage:
    return SessionMessage(JSONRPCResponse(jsonrpc="2.0", id=identifier, result=result))


def test_a_result_is_kept_as_it_came_even_when_the_layer_above_writes_into_it() -> None:
    async def body(tee: Tee, read: Any, write: Any, server: Any) -> None:
        await write.send(request(1))
        await server.send(answer(1, {"z": 1, "ttlMs": -5, "a": 2}))
        received = await read.receive()
        received.message.result["ttlMs"] = 0
        kept = tee.take("tools/list")
        assert kept == {"z": 1, "ttlMs": -5, "a": 2}
        assert list(kept) == ["z", "ttlMs", "a"]
        assert tee.take("tools/list") is None

    anyio.run(with_teed_streams, body)


def test_a_late_answer_to_an_older_request_is_not_taken_for_the_new_one() -> None:
    async def body(tee: Tee, read: Any, write: Any, server: Any) -> None:
        await write.send(request(1))
        await write.send(request(2))
        await server.send(answer(1, {"tools": ["stale"]}))
        await read.receive()
        assert tee.take("tools/list") is None
        await server.send(answer("2", {"tools": ["fresh"]}))
        await read.receive()
        assert tee.take("tools/list") == {"tools": ["fresh"]}

    anyio.run(with_teed_streams, body)


def test_an_answer_nobody_asked_for_and_answers_to_calls_are_not_kept() -> None:
    async def body(tee: Tee, read: Any, write: Any, server: Any) -> None:
        await write.send(request(1, "tools/call"))
        for identifier in (1, 99):
            await server.send(answer(identifier, {"tools": []}))
            await read.receive()
        assert tee.take("tools/list") is None
        assert tee.take("tools/call") is None

    anyio.run(with_teed_streams, body)


def test_news_is_a_changed_list_or_the_end() -> None:
    async def body(tee: Tee, read: Any, write: Any, server: Any) -> None:
        changed = JSONRPCNotification(jsonrpc="2.0", method="notifications/prompts/list_changed")
        await server.send(SessionMessage(changed))
        await read.receive()
        await tee.wait_for_news()
        assert tee.is_list_changed
        assert not tee.is_closed
        server.close()
        assert [item async for item in read] == []
        assert tee.is_closed

    anyio.run(with_teed_streams, body)


def test_what_the_transport_could_not_read_passes_through() -> None:
    async def body(tee: Tee, read: Any, write: Any, server: Any) -> None:
        await server.send(ValueError("not a message"))
        assert isinstance(await read.receive(), ValueError)

    anyio.run(with_teed_streams, body)
