"""Breaks one guard at a time and runs the tests that should notice: `python -m tests.mutants [--all | NAME…]`.

A guard that can be taken out with every test still green is a guard that nobody tests. Each mutant is a textual change
to a copy of the project; the table says which test caught it, and a survivor is a failure.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests.mutants.folds import FOLD_MUTANTS, SOME_FOLD_MUTANTS
from tests.mutants.guards import GUARD_MUTANTS, Mutant

ROOT = Path(__file__).parents[2]
COPIED = ("ledger", "cli", "tests", "migrations", "docs", "pyproject.toml", "alembic.ini", "README.md")
SHORT = 300


class Outcome(NamedTuple):
    mutant: Mutant
    caught_by: str


def main(names: list[str]) -> int:
    if names in ([], ["--all"]):
        chosen = [*GUARD_MUTANTS, *(FOLD_MUTANTS if names else SOME_FOLD_MUTANTS)]
    else:
        chosen = [each for each in (*GUARD_MUTANTS, *FOLD_MUTANTS) if any(name in each.name for name in names)]
    with ThreadPoolExecutor(max_workers=2) as pool:
        outcomes = list(pool.map(_try, chosen))
    width = max(len(each.mutant.name) for each in outcomes)
    for each in outcomes:
        print(f"{each.mutant.name:<{width}}  {each.caught_by or 'SURVIVED'}")
    survivors = [each.mutant.name for each in outcomes if not each.caught_by]
    print(f"\n{len(outcomes)} mutants, {len(outcomes) - len(survivors)} caught, {len(survivors)} survived")
    return 1 if survivors else 0


def _try(mutant: Mutant) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="catledger-mutant-") as folder:
        copy = Path(folder)
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, copy / name)
        path = copy / mutant.path
        text = path.read_text(encoding="utf-8")
        if text.count(mutant.old) != 1:
            return Outcome(mutant, "")  # a mutant that no longer applies proves nothing: it counts as a survivor
        path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
        return Outcome(mutant, _caught_by(copy, mutant))


def _caught_by(copy: Path, mutant: Mutant) -> str:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--no-header", *mutant.tests]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, text=True, timeout=SHORT, check=False
        )
    except subprocess.TimeoutExpired:
        return "a test that did not end"
    if done.returncode == 0:
        return ""
    found = re.search(r"^(?:FAILED|ERROR) (?:\S*::)?(\S+)", done.stdout, re.MULTILINE)
    return found[1] if found else f"pytest exit {done.returncode}: {done.stdout[-200:]!r}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
