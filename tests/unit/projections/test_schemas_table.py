"""Every row of the adoption table, one test or more for each; the docstring says which row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ledger.projections import descriptors, schemas
from tests.unit.projections.schema_events import (
    KEY,
    SERVER,
    TOOL,
    captured,
    entry,
    failed,
    fell_back,
    hash_of,
    passed,
    promotion,
    rendered,
    rendered_elsewhere,
    served,
    thresholds,
    validated,
)
from tests.unit.projections.story import Story, event, event_id, stories_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.unit.projections.story import Told

given = stories_of(descriptors, schemas)

A, B, C = hash_of("a"), hash_of("b"), hash_of("c")
STREAKS = ("ok", "bad", "escalated", "promotable", "evidence", "stable", "last_error")


def pending() -> Story:
    """`a` on probation, since position 2."""
    return given(captured("a"), rendered(entry("a")))


def valid() -> Story:
    """`a` promoted by the render at position 5."""
    return pending().on(passed("a"), passed("a"), rendered(entry("a"), promoted=[promotion("a", 3, 4)]))


def broken() -> Story:
    """`a` failed twice, at positions 3 and 4, and escalated."""
    return pending().on(failed("a"), failed("a"))


def untyped() -> Story:
    return given(captured(None), rendered(entry(None)))


def locked() -> Story:
    """`a` locked after one pass, by the render at position 4."""
    return pending().on(passed("a"), rendered(entry("a", locked=True)))


STATES = {"pending": pending, "validated": valid, "failed": broken, "untyped": untyped, "locked": locked}
UNLOCKED = {name: story for name, story in STATES.items() if name != "locked"}
ON_TRIAL = {name: UNLOCKED[name] for name in ("pending", "validated", "failed")}


def each(states: Iterable[str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("state", list(states))


@each(STATES)
def test_the_stories_begin_in_the_states_that_they_are_named_after(state: str) -> None:
    STATES[state]().then({KEY: {"state": state, "in_render": True}})


def test_a_first_render_without_an_output_schema_makes_a_tool_untyped() -> None:
    """Row 1."""
    given(captured(None)).when(rendered(entry(None))).then(
        {KEY: {"state": "untyped", "hash": None, "promoted": None, "ok": 0, "bad": 0, "in_render": True}}
    )


def test_an_untyped_tool_stays_untyped_and_never_becomes_pending_by_itself() -> None:
    """Row 1; the real renderer left such tools pending for ever."""
    untyped().when(rendered(entry(None))).then_nothing().then({KEY: {"state": "untyped"}})


def test_a_first_schema_is_pending_and_promoted_on_probation() -> None:
    """Row 2."""
    given(captured("a")).when(rendered(entry("a"))).then(
        {
            KEY: {
                "state": "pending",
                "hash": A,
                "promoted": A,
                "ok": 0,
                "bad": 0,
                "escalated": False,
                "promotable": False,
                "stable": 0,
                "in_render": True,
                "evidence": [],
            }
        }
    )


def test_a_first_schema_is_not_promoted_by_a_citation_without_passes() -> None:
    """Row 2: nothing was earned yet."""
    given(captured("a")).when(rendered(entry("a"), promoted=[promotion("a", 1)])).then(
        {KEY: {"state": "pending", "ok": 0}}
    )


def test_a_pass_before_any_render_makes_a_pending_row_of_that_schema() -> None:
    """Row 3."""
    given(captured("a")).when(passed("b")).then(
        {KEY: {"state": "pending", "hash": B, "promoted": None, "ok": 1, "bad": 0, "in_render": False}}
    )


def test_a_failure_before_any_render_makes_a_failed_row_of_that_schema() -> None:
    """Row 3."""
    given().when(failed("b")).then(
        {KEY: {"state": "failed", "hash": B, "promoted": None, "ok": 0, "bad": 1, "in_render": False}}
    )


def test_the_first_render_of_a_validated_tool_keeps_its_streak_and_puts_it_on_probation() -> None:
    """Row 3, then its first render: the schema enters the catalog at once."""
    given(captured("a"), passed("a")).when(rendered(entry("a"))).then(
        {
            KEY: {
                "state": "pending",
                "hash": A,
                "promoted": A,
                "ok": 1,
                "evidence": [event_id(2)],
                "in_render": True,
            }
        }
    )


@each(UNLOCKED)
def test_another_schema_is_pending_from_any_unlocked_state(state: str) -> None:
    """Row 4."""
    before = UNLOCKED[state]()
    before.on(captured("b")).when(rendered(entry("a"))).then(
        {
            KEY: {
                "state": "pending",
                "hash": B,
                "promoted": before.rows[KEY]["promoted"] or B,
                "ok": 0,
                "bad": 0,
                "escalated": False,
                "promotable": False,
                "stable": 0,
                "quiet": False,
                "evidence": [],
                "last_error": None,
            }
        }
    )


@each(UNLOCKED)
def test_passes_of_another_schema_since_its_capture_are_kept(state: str) -> None:
    """Row 4."""
    before = UNLOCKED[state]().on(captured("b"), passed("b"))
    before.when(rendered(entry("a"))).then(
        {KEY: {"state": "pending", "hash": B, "ok": 1, "evidence": [event_id(before.seq)], "waiting": None}}
    )


def test_enough_kept_passes_make_a_schema_promotable_but_not_promoted() -> None:
    """Row 4: promotion is for a render that cites it."""
    valid().on(captured("b"), passed("b"), passed("b")).when(rendered(entry("a"))).then(
        {KEY: {"state": "pending", "hash": B, "promoted": A, "ok": 2, "promotable": True}}
    )


def test_passes_of_another_schema_before_its_capture_do_not_count() -> None:
    """Row 4."""
    valid().on(passed("b"), captured("b")).when(rendered(entry("a"))).then(
        {KEY: {"state": "pending", "hash": B, "ok": 0, "evidence": []}}
    )


def test_passes_of_a_schema_that_an_earlier_render_did_not_find_do_not_count() -> None:
    """Row 4: `b` came and went between two renders; its next capture begins anew."""
    story = valid().on(captured("b"), passed("b"), captured("a"), rendered(entry("a")))
    story.on(captured("b")).when(rendered(entry("a"))).then({KEY: {"state": "pending", "hash": B, "ok": 0}})


def test_a_new_description_does_not_cost_the_passes_of_a_schema() -> None:
    """Row 4: streaks belong to the output schema, not to the definition around it."""
    story = valid().on(captured("b"), passed("b"), captured("b", text="Finds more"))
    story.when(rendered(entry("a"))).then({KEY: {"hash": B, "ok": 1}})


def test_a_failure_ends_the_kept_passes_of_another_schema() -> None:
    """Row 4: passes count in a row."""
    story = valid().on(captured("b"), passed("b"), failed("b"), passed("b"))
    story.when(rendered(entry("a"))).then(
        {KEY: {"state": "pending", "ok": 1, "bad": 0, "evidence": [event_id(story.seq)]}}
    )


def test_kept_passes_are_those_of_the_last_capture_alone() -> None:
    """Row 4: with another candidate in between, the earlier one's passes make room."""
    story = valid().on(captured("b"), passed("b"), captured("c"), passed("c"))
    story.when(rendered(entry("a"))).then({KEY: {"hash": C, "ok": 1, "evidence": [event_id(story.seq)]}})


@pytest.mark.parametrize("away", [captured("b"), captured(None)], ids=["another schema", "no schema"])
def test_going_back_to_the_promoted_schema_is_validated_with_a_new_streak(away: Told) -> None:
    """Row 5."""
    story = valid().on(away, rendered(entry("a")), captured("a"))
    story.when(rendered(entry("a"))).then(
        {
            KEY: {
                "state": "validated",
                "hash": A,
                "promoted": A,
                "ok": 0,
                "bad": 0,
                "escalated": False,
                "promotable": False,
                "evidence": [],
            }
        }
    )


def test_going_back_from_an_escalated_schema_ends_the_escalation() -> None:
    """Row 5."""
    story = valid().on(captured("b"), rendered(entry("a")), failed("b"), failed("b"))
    story.then({KEY: {"state": "failed", "escalated": True}})
    story.on(captured("a")).when(rendered(entry("a"))).then({KEY: {"state": "validated", "escalated": False}})


@each(ON_TRIAL)
def test_a_schema_that_is_gone_leaves_the_tool_untyped_and_the_promoted_one_for_the_diff(state: str) -> None:
    """Row 6."""
    ON_TRIAL[state]().on(captured(None)).when(rendered(entry(None))).then(
        {
            KEY: {
                "state": "untyped",
                "hash": None,
                "promoted": A,
                "ok": 0,
                "bad": 0,
                "escalated": False,
                "promotable": False,
            }
        }
    )


def test_passes_count_and_enough_of_them_make_a_schema_promotable() -> None:
    """Row 7."""
    once = pending().when(passed("a"))
    once.then({KEY: {"state": "pending", "ok": 1, "bad": 0, "promotable": False, "evidence": [event_id(3)]}})
    once.when(passed("a")).then(
        {KEY: {"state": "pending", "ok": 2, "promotable": True, "evidence": [event_id(3), event_id(4)]}}
    )


def test_evidence_is_the_last_passes_that_the_threshold_asks_for() -> None:
    """Row 7."""
    pending().on(passed("a"), passed("a")).when(passed("a")).then(
        {KEY: {"ok": 3, "evidence": [event_id(4), event_id(5)]}}
    )


def test_a_pass_ends_a_streak_of_failures_and_the_state_stays_failed() -> None:
    """Row 7."""
    pending().on(failed("a")).when(passed("a")).then(
        {KEY: {"state": "failed", "ok": 1, "bad": 0, "promotable": False, "escalated": False}}
    )


def test_one_pass_does_not_end_an_escalation_and_enough_passes_do() -> None:
    """Row 7."""
    once = broken().when(passed("a"))
    once.then({KEY: {"state": "failed", "ok": 1, "bad": 0, "escalated": True, "promotable": False}})
    once.when(passed("a")).then({KEY: {"state": "failed", "ok": 2, "bad": 0, "escalated": False, "promotable": True}})


def test_a_failure_after_one_pass_leaves_an_escalation_as_it_is() -> None:
    """Rows 7 and 9."""
    broken().on(passed("a")).when(failed("a")).then({KEY: {"ok": 0, "bad": 1, "escalated": True}})


def test_a_pass_of_a_validated_schema_counts_on() -> None:
    """Row 8."""
    valid().when(passed("a")).then(
        {
            KEY: {
                "state": "validated",
                "ok": 3,
                "bad": 0,
                "promotable": False,
                "evidence": [event_id(3), event_id(4)],
            }
        }
    )


@each(ON_TRIAL)
def test_a_failure_makes_any_schema_on_trial_failed_and_ends_its_passes(state: str) -> None:
    """Row 9."""
    before = ON_TRIAL[state]()
    before.when(failed("a", "/rows/3", "enum")).then(
        {
            KEY: {
                "state": "failed",
                "ok": 0,
                "bad": before.rows[KEY]["bad"] + 1,
                "promotable": False,
                "evidence": [],
                "quiet": False,
                "promoted": A,
                "last_error": {"pointer": "/rows/3", "keyword": "enum", "seq": before.seq + 1},
            }
        }
    )


def test_a_failure_takes_back_that_a_schema_is_promotable() -> None:
    """Row 9."""
    pending().on(passed("a"), passed("a")).when(failed("a")).then({KEY: {"state": "failed", "promotable": False}})


def test_enough_failures_in_a_row_escalate() -> None:
    """Row 9."""
    once = pending().when(failed("a"))
    once.then({KEY: {"bad": 1, "escalated": False}})
    once.when(failed("a")).then({KEY: {"bad": 2, "escalated": True}})


def test_failures_that_a_pass_divides_do_not_escalate() -> None:
    """Rows 7 and 9."""
    pending().on(failed("a"), passed("a")).when(failed("a")).then({KEY: {"bad": 1, "escalated": False}})


def test_a_failure_without_an_error_is_kept_with_its_position() -> None:
    """Row 9: `error` is optional."""
    pending().when(validated(A, "fail")).then({KEY: {"last_error": {"pointer": None, "keyword": None, "seq": 3}}})


@pytest.mark.parametrize("first", [passed("a"), failed("a")], ids=["pending", "failed"])
def test_a_render_that_cites_a_promotable_schema_validates_it(first: Told) -> None:
    """Row 10."""
    story = pending().on(first, passed("a"), passed("a"))
    story.when(rendered(entry("a"), promoted=[promotion("a", 4, 5)])).then(
        {
            KEY: {
                "state": "validated",
                "promoted": A,
                "evidence": [event_id(4), event_id(5)],
                "stable": 1,
                "promotable": False,
                "escalated": False,
            }
        }
    )


def test_a_promotion_replaces_the_schema_that_was_promoted_before() -> None:
    """Row 10."""
    story = valid().on(captured("b"), rendered(entry("a")), passed("b"), passed("b"))
    story.then({KEY: {"state": "pending", "promoted": A, "hash": B, "promotable": True}})
    story.when(rendered(entry("b"), promoted=[promotion("b")])).then(
        {KEY: {"state": "validated", "promoted": B, "evidence": [event_id(8), event_id(9)], "stable": 1}}
    )


def test_a_promotable_schema_that_a_render_does_not_cite_stays_promotable() -> None:
    """Row 10: what was earned is not lost, and nothing happens behind the renderer's back."""
    pending().on(passed("a"), passed("a")).when(rendered(entry("a"))).then_nothing().then(
        {KEY: {"state": "pending", "promotable": True, "ok": 2}}
    )


def test_a_citation_that_was_not_earned_promotes_nothing() -> None:
    """Row 10."""
    story = valid().on(captured("b"), rendered(entry("a")), passed("b"))
    story.when(rendered(entry("b"), promoted=[promotion("b", 8)])).then_nothing().then(
        {KEY: {"state": "pending", "promoted": A, "ok": 1}}
    )


def test_a_citation_of_another_schema_promotes_nothing() -> None:
    """Row 10."""
    story = pending().on(passed("a"), passed("a"))
    story.when(rendered(entry("a"), promoted=[promotion("b", 3, 4)])).then(
        {KEY: {"state": "pending", "promotable": True}}
    )


def test_a_citation_of_another_tool_promotes_nothing() -> None:
    """Row 10."""
    story = pending().on(passed("a"), passed("a"))
    other = {**promotion("a", 3, 4), "server": "gitlab"}
    story.when(rendered(entry("a"), promoted=[other])).then({KEY: {"state": "pending"}})


def test_a_citation_of_kept_passes_promotes_a_schema_that_this_render_is_the_first_to_show() -> None:
    """Rows 4 and 10 in one render."""
    story = valid().on(captured("b"), passed("b"), passed("b"))
    story.when(rendered(entry("b"), promoted=[promotion("b", 7, 8)])).then(
        {
            KEY: {
                "state": "validated",
                "hash": B,
                "promoted": B,
                "evidence": [event_id(7), event_id(8)],
                "stable": 1,
            }
        }
    )


def test_a_renderer_that_says_nothing_of_promotions_promotes_what_its_entry_carries() -> None:
    """Row 10."""
    story = valid().on(captured("b"), rendered(entry("a")), passed("b"), passed("b"))
    story.when(rendered_elsewhere(entry("a"))).then({KEY: {"state": "pending", "promoted": A}})
    story.when(rendered_elsewhere(entry("b"))).then(
        {KEY: {"state": "validated", "promoted": B, "evidence": [event_id(8), event_id(9)]}}
    )


def test_a_renderer_that_says_nothing_of_promotions_promotes_nothing_at_first_sight() -> None:
    """Rows 4 and 10: only what was promotable before the render."""
    valid().on(captured("b"), passed("b"), passed("b")).when(rendered_elsewhere(entry("b"))).then(
        {KEY: {"state": "pending", "hash": B, "promoted": A, "promotable": True}}
    )


def test_a_promoted_schema_recovers_from_failures_by_being_cited_again() -> None:
    """Rows 7, 9 and 10; in the real renderer a failure was for ever."""
    story = valid().on(failed("a"), failed("a"), passed("a"), passed("a"))
    story.when(rendered(entry("a"), promoted=[promotion("a", 8, 9)])).then(
        {KEY: {"state": "validated", "promoted": A, "stable": 1, "escalated": False, "bad": 0}}
    )


def test_a_validated_schema_counts_the_renders_that_find_it_unchanged() -> None:
    """Row 11."""
    valid().when(rendered(entry("a"))).then({KEY: {"state": "validated", "stable": 2, "quiet": False}})


def test_a_schema_that_stood_long_enough_is_quiet_and_keeps_its_hash() -> None:
    """Row 11."""
    story = valid().on(*[rendered(entry("a"))] * 8)
    story.then({KEY: {"stable": 9, "quiet": False}})
    story.when(rendered(entry("a"))).then({KEY: {"state": "validated", "stable": 10, "quiet": True, "hash": A}})


def test_a_render_changes_nothing_about_a_quiet_schema() -> None:
    """Row 11: counting stops, else every render would write a row for every tool."""
    valid().on(*[rendered(entry("a"))] * 9).when(rendered(entry("a"))).then_nothing()


@each(STATES)
def test_a_lock_holds_from_any_state_and_freezes_the_streaks(state: str) -> None:
    """Row 12."""
    before = STATES[state]()
    row = before.rows[KEY]
    before.on(captured("b")).when(rendered(entry("a", locked=True))).then(
        {
            KEY: {
                "state": "locked",
                "hash": B,
                "promoted": row["promoted"],
                "ok": row["ok"],
                "bad": row["bad"],
                "evidence": row["evidence"],
                "escalated": False,
                "promotable": False,
                "quiet": False,
            }
        }
    )


def test_a_tool_that_is_locked_from_the_start_shows_its_schema_and_promotes_none() -> None:
    """Row 12."""
    given(captured("a")).when(rendered(entry("a", locked=True))).then(
        {KEY: {"state": "locked", "hash": A, "promoted": None, "notes": None}}
    )


@pytest.mark.parametrize("lock", [{"server": SERVER, "tool": TOOL}, {"tool": TOOL}])
def test_a_render_may_list_its_locks_with_or_without_a_server(lock: dict[str, str]) -> None:
    """Row 12: without one, the name is the one that clients see."""
    pending().when(rendered(entry("a"), locked=[lock])).then({KEY: {"state": "locked"}})


@pytest.mark.parametrize("lock", [{"server": "gitlab", "tool": TOOL}, {"tool": "find"}])
def test_a_lock_of_another_tool_does_not_hold(lock: dict[str, str]) -> None:
    """Row 12."""
    pending().when(rendered(entry("a"), locked=[lock])).then({KEY: {"state": "pending"}})


def test_a_lock_that_holds_a_changed_schema_back_is_noted() -> None:
    """Row 12, S0-78."""
    story = locked().on(captured("b"))
    story.when(rendered(entry("a", locked=True))).then(
        {KEY: {"hash": B, "notes": {"count": 1, "seq": story.seq + 1, "hash": B, "result": "lock_held"}}}
    )


def test_a_locked_tool_that_is_rendered_again_stays_as_it_is() -> None:
    """Row 12."""
    locked().when(rendered(entry("a", locked=True))).then_nothing()


def test_a_lock_that_is_gone_leaves_the_promoted_schema_validated() -> None:
    """Row 13."""
    locked().when(rendered(entry("a"))).then(
        {KEY: {"state": "validated", "hash": A, "promoted": A, "ok": 0, "bad": 0, "evidence": []}}
    )


def test_a_lock_that_is_gone_leaves_another_schema_pending() -> None:
    """Row 13."""
    held = locked().on(captured("b"), rendered(entry("a", locked=True)))
    held.when(rendered(entry("a"))).then({KEY: {"state": "pending", "hash": B, "promoted": A, "ok": 0, "bad": 0}})


def test_a_lock_that_is_gone_leaves_a_first_schema_on_probation() -> None:
    """Row 13."""
    given(captured("a"), rendered(entry("a", locked=True))).when(rendered(entry("a"))).then(
        {KEY: {"state": "pending", "hash": A, "promoted": A}}
    )


def test_a_lock_that_is_gone_together_with_the_schema_leaves_the_tool_untyped() -> None:
    """Rows 6 and 13."""
    locked().on(captured(None)).when(rendered(entry(None))).then(
        {KEY: {"state": "untyped", "hash": None, "promoted": A, "ok": 0}}
    )


@each(STATES)
@pytest.mark.parametrize("validation", [passed("c"), failed("c")], ids=["pass", "fail"])
def test_a_validation_of_another_schema_is_only_a_note(state: str, validation: Told) -> None:
    """Row 14."""
    before = STATES[state]()
    row = before.rows[KEY]
    after = before.when(validation).rows[KEY]
    result = (validation.payload or {})["result"]
    assert after["notes"] == {"count": 1, "seq": before.seq + 1, "hash": C, "result": result}
    assert after == {**row, "notes": after["notes"], "waiting": after["waiting"]}


@pytest.mark.parametrize("validation", [passed("a"), failed("a")], ids=["pass", "fail"])
def test_a_validation_of_a_locked_schema_is_only_a_note(validation: Told) -> None:
    """Row 14."""
    before = locked()
    after = before.when(validation)
    after.then({KEY: {field: before.rows[KEY][field] for field in STREAKS}})
    after.then({KEY: {"state": "locked", "waiting": None}})
    assert after.rows[KEY]["notes"]["count"] == 1


def test_notes_are_counted_and_the_last_one_is_kept() -> None:
    """Row 14: the row stays small however many there are."""
    valid().on(passed("c"), passed("c")).when(failed("b")).then(
        {KEY: {"notes": {"count": 3, "seq": 8, "hash": B, "result": "fail"}}}
    )


@each(STATES)
def test_a_tool_that_a_render_leaves_out_is_as_it_was_but_not_in_the_render(state: str) -> None:
    """Row 15."""
    before = STATES[state]()
    gone = before.when(rendered())
    assert gone.rows[KEY] == {**before.rows[KEY], "in_render": False}
    gone.when(rendered()).then_nothing()


@each(ON_TRIAL)
def test_a_tool_that_comes_back_with_the_same_schema_is_in_its_state_again(state: str) -> None:
    """Row 15."""
    before = ON_TRIAL[state]()
    row = before.rows[KEY]
    before.on(rendered()).when(rendered(entry("a"))).then(
        {
            KEY: {
                "in_render": True,
                **{name: row[name] for name in ("state", "hash", "ok", "bad", "escalated")},
            }
        }
    )


@each(UNLOCKED)
def test_a_tool_that_comes_back_with_another_schema_is_pending(state: str) -> None:
    """Rows 15 and 4."""
    UNLOCKED[state]().on(rendered(), captured("b")).when(rendered(entry("a"))).then(
        {KEY: {"in_render": True, "state": "pending", "hash": B, "ok": 0, "bad": 0, "escalated": False}}
    )


def test_a_tool_that_is_left_out_goes_on_counting() -> None:
    """Rows 15 and 7."""
    pending().on(rendered()).when(passed("a")).then({KEY: {"ok": 1, "in_render": False}})


def test_a_render_without_tools_leaves_every_tool_out() -> None:
    """Row 15."""
    other = {**entry("a"), "name": "find", "tool": "find"}
    story = given(captured("a"), rendered(entry("a"), other))
    story.when(rendered()).then({KEY: {"in_render": False}, "github::find": {"in_render": False}})


@each(STATES)
def test_a_fallback_is_remembered_and_moves_no_streak(state: str) -> None:
    """Row 16: a fallback is not a failure."""
    before = STATES[state]()
    after = before.when(fell_back("prior_override"))
    assert after.rows[KEY] == {
        **before.rows[KEY],
        "last_fallback": {"seq": before.seq + 1, "step": "prior_override"},
    }


def test_a_fallback_of_an_unknown_tool_makes_no_row() -> None:
    """Row 16."""
    given().when(fell_back()).then_nothing()


@each(STATES)
@pytest.mark.parametrize(
    "bystander",
    [
        captured("b"),
        captured(None),
        event("capture.failed", server=SERVER, stage="timeout", error={}),
        event("health.changed", server=SERVER, after="down"),
        event("render.refused", reason="verify_failed"),
    ],
    ids=lambda told: told.kind,
)
def test_captures_and_health_move_nothing(state: str, bystander: Told) -> None:
    """Row 16."""
    STATES[state]().when(bystander).then_nothing()


@each(STATES)
def test_a_serving_moves_nothing_about_a_tool(state: str) -> None:
    """Row 16."""
    STATES[state]().when(served(entry("b"))).then_only("@served").twice().then_nothing()


@pytest.mark.parametrize("success", [1, 3])
def test_the_threshold_for_passes_is_that_of_the_last_render(success: int) -> None:
    """Row 7 with other settings."""
    story = given(captured("a"), rendered(entry("a"), settings=thresholds(success=success)))
    story = story.on(*[passed("a")] * (success - 1)).then({KEY: {"promotable": False}})
    story.when(passed("a")).then({KEY: {"ok": success, "promotable": True}})


@pytest.mark.parametrize("failure", [1, 3])
def test_the_threshold_for_failures_is_that_of_the_last_render(failure: int) -> None:
    """Row 9 with other settings."""
    story = given(captured("a"), rendered(entry("a"), settings=thresholds(failure=failure)))
    story = story.on(*[failed("a")] * (failure - 1)).then({KEY: {"escalated": False}})
    story.when(failed("a")).then({KEY: {"bad": failure, "escalated": True}})


def test_the_threshold_for_quiet_is_that_of_the_last_render() -> None:
    """Row 11 with other settings."""
    lazy = rendered(entry("a"), settings=thresholds(quiet=3))
    valid().when(lazy).then({KEY: {"stable": 2, "quiet": False}}).when(lazy).then({KEY: {"stable": 3, "quiet": True}})
