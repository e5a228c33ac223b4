"""One configured server: how it is started or reached, and what about that is secret."""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from ledger.gateway.secrecy import (
    redact,
    redacted_arguments,
    redacted_url,
    secrets_in_arguments,
    secrets_in_url,
    with_parts,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Transport = Literal["stdio", "streamable_http"]


@dataclass(frozen=True)
class ServerSpec:
    """A server as configured, values expanded. Its printed form shows no value that could be secret.

    Made by `over_stdio` or `over_http`, which also find what is secret.
    """

    name: str
    transport: Transport
    command: str = field(default="", repr=False)
    args: tuple[str, ...] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    cwd: str | None = field(default=None, repr=False)
    url: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    #: every value handed to the server that must not be recorded, in each spelling it could come back in
    secrets: frozenset[str] = field(default=frozenset(), repr=False)

    @classmethod
    def over_stdio(
        cls,
        name: str,
        command: str,
        args: Sequence[str] = (),
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        also_secret: Iterable[str] = (),
    ) -> ServerSpec:
        """A server that is started as a child process; `also_secret` are values expanded into `args`."""
        env = MappingProxyType(dict(env or {}))
        secrets = with_parts([*env.values(), *secrets_in_arguments([command, *args]), *also_secret])
        return cls(name, "stdio", command=command, args=tuple(args), env=env, cwd=cwd, secrets=secrets)

    @classmethod
    def over_http(
        cls, name: str, url: str, *, headers: Mapping[str, str] | None = None, also_secret: Iterable[str] = ()
    ) -> ServerSpec:
        """A server that is reached over streamable HTTP."""
        headers = MappingProxyType(dict(headers or {}))
        secrets = with_parts([*headers.values(), *secrets_in_url(url), *also_secret])
        return cls(name, "streamable_http", url=url, headers=headers, secrets=secrets)

    def launch(self, key: bytes | None = None) -> dict[str, object]:
        """What may be recorded of how the server is started or reached: names, and no values of secrets.

        With a key it has a `fingerprint` too, which changes when any value changes and tells nobody without
        the key what the value is.
        """
        if self.transport == "stdio":
            command, *args = redacted_arguments([self.command, *self.args], self.secrets)
            told: dict[str, object] = {"command": command, "args": args, "env": sorted(self.env)}
            if self.cwd is not None:
                told["cwd"] = redact(self.cwd, self.secrets)
        else:
            told = {"url": redacted_url(self.url, self.secrets), "headers": sorted(self.headers)}
        return told if key is None else told | {"fingerprint": self._fingerprint(key)}

    def _fingerprint(self, key: bytes) -> str:
        parts = (
            self.command,
            self.args,
            sorted(self.env.items()),
            self.cwd,
            self.url,
            sorted(self.headers.items()),
        )
        return "hmac-sha256:" + hmac.new(key, json.dumps(parts).encode(), hashlib.sha256).hexdigest()
