"""One list of a server, page by page, from raw results; what is malformed is set aside with its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import find_invalid_x_mcp_header
from mcp_types import (
    EmptyResult,
    ListPromptsRequest,
    ListResourcesRequest,
    ListResourceTemplatesRequest,
    ListToolsRequest,
    PaginatedRequestParams,
)

from ledger.gateway.admission import Room, Unfit, require_object, require_tool
from ledger.gateway.wire import ServerFault

if TYPE_CHECKING:
    from collections.abc import Callable

    from ledger.gateway.connection import Connection

_Request = ListToolsRequest | ListPromptsRequest | ListResourcesRequest | ListResourceTemplatesRequest

_REQUESTS: Final[dict[str, tuple[Callable[..., _Request], str]]] = {
    "tools/list": (ListToolsRequest, "tools"),
    "prompts/list": (ListPromptsRequest, "prompts"),
    "resources/list": (ListResourcesRequest, "resources"),
    "resources/templates/list": (ListResourceTemplatesRequest, "resourceTemplates"),
}
_REJECTED_SHOWN = 100
_NAME_SHOWN = 200


class Listing:
    """What one list held so far; `is_ended` says that the server said there is no more."""

    def __init__(self, method: str) -> None:
        self.method = method
        self.key = _REQUESTS[method][1]
        self.items: list[dict[str, Any]] = []
        self.rejected: list[dict[str, str]] = []
        self.rejected_count = 0
        self.pages = 0
        self.is_ended = False
        self._names: set[str] = set()

    def reject(self, item: Any, reason: str) -> None:
        """Set an item aside. Only so many are shown: a list of rubbish must not become a huge event."""
        self.rejected_count += 1
        if len(self.rejected) < _REJECTED_SHOWN:
            self.rejected.append({"name": self._called(item), "reason": reason})
        elif len(self.rejected) == _REJECTED_SHOWN:
            self.rejected.append({"name": self.method, "reason": "more items are malformed than are shown"})

    def _called(self, item: Any) -> str:
        name = item.get("name") if isinstance(item, dict) else None
        # never a part of a name: a cut could leave a part of a secret that nobody recognises
        if isinstance(name, str) and 0 < len(name) <= _NAME_SHOWN and name.isprintable():
            return name
        return f"{self.key}[{len(self.items) + self.rejected_count - 1}]"

    def take(self, item: Any, room: Room, connection: Connection) -> None:
        """Admit one item or set it aside; raises ServerFault when there is no room for it."""
        try:
            require_object(item)
            if self.method == "tools/list":
                require_tool(item)
                _require_valid_headers(item, connection)
                if item["name"] in self._names:
                    raise Unfit("listed twice")
                room.take_tool(item)
            else:
                room.take(item)
        except Unfit as unfit:
            self.reject(item, str(unfit))
        else:
            self.items.append(item)
            self._names.add(str(item.get("name")))


async def read_listing(connection: Connection, listing: Listing, room: Room) -> None:
    """Read every page into `listing`.

    Raises ServerFault or MCPError where the list breaks off; what came before stays in `listing`.
    """
    limits = connection.wire.limits
    cursor: str | None = None
    followed: set[str] = set()
    while not listing.is_ended:
        page = await _ask(connection, listing.method, cursor)
        listing.pages += 1
        _take(page, listing, room, connection)
        cursor = page.get("nextCursor")
        if cursor is None:
            listing.is_ended = True
        elif not isinstance(cursor, str):
            raise ServerFault("malformed_result", "answered with a cursor that is not text")
        elif cursor in followed:
            raise ServerFault("cursor_repeated", f"gave a cursor again on page {listing.pages}: its list has no end")
        elif listing.pages >= limits.pages:
            raise ServerFault("too_many_pages", f"has more than {limits.pages} pages")
        else:
            followed.add(cursor)


async def _ask(connection: Connection, method: str, cursor: str | None) -> dict[str, Any]:
    request = _REQUESTS[method][0](params=PaginatedRequestParams(cursor=cursor))
    try:
        await connection.client.session.send_request(request, EmptyResult)
    except MCPError:
        raise
    except Exception:
        # The typed layer refuses a page for one bad item, in whichever way; the tee has it as it came.
        page = connection.tee.take(method)
        if page is None:
            raise
        return page
    page = connection.tee.take(method)
    if page is None:
        raise ServerFault("malformed_result", "answered something that is not a list")
    return page


def _take(page: dict[str, Any], listing: Listing, room: Room, connection: Connection) -> None:
    items = page.get(listing.key)
    if not isinstance(items, list):
        raise ServerFault("malformed_result", f"answered without a list of {listing.key}")
    most = connection.wire.limits.tools
    for item in items:
        if len(listing.items) + listing.rejected_count >= most:
            raise ServerFault("too_many_items", f"lists more than {most} {listing.key}")
        listing.take(item, room, connection)


def _require_valid_headers(tool: dict[str, Any], connection: Connection) -> None:
    """2026-07-28: over HTTP a client MUST drop a tool whose `x-mcp-header` is not valid."""
    if connection.handshake.is_modern and connection.spec.transport == "streamable_http":
        try:
            fault = find_invalid_x_mcp_header(tool["inputSchema"])
        except RecursionError:
            raise Unfit("nested too deep") from None
        if fault is not None:
            # not the SDK's sentence: it quotes the server in a form that redaction would not recognise
            raise Unfit("x-mcp-header is not valid")
