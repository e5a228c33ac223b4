"""The rooms: who may import whom, kept by import-linter; and the page that describes them."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_import_linter_finds_every_room_in_order() -> None:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_package_and_layer_is_on_the_page_of_rooms() -> None:
    page = (ROOT / "docs/rooms.md").read_text(encoding="utf-8")
    drawing = page.split("```")[1]
    packages = {f"ledger.{each.parent.name}" for each in (ROOT / "ledger").glob("*/__init__.py")}
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = {name.strip() for layer in contracts[0]["layers"] for name in layer.split("|")}
    assert {*packages, *layers} == set(re.findall(r"\bledger\.\w+|\bcli\b", drawing))


def test_folds_know_events_and_nothing_of_the_store() -> None:
    """A projection reads events and nothing else; what is stored around it is the runner's business."""
    from ledger.projections.all import FOLDS

    offenders = [module for fold in FOLDS for module in _imported_by(fold.__name__) if _is_forbidden(module)]  # type: ignore[attr-defined]
    assert offenders == []


def _imported_by(module: str) -> list[str]:
    """What a module of folds imports at run time, and what its neighbours among the projections import."""
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        if name.startswith("ledger.projections."):
            waiting += _imports(ROOT / (name.replace(".", "/") + ".py"))
    return sorted(seen)


def _imports(path: Path) -> list[str]:
    import ast

    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: list[str] = []
    for node in tree.body:  # not what stands under `if TYPE_CHECKING`
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return [name for name in found if (ROOT / (name.replace(".", "/") + ".py")).exists() or "." not in name]


def _is_forbidden(module: str) -> bool:
    allowed = (
        "ledger.canon.",
        "ledger.events.",
        "ledger.catalog.",
        "ledger.projections.",
        "ledger.clock",
        "ledger.errors",
    )
    impure = {"os", "time", "random", "locale", "secrets", "uuid", "sqlite3", "socket"}
    return module in impure or (module.startswith("ledger.") and not module.startswith(allowed))
