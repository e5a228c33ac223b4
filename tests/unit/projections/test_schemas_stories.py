"""Schema adoption over many events: whole lives, settings, producers' own names, and what cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ledger.events.fact import Fact
from ledger.projections import descriptors, schemas
from tests.unit.projections.schema_events import (
    KEY,
    SERVER,
    TOOL,
    captured,
    definition,
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
from tests.unit.projections.story import erased, event, event_id, stories_of

if TYPE_CHECKING:
    from tests.unit.projections.story import Story, Told

given = stories_of(descriptors, schemas)

A, B, C = hash_of("a"), hash_of("b"), hash_of("c")


def pending() -> Story:
    return given(captured("a"), rendered(entry("a")))


def valid() -> Story:
    return pending().on(passed("a"), passed("a"), rendered(entry("a"), promoted=[promotion("a")]))


# Whole lives


def test_a_schema_goes_from_probation_through_escalation_to_recovery() -> None:
    story = given(captured("a")).when(rendered(entry("a")))
    story = story.then({KEY: {"state": "pending", "promoted": A}})
    story = story.on(passed("a"), passed("a")).then({KEY: {"state": "pending", "promotable": True}})
    story = story.when(rendered(entry("a"), promoted=[promotion("a", 3, 4)]))
    story = story.then({KEY: {"state": "validated", "promoted": A, "stable": 1}})
    story = story.on(captured("b")).then({KEY: {"state": "validated", "hash": A}})
    story = story.when(rendered(entry("a"))).then({KEY: {"state": "pending", "hash": B, "promoted": A}})
    story = story.when(failed("b")).then({KEY: {"state": "failed", "bad": 1, "escalated": False}})
    story = story.when(fell_back("prior_override")).then({KEY: {"bad": 1, "escalated": False}})
    story = story.when(failed("b")).then({KEY: {"state": "failed", "bad": 2, "escalated": True}})
    story = story.when(rendered(entry("a"))).then({KEY: {"state": "failed", "escalated": True, "promoted": A}})
    story = story.when(passed("b")).then({KEY: {"state": "failed", "ok": 1, "escalated": True}})
    story = story.when(passed("b")).then({KEY: {"state": "failed", "escalated": False, "promotable": True}})
    cited = promotion("b", story.seq - 1, story.seq)
    story.when(rendered(entry("b"), promoted=[cited])).then(
        {KEY: {"state": "validated", "hash": B, "promoted": B, "evidence": cited["evidence"], "bad": 0}}
    )


def test_a_stable_tool_does_not_flap_when_it_has_become_quiet() -> None:
    """Fault 10 of the real renderer: it forgot what was stable, took it for new, and went round every 13 renders."""
    story = valid()
    for _ in range(30):
        story = story.when(rendered(entry("a")))
        story.then({KEY: {"state": "validated", "hash": A, "promoted": A, "ok": 2}})
    story.then({KEY: {"quiet": True}})


def test_a_quiet_tool_wakes_up_when_its_schema_changes_or_fails() -> None:
    story = valid().on(*[rendered(entry("a"))] * 9).then({KEY: {"quiet": True}})
    story.when(failed("a")).then({KEY: {"state": "failed", "quiet": False}})
    story.on(captured("b")).when(rendered(entry("a"))).then({KEY: {"state": "pending", "quiet": False}})


def test_two_servers_with_a_tool_of_one_name_are_two_tools() -> None:
    other = {**entry("a"), "server": "gitlab", "name": "gitlab.search"}
    story = given(captured("a"), rendered(entry("a"), other))
    story.when(failed("a")).then_only(KEY).then({KEY: {"bad": 1}})
    elsewhere = event("schema.validated", server="gitlab", tool=TOOL, schema_hash=A, result="fail")
    story.when(elsewhere).then_only("gitlab::search").then({"gitlab::search": {"bad": 1}})


def test_a_tool_that_is_shown_twice_counts_once() -> None:
    twice = rendered(entry("a"), {**entry("a"), "name": "find"})
    valid().when(twice).then({KEY: {"stable": 2}})


def test_a_tool_that_is_no_longer_listed_keeps_the_schema_that_was_captured_last() -> None:
    nothing = event("descriptors.captured", server=SERVER, outcome="empty", tools=[])
    valid().on(nothing).when(rendered(entry("a"))).then({KEY: {"state": "validated", "hash": A}})


# Tools that nobody captured


def test_without_a_capture_the_candidate_is_what_the_render_gives() -> None:
    story = given(rendered_elsewhere(entry("a"))).then({KEY: {"state": "pending", "hash": A}})
    story.on(passed("b")).when(rendered_elsewhere(entry("b"))).then(
        {KEY: {"state": "pending", "hash": B, "promoted": A, "ok": 1}}
    )


def test_an_aggregate_is_known_by_its_server_and_its_name() -> None:
    aggregate = {"name": "manage", "server": "aggregator", "kind": "aggregate", "definition": definition("a")}
    given().when(rendered(aggregate)).then({"aggregator::manage": {"state": "pending", "hash": A}})


def test_an_entry_without_a_server_is_known_by_its_name_alone() -> None:
    given().when(rendered({"name": "find", "definition": definition(None)})).then({"?::find": {"state": "untyped"}})


# Settings


@pytest.mark.parametrize("given_text", ["3", 3])
def test_a_threshold_may_be_given_as_a_number_or_as_its_text(given_text: object) -> None:
    given(rendered(settings=thresholds(given_text, given_text, given_text))).then(
        {"@settings": {"success": 3, "failure": 3, "quiet": 3}}
    )


@pytest.mark.parametrize("nonsense", [0, -1, 1.5, "", "two", "²", "-3", "1e3", "9" * 5000, True, None, [2], {}])
def test_what_is_no_count_is_not_a_threshold(nonsense: object) -> None:
    given(rendered(settings=thresholds(nonsense, nonsense, nonsense))).then(
        {"@settings": {"success": 2, "failure": 2, "quiet": 10}}
    )


def test_a_threshold_that_nobody_reaches_still_fits_into_a_row() -> None:
    given(rendered(settings=thresholds(success=10**30))).then({"@settings": {"success": 10**9}})


def test_the_settings_of_a_render_replace_those_of_the_one_before() -> None:
    story = given(rendered(settings=thresholds(5, 6, 7)))
    story.when(rendered()).then({"@settings": {"success": 2, "failure": 2, "quiet": 10}}).twice().then_nothing()


def test_the_settings_of_a_render_hold_for_its_own_promotions() -> None:
    story = pending().on(passed("a"), passed("a")).then({KEY: {"promotable": True}})
    stricter = rendered(entry("a"), promoted=[promotion("a")], settings=thresholds(success=3))
    story.when(stricter).then({KEY: {"state": "pending", "promotable": False, "ok": 2}})
    once = pending().when(passed("a"))
    laxer = rendered(entry("a"), promoted=[promotion("a")], settings=thresholds(success=1))
    once.when(laxer).then({KEY: {"state": "validated", "evidence": [event_id(3)]}})


@pytest.mark.parametrize("entries", [[entry("a")], []], ids=["shown", "left out"])
def test_other_thresholds_are_applied_to_every_tool_at_once(entries: list[dict[str, Any]]) -> None:
    once = pending().when(failed("a"))
    once.when(rendered(*entries, settings=thresholds(failure=1))).then({KEY: {"bad": 1, "escalated": True}})
    earned = pending().when(passed("a"))
    earned.when(rendered(*entries, settings=thresholds(success=1))).then({KEY: {"ok": 1, "promotable": True}})


def test_a_higher_threshold_forgives_no_escalation() -> None:
    story = pending().on(failed("a"), failed("a")).then({KEY: {"escalated": True}})
    story.when(rendered(entry("a"), settings=thresholds(failure=9))).then({KEY: {"escalated": True, "bad": 2}})


def test_a_schema_that_is_promoted_where_one_render_is_enough_is_quiet_at_once() -> None:
    story = pending().on(passed("a"), passed("a"))
    hasty = rendered(entry("a"), promoted=[promotion("a")], settings=thresholds(quiet=1))
    story.when(hasty).then({KEY: {"state": "validated", "stable": 1, "quiet": True}})


def test_other_settings_do_not_move_the_count_of_a_quiet_tool() -> None:
    story = valid().on(*[rendered(entry("a"))] * 9).then({KEY: {"stable": 10, "quiet": True}})
    story.when(rendered(entry("a"), settings=thresholds(success=3))).then_only("@settings")


def test_a_longer_time_to_quiet_goes_on_counting() -> None:
    story = valid().on(*[rendered(entry("a"))] * 9).then({KEY: {"stable": 10, "quiet": True}})
    longer = rendered(entry("a"), settings=thresholds(quiet=12))
    story.when(longer).then({KEY: {"stable": 11, "quiet": False}}).twice().then({KEY: {"stable": 12, "quiet": True}})


# Producers' own names for schemas


def named(letter: str, name: str, **more: Any) -> dict[str, Any]:
    return entry(letter, schema_hash=name, **more)


@pytest.mark.parametrize("teacher", [rendered(named("a", "sha:1")), served(named("a", "sha:1"))], ids=lambda t: t.kind)
def test_validations_may_use_the_name_that_an_entry_gave_its_schema(teacher: Told) -> None:
    pending().on(teacher).when(validated("sha:1", "pass")).then({KEY: {"hash": A, "ok": 1, "notes": None}})


def test_a_name_that_no_entry_gave_is_another_schema() -> None:
    pending().on(rendered(named("a", "sha:1"))).when(validated("sha:2", "pass")).then(
        {KEY: {"ok": 0, "notes": {"count": 1, "seq": 4, "hash": "sha:2", "result": "pass"}}}
    )


def test_a_name_belongs_to_the_tool_whose_entry_gave_it() -> None:
    other = {**named("a", "v1"), "server": "gitlab"}
    pending().on(rendered(entry("a"), other)).when(validated("v1", "pass")).then({KEY: {"ok": 0}})


def test_a_tool_that_was_validated_under_a_name_gets_its_digest_from_the_render() -> None:
    story = given(captured("a"), validated("sha:1", "pass")).then({KEY: {"hash": "sha:1"}})
    story.when(rendered(named("a", "sha:1"))).then({KEY: {"hash": A, "promoted": A, "ok": 1, "state": "pending"}})


def test_a_name_that_was_served_before_the_first_validation_is_known() -> None:
    given(served(named("a", "sha:1"))).when(validated("sha:1", "fail")).then({KEY: {"hash": A, "state": "failed"}})


def test_a_promotion_may_be_cited_by_the_name_of_its_schema() -> None:
    story = pending().on(rendered(named("a", "sha:1")), passed("a"), passed("a"))
    cited = {"server": SERVER, "tool": TOOL, "schema_hash": "sha:1"}
    story.when(rendered(named("a", "sha:1"), promoted=[cited])).then({KEY: {"state": "validated"}})


def test_passes_under_a_name_count_as_soon_as_an_entry_says_what_it_names() -> None:
    """A producer that knows no digests: its passes of a new schema are found when its render carries it."""
    story = given(rendered_elsewhere(named("a", "sha:1")), captured("b"), rendered_elsewhere(named("a", "sha:1")))
    story = story.on(validated("sha:2", "pass"), validated("sha:2", "pass")).then({KEY: {"hash": B, "ok": 0}})
    story.when(rendered_elsewhere(named("b", "sha:2"))).then(
        {KEY: {"state": "validated", "promoted": B, "ok": 2, "evidence": [event_id(4), event_id(5)]}}
    )


def test_passes_under_a_name_do_not_undo_failures_under_the_digest() -> None:
    story = given(rendered_elsewhere(entry("a")), validated("sha:1", "pass"), failed("a"))
    story.when(rendered_elsewhere(named("a", "sha:1"))).then({KEY: {"state": "failed", "ok": 0, "bad": 1}})


def test_a_render_may_name_a_schema_that_it_does_not_show() -> None:
    story = given(rendered_elsewhere(named_only := {**entry(None), "schema_hash": "sha:1"}))
    story.then({KEY: {"state": "pending", "hash": "sha:1", "promoted": "sha:1"}})
    story = story.on(validated("sha:1", "pass"), validated("sha:1", "pass"))
    story.when(rendered_elsewhere(named_only)).then({KEY: {"state": "validated", "promoted": "sha:1"}})


def test_a_name_that_a_capture_explains_later_is_the_same_schema() -> None:
    unexplained = {**entry(None), "schema_hash": "sha:1"}
    story = given(rendered(unexplained), validated("sha:1", "pass"), captured("a"))
    story.when(rendered(unexplained)).then({KEY: {"state": "pending", "hash": A, "promoted": A, "ok": 1}})


def test_a_digest_is_never_an_alias_of_another() -> None:
    pending().on(rendered(named("a", B))).when(passed("b")).then({KEY: {"ok": 0}}).then({f"@aliases/{SERVER}": None})


def test_a_name_as_long_as_a_schema_is_kept_short() -> None:
    """Fault 12 of the real renderer: its schema hash was the whole schema as text."""
    text = '{"properties": ' + "x" * 9000
    story = pending().on(rendered(named("a", text))).when(validated(text, "pass")).then({KEY: {"ok": 1}})
    assert len(str(story.rows)) < 2000


def test_of_each_tool_the_newest_four_names_are_kept() -> None:
    story = pending().on(*[rendered(named("a", f"v{number}")) for number in range(6)])
    story.then({f"@aliases/{SERVER}": {TOOL: [[f"v{number}", A] for number in range(2, 6)]}})


def test_a_name_may_be_given_to_another_schema() -> None:
    story = pending().on(rendered(named("a", "latest")), captured("b"), rendered(named("b", "latest")))
    story.when(validated("latest", "pass")).then({KEY: {"hash": B, "ok": 1}})


# What cannot be read


@pytest.mark.parametrize(
    "told",
    [rendered(), rendered(entry("b"), settings=thresholds(9, 9, 9)), passed("a"), failed("a"), fell_back(), served()],
    ids=lambda told: told.kind,
)
def test_an_erased_event_changes_nothing(told: Told) -> None:
    pending().when(erased(told)).then_nothing()


def many(count: int) -> list[dict[str, Any]]:
    return [
        {"name": f"t{number}", "server": SERVER, "tool": f"t{number}", "definition": definition("a", f"t{number}")}
        for number in range(count)
    ]


def list_of(story: Story) -> str:
    """The digest of the list that the last render made."""
    payload = story.events[-1].payload
    assert payload is not None
    return str(payload["intended"]["tools"])


def after_erasing(digest: str, before: Story, after: Story) -> Story:
    """The last event of `after` once more upon `before`, with a document that nobody can read any more."""
    readable = {known: value for known, value in after.documents.items() if known != digest}
    return before.forgetting(digest).then_recorded(after.events[-1], readable)


def test_a_render_whose_list_is_erased_is_not_a_render_without_tools() -> None:
    before = pending()
    after = before.when(rendered(*many(3)))
    after_erasing(list_of(after), before, after).then_nothing().then({KEY: {"in_render": True}})


def test_of_a_list_that_is_erased_in_part_nothing_is_taken_for_absent() -> None:
    before = given(rendered(*many(200)))
    after = before.when(rendered(*many(200)[1:], entry("a"))).then({f"{SERVER}::t0": {"in_render": False}})
    first, *_ = after.documents[list_of(after)]["chunks"]
    after_erasing(first, before, after).then_only(KEY).then({f"{SERVER}::t0": {"in_render": True}})


def test_thresholds_hold_also_for_tools_that_an_erased_list_may_have_shown() -> None:
    before = pending().when(failed("a"))
    after = before.when(rendered(entry("a"), settings=thresholds(failure=1)))
    after_erasing(list_of(after), before, after).then({KEY: {"escalated": True, "in_render": True}})


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("schema.validated", {"server": SERVER, "tool": TOOL, "schema_hash": A, "result": "maybe"}),
        ("schema.validated", {"server": SERVER, "tool": TOOL, "result": "pass"}),
        ("schema.validated", {"tool": TOOL, "schema_hash": A, "result": "pass"}),
        ("schema.validated", {"server": SERVER, "schema_hash": A, "result": "pass"}),
        ("schema.validated", {}),
        ("fallback.engaged", {"server": SERVER, "tool": TOOL}),
        ("fallback.engaged", {}),
        ("render.completed", {"settings": thresholds(9, 9, 9)}),
        ("render.completed", {"intended": None}),
        ("render.completed", {}),
        ("live.served", {}),
        ("note.added", {"server": SERVER, "tool": TOOL, "schema_hash": A, "result": "pass"}),
    ],
)
def test_a_payload_that_says_too_little_changes_nothing(kind: str, payload: dict[str, Any]) -> None:
    story = pending()
    fact = Fact(9, event_id(9), kind, 0, None, "test", payload)
    assert schemas.fold(story.rows, fact, story.states, story.documents.__getitem__) == {}


def test_a_render_reads_each_entry_of_a_long_list() -> None:
    story = given(rendered(*many(150)))
    states = [row["state"] for key, row in story.rows.items() if "::" in key]
    assert states == ["pending"] * 150
