"""Secrets never enter: what must not be stored is replaced before anything is validated, hashed or written.

Three nets. Values of environments and headers go wherever a configuration is recorded; URLs, arguments and
error texts lose what looks like a secret; and known secrets go from every string, also where a server echoes
them.
"""

from __future__ import annotations

import hmac
import re
from enum import Enum
from typing import TYPE_CHECKING, Final, cast

from ledger.canon import pointer
from ledger.canon.jsontext import MAX_DEPTH
from ledger.errors import OverLimit
from ledger.events.echoes import Echoes
from ledger.events.scrub import (
    SECRET_FIELD,
    named_value,
    scrub_args,
    scrub_command,
    scrub_message,
    scrub_url,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ledger.canon.jsontext import Json

Payload = dict[str, "Json"]
Path = tuple[str | int, ...]

FINGERPRINT_PREFIX: Final = "hmac-sha256:"
_FINGERPRINT: Final = re.compile(FINGERPRINT_PREFIX + r"[0-9a-f]{16}")


class _Net(Enum):
    """How a field is searched."""

    LAUNCH = "how a server is started or found: every string is suspect"
    FILE = "a document: only its environments, headers, arguments, URLs and secret-looking fields"
    TEXT = "words: whatever looks like a secret within them"


_NETS: Final[Mapping[str, Mapping[str, _Net]]] = {
    "descriptors.captured": {"launch": _Net.LAUNCH, "server_info": _Net.FILE, "rejected": _Net.TEXT},
    "capture.failed": {"error": _Net.TEXT},
    "health.changed": {"reason": _Net.TEXT},
    "discovery.updated": {"source": _Net.LAUNCH, "servers": _Net.LAUNCH},
    "discovery.reset": {"source": _Net.LAUNCH, "servers": _Net.LAUNCH},
    "recording.stopped": {"reason": _Net.TEXT},
    "fallback.engaged": {"reason": _Net.TEXT},
    "live.served": {"omitted": _Net.TEXT},
    "render.completed": {"inputs": _Net.FILE, "problems": _Net.TEXT},
    "render.refused": {"detail": _Net.TEXT, "inputs": _Net.FILE},
    "legacy.imported": {"document": _Net.FILE, "problems": _Net.TEXT},
}
_NO_NETS: Final[Mapping[str, _Net]] = {}
_ENVIRONMENTS: Final = ("env", "envs", "environ", "environment", "environmentvariables", "envvars")
_HEADERS: Final = ("headers", "httpheaders", "requestheaders", "extraheaders", "cookies")
_VALUES_ARE_SECRET: Final = frozenset(_ENVIRONMENTS + _HEADERS)
_SAFE_BESIDE_A_VALUE: Final = frozenset(("name", "key", "description", "required", "isrequired", "issecret", "format"))
# The fields of problems, errors and omissions that are prose.
_WORDS: Final = frozenset(("message", "reason", "detail"))
# Below these stand schemas, in which `env`, `headers` or `password` are only names of properties.
_SCHEMAS: Final = frozenset(
    (
        "inputschema",
        "outputschema",
        "properties",
        "patternproperties",
        "$defs",
        "definitions",
        "schema",
        "schemas",
    )
)


class Redactor:
    """Replaces secrets. `key` makes the fingerprints; `secrets` are values that were handed to a server.

    Same key, same payload, same result; redacting twice changes nothing more. The key must not be stored with
    the ledger: with it, short values could be guessed.
    """

    def __init__(self, key: bytes, secrets: frozenset[str] = frozenset()) -> None:
        self._key = key
        self._echoes = Echoes(secrets) if secrets else None

    def redact(self, kind: str, payload: Payload) -> tuple[Payload, list[str]]:
        """The payload without secrets, and JSON pointers to what was replaced, also in its field `redacted`.

        Returns `payload` itself when nothing had to go; never changes it.
        """
        nets = _NETS.get(kind, _NO_NETS)
        if not nets and not self._echoes:
            return payload, []
        work = _Redaction(self.fingerprint)
        try:
            clean = work.configured(payload, nets)
            if self._echoes and self._echoes.may_be_in(clean):
                clean = cast("Payload", work.echoed(clean, (), self._echoes))
                clean = work.configured(clean, nets)  # what a secret hid by standing next to it
        except RecursionError:
            raise OverLimit("max_depth", MAX_DEPTH, MAX_DEPTH + 1, "payload") from None
        if not work.places:
            return payload, []
        pointers = [pointer.join(path) for path in dict.fromkeys(work.places)]
        return clean | {"redacted": _merged(clean.get("redacted"), pointers)}, pointers

    def fingerprint(self, secret: str) -> str:
        """16 hex digits that tell whether a secret changed, and nothing else to whom the key is unknown."""
        return hmac.digest(self._key, secret.encode("utf-8", "surrogatepass"), "sha256").hex()[:16]


class _Redaction:
    """The work on one payload; `places` are the paths of what was replaced."""

    def __init__(self, fingerprint: Callable[[str], str]) -> None:
        self._fingerprint = fingerprint
        self.places: list[Path] = []

    def configured(self, payload: Payload, nets: Mapping[str, _Net]) -> Payload:
        clean = {
            field: self._searched(payload[field], (field,), net)
            for field, net in nets.items()
            if payload.get(field) is not None
        }
        return payload | clean if self.places else payload

    def echoed(self, value: Json, path: Path, echoes: Echoes) -> Json:
        """Known secrets go from every string and every key; pointers of earlier finds follow the keys."""
        if not path:
            self.places = [tuple(self._echoed_step(step, echoes) for step in place) for place in self.places]
        if isinstance(value, str):
            return self._noted(value, echoes.replaced(value, self._mark), path)
        if isinstance(value, list):
            return [self.echoed(item, (*path, index), echoes) for index, item in enumerate(value)]
        if not isinstance(value, dict):
            return value
        clean: Payload = {}
        for key, item in value.items():
            name = cast("str", self._echoed_step(key, echoes))
            while name in clean:
                name += "'"
            self._noted(key, name, (*path, name))
            clean[name] = self.echoed(item, (*path, name), echoes)
        return clean

    def _echoed_step(self, step: str | int, echoes: Echoes) -> str | int:
        return echoes.replaced(step, self._mark) if isinstance(step, str) else step

    def _searched(self, value: Json, path: Path, net: _Net) -> Json:
        if isinstance(value, str):
            return self._noted(value, self._scrubbed(value, path, net), path)
        if isinstance(value, list):
            return [self._searched(item, (*path, index), net) for index, item in enumerate(value)]
        if isinstance(value, dict):
            return {key: self._searched_field(key, item, (*path, key), net) for key, item in value.items()}
        return value

    def _searched_field(self, key: str, value: Json, path: Path, net: _Net) -> Json:
        name = _plain(key)
        if net is _Net.TEXT or name in _SCHEMAS:
            is_words = net is _Net.TEXT and name in _WORDS
            return self._searched(value, path, net) if is_words else value
        if name in _VALUES_ARE_SECRET:
            return self._values(value, path)
        if isinstance(value, list) and name == "args":
            return self._arguments(value, path)
        if isinstance(value, str) and name.endswith("url"):
            return self._noted(value, scrub_url(value, self._mark), path)
        if isinstance(value, str) and SECRET_FIELD.search(key):
            return self._value(value, path)
        return self._searched(value, path, net)

    def _scrubbed(self, text: str, path: Path, net: _Net) -> str:
        if net is _Net.LAUNCH:
            return scrub_command(text, self._mark)
        # A document that is a string is a file nobody could parse; within one that is JSON, prose is left
        # alone.
        if net is _Net.TEXT or path[-1] == "document":
            return scrub_message(text, self._mark)
        return text

    def _arguments(self, args: list[Json], path: Path) -> list[Json]:
        clean = cast("list[Json]", scrub_args(args, self._mark))
        return [
            self._noted(before, after, (*path, index))
            for index, (before, after) in enumerate(zip(args, clean, strict=True))
        ]

    def _values(self, value: Json, path: Path) -> Json:
        """An environment or headers; a list holds names, `NAME=value`, or objects with a name and a value."""
        if not isinstance(value, list):
            return self._value(value, path)
        return [self._listed(item, (*path, index)) for index, item in enumerate(value)]

    def _listed(self, item: Json, path: Path) -> Json:
        if isinstance(item, str) and not _FINGERPRINT.fullmatch(item):
            sign = min((sign for sign in "=:" if sign in item), key=item.index, default="=")
            named = named_value(item, sign, self._mark)
            return self._noted(item, scrub_message(named, self._mark), path)
        if isinstance(item, dict):
            return {
                key: inner if _plain(key) in _SAFE_BESIDE_A_VALUE else self._value(inner, (*path, key))
                for key, inner in item.items()
            }
        return self._value(item, path)

    def _value(self, value: Json, path: Path) -> Json:
        if isinstance(value, dict):
            return {key: self._value(item, (*path, key)) for key, item in value.items()}
        if isinstance(value, list):
            return [self._value(item, (*path, index)) for index, item in enumerate(value)]
        if value is None or (isinstance(value, str) and _FINGERPRINT.fullmatch(value)):
            return value
        text = value if isinstance(value, str) else str(value)
        return self._noted(value, FINGERPRINT_PREFIX + self._fingerprint(text), path)

    def _mark(self, secret: str) -> str:
        return f"[redacted:{self._fingerprint(secret)}]"

    def _noted(self, before: Json, after: Json, path: Path) -> Json:
        if after != before:
            self.places.append(path)
        return after


def _plain(key: str) -> str:
    return key.lower().replace("_", "").replace("-", "")


def _merged(given: Json, pointers: list[str]) -> list[Json]:
    earlier = [place for place in given if isinstance(place, str)] if isinstance(given, list) else []
    return list(dict.fromkeys([*earlier, *pointers]))
