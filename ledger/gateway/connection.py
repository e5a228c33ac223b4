"""A connection to one server in whichever era it speaks, through the SDK's client and our tee."""

from __future__ import annotations

import logging
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Literal

from mcp.client import Client
from mcp_types import SERVER_INFO_META_KEY, Implementation
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from ledger.gateway.http_transport import http_transport
from ledger.gateway.stdio_transport import stdio_transport
from ledger.gateway.tee import Tee

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ledger.gateway.server_spec import ServerSpec
    from ledger.gateway.wire import Wire

# They log URLs with their query and the text of refused messages: secrets would end in a log file.
_CHATTY_LOGGERS = ("mcp", "client", "httpx2", "httpcore2")


@dataclass(frozen=True)
class Handshake:
    """What a server said about itself, as it was on the wire."""

    protocol_version: str
    server_info: Any = None
    capabilities: Any = None
    instructions: Any = None

    @property
    def is_modern(self) -> bool:
        """Whether it is the era of `server/discover` and not of `initialize`."""
        return self.protocol_version in MODERN_PROTOCOL_VERSIONS

    def offers(self, feature: str) -> bool:
        return isinstance(self.capabilities, dict) and isinstance(self.capabilities.get(feature), dict)

    def announces_changes_of(self, feature: str) -> bool:
        return self.offers(feature) and self.capabilities[feature].get("listChanged") is True


@dataclass(frozen=True)
class Connection:
    """An open session, and what lies below it."""

    spec: ServerSpec
    client: Client
    tee: Tee
    wire: Wire
    handshake: Handshake


@asynccontextmanager
async def connect(spec: ServerSpec, wire: Wire) -> AsyncIterator[Connection]:
    """Start or reach the server and shake hands; `wire` keeps the notes, also when this raises.

    The newer era is tried first. Some older servers leave when their first message is not `initialize`: such
    a child is started once more, in the older era.
    """
    _silence_sdk()
    async with AsyncExitStack() as stack:
        try:
            connection = await stack.enter_async_context(_session(spec, wire, "auto"))
        except Exception:
            if not _left_at_the_probe(spec, wire):
                raise
            wire.start_over()
            connection = await stack.enter_async_context(_session(spec, wire, "legacy"))
        yield connection


@asynccontextmanager
async def _session(spec: ServerSpec, wire: Wire, mode: Literal["auto", "legacy"]) -> AsyncIterator[Connection]:
    tee = Tee()
    transport = stdio_transport(spec, wire) if spec.transport == "stdio" else http_transport(spec, wire)
    client = Client(
        tee.around(transport),
        mode=mode,
        cache=None,  # a cached answer is no observation
        read_timeout_seconds=wire.limits.request_s,
        client_info=Implementation(name="catledger", version=_our_version()),
    )
    async with client:
        yield Connection(spec, client, tee, wire, _handshake(client, tee))


def _handshake(client: Client, tee: Tee) -> Handshake:
    if client.session.initialize_result is not None:
        raw = tee.take("initialize") or {}
        server_info = raw.get("serverInfo")
    else:
        raw = tee.take("server/discover") or {}
        meta = raw.get("_meta")
        server_info = meta.get(SERVER_INFO_META_KEY) if isinstance(meta, dict) else None
    return Handshake(client.protocol_version, server_info, raw.get("capabilities"), raw.get("instructions"))


def _left_at_the_probe(spec: ServerSpec, wire: Wire) -> bool:
    was_fault = wire.fault is not None and wire.fault.code != "connection_closed"
    return spec.transport == "stdio" and wire.has_ended and wire.messages == 0 and not was_fault


def _silence_sdk() -> None:
    for name in _CHATTY_LOGGERS:
        logger = logging.getLogger(name)
        logger.propagate = False
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())


def _our_version() -> str:
    try:
        return version("catledger")
    except PackageNotFoundError:
        return "unknown"
