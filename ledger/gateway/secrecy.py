"""Which of the values handed to a server are secret, and how text of ours loses them.

`ledger.events` replaces them in what is recorded, in every spelling; here is what must happen before that.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from ledger.events.echoes import Echoes
from ledger.events.scrub import scrub_args, scrub_url

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

REDACTED = "[redacted]"

# of `Authorization`; the credential behind it comes back alone
_SCHEMES = frozenset({"basic", "bearer", "token", "apikey"})
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
# an image that is pinned by its digest is no secret, and the pin is worth reading
_LONG_WORD = re.compile(r"(?<!sha256:)(?<![0-9A-Za-z])[0-9A-Za-z]{16,}")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,31}://[^\s\"'<>]+")


def with_parts(values: Iterable[str]) -> frozenset[str]:
    """The secret `values`, and the parts that come back alone: `x` of `Bearer x`, a URL's password."""
    return frozenset(part for value in values for part in _parts_of(value) if part)


def redact(text: str, secrets: Collection[str]) -> str:
    """`text` without any of `secrets`. Cut a text only after this: half a secret is recognised by nobody."""
    return Echoes(frozenset(secrets)).replaced(text, lambda _: REDACTED)


def redacted_arguments(arguments: Sequence[str], secrets: Collection[str]) -> list[str]:
    """The arguments without known secrets, and without what looks like one."""
    looked_over = scrub_args([_without_keys(argument) for argument in arguments], lambda _: REDACTED)
    return [redact(str(argument), secrets) for argument in looked_over]


def redacted_url(url: str, secrets: Collection[str]) -> str:
    """The URL that may be recorded: no user-info, no query values, no fragment, no key in its path."""
    scheme, sign, rest = scrub_url(url, lambda _: REDACTED).partition("://")
    return redact(scheme + sign + "/".join(_without_keys(step) for step in rest.split("/")), secrets)


def secrets_in_arguments(arguments: Sequence[str]) -> list[str]:
    """Values in a command line that look secret by their flag, their name, their shape or their URL."""
    found = [argument for argument in arguments if looks_secret(argument)]
    scrub_args(arguments, lambda secret: found.append(secret) or REDACTED)  # type: ignore[func-returns-value]
    return found + [
        secret for argument in arguments for url in _URL.findall(argument) for secret in secrets_in_url(url)
    ]


def secrets_in_url(url: str) -> Iterator[str]:
    """User name, password, query values, and steps of the path that look like keys."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return
    yield from filter(None, (parts.username, parts.password))
    # not parse_qsl: it decodes, and a value must be found as it was written too
    yield from (pair.partition("=")[2] or pair for pair in parts.query.split("&"))
    yield from (step for step in parts.path.split("/") if looks_secret(step))


def looks_secret(word: str) -> bool:
    """Whether a word has the shape of a key: a UUID, or a long mix of letters and digits."""
    return bool(_UUID.search(word)) or any(_is_mixed(piece) for piece in _LONG_WORD.findall(word))


def _without_keys(word: str) -> str:
    return REDACTED if looks_secret(word) and "://" not in word else word


def _is_mixed(piece: str) -> bool:
    return not piece.isalpha() and not piece.isdigit()


def _parts_of(value: str) -> Iterator[str]:
    yield from (value, value.strip(), unquote(value))
    scheme, _, credential = value.strip().partition(" ")
    if scheme.lower() in _SCHEMES:
        yield credential.strip()
        yield from _decoded_login(credential.strip())
    if "\n" in value:
        # a key in PEM form is echoed line by line as often as whole
        yield from (line.strip() for line in value.splitlines() if len(line.strip()) >= 16)
    for url in _URL.findall(value):
        yield from _password_in(url)


def _password_in(url: str) -> Iterator[str]:
    try:
        password = urlsplit(url).password
    except ValueError:
        return
    if password:
        yield from (password, unquote(password))


def _decoded_login(credential: str) -> Iterator[str]:
    try:
        login = base64.b64decode(credential, validate=True).decode()
    except (binascii.Error, ValueError):
        return
    yield login
    yield login.partition(":")[2]
