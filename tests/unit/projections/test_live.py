"""What clients were served, and what was left out; only a serving can say."""

from __future__ import annotations

import pytest

from ledger.projections import intended, live
from tests.unit.projections.facts import (
    capture,
    empty,
    entry,
    failure,
    list_digest,
    reads,
    rendered,
    served,
    us,
)
from tests.unit.projections.story import erased, event, event_id, stories_of

given = stories_of(intended, live)


def entries(story):
    return sorted(key for key, row in story.rows.items() if "definition" in row)


def omitted(*names, **fields):
    return [{"name": name, **fields} for name in names]


def test_a_served_entry_is_kept_as_it_was_with_the_event_that_made_it_so():
    told = entry("github::search", "find", schema_source="generic_wrapper")
    story = given().when(served(told))
    row = story.rows["github::search"]
    assert story.documents[row["definition"]] == told["definition"]
    story.then({"github::search": {"name": "find", "schema_source": "generic_wrapper", "since": 1}})


def test_a_serving_replaces_the_one_before():
    story = given(served("github::search", "github::fork")).when(served("github::fork", "gitlab::search"))
    assert entries(story) == ["github::fork", "gitlab::search"]


@pytest.mark.parametrize(
    "told",
    [
        capture("github", "star"),
        empty("github"),
        failure("github"),
        event("health.changed", server="github", after="down"),
        rendered("github::star"),
    ],
)
def test_nothing_but_a_serving_changes_what_was_served(told):
    given(served("github::search")).when(told).then_nothing()


def test_an_empty_serving_leaves_no_entry():
    story = given(served("github::search")).when(served())
    assert entries(story) == []
    story.then({"@serving": {"removed": 1, "tools": 0}})


def test_a_serving_tells_its_delta_against_the_one_before():
    before = served("a::one", "a::two", "a::three", trigger="boot")
    after = served("a::one", entry("a::two", "other"), "a::four", "a::five", trigger="refresh")
    story = given(before).then({"@serving": {"added": 3, "removed": 0, "changed": 0, "tools": 3}}).when(after)
    story.then(
        {
            "@serving": {
                "seq": 2,
                "recorded_us": us(1),
                "list": list_digest(story),
                "trigger": "refresh",
                "added": 2,
                "removed": 1,
                "changed": 1,
                "tools": 4,
            }
        }
    )


def test_an_unchanged_serving_is_one_row_with_no_delta_and_reads_no_document():
    names = [f"github::tool_{number:03}" for number in range(200)]
    told = served(*names, omitted=omitted("fork", reason="server_down"))
    story = given(told)
    assert reads(live, story, told) == []
    story.twice().then_only("@serving").then(
        {"@serving": {"seq": 2, "added": 0, "removed": 0, "changed": 0, "tools": 200}}
    )


def test_a_change_of_one_entry_of_a_thousand_reads_only_the_parts_that_differ():
    names = [f"github::tool_{number:04}" for number in range(1000)]
    changed = served(*names[:-1], entry(names[-1], "other"))
    story = given(served(*names))
    assert len(reads(live, story, changed)) <= 4
    story.when(changed).then_only("github::tool_0999", "@serving").then({"@serving": {"changed": 1}})


def test_an_entry_that_stays_the_same_keeps_its_since():
    story = given(served("a::one")).when(served("a::one", "a::two"))
    story.then({"a::one": {"since": 1}, "a::two": {"since": 2}})


def test_a_weaker_schema_is_a_change_of_its_entry():
    weaker = entry("a::one", schema_source="prior_override")
    story = given(served(entry("a::one", schema_source="declared"))).when(served(weaker))
    story.then({"a::one": {"schema_source": "prior_override", "since": 2}, "@serving": {"changed": 1}})


def test_an_entry_that_was_gone_is_new_when_it_is_served_again():
    story = given(served("a::one"), served()).when(served("a::one"))
    story.then({"a::one": {"since": 3}, "@serving": {"added": 1}})


def test_what_was_left_out_has_its_reason_its_detail_and_its_cause():
    told = {
        "name": "find",
        "server": "github",
        "tool": "search",
        "reason": "server_down",
        "detail": "no answer",
        "cause": event_id(1),
    }
    given().when(served(omitted=[told])).then({"omitted/github::search": told | {"since": 1}})


def test_what_is_left_out_by_name_alone_is_kept_under_its_name():
    given().when(served(omitted=omitted("find", reason="hidden"))).then(
        {"omitted/find": {"name": "find", "server": None, "tool": None, "reason": "hidden", "detail": None}}
    )


def test_what_is_left_out_by_name_is_found_through_the_intended_catalog():
    story = given(rendered(entry("github::search", "find")))
    story.when(served(omitted=omitted("find", reason="hidden"))).then(
        {
            "omitted/github::search": {"name": "find", "server": "github", "tool": "search"},
            "omitted/find": None,
        }
    )


@pytest.mark.parametrize(
    ("given_as", "key"),
    [
        ({"server": "github", "name": "find"}, "omitted/github::find"),
        ({"server": "github", "tool": "search"}, "omitted/github::search"),
        ({"tool": "search"}, "omitted/search"),
        ({"name": "find", "tool": "search"}, "omitted/find"),
    ],
)
def test_what_is_left_out_is_kept_however_little_is_said_of_it(given_as, key):
    story = given().when(served(omitted=[given_as]))
    assert [each for each in story.rows if each.startswith("omitted/")] == [key]


def test_what_stays_left_out_for_one_reason_keeps_its_since():
    story = given(served(omitted=omitted("find", reason="server_down", detail="first")))
    story = story.when(served(omitted=omitted("find", reason="server_down", detail="second")))
    story.then({"omitted/find": {"detail": "second", "since": 1}})


def test_what_is_left_out_for_another_reason_has_a_new_since():
    story = given(served(omitted=omitted("find", reason="server_down")))
    story = story.when(served(omitted=omitted("find", reason="name_collision")))
    story.then({"omitted/find": {"reason": "name_collision", "since": 2}})


@pytest.mark.parametrize("nothing", [{}, {"omitted": []}])
def test_what_is_no_longer_left_out_has_no_row(nothing):
    story = given(served("a::one", omitted=omitted("find", "seek"))).when(served("a::one", **nothing))
    story.then({"omitted/find": None, "omitted/seek": None, "a::one": {"since": 1}})


def test_what_is_left_out_counts_in_no_delta():
    story = given(served("a::one")).when(served("a::one", omitted=omitted("find")))
    story.then({"@serving": {"added": 0, "removed": 0, "changed": 0, "tools": 1}})


def test_a_name_is_found_through_the_intended_catalog():
    story = given(rendered(entry("github::search", "find"), "github::fork")).when(served(entry("find")))
    story.then(
        {
            "github::search": {"name": "find", "server": "github", "tool": "search", "by_name": True},
            "?::find": None,
        }
    )


def test_a_name_of_an_aggregate_is_found_too():
    aggregate = entry("all_issues", kind="aggregate", server="gateway")
    given(rendered(aggregate)).when(served(entry("all_issues"))).then({"gateway::all_issues": {"by_name": True}})


def test_a_name_that_nothing_intended_has_is_nobodys():
    given(rendered("github::fork")).when(served(entry("find"))).then({"?::find": {"by_name": "absent"}})


def test_a_name_that_two_intended_tools_have_is_nobodys():
    story = given(rendered(entry("github::search", "find"), entry("gitlab::search", "find")))
    story.when(served(entry("find"))).then({"?::find": {"name": "find"}, "github::search": None})


def test_a_name_that_three_intended_tools_have_is_nobodys():
    twins = [entry(f"{server}::search", "find") for server in ("a", "b", "c")]
    given(rendered(*twins)).when(served(entry("find"))).then({"?::find": {"name": "find"}})


def test_an_intended_entry_that_is_itself_but_a_name_tells_nobody():
    given(rendered(entry("find"))).when(served(entry("find"))).then({"?::find": {"by_name": "absent"}})


def test_a_hidden_tool_lends_its_name_to_nobody():
    story = given(rendered(hidden=[{"server": "github", "tool": "find"}]))
    story.when(served(entry("find"))).then({"?::find": {"name": "find"}})


def test_an_entry_that_says_who_it_is_is_not_looked_up():
    story = given(rendered(entry("github::search", "find"))).when(served(entry("gitlab::seek", "find")))
    story.then({"gitlab::seek": {"by_name": "absent"}, "github::search": None, "@serving": {"names_of": "absent"}})


def test_the_same_serving_after_another_render_finds_its_names_anew():
    told = served(entry("find"), entry("seek"), omitted=omitted("star"))
    story = given(told).then({"?::find": {"since": 1}}).on(rendered(entry("github::search", "find"), "github::star"))
    story.when(told).then(
        {
            "?::find": None,
            "github::search": {"name": "find", "since": 3},
            "?::seek": {"since": 1},
            "omitted/star": None,
            "omitted/github::star": {"since": 3},
        }
    )


def test_names_once_found_are_not_looked_for_again_while_the_render_stays():
    render = rendered(entry("github::search", "find"))
    told = served(entry("find"))
    story = given(render, told, render)
    assert reads(live, story, told) == []
    story.when(told).then_only("@serving").then({"github::search": {"since": 2}})


def test_a_name_found_in_one_serving_is_known_in_the_next_that_differs():
    story = given(rendered(entry("github::search", "find")), served(entry("find"), "a::one"))
    story = story.when(served(entry("find")))
    assert entries(story) == ["github::search"]
    story.on(rendered("a::two")).when(served(entry("find"))).then({"github::search": None, "?::find": {"since": 5}})


def test_of_two_entries_of_one_tool_the_first_holds():
    story = given().when(served(entry("a::one", "first"), entry("a::one", "second")))
    story.then({"a::one": {"name": "first"}, "@serving": {"tools": 1, "exact": False}})
    story.when(served(entry("a::one", "second"))).then({"a::one": {"name": "second"}, "@serving": {"tools": 1}})


def test_an_entry_that_stays_keeps_its_since_also_where_the_whole_list_had_to_be_read():
    story = given(served("a::two", entry("a::one", "first"), entry("a::one", "second")))
    story.when(served("a::two", entry("a::one", "first"))).then_only("@serving").then({"a::two": {"since": 1}})


def test_an_erased_serving_changes_nothing():
    given(served("a::one")).when(erased(served())).then_nothing()


def test_a_serving_whose_list_was_erased_adds_and_removes_nothing_and_says_so():
    before = given(served("a::one"))
    after = before.when(served("a::two"))
    unread = before.forgetting(list_digest(after)).then_recorded(after.events[-1], {})
    unread.then_only("@serving").then({"@serving": {"erased": True, "seq": 2, "tools": 1, "exact": False}})
    story = unread.when(served("a::three"))
    assert entries(story) == ["a::three"]
    story.then({"@serving": {"erased": "absent", "added": 1, "removed": 1, "tools": 1}})


def test_what_an_erased_list_left_out_is_dropped_by_the_next_serving():
    before = given(served("a::one", omitted=omitted("find")))
    after = before.when(served("a::one", omitted=omitted("seek")))
    unread = before.forgetting(after.events[-1].payload["omitted"]).then_recorded(after.events[-1], {})
    unread.then({"omitted/find": {"since": 1}, "@serving": {"erased": True}})
    unread.when(served("a::one")).then({"omitted/find": None})
