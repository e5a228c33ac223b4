"""The references are current, and everything there is has its heading."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from ledger.config import SETTINGS
from ledger.events.registry import KINDS
from tests.docs.console import ROOT
from tests.docs.reference import PROGRAM, all_commands, all_errors

GENERATED = ("README.md", *(f"docs/reference/{name}.md" for name in ("commands", "errors", "events", "settings")))
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
_LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)


def _headings(page: str) -> set[str]:
    return set(_HEADING.findall((ROOT / page).read_text(encoding="utf-8")))


def test_the_generated_pages_are_current() -> None:
    command = [sys.executable, "-m", "cogapp", "--check", "-P", *GENERATED]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"run `python -m cogapp -r -P {' '.join(GENERATED)}`\n{done.stdout}{done.stderr}"


def test_every_command_has_its_heading() -> None:
    names = {name if name == PROGRAM else f"{PROGRAM} {name}" for name, _ in all_commands()}
    assert names <= _headings("docs/reference/commands.md")


def test_every_kind_of_event_has_its_heading() -> None:
    assert set(KINDS) <= _headings("docs/reference/events.md")


def test_every_error_has_its_heading_and_a_code_of_its_own() -> None:
    codes = [error.code for error in all_errors()]
    assert len(codes) == len(set(codes))
    assert set(codes) <= _headings("docs/reference/errors.md")


def test_every_setting_has_its_heading() -> None:
    assert {setting.names[0] for setting in SETTINGS} <= _headings("docs/reference/settings.md")


def test_the_fields_a_producer_must_give_are_those_the_models_require() -> None:
    rows = _table_of("docs/how-to/produce.md", "What a payload must have")
    assert len(rows) > 5
    for kind, required in rows:
        fields = KINDS[kind.strip("`")].model_fields
        assert required == ", ".join(f"`{name}`" for name, field in fields.items() if field.is_required())


def test_the_limits_a_producer_is_told_are_those_in_force() -> None:
    defaults = {setting.names[0]: setting.default for setting in SETTINGS}
    rows = _table_of("docs/how-to/produce.md", "Limits")
    assert len(rows) == 4
    for _, name, said in rows:
        assert defaults[name.strip("`")] == said.removesuffix(" bytes").replace(",", "")


def test_the_categories_and_reasons_of_drift_are_those_of_the_fold() -> None:
    from typing import get_args

    from ledger.projections.causes import REASONS
    from ledger.projections.comparison import Category

    page = (ROOT / "docs/explain/projections.md").read_text(encoding="utf-8")
    categories = {row[0].strip("`") for row in _table_of("docs/explain/projections.md", "Drift")}
    assert categories == set(get_args(Category))
    (reasons,) = re.findall(r"The reason says why, with the event that proves it: (.*?) and others\.", page, re.DOTALL)
    assert set(re.findall(r"`(\w+)`", reasons)) <= set(REASONS)


def test_the_readme_calls_nothing_missing_that_is_there() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (missing,) = re.findall(r"Not there yet, and being built:(.*?)\n\n", readme, re.DOTALL)
    named = set(re.findall(r"`([a-z]+)`", missing))
    assert named
    assert named & {name for name, _ in all_commands()} == set()


def test_every_word_of_the_glossary_stands_once() -> None:
    rows = re.findall(r"^\| (\*\*.+?) \|", (ROOT / "docs/explain/words.md").read_text(encoding="utf-8"), re.MULTILINE)
    words = [word for row in rows for word in re.findall(r"\*\*(.+?)\*\*", row)]
    assert len(words) > 40
    assert sorted(words) == sorted(set(words))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    text = _CODE.sub("", page.read_text(encoding="utf-8"))
    targets = [target for target in _LINK.findall(text) if "://" not in target]
    assert [target for target in targets if not _leads_somewhere(page, target)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_names_no_place_of_the_machine_it_was_written_on(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    places = re.compile(r"(?<![\w.])/(?:work|tmp|home|root|Users|var|opt)/[\w.-]+")
    assert places.findall(text) == []
    assert str(Path.home()) not in text or str(Path.home()) == "/"


def _table_of(page: str, heading: str) -> list[list[str]]:
    """The rows of the first table below a heading, without its head."""
    text = (ROOT / page).read_text(encoding="utf-8").partition(f"## {heading}\n")[2]
    table = [line for line in text.partition("\n## ")[0].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


def _leads_somewhere(page: Path, target: str) -> bool:
    path, _, anchor = target.partition("#")
    found = (page.parent / path).resolve() if path else page
    if not found.exists():
        return False
    return not anchor or anchor in {_anchor(heading) for heading in _headings(str(found.relative_to(ROOT)))}


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
