"""A well-behaved server written with the official SDK, for either era, over stdio or as an ASGI app.

`python -m tests.servers.official ERA` serves over stdio. Everything it lists comes in pages. When it is made
`changing`, it adds a tool and says so the first time its last list is asked for.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.runner import serve_loop
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.subscriptions import ToolsListChanged
from starlette.responses import Response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

PAGE = 2
ADDED = "added_later"


class Catalog:
    """What the server lists; `change` adds a tool once."""

    def __init__(self, *, tools: int = 5) -> None:
        self.tools = [
            types.Tool(
                name=f"tool_{number}",
                title=f"Tool {number}",
                description="Does one thing.",
                input_schema={"type": "object", "properties": {"text": {"type": "string"}}},
            )
            for number in range(tools)
        ]
        self.prompts = [types.Prompt(name=f"prompt_{number}") for number in range(3)]
        self.resources = [types.Resource(name=f"r{number}", uri=f"memo://{number}") for number in range(3)]
        self.templates = [types.ResourceTemplate(name="memo", uri_template="memo://{id}")]

    def change(self) -> bool:
        if any(tool.name == ADDED for tool in self.tools):
            return False
        self.tools.append(types.Tool(name=ADDED, input_schema={"type": "object"}))
        return True


def build(era: str, *, changing: bool = False, catalog: Catalog | None = None) -> Server[Any]:
    """The server; `era` decides how it announces a change."""
    listed = catalog or Catalog()
    bus = InMemorySubscriptionBus()

    async def list_tools(_: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        page, cursor = _page(listed.tools, params)
        return types.ListToolsResult(tools=page, next_cursor=cursor)

    async def list_prompts(_: Any, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        page, cursor = _page(listed.prompts, params)
        return types.ListPromptsResult(prompts=page, next_cursor=cursor)

    async def list_resources(_: Any, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        page, cursor = _page(listed.resources, params)
        return types.ListResourcesResult(resources=page, next_cursor=cursor)

    async def list_templates(
        ctx: Any, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        if changing and listed.change():
            if era == "modern":
                await bus.publish(ToolsListChanged())
            else:
                await ctx.session.send_tool_list_changed()
        return types.ListResourceTemplatesResult(resource_templates=listed.templates)

    return Server(
        f"official-{era}",
        version="1.2.3",
        instructions="Ask politely.",
        on_list_tools=list_tools,
        on_list_prompts=list_prompts,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_subscriptions_listen=ListenHandler(bus) if era == "modern" else None,
    )


def before_discover(app: ASGIApp) -> ASGIApp:
    """The app as it was before the newer era: a request of that era is a bad request."""

    async def older(scope: Scope, receive: Receive, send: Send) -> None:
        newer = (b"mcp-protocol-version", b"2026-07-28")
        if scope["type"] == "http" and newer in scope["headers"]:
            await Response(status_code=400)(scope, receive, send)
        else:
            await app(scope, receive, send)

    return older


def _page(items: list[Any], params: types.PaginatedRequestParams | None) -> tuple[list[Any], str | None]:
    start = int(params.cursor) if params is not None and params.cursor else 0
    end = start + PAGE
    return items[start:end], str(end) if end < len(items) else None


async def serve(era: str, *, changing: bool) -> None:
    server = build(era, changing=changing)
    options = server.create_initialization_options(NotificationOptions(tools_changed=True))
    async with stdio_server() as (read, write):
        if era == "modern":
            await server.run(read, write, options)
        else:
            # only the older era: a server from before `server/discover` existed
            await serve_loop(server, read, write, lifespan_state={}, init_options=options)


if __name__ == "__main__":
    anyio.run(lambda: serve(sys.argv[1], changing="changing" in sys.argv[2:]))
