"""Settings: the one place that reads the environment."""

from __future__ import annotations

import getpass
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from ledger.errors import BadConfig

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Setting(NamedTuple):
    """One setting: the names it is read from, in order, its default as text, and what it is for."""

    names: tuple[str, ...]
    default: str
    meaning: str
    read: Callable[[str], Any]

    @property
    def key(self) -> str:
        return self.names[0].removeprefix("CATLEDGER_").lower()


class Effective(NamedTuple):
    """A setting with its value and where the value came from."""

    setting: Setting
    value: Any
    source: str


def _text(value: str) -> str:
    return value


def _whole(value: str) -> int:
    number = int(value)
    if number < 1:
        raise ValueError("must be at least 1")
    return number


def _seconds(value: str) -> float:
    number = float(value)
    if not 0 <= number < 1e9:
        raise ValueError("must be a number of seconds")
    return number


def _switch(value: str) -> bool:
    if value.lower() in {"1", "true", "yes", "on"}:
        return True
    if value.lower() in {"", "0", "false", "no", "off"}:
        return False
    raise ValueError("must be 1 or 0")


def _receipts(value: str) -> str:
    if value not in {"relaxed", "strict"}:
        raise ValueError("must be `relaxed` or `strict`")
    return value


SETTINGS: Final = (
    Setting(
        ("CATLEDGER_STATE_HOME", "STELAE_STATE_HOME"),
        "$XDG_STATE_HOME/catledger",
        "where the ledger and its key live by default",
        _text,
    ),
    Setting(("CATLEDGER_DB",), "ledger.db in the state home", "path or URL of the ledger", _text),
    Setting(("CATLEDGER_CATALOG",), "", "the catalog meant when none is named", _text),
    Setting(("CATLEDGER_ACTOR",), "cli/<user>", "who appends", _text),
    Setting(("CATLEDGER_RECEIPTS",), "relaxed", "`strict` syncs a receipt before an append is acknowledged", _receipts),
    Setting(("CATLEDGER_RECEIPTS_DIR",), "beside the ledger", "where receipts are kept; another disk is better", _text),
    Setting(
        ("CATLEDGER_KEY_FILE",),
        "fingerprint.key in the state home",
        "key of the fingerprints of secret values, mode 0600",
        _text,
    ),
    Setting(("CATLEDGER_LOCK_WAIT",), "30", "seconds to wait for another writer", _seconds),
    Setting(("CATLEDGER_FORCE_NETWORK_FS",), "0", "1 allows a ledger on a network file system", _switch),
    Setting(("CATLEDGER_MAX_EVENT_BYTES",), "4000000", "largest event with the documents it brings", _whole),
    Setting(("CATLEDGER_MAX_DEFINITION_BYTES",), "1000000", "largest tool definition", _whole),
    Setting(("CATLEDGER_MAX_DEPTH",), "64", "deepest nesting of JSON", _whole),
    Setting(("CATLEDGER_MAX_TOOLS",), "10000", "most tools in one capture", _whole),
)


@dataclass(frozen=True)
class Settings:
    """What is configured; `effective` says where each value came from."""

    effective: tuple[Effective, ...]
    database: str
    catalog: str | None
    actor: str
    state_home: Path
    receipts_dir: Path
    strict_receipts: bool
    key_file: Path
    lock_wait_s: float
    force_network_fs: bool
    max_event_bytes: int
    max_definition_bytes: int
    max_depth: int
    max_tools: int

    @property
    def is_file(self) -> bool:
        return not self.database.startswith("postgresql")

    @property
    def path(self) -> Path:
        return Path(self.database)


def load_settings(
    environment: Mapping[str, str] | None = None, *, db: str | None = None, catalog: str | None = None
) -> Settings:
    """Settings from the environment; `db` and `catalog` are what the command line says, which wins."""
    variables = os.environ if environment is None else environment
    given = {"db": db, "catalog": catalog}
    found = tuple(_effective(setting, variables, given.get(setting.key)) for setting in SETTINGS)
    values = {each.setting.key: each.value for each in found}
    state_home = Path(values["state_home"] or _default_state_home(variables)).expanduser()
    database = _database(values["db"] or str(state_home / "ledger.db"))
    return Settings(
        effective=found,
        database=database,
        catalog=values["catalog"] or None,
        actor=values["actor"] or f"cli/{_user(variables)}",
        state_home=state_home,
        receipts_dir=_receipts_dir(values["receipts_dir"], database, state_home),
        strict_receipts=values["receipts"] == "strict",
        key_file=Path(values["key_file"] or state_home / "fingerprint.key").expanduser(),
        lock_wait_s=values["lock_wait"],
        force_network_fs=values["force_network_fs"],
        max_event_bytes=values["max_event_bytes"],
        max_definition_bytes=values["max_definition_bytes"],
        max_depth=values["max_depth"],
        max_tools=values["max_tools"],
    )


def process_environment() -> Mapping[str, str]:
    """The environment of this process, for configurations of servers that refer to it."""
    return os.environ


def shown_database(database: str) -> str:
    """The location without a password: what messages may say."""
    parts = urlsplit(database)
    if not parts.scheme or parts.password is None:
        return database
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{parts.username}@{host}"))


def _effective(setting: Setting, variables: Mapping[str, str], given: str | None) -> Effective:
    named = [name for name in setting.names if variables.get(name)]
    source = "command line" if given is not None else named[0] if named else "default"
    text = given if given is not None else variables[named[0]] if named else ""
    if not text:
        # the text of a default that depends on other settings explains it; those that do not are values
        is_value = setting.read is not _text
        return Effective(setting, setting.read(setting.default) if is_value else "", source)
    try:
        return Effective(setting, setting.read(text), source)
    except ValueError as error:
        raise BadConfig(source, f"{text!r}: {error}") from None


def _database(text: str) -> str:
    scheme, separator, rest = text.partition("://")
    if not separator:
        return str(Path(text).expanduser())
    if scheme in {"postgresql", "postgresql+psycopg"}:
        return "postgresql://" + rest
    if scheme in {"sqlite", "sqlite+pysqlite"}:
        # SQLAlchemy's form: three slashes and a relative path, or four and an absolute one
        if not rest.startswith("/") or rest == "/":
            raise BadConfig("--db", "a SQLite URL is sqlite:///relative/path or sqlite:////absolute/path")
        return rest.removeprefix("/")
    raise BadConfig("--db", f"unknown scheme {scheme}:// (known: sqlite, postgresql)")


def _default_state_home(variables: Mapping[str, str]) -> Path:
    base = variables.get("XDG_STATE_HOME") or Path(variables.get("HOME") or "~") / ".local" / "state"
    return Path(base) / "catledger"


def _receipts_dir(given: str, database: str, state_home: Path) -> Path:
    if given:
        return Path(given).expanduser()
    if not database.startswith("postgresql"):
        return Path(database + ".receipts")
    name = hashlib.sha256(shown_database(database).encode()).hexdigest()[:16]
    return state_home / "receipts" / name


def _user(variables: Mapping[str, str]) -> str:
    try:
        return variables.get("USER") or getpass.getuser()
    except (KeyError, OSError):  # a container without a user database
        return "unknown"
