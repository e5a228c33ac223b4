"""catledger: a flight recorder for MCP tool catalogs. Public names load when they are first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ledger.bootstrap import Ledger, open_ledger
    from ledger.config import Settings, load_settings
    from ledger.errors import LedgerError
    from ledger.services.verify import verify

__all__ = ["Ledger", "LedgerError", "Settings", "load_settings", "open_ledger", "verify"]
__version__ = "0.1.0"

_HOMES = {
    "Ledger": "ledger.bootstrap",
    "LedgerError": "ledger.errors",
    "Settings": "ledger.config",
    "load_settings": "ledger.config",
    "open_ledger": "ledger.bootstrap",
    "verify": "ledger.services.verify",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
