"""What holds for schema adoption whatever happens; the story kit checks purity at every step besides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given as for_any
from hypothesis import strategies as st

from ledger.events.fact import Fact
from ledger.projections import descriptors, schemas
from ledger.projections.adoption import Sight, Thresholds, is_settled, under
from ledger.projections.adoption import rendered as row_after_a_render
from ledger.projections.fold import fold_all
from tests.unit.projections.schema_events import (
    KEY,
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
from tests.unit.projections.story import erased, event_id, stories_of

if TYPE_CHECKING:
    from tests.unit.projections.story import Story, Told

given = stories_of(descriptors, schemas)

letters = st.sampled_from("ab")
names = st.sampled_from(["v1", "v2"])
counts = st.integers(1, 3)


@st.composite
def entries(draw: st.DrawFn) -> dict[str, Any]:
    more: dict[str, Any] = {}
    if draw(st.integers(0, 5)) == 0:
        more["locked"] = True
    if draw(st.integers(0, 3)) == 0:
        more["schema_hash"] = draw(names)
    return entry(draw(st.sampled_from(["a", "a", "b", None])), **more)


@st.composite
def renders(draw: st.DrawFn) -> Told:
    shown = [] if draw(st.integers(0, 5)) == 0 else [draw(entries())]
    tuned = draw(st.booleans())
    more = {"settings": thresholds(draw(counts), draw(counts), draw(counts))} if tuned else {}
    if draw(st.booleans()):
        return rendered_elsewhere(*shown, **more)
    return rendered(*shown, promoted=[promotion(letter) for letter in draw(st.lists(letters))][:1], **more)


validations = st.one_of(letters.map(passed), letters.map(failed), names.map(lambda name: validated(name, "pass")))
others = st.one_of(
    st.sampled_from(["a", "b", None]).map(captured), entries().map(served), st.just(fell_back("prior_override"))
)
happenings = st.one_of(validations, validations, renders(), others)
lives = st.lists(happenings, max_size=25)


def limits_of(story: Story) -> Thresholds:
    row = story.rows.get("@settings")
    return Thresholds() if row is None else Thresholds(**row)


def steps(life: list[Told]) -> list[tuple[Story, Story]]:
    """Each step of a story, as it was before and after."""
    story, pairs = given(), []
    for told in life:
        pairs.append((story, story.when(told)))
        story = pairs[-1][1]
    return pairs


@for_any(lives)
def test_what_a_row_claims_its_numbers_bear_out(life: list[Told]) -> None:
    for _, after in steps(life):
        row, limits = after.rows.get(KEY), limits_of(after)
        if row is None:
            continue
        trial = row["state"] in ("pending", "failed")
        assert row["promotable"] == (trial and row["ok"] >= limits.success)
        assert not row["ok"] or not row["bad"] or row["state"] == "locked"
        assert not row["escalated"] or row["state"] == "failed"
        assert row["state"] != "failed" or row["bad"] < limits.failure or row["escalated"]
        assert not (row["escalated"] and row["ok"] >= limits.success)
        assert row["quiet"] == (row["state"] == "validated" and row["stable"] >= limits.quiet)
        assert (row["hash"] is None) == (row["state"] == "untyped") or row["state"] == "locked"
        assert row["state"] != "validated" or row["promoted"] == row["hash"]
        assert not row["promotable"] or row["evidence"]


@for_any(lives)
def test_what_is_promoted_changes_only_in_a_render(life: list[Told]) -> None:
    for before, after in steps(life):
        was, became = before.rows.get(KEY, {}), after.rows.get(KEY, {})
        if was.get("promoted") != became.get("promoted"):
            assert after.events[-1].kind == "render.completed"


@for_any(lives)
def test_streaks_move_only_with_validations_and_renders(life: list[Told]) -> None:
    for before, after in steps(life):
        if after.events[-1].kind not in ("schema.validated", "render.completed"):
            for field in ("state", "hash", "ok", "bad", "escalated", "promotable", "stable", "evidence", "waiting"):
                assert before.rows.get(KEY, {}).get(field) == after.rows.get(KEY, {}).get(field)


@for_any(lives)
def test_the_streaks_of_a_locked_tool_never_move(life: list[Told]) -> None:
    for before, after in steps(life):
        was, became = before.rows.get(KEY, {}), after.rows.get(KEY, {})
        if was.get("state") == became.get("state") == "locked":
            for field in ("ok", "bad", "evidence", "stable", "last_error", "waiting"):
                assert was[field] == became[field]
            assert not became["escalated"]
            assert not became["promotable"]


@for_any(lives)
def test_evidence_is_of_passes_and_no_more_than_the_threshold_asks_for(life: list[Told]) -> None:
    most = 2
    for _, after in steps(life):
        most = max(most, limits_of(after).success)
        row = after.rows.get(KEY)
        if row is not None:
            facts = [after.events[int(known[-12:], 16) - 1] for known in row["evidence"]]
            assert all(fact.payload["result"] == "pass" for fact in facts if fact.payload is not None)
            assert len(facts) <= most


@for_any(st.lists(st.booleans(), max_size=20), counts, counts)
def test_streaks_are_what_counting_the_results_gives(results: list[bool], success: int, failure: int) -> None:
    """An independent count of one schema's results beside the fold's."""
    story = given(captured("a"), rendered(entry("a"), settings=thresholds(success, failure)))
    ok = bad = 0
    escalated = False
    for passes in results:
        story = story.when(passed("a") if passes else failed("a"))
        ok, bad = (ok + 1, 0) if passes else (0, bad + 1)
        escalated = bad >= failure or (escalated and ok < success)
        story.then({KEY: {"ok": ok, "bad": bad, "escalated": escalated, "promotable": ok >= success}})
    story.then({KEY: {"state": "pending" if all(results) else "failed", "promoted": hash_of("a")}})


@for_any(lives)
def test_folding_from_zero_gives_the_same_rows(life: list[Told]) -> None:
    story = given(*life)
    states = fold_all([descriptors, schemas], story.events, story.documents.__getitem__)
    assert states["schemas"] == story.rows


@for_any(lives)
def test_a_settled_row_is_one_that_the_same_render_does_not_change(life: list[Told]) -> None:
    """The short cut of a render says the same as the long way."""
    story = given(*life)
    row, limits = story.rows.get(KEY), limits_of(story)
    if row is not None and is_settled(row) and under(row, limits) == row:
        for cited in (None, ()):
            assert row_after_a_render(row, Sight(story.seq + 1, row["hash"], cited=cited), limits) == row


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)


@for_any(st.sampled_from(sorted(schemas.KINDS)), st.dictionaries(st.text(max_size=8), json_values, max_size=4))
def test_a_payload_without_any_known_field_changes_nothing(kind: str, payload: dict[str, Any]) -> None:
    story = given(captured("a"), rendered(entry("a")), passed("a"))
    known = {"server", "tool", "tools", "intended", "settings", "locked", "promoted", "step", "result"}
    fact = Fact(9, event_id(9), kind, 0, None, "test", {name: payload[name] for name in payload.keys() - known})
    assert schemas.fold(story.rows, fact, story.states, story.documents.__getitem__) == {}


@for_any(lives, happenings)
def test_an_erased_event_is_as_if_it_had_said_nothing(life: list[Told], told: Told) -> None:
    given(*life).when(erased(told)).then_nothing()
