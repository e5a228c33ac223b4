"""Read MCP configurations as people have them; pure: text and environment come in, specs come out.

Understood: `mcpServers` (Claude Desktop, Claude Code, Cursor, Windsurf and most others), VS Code's `servers`
with `inputs` (also under `mcp` in its settings), and Codex's TOML `[mcp_servers.x]`.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ledger.errors import BadInput
from ledger.gateway.expansion import Expanded, Expander
from ledger.gateway.relaxed_json import parse_relaxed
from ledger.gateway.server_spec import ServerSpec

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

__all__ = ["Configuration", "ServerSpec", "read_configuration"]

_TABLES = ("mcpServers", "servers", "mcp_servers")
_URL_KEYS = ("url", "serverUrl", "httpUrl")
_HTTP_TYPES = frozenset({"http", "streamable-http", "streamable_http", "streamablehttp"})
_SHARED_KEYS = frozenset({"type", "transport", "disabled", "enabled", "name"})
_STDIO_KEYS = _SHARED_KEYS | {"command", "args", "env", "cwd", "env_vars"}
_HTTP_KEYS = _SHARED_KEYS | {
    *_URL_KEYS,
    "headers",
    "http_headers",
    "env_http_headers",
    "bearer_token_env_var",
}
# as ledger.events has it: `server::tool` must name one tool only
_SERVER_NAME = re.compile(r"(?::?[^:\x00-\x1f\x7f-\x9f]){1,256}")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


@dataclass(frozen=True)
class Configuration:
    """The servers of one file, in its order; `ignored` are pointers to keys that mean nothing to us."""

    servers: tuple[ServerSpec, ...]
    disabled: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


def read_configuration(
    text: str, *, file: str, environment: Mapping[str, str], only: Collection[str] = ()
) -> Configuration:
    """The servers that `text` configures, or those named in `only`, switched off or not.

    `file` names the text in messages, tells TOML from JSON, and is what `${workspaceFolder}` starts from.
    Raises BadInput with file, pointer and reason; servers that are not asked for are not judged.
    """
    document = _parse(text, file)
    place, table = _find_table(document, file)
    expander = Expander(environment, file, _input_defaults(document))
    servers: list[ServerSpec] = []
    disabled: list[str] = []
    ignored: list[str] = []
    entries = dict(_entries(table, place))
    _require_known(only, entries, place)
    for name, entry in entries.items():
        if only and name not in only:
            continue
        if not only and _is_disabled(entry.fields):
            disabled.append(name)
            continue
        servers.append(entry.spec(name, expander))
        ignored.extend(entry.unused())
    return Configuration(tuple(servers), tuple(disabled), tuple(ignored))


@dataclass(frozen=True)
class _Entry:
    """One server's table, and where it stands."""

    place: str
    fields: Mapping[str, Any] = field(repr=False)

    def spec(self, name: str, expander: Expander) -> ServerSpec:
        if not _SERVER_NAME.fullmatch(name):
            raise BadInput("a server's name must be text without `::`, a colon at its end or line breaks", self.place)
        return self._over_stdio(name, expander) if self._is_stdio() else self._over_http(name, expander)

    def unused(self) -> Iterator[str]:
        known = _STDIO_KEYS if self._is_stdio() else _HTTP_KEYS
        yield from (_under(self.place, key) for key in self.fields if key not in known)

    def _is_stdio(self) -> bool:
        has_url = any(key in self.fields for key in _URL_KEYS)
        kind = self.fields.get("type", self.fields.get("transport"))
        if "command" in self.fields and has_url:
            raise BadInput("names both a command and a URL; keep one", self.place)
        if kind == "sse":
            raise BadInput("HTTP+SSE is not supported; give the server's streamable HTTP address", self.place)
        if isinstance(kind, str) and kind != "stdio" and kind.lower() not in _HTTP_TYPES:
            raise BadInput(f"the transport {kind!r} is not known; use stdio or http", self.place)
        if "command" not in self.fields and not has_url:
            raise BadInput("names neither a command nor a URL", self.place)
        return not has_url

    def _over_stdio(self, name: str, expander: Expander) -> ServerSpec:
        command = self._text("command", expander)
        args = [self._expanded(item, f"args/{index}", expander) for index, item in enumerate(self._list("args"))]
        env = {key: value.text for key, value in self._table("env", expander).items()}
        env |= {key: expander.environment[key] for key in self._list("env_vars") if key in expander.environment}
        cwd = self._text("cwd", expander).text if self.fields.get("cwd") is not None else None
        taken = [value for expanded in (command, *args) for value in expanded.taken]
        return ServerSpec.over_stdio(
            name, command.text, [argument.text for argument in args], env=env, cwd=cwd, also_secret=taken
        )

    def _over_http(self, name: str, expander: Expander) -> ServerSpec:
        key = next(key for key in _URL_KEYS if key in self.fields)
        url = self._text(key, expander)
        _require_http_url(url.text, _under(self.place, key))
        headers = {
            header: value.text
            for table in ("headers", "http_headers")
            for header, value in self._table(table, expander).items()
        }
        headers |= self._headers_from_environment(expander.environment)
        for header, value in headers.items():
            if not _HEADER_NAME.fullmatch(header) or not value.isprintable():
                raise BadInput("not a header that can be sent", _under(self.place, "headers", header))
        return ServerSpec.over_http(name, url.text, headers=headers, also_secret=url.taken)

    def _headers_from_environment(self, environment: Mapping[str, str]) -> dict[str, str]:
        wanted = {header: ("", variable) for header, variable in (self.fields.get("env_http_headers") or {}).items()}
        if "bearer_token_env_var" in self.fields:
            wanted["Authorization"] = ("Bearer ", self.fields["bearer_token_env_var"])
        for header, (_, variable) in wanted.items():
            if variable not in environment:
                place = _under(self.place, "env_http_headers", header)
                raise BadInput(f"the environment variable {variable} is not set", place)
        return {header: prefix + environment[variable] for header, (prefix, variable) in wanted.items()}

    def _text(self, key: str, expander: Expander) -> Expanded:
        value = self.fields[key]
        if not isinstance(value, str) or not value:
            raise BadInput("must be text that is not empty", _under(self.place, key))
        return self._expanded(value, key, expander)

    def _list(self, key: str) -> list[Any]:
        value = self.fields.get(key) or []
        if not isinstance(value, list):
            raise BadInput("must be a list", _under(self.place, key))
        return value

    def _table(self, key: str, expander: Expander) -> dict[str, Expanded]:
        value = self.fields.get(key) or {}
        if not isinstance(value, dict):
            raise BadInput("must be an object of names and values", _under(self.place, key))
        # VS Code: null takes a variable away; we hand on none, so there is nothing to take
        return {
            name: self._expanded(item, f"{key}/{name}", expander) for name, item in value.items() if item is not None
        }

    def _expanded(self, value: Any, pointer: str, expander: Expander) -> Expanded:
        place = _under(self.place, *pointer.split("/", 1))
        if isinstance(value, bool):
            value = "true" if value else "false"
        if not isinstance(value, str | int | float):
            raise BadInput("must be text", place)
        expanded = expander.expand(str(value), place)
        if "\0" in expanded.text:
            raise BadInput("holds a NUL character", place)
        return expanded


def _parse(text: str, file: str) -> Mapping[str, Any]:
    if file.endswith(".toml"):
        try:
            return tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise BadInput(f"not TOML: {error}", file) from None
    document = parse_relaxed(text, file=file)
    if not isinstance(document, dict):
        raise BadInput("must be an object", f"{file}#")
    return document


def _find_table(document: Mapping[str, Any], file: str) -> tuple[str, Any]:
    for key in _TABLES:
        if key in document:
            return _under(f"{file}#", key), document[key]
    nested = document.get("mcp")
    if isinstance(nested, dict) and "servers" in nested:
        return f"{file}#/mcp/servers", nested["servers"]
    raise BadInput("has no mcpServers, servers or mcp_servers", f"{file}#")


def _entries(table: Any, place: str) -> Iterator[tuple[str, _Entry]]:
    named: Iterator[tuple[str, Any, str]]
    if isinstance(table, dict):
        named = ((name, fields, name) for name, fields in table.items())
    elif isinstance(table, list):
        named = ((str(fields.get("name", "")), fields, str(i)) for i, fields in enumerate(table) if fields)
    else:
        raise BadInput("must be an object of servers", place)
    for name, fields, step in named:
        if not isinstance(fields, dict):
            raise BadInput("must be an object", _under(place, step))
        yield name, _Entry(_under(place, step), fields)


def _input_defaults(document: Mapping[str, Any]) -> dict[str, str]:
    inputs = document.get("inputs") or (document.get("mcp") or {}).get("inputs") or []
    return {
        item["id"]: item["default"]
        for item in (inputs if isinstance(inputs, list) else [])
        if isinstance(item, dict) and isinstance(item.get("id"), str) and isinstance(item.get("default"), str)
    }


def _is_disabled(fields: Mapping[str, Any]) -> bool:
    return fields.get("disabled") is True or fields.get("enabled") is False


def _require_known(only: Collection[str], known: Mapping[str, object], place: str) -> None:
    for name in only:
        if name not in known:
            raise BadInput(f"no server is named {name!r}; there are: {', '.join(known) or 'none'}", place)


def _require_http_url(url: str, place: str) -> None:
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_usable = False
    if not is_usable or not url.isprintable() or " " in url:
        raise BadInput("must be an http or https URL with a host", place)


def _under(place: str, *steps: str) -> str:
    return place + "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)
