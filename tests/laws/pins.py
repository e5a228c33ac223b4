"""The hash of what each fold is made of, for the VERSION it has."""

from __future__ import annotations

import ast
import hashlib
import importlib
import inspect
from pathlib import Path

from ledger.projections.all import FOLDS


def sources_digest() -> dict[str, str]:
    """`name vN` → hash of the fold's module, of every module of the room that it imports, and of the upcasters."""
    found = {}
    for fold in FOLDS:
        modules = _closure(fold.fold.__module__) | {"ledger.events.upcast"}
        text = "".join(_code(module) for module in sorted(modules))
        found[f"{fold.NAME} v{fold.VERSION}"] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return found


def _closure(module: str) -> set[str]:
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        tree = ast.parse(_source(name))
        imports = (node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
        waiting += [
            each for each in imports if each.startswith("ledger.projections.") and each != "ledger.projections.all"
        ]
    return seen


def _code(module: str) -> str:
    """The program without its words: a comment or a docstring changes nothing that is stored."""
    tree = ast.parse(_source(module))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if (
            isinstance(body, list)
            and body
            and isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
        ):
            body[0].value.value = ""
    return ast.dump(tree)


def _source(module: str) -> str:
    return Path(inspect.getfile(importlib.import_module(module))).read_text(encoding="utf-8")


PINS = {
    "descriptors v1": "e3dea9cbee5f9d62",
    "servers v1": "57595cc0d2420a44",
    "schemas v1": "3f102723e66e6f05",
    "intended v1": "8ed1376df30f6b9d",
    "live v1": "1d489f46ffc1da4c",
    "drift v1": "2b46b9b43b99c17b",
}
