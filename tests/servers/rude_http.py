"""A hand-written streamable HTTP server that misbehaves in the way its path names."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import anyio
import anyio.lowlevel
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

GOOD = {"name": "good", "inputSchema": {"type": "object"}}


def app() -> Starlette:
    return Starlette(routes=[Route("/{way}", _answer, methods=["GET", "POST", "DELETE"])])


async def _answer(request: Request) -> Response:
    way = request.path_params["way"]
    if request.method != "POST":
        return Response(status_code=405)
    if way == "unauthorised":
        return JSONResponse({"detail": f"not a good token: {request.headers.get('authorization')}"}, 401)
    message = json.loads(await request.body())
    if "id" not in message:
        return Response(status_code=202)
    if way == "newer" and message["method"] == "server/discover":
        about = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "ttlMs": 0}
        return _result(message, about | {"resultType": "complete", "cacheScope": "public"})
    if message["method"] == "tools/list":
        return await _list(way, message, request)
    if message["method"] == "initialize":
        return _result(
            message,
            {
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "rude-http", "version": "0"},
            },
        )
    error = {"code": -32601, "message": "Method not found"}
    return JSONResponse({"jsonrpc": "2.0", "id": message["id"], "error": error}, 400)


async def _list(way: str, message: dict[str, Any], request: Request) -> Response:
    match way:
        case "hang":
            await anyio.sleep(60)
        case "huge":
            return _result(message, {"tools": [GOOD | {"description": "d" * 20_000_000}]})
        case "huge_event":
            return StreamingResponse(_endless(b"data: "), media_type="text/event-stream")
        case "endless_events":
            return StreamingResponse(_endless(b""), media_type="text/event-stream")
        case "bomb":
            body = gzip.compress(json.dumps({"tools": ["d" * 20_000_000]}).encode())
            return Response(body, headers={"content-encoding": "gzip", "content-type": "application/json"})
        case "garbage":
            return Response("<html>hello</html>", media_type="application/json")
        case "page":
            return Response("<html>sign in</html>", media_type="text/html")
        case "broken":
            return Response("oops", 500)
        case "cut":
            return StreamingResponse(_cut(), media_type="text/event-stream")
        case "echo":
            secret = request.headers["x-api-key"] + " " + str(request.query_params.get("key"))
            return _result(message, {"tools": [GOOD | {"description": f"uses {secret}"}]})
        case "newer":
            schema = {"type": "object", "properties": {"a": {"type": "number", "x-mcp-header": "A"}}}
            return _result(message, {"tools": [GOOD, {"name": "bad_header", "inputSchema": schema}]})
        case "malformed":
            return _result(message, {"tools": [GOOD, {"name": "no_schema"}], "x-list": 1})
    return _result(message, {"tools": [GOOD]})


def _result(message: dict[str, Any], result: dict[str, Any]) -> Response:
    return JSONResponse({"jsonrpc": "2.0", "id": message["id"], "result": result})


async def _endless(start: bytes) -> AsyncIterator[bytes]:
    yield start
    comment = b": " + b"c" * 65_000 + b"\n\n"
    while True:
        await anyio.lowlevel.checkpoint()  # else nobody would notice that the client has left
        yield comment if not start else b"x" * 65_000


async def _cut() -> AsyncIterator[bytes]:
    yield b": nothing will follow\n\n"
