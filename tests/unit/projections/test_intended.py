"""What clients should see: the last accepted render, and nothing of one that was refused."""

from __future__ import annotations

import pytest

from ledger.projections import intended
from tests.unit.projections.facts import capture, entry, list_digest, reads, rendered, served
from tests.unit.projections.story import erased, event, stories_of

given = stories_of(intended)

REFUSED = event("render.refused", reason="descriptors_stale", detail="three days old")


def entries(story):
    return sorted(key for key, row in story.rows.items() if "definition" in row)


def test_an_entry_is_kept_as_it_was_rendered_with_the_event_that_made_it_so():
    whole = entry("github::search", "find", source_digest="x", kind="tool", locked=True)
    story = given().when(rendered(whole))
    row = story.rows["github::search"]
    assert story.documents[row["definition"]] == whole["definition"]
    assert row["input"].startswith("jcs1-sha256:")
    story.then({"github::search": {"name": "find", "server": "github", "tool": "search", "locked": True, "since": 1}})


def test_a_render_replaces_the_one_before():
    story = given(rendered("github::search", "github::fork")).when(rendered("github::fork", "gitlab::search"))
    assert entries(story) == ["github::fork", "gitlab::search"]


def test_an_entry_that_a_render_leaves_out_has_no_row():
    given(rendered("github::search", "github::fork")).when(rendered("github::fork")).then({"github::search": None})


def test_an_entry_that_stays_the_same_keeps_its_since():
    story = given(rendered("github::search")).when(rendered("github::search", "github::fork"))
    story.then_only("github::fork", "@render").then({"github::search": {"since": 1}, "github::fork": {"since": 2}})


@pytest.mark.parametrize("change", [{"locked": True}, {"source_digest": "y"}, {"definition": {"name": "search"}}])
def test_an_entry_with_any_other_field_has_a_new_since(change):
    story = given(rendered("github::search")).when(rendered(entry("github::search") | change))
    story.then({"github::search": {"since": 2}})


def test_a_renamed_exposure_is_the_same_tool():
    story = given(rendered("github::search")).when(rendered(entry("github::search", "find")))
    story.then({"github::search": {"name": "find", "since": 2}})
    assert entries(story) == ["github::search"]


def test_an_aggregate_is_its_servers_by_its_name():
    aggregate = entry("all_issues", kind="aggregate", server="gateway", operations=[{"tool": "issues"}])
    given().when(rendered(aggregate)).then({"gateway::all_issues": {"kind": "aggregate", "tool": "absent"}})


def test_an_entry_without_a_server_is_kept_under_its_name():
    given().when(rendered(entry("search"))).then({"?::search": {"name": "search"}})


def test_a_refused_render_never_changes_the_catalog():
    story = given(rendered("github::search", hidden=[{"server": "github", "tool": "fork"}])).when(REFUSED)
    story.then_only("@render").then(
        {"@render": {"refused": {"seq": 2, "reason": "descriptors_stale"}, "seq": 1, "tools": 1}}
    )


def test_a_refused_render_before_any_other_leaves_an_empty_catalog_that_was_never_rendered():
    story = given().when(REFUSED)
    story.then({"@render": {"seq": None, "list": None, "refused": {"seq": 1, "reason": "descriptors_stale"}}})
    assert entries(story) == []


def test_a_render_after_a_refused_one_is_compared_with_the_last_accepted_one():
    story = given(rendered("github::search", "github::fork"), REFUSED).when(rendered("github::fork"))
    story.then({"github::search": None, "github::fork": {"since": 1}, "@render": {"refused": "absent", "tools": 1}})


def test_a_render_says_what_it_was_made_with():
    story = given().when(
        rendered(
            "github::search",
            settings={"SCHEMA_SUCCESS_THRESHOLD": 3, "strict": True},
            descriptor_source="overrides",
            problems=[{"rule": "r", "subject": "s", "message": "m"}],
        )
    )
    story.then(
        {
            "@render": {
                "seq": 1,
                "list": list_digest(story),
                "settings": {"SCHEMA_SUCCESS_THRESHOLD": 3, "strict": True},
                "descriptor_source": "overrides",
                "problems": 1,
                "tools": 1,
            }
        }
    )


def test_a_setting_that_is_no_exact_number_is_told_as_text():
    settings = {"ratio": 0.5, "deep": [{"huge": 2**60}], "small": 7, "flag": False}
    story = given().when(rendered(settings=settings))
    story.then({"@render": {"settings": {"ratio": "0.5", "deep": [{"huge": str(2**60)}], "small": 7, "flag": False}}})


def test_a_render_without_settings_says_that_there_were_none():
    given().when(rendered()).then({"@render": {"settings": None, "problems": 0, "tools": 0}})


def test_a_hidden_tool_has_its_reason_and_layer():
    hidden = [{"server": "github", "tool": "fork", "reason": "override", "layer": "team"}]
    given().when(rendered(hidden=hidden)).then(
        {"hidden/github::fork": {"reason": "override", "layer": "team", "since": 1}}
    )


def test_a_tool_that_stays_hidden_keeps_its_since():
    first = rendered(hidden=[{"server": "github", "tool": "fork", "reason": "override"}])
    both = [{"server": "github", "tool": name, "reason": "override"} for name in ("fork", "star")]
    given(first).when(rendered(hidden=both)).then(
        {"hidden/github::fork": {"since": 1}, "hidden/github::star": {"since": 2}}
    )


def test_a_tool_that_is_hidden_for_another_reason_has_a_new_since():
    told = [rendered(hidden=[{"server": "a", "tool": "b", "reason": reason}]) for reason in ("override", "aggregate")]
    given(told[0]).when(told[1]).then({"hidden/a::b": {"reason": "aggregate", "since": 2}})


@pytest.mark.parametrize("nothing", [{}, {"hidden": []}])
def test_a_tool_that_no_render_hides_any_more_has_no_row(nothing):
    story = given(rendered("a::c", hidden=[{"server": "a", "tool": "b"}]))
    story.when(rendered("a::c", **nothing)).then({"hidden/a::b": None, "a::c": {"since": 1}})


def test_a_hidden_tool_whose_server_is_not_told_is_kept_under_its_name():
    given().when(rendered(hidden=[{"tool": "fork"}])).then({"hidden/?::fork": {"reason": None}})


def test_a_tool_may_be_hidden_and_intended_at_once():
    story = given().when(rendered("github::fork", hidden=[{"server": "github", "tool": "fork"}]))
    story.then({"github::fork": {"name": "fork"}, "hidden/github::fork": {"reason": None}})


def test_an_erased_render_changes_nothing():
    given(rendered("github::search")).when(erased(rendered())).then_nothing()


def test_a_render_whose_list_was_erased_adds_and_removes_nothing():
    before = given(rendered("github::search"))
    after = before.when(rendered("github::fork"))
    unread = before.forgetting(list_digest(after)).then_recorded(after.events[-1], {})
    unread.then_only("@render").then({"@render": {"erased": True, "exact": False, "tools": 1}})
    story = unread.when(rendered("github::fork", "github::star"))
    assert entries(story) == ["github::fork", "github::star"]


def test_of_two_entries_of_one_tool_the_first_holds():
    story = given().when(rendered(entry("github::search", "one"), entry("github::search", "two")))
    story.then({"github::search": {"name": "one"}, "@render": {"tools": 1}})
    story.when(rendered(entry("github::search", "two"))).then({"github::search": {"name": "two"}})


def test_an_unchanged_render_is_one_row_and_reads_no_document():
    names = [f"github::tool_{number:03}" for number in range(200)]
    told = rendered(*names, hidden=[{"server": "github", "tool": "fork"}])
    story = given(told)
    assert reads(intended, story, told) == []
    story.twice().then_only("@render").then({"@render": {"seq": 2}})


def test_a_change_of_one_entry_of_a_thousand_reads_only_the_parts_that_differ():
    names = [f"github::tool_{number:04}" for number in range(1000)]
    changed = rendered(*names[:-1], entry(names[-1], "other"))
    story = given(rendered(*names))
    assert len(reads(intended, story, changed)) <= 4
    story.when(changed).then_only("github::tool_0999", "@render")


@pytest.mark.parametrize("told", [capture("github", "search"), served("github::fork")])
def test_neither_a_capture_nor_a_serving_changes_what_is_intended(told):
    given(rendered("github::fork")).when(told).then_nothing()
