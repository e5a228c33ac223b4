"""Known secrets, found wherever they come back: in any string, also percent-encoded, in base64 or JSON-escaped.

Looking is cheap and done always; replacing is careful and done only after something was found.
"""

from __future__ import annotations

import re
from base64 import b64encode
from json import dumps
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, unquote_to_bytes

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledger.events.scrub import Mark

SHORTEST: Final = 6

# Words of the wire and of JSON Schema. A value that hides in one of them is no secret, and replacing it would break
# the payload that is to be recorded. A test keeps the list complete.
PUBLIC_WORDS: Final = frozenset(
    """
    allow_stale approved_by accepted_by after_us aggregate aliases backup_id before_us bytes capabilities captures
    causation chain claimed_at code command complete consecutive_failures counts declared definition degraded
    descriptor_source descriptors_missing descriptors_stale detail digest disabled document documents dropped
    duration_ms epoch error event_id evidence fingerprint from_hash from_seq generation generic_wrapper handshake hash
    headers heads hidden inputs instructions intended interval_s invalid_input keyword killed launch layer list_changed
    locked manual message missing omitted operations outcome overrides partial pointer prior_override problems promoted
    prompts protocol_version reason redacted refresh refused rejected resource_templates resources result route
    schema_hash schema_source scope server server_info servers session settings source source_digest spawn spool_full
    stage state subject targets timeout to_hash tools transport trigger unchecked unknown validated verify_failed
    watches connect
    additionalProperties allOf anyOf annotations boolean const contains default definitions dependentRequired
    description enum examples exclusiveMaximum exclusiveMinimum format icons inputSchema integer items maximum maxItems
    maxLength minimum minItems minLength multipleOf null number object oneOf outputSchema pattern patternProperties
    prefixItems properties propertyNames readOnlyHint required string title type uniqueItems
    destructiveHint idempotentHint openWorldHint hmac-sha256 jcs1-sha256 sem1-sha256
    """.split()
)

_ESCAPED: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_PERCENT: Final = re.compile(rb"%[0-9a-fA-F]{2}")
_SHORT_ESCAPES: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_LETTER_OF: Final = {text: letter for letter, text in _SHORT_ESCAPES.items()}
_BASE64: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=")
# Several levels of quoting write several backslashes; bounded, so that a text full of them stays linear.
_BACKSLASHES: Final = r"\\{1,8}"


class Echoes:
    """A set of secrets, and every spelling in which they are recognised."""

    def __init__(self, secrets: frozenset[str]) -> None:
        usable = sorted((secret for secret in secrets if _is_secret(secret)), key=lambda one: (-len(one), one))
        cores = {core: secret for secret in usable for core in _base64_cores(secret)}
        self._secrets = usable
        self._cores = cores
        self._needles = tuple(dict.fromkeys(_needles(usable, cores)))
        self._spelled = re.compile("|".join(f"({_spelling(secret)})" for secret in usable))
        self._encoded = re.compile("|".join(_spelling(core) for core in cores))

    def __bool__(self) -> bool:
        return bool(self._secrets)

    def may_be_in(self, payload: object) -> bool:
        """Whether replacing could change anything; errs only towards yes."""
        try:
            blob = orjson.dumps(payload)
        except orjson.JSONEncodeError:
            return True
        for form in _decoded(blob):
            for needle in self._needles:
                if needle in form:
                    return True
        return False

    def replaced(self, text: str, mark: Mark) -> str:
        """The text with every spelling of every secret marked."""
        if not self._secrets:
            return text
        return self._spelled.sub(lambda found: self._mark_of(found, mark), self._without_encoded(text, mark))

    def _mark_of(self, found: re.Match[str], mark: Mark) -> str:
        return mark(self._secrets[(found.lastindex or 1) - 1])

    def _without_encoded(self, text: str, mark: Mark) -> str:
        """Base64 goes as a whole run: the secret may stand anywhere in what was encoded, as in `user:password`."""
        pieces = []
        done = 0
        for found in self._encoded.finditer(text):
            if found.start() < done:
                continue
            start, end = found.span()
            while start > done and text[start - 1] in _BASE64:
                start -= 1
            while end < len(text) and text[end] in _BASE64:
                end += 1
            pieces += [text[done:start], mark(self._secret_encoded_in(found[0]))]
            done = end
        return "".join([*pieces, text[done:]])

    def _secret_encoded_in(self, core: str) -> str:
        plain = unquote(_unescaped(core))
        return self._cores.get(plain, plain)


def _is_secret(value: str) -> bool:
    return len(value) >= SHORTEST and not any(value in word for word in PUBLIC_WORDS)


def _needles(secrets: list[str], cores: dict[str, str]) -> Iterator[bytes]:
    """What to look for in written JSON: each secret as a string would hold it, and as it is once quoting is undone."""
    for secret in secrets:
        raw = secret.encode("utf-8", "surrogatepass")
        yield raw
        yield raw.replace(b" ", b"+")
        yield dumps(secret, ensure_ascii=False).encode("utf-8", "surrogatepass")[1:-1]
    yield from (core.encode() for core in cores)


def _base64_cores(secret: str) -> Iterator[str]:
    """What every base64 text contains that encodes the secret, at each of the three ways it can be aligned."""
    raw = secret.encode("utf-8", "surrogatepass")
    for lead in range(3):
        whole = (lead + len(raw)) // 3 * 4
        encoded = b64encode(bytes(lead) + raw).decode()[:whole][(0, 2, 3)[lead] :]
        yield encoded
        yield encoded.replace("+", "-").replace("/", "_")


def _decoded(blob: bytes) -> Iterator[bytes]:
    """Written JSON, and the same with its layers of quoting taken off, as long as there are any within its strings."""
    yield from _with_percent_decoded(blob)
    # A backslash within a string is written as two: without those, no string of the JSON quotes anything.
    if b"\\\\" not in blob:
        return
    text = _unescaped(blob.decode())
    for _ in range(4):
        text = _unescaped(text)
        yield from _with_percent_decoded(text.encode("utf-8", "surrogatepass"))
        if "\\" not in text:
            return


def _with_percent_decoded(form: bytes) -> Iterator[bytes]:
    yield form
    if _PERCENT.search(form):
        yield unquote_to_bytes(form)


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: _unescaped_one(found[1]), text)


def _unescaped_one(escape: str) -> str:
    return chr(int(escape[1:], 16)) if len(escape) > 1 else _SHORT_ESCAPES.get(escape, escape)


def _spelling(text: str) -> str:
    """An expression for every way to write the text: plain, percent-encoded, JSON-escaped, or any mixture of them."""
    return "".join(_spellings_of(char) for char in text)


def _spellings_of(char: str) -> str:
    raw = char.encode("utf-8", "surrogatepass")
    units = char.encode("utf-16-be", "surrogatepass").hex()
    ways = [
        re.escape(char),
        "".join(f"%{_any_case(f'{byte:02x}')}" for byte in raw),
        "".join(f"{_BACKSLASHES}u{_any_case(units[at : at + 4])}" for at in range(0, len(units), 4)),
    ]
    if char == " ":
        ways.append(r"\+")
    if char == "\\":
        ways.append(_BACKSLASHES)
    if char in '"/':
        ways.append(_BACKSLASHES + char)
    if char in _LETTER_OF:
        ways.append(_BACKSLASHES + _LETTER_OF[char])
    return f"(?:{'|'.join(ways)})"


def _any_case(digits: str) -> str:
    return "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in digits)
