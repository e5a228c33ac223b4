"""Secrets that their shape or their place gives away: in URLs, in arguments, and in the words of errors.

Every expression is linear on hostile text: what may repeat is bounded, or begins only where nothing like it
stood before.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

# From the secret to what stands in its place in text.
Mark = Callable[[str], str]

MARKED: Final = re.compile(r"\[redacted:([0-9a-f]{16})\]")
_NOT_MARKED: Final = r"(?!\[redacted:)"

# A name in whose place a secret is to be expected: deny-lists miss some, so this one would rather take too
# much.
SECRET_NAME: Final = re.compile(
    r"(?i)token(?!iz)|secret|passw|passphrase|pwd|credential|cookie|session|bearer|signature|jwt|dsn"
    r"|(?:api|access|private|auth|encryption|signing)[-_.]?key|authorization"
    r"|(?:^|[-_.])(?:key|keys|pass|auth|pat|sig|sid|pin|otp)(?:$|[-_.])|[a-z]Key$"
)
# The same for the keys of objects in files, where `key` alone is too ordinary.
SECRET_FIELD: Final = re.compile(
    r"(?i)token(?!iz|s$)|secret|passw|passphrase|credential|cookie|bearer|authorization"
    r"|(?:api|access|private|auth|encryption|signing)[-_.]?key"
)

_TOKEN: Final = re.compile(
    r"(?<![A-Za-z0-9_-])(?:"
    rf"(?P<scheme>[Bb]earer|BEARER)[ \t]{{1,8}}{_NOT_MARKED}(?P<credential>[A-Za-z0-9._~+/=-]{{8,}})"
    r"|(?P<basic>[Bb]asic)[ ](?=[A-Za-z][a-z]*[A-Z0-9])(?P<login>[A-Za-z0-9+/=]{8,})"
    r"|gh[a-z]_[A-Za-z0-9]{12,}|github_pat_\w{12,}|gl[a-z]{2,5}-[\w-]{12,}"
    r"|sk-[\w-]{8,}|[spr]k_(?:live|test)_\w{8,}|xox[a-z]-[\w-]{8,}|xapp-[\w-]{8,}"
    r"|A(?:KIA|SIA)[A-Z0-9]{12,}|AIza[\w-]{20,}|ya29\.[\w-]{8,}|hf_[A-Za-z0-9]{16,}|npm_[A-Za-z0-9]{16,}"
    r"|eyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?"
    r")|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*"
)
# Every alternative above holds one of these; looking for them first costs a tenth of the expression.
_TOKEN_HINTS: Final = ("-", "_", "earer", "EARER", "asic ", "AKIA", "ASIA", "AIza", "ya29.", "eyJ")
_URL: Final = re.compile(r"(?<![A-Za-z0-9+.-])(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{0,31}://)(?P<rest>[^\s\"'<>`\\]+)")
_ASSIGNED: Final = re.compile(
    rf"(?<![\w.-])(?P<name>[\w.-]{{1,128}})(?P<sign>=[\"']?){_NOT_MARKED}(?P<value>[^\s\"'&;,]+)"
)
_FLAG_AND_VALUE: Final = re.compile(
    r"(?<![\w-])(?P<flag>--?[A-Za-z][\w.-]{0,64})(?P<gap>[ \t]{1,8}[\"']?)"
    rf"{_NOT_MARKED}(?P<value>[^\s\"'-][^\s\"']*)"
)
_HEADER_OPTION: Final = re.compile(
    r"(?<![\w-])(?P<flag>(?:-H|--header)[ =]?[\"']?)(?P<name>[\w-]{1,64}):[ ]?"
    rf"{_NOT_MARKED}(?P<value>[^\"']+)"
)
_QUERY_NAME: Final = re.compile(r"[A-Za-z][A-Za-z_.-]{0,31}")
_HEADER_FLAGS: Final = frozenset(("-H", "--header", "--headers"))
_ENV_FLAGS: Final = frozenset(("-e", "--env"))
_LOGIN_FLAGS: Final = frozenset(("-u", "--user", "--proxy-user", "--basic-auth"))


def scrub_message(text: str, mark: Mark) -> str:
    """Free text, such as an error: URLs cut, well-known tokens and `secret_name=value` marked."""
    if "=" in text:
        text = _ASSIGNED.sub(lambda found: _assignment(found, mark), text)
    if "://" in text:
        text = _URL.sub(lambda found: found["scheme"] + _rest_of_url(found["rest"]), text)
    if any(hint in text for hint in _TOKEN_HINTS):
        text = _TOKEN.sub(lambda found: _token(found, mark), text)
    return text


def scrub_command(text: str, mark: Mark) -> str:
    """A command line, or a part of one: as a message, and values of secret-looking flags marked as well."""
    if "-" in text:
        text = _HEADER_OPTION.sub(lambda found: f"{found['flag']}{found['name']}: {mark(found['value'])}", text)
        text = _FLAG_AND_VALUE.sub(lambda found: _flag(found, mark), text)
    return scrub_message(text, mark)


def scrub_args(args: Sequence[object], mark: Mark) -> list[object]:
    """Arguments, each knowing the one before it; what is no string stays."""
    scrubbed: list[object] = []
    before = ""
    for argument in args:
        if isinstance(argument, str):
            scrubbed.append(_argument(argument, before, mark))
            before = argument
        else:
            scrubbed.append(argument)
            before = ""
    return scrubbed


def scrub_url(text: str, mark: Mark) -> str:
    """A URL without user-info, query values and fragment; the names of query parameters stay."""
    scheme, sign, rest = text.partition("://")
    return scrub_message(f"{scheme}{sign}{_rest_of_url(rest)}" if sign else _without_query_values(text), mark)


def _argument(argument: str, before: str, mark: Mark) -> str:
    if MARKED.search(argument):
        return scrub_command(argument, mark)
    if before in _HEADER_FLAGS:
        return named_value(argument, ":", mark)
    if before in _ENV_FLAGS:
        return named_value(argument, "=", mark)
    if before in _LOGIN_FLAGS or (_is_secret_flag(before) and not argument.startswith("--")):
        return mark(argument)
    flag, sign, value = argument.partition("=")
    if sign and flag in _HEADER_FLAGS:
        return f"{flag}={named_value(value, ':', mark)}"
    if sign and flag in _ENV_FLAGS:
        return f"{flag}={named_value(value, '=', mark)}"
    if sign and value and not any(space in flag for space in " \t\n") and SECRET_NAME.search(flag):
        return f"{flag}={mark(value)}"
    return scrub_command(argument, mark)


def named_value(text: str, sign: str, mark: Mark) -> str:
    """`NAME=value` or `Name: value` with the value marked; a name alone stays, and what is marked already."""
    name, found, value = text.partition(sign)
    value = value.strip()
    if not found or not value or MARKED.search(text):
        return text
    return f"{name}{sign}{' ' if sign == ':' else ''}{mark(value)}"


def _is_secret_flag(flag: str) -> bool:
    return flag.startswith("-") and "=" not in flag and SECRET_NAME.search(flag.lstrip("-")) is not None


def _assignment(found: re.Match[str], mark: Mark) -> str:
    if not SECRET_NAME.search(found["name"]):
        return found[0]
    return f"{found['name']}{found['sign']}{mark(found['value'])}"


def _flag(found: re.Match[str], mark: Mark) -> str:
    if not _is_secret_flag(found["flag"]):
        return found[0]
    return f"{found['flag']}{found['gap']}{mark(found['value'])}"


def _token(found: re.Match[str], mark: Mark) -> str:
    if found["scheme"]:
        return f"{found['scheme']} {mark(found['credential'])}"
    if found["basic"]:
        return f"{found['basic']} {mark(found['login'])}"
    return mark(found[0])


def _rest_of_url(rest: str) -> str:
    authority_end = min((index for index in map(rest.find, "/?#") if index >= 0), default=len(rest))
    authority = rest[:authority_end].rpartition("@")[2]
    return authority + _without_query_values(rest[authority_end:])


def _without_query_values(text: str) -> str:
    path, sign, query = text.partition("#")[0].partition("?")
    names = [_query_name(part) for part in query.split("&")]
    return path + sign + "&".join(name for name in names if name)


def _query_name(part: str) -> str:
    """`name=`; a part without a sign is a name only if it reads like one, for it may be a bare token."""
    name, sign, _ = part.partition("=")
    return name + sign if sign or _QUERY_NAME.fullmatch(name) else ""
