"""The store touches the database file through SQLite only.

Opening and closing the file in the writing process drops SQLite's POSIX locks; another process may then delete the WAL,
and events that were acknowledged are lost.
"""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
OPENING = {"open", "read_bytes", "read_text", "write_bytes", "write_text", "copy", "copyfile", "touch"}

# Functions that open a file, and which file that is.
ALLOWED = {
    ("sqlite.py", "_open_lock_file"): "the queue of writers, a file of its own",
    ("sqlite.py", "_create_file"): "a file that was not there before (O_EXCL): nobody can hold a lock on it",
    ("sqlite.py", "_file_system_of"): "the table of mounts",
    ("receipts.py", "_read"): "a receipt",
    ("receipts.py", "_replace"): "a receipt",
    ("receipts.py", "_locked"): "the directory of receipts",
    ("receipts.py", "_sync"): "a receipt, or their directory",
    ("generate.py", "main"): "the module of statements, when developing",
    ("generate.py", "<module>"): "the module of statements, when developing",
}


def test_no_function_of_the_store_opens_a_file_that_may_be_the_database() -> None:
    found = {(path.name, where) for path in _modules() for where, _ in _openings(path)}
    assert found - ALLOWED.keys() == set()


def test_the_store_never_copies_files() -> None:
    offenders = [path.name for path in _modules() if "shutil" in _imported(path)]
    assert offenders == []


def test_the_database_file_is_created_only_where_there_is_none() -> None:
    (call,) = [call for where, call in _openings(ROOT / "ledger/store/sqlite.py") if where == "_create_file"]
    assert "O_EXCL" in ast.unparse(call)


def _modules() -> list[Path]:
    return sorted((ROOT / "ledger/store").glob("*.py"))


def _openings(path: Path) -> list[tuple[str, ast.Call]]:
    """The calls that open or copy a file, each with the function that it stands in."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    owners = {
        id(inner): node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) for inner in ast.walk(node)
    }
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _name(node) in OPENING]
    return [(owners.get(id(call), "<module>"), call) for call in calls if not _is_method_of_ours(call)]


def _name(call: ast.Call) -> str:
    return (
        call.func.id
        if isinstance(call.func, ast.Name)
        else call.func.attr
        if isinstance(call.func, ast.Attribute)
        else ""
    )


def _is_method_of_ours(call: ast.Call) -> bool:
    """A cursor's COPY is no copy of a file."""
    return isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) in {"cursor", "self"}


def _imported(path: Path) -> set[str]:
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    return {name.partition(".")[0] for name in names}
