"""Known secrets, found wherever they come back: also percent-encoded, in base64 or JSON-escaped.

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
SMALL: Final = 4_000

# Words of the wire and of JSON Schema. A value that stands within them is no secret, and replacing it would
# break the payload that is to be recorded. A test keeps the list complete.
PUBLIC_WORDS: Final = """
accepted_by additionalProperties after_us aggregate aliases allow_stale annotations anyOf approved_by
backup_id before_us boolean capabilities captures causation claimed_at command complete connect
consecutive_failures contains counts declared default definition definitions degraded dependentRequired
deprecated description descriptor_source descriptors_missing descriptors_stale destructiveHint detail
digest disabled document documents dropped duration_ms event_id evidence examples exclusiveMaximum
exclusiveMinimum fingerprint format from_hash from_seq generation generic_wrapper handshake headers hidden
hmac-sha256 idempotentHint inputs inputSchema instructions integer intended interval_s invalid_input
jcs1-sha256 keyword killed launch list_changed locked manual maximum maxItems maxLength message minimum
minItems minLength missing multipleOf number object omitted openWorldHint operations outcome outputSchema
overrides partial pattern patternProperties pointer prefixItems prior_override problems promoted prompts
properties propertyNames protocol_version readOnlyHint reason redacted refresh refused rejected required
resource_templates resources result schema_hash schema_source sem1-sha256 server server_info servers
session settings source source_digest spool_full string subject targets timeout to_hash transport trigger
unchecked uniqueItems unknown validated verify_failed watches
"""

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
        self._needle = re.compile(b"|".join(map(re.escape, self._needles)))
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
        return any(self._is_in(form) for form in _decoded(blob))

    def _is_in(self, form: bytes) -> bool:
        # One expression is twice as fast on a small event; on a listing, many plain searches are.
        if len(form) < SMALL:
            return self._needle.search(form) is not None
        return any(needle in form for needle in self._needles)

    def replaced(self, text: str, mark: Mark) -> str:
        """The text with every spelling of every secret marked."""
        if not self._secrets:
            return text
        return self._spelled.sub(lambda found: self._mark_of(found, mark), self._without_encoded(text, mark))

    def _mark_of(self, found: re.Match[str], mark: Mark) -> str:
        return mark(self._secrets[(found.lastindex or 1) - 1])

    def _without_encoded(self, text: str, mark: Mark) -> str:
        """Base64 goes as a whole run: the secret may stand anywhere in it, as in `user:password`."""
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
    return len(value) >= SHORTEST and value not in PUBLIC_WORDS


def _needles(secrets: list[str], cores: dict[str, str]) -> Iterator[bytes]:
    """What to look for in written JSON: each secret as a string holds it, and as it is without quoting."""
    for secret in secrets:
        raw = secret.encode("utf-8", "surrogatepass")
        yield raw
        yield raw.replace(b" ", b"+")
        yield dumps(secret, ensure_ascii=False).encode("utf-8", "surrogatepass")[1:-1]
    yield from (core.encode() for core in cores)


def _base64_cores(secret: str) -> Iterator[str]:
    """What a base64 text contains if it encodes the secret, at each of the three ways to be aligned."""
    raw = secret.encode("utf-8", "surrogatepass")
    for lead in range(3):
        whole = (lead + len(raw)) // 3 * 4
        encoded = b64encode(bytes(lead) + raw).decode()[:whole][(0, 2, 3)[lead] :]
        yield encoded
        yield encoded.replace("+", "-").replace("/", "_")


def _decoded(blob: bytes) -> Iterator[bytes]:
    """Written JSON, and the same with the layers of quoting within its strings taken off one by one."""
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
    plain = _ESCAPED.sub(lambda found: _unescaped_one(found[1]), text)
    # Two escapes may be the halves of one character.
    return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _unescaped_one(escape: str) -> str:
    return chr(int(escape[1:], 16)) if len(escape) > 1 else _SHORT_ESCAPES.get(escape, escape)


def _spelling(text: str) -> str:
    """An expression for every way to write the text: plain, percent-encoded, JSON-escaped, or mixed."""
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
