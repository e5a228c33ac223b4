"""Which output schema is shown: rows of the adoption table, as a render carries them out."""

from __future__ import annotations

from typing import Any

from ledger.canon.digest import digest
from ledger.catalog.adoption import Adopted, AdoptionRow, adopt
from tests.unit.catalog.builders import NEW_OUTPUT, OLD_OUTPUT

OLD, NEW = str(digest(OLD_OUTPUT)), str(digest(NEW_OUTPUT))


def adopted(candidate: Any, row: AdoptionRow | None, **how: Any) -> Adopted:
    return adopt(candidate, row, **{"is_locked": False, "is_stated": False, "success_threshold": 2, **how})


def row(state: Any = "pending", **fields: Any) -> AdoptionRow:
    known = {"hash": NEW, "promoted": OLD, "promoted_schema": OLD_OUTPUT, "shown_schema": OLD_OUTPUT}
    return AdoptionRow(state, **{**known, **fields})


def test_a_first_schema_is_shown_at_once() -> None:
    assert adopted(NEW_OUTPUT, None) == Adopted(NEW_OUTPUT)


def test_a_first_schema_after_none_is_shown_at_once() -> None:
    untyped = AdoptionRow("untyped")
    assert adopted(NEW_OUTPUT, untyped) == Adopted(NEW_OUTPUT)


def test_a_changed_schema_is_withheld_until_it_is_earned() -> None:
    assert adopted(NEW_OUTPUT, row("validated", hash=OLD)) == Adopted(OLD_OUTPUT, withheld=NEW)
    assert adopted(NEW_OUTPUT, row("pending", ok=1)) == Adopted(OLD_OUTPUT, withheld=NEW)
    assert adopted(NEW_OUTPUT, row("failed", ok=0)) == Adopted(OLD_OUTPUT, withheld=NEW)


def test_an_earned_schema_is_promoted_with_its_evidence() -> None:
    earned = row("pending", promotable=True, ok=2, evidence=("e1", "e2"))
    assert adopted(NEW_OUTPUT, earned) == Adopted(NEW_OUTPUT, promoted=NEW, evidence=("e1", "e2"))


def test_a_schema_recovers_from_failure_by_passes() -> None:
    earned = row("failed", promotable=True, evidence=("e1", "e2"))
    assert adopted(NEW_OUTPUT, earned).promoted == NEW


def test_what_was_earned_by_an_older_threshold_is_counted_again() -> None:
    believed = row("pending", promotable=True, ok=2, evidence=("e1", "e2"))
    assert adopted(NEW_OUTPUT, believed, success_threshold=3) == Adopted(OLD_OUTPUT, withheld=NEW)
    assert adopted(NEW_OUTPUT, row(ok=1, evidence=("e1",)), success_threshold=1).promoted == NEW


def test_passes_of_another_schema_earn_nothing() -> None:
    other = row("pending", hash="jcs1-sha256:" + "0" * 64, promotable=True, ok=5)
    assert adopted(NEW_OUTPUT, other) == Adopted(OLD_OUTPUT, withheld=NEW)


def test_a_validated_schema_is_not_promoted_again() -> None:
    settled = row("validated", hash=OLD, promoted=OLD, ok=40)
    assert adopted(OLD_OUTPUT, settled) == Adopted(OLD_OUTPUT)


def test_a_server_that_goes_back_is_followed_at_once() -> None:
    assert adopted(OLD_OUTPUT, row("pending")) == Adopted(OLD_OUTPUT)


def test_a_schema_that_is_gone_is_gone() -> None:
    assert adopted(None, row("validated")) == Adopted(None)


def test_a_lock_freezes_what_is_shown() -> None:
    earned = row("pending", promotable=True, ok=9)
    for stated in (False, True):
        assert adopted(NEW_OUTPUT, earned, is_locked=True, is_stated=stated) == Adopted(OLD_OUTPUT, withheld=NEW)
    assert adopted(None, row("locked"), is_locked=True) == Adopted(OLD_OUTPUT)


def test_a_lock_from_the_first_render_on_freezes_what_that_one_showed() -> None:
    never_promoted = AdoptionRow("locked", hash=OLD, shown_schema=OLD_OUTPUT)
    assert adopted(NEW_OUTPUT, never_promoted, is_locked=True) == Adopted(OLD_OUTPUT, withheld=NEW)
    assert adopted(OLD_OUTPUT, never_promoted, is_locked=True) == Adopted(OLD_OUTPUT)


def test_a_tool_under_a_lock_gets_its_first_schema() -> None:
    assert adopted(NEW_OUTPUT, AdoptionRow("untyped"), is_locked=True) == Adopted(NEW_OUTPUT)


def test_nothing_is_promoted_from_a_lock_that_is_gone() -> None:
    assert adopted(NEW_OUTPUT, row("locked", promotable=True, ok=9)) == Adopted(OLD_OUTPUT, withheld=NEW)


def test_a_schema_that_a_layer_states_is_a_decision_and_shown_at_once() -> None:
    assert adopted(NEW_OUTPUT, row("validated", hash=OLD), is_stated=True) == Adopted(NEW_OUTPUT)


def test_a_promoted_schema_that_is_no_longer_known_gives_way_and_is_told_of() -> None:
    erased = row("pending", promoted_schema=None, shown_schema=None)
    assert adopted(NEW_OUTPUT, erased) == Adopted(NEW_OUTPUT, lost=True)
    assert adopted(NEW_OUTPUT, erased, is_locked=True) == Adopted(NEW_OUTPUT, lost=True)
