"""What each server listed: only a whole listing can say that a tool is gone."""

from __future__ import annotations

import pytest

from ledger.projections import descriptors
from tests.unit.projections.facts import capture, empty, failure, list_digest, partial, reads, served, tool
from tests.unit.projections.story import erased, stories_of

given = stories_of(descriptors)


def listed(story, server="github"):
    """The names that a server lists, by the rows."""
    prefix = f"{server}::"
    return sorted(
        key.removeprefix(prefix)
        for key, row in story.rows.items()
        if key.startswith(prefix) and row["state"] == "listed"
    )


def test_a_listed_tool_has_a_row_with_the_digests_of_its_definition():
    definition = tool("search", outputSchema={"type": "object"})
    story = given().when(capture("github", definition))
    row = story.rows["github::search"]
    assert story.documents[row["definition"]] == definition
    assert row["nameless"].startswith("jcs1-sha256:")
    assert row["semantic"].startswith("sem1-sha256:")
    assert row["input"].startswith("jcs1-sha256:")
    assert row["output"].startswith("jcs1-sha256:")
    story.then({"github::search": {"since": 1, "first": 1, "state": "listed", "gone": "absent", "back": "absent"}})


def test_a_tool_without_an_output_schema_has_none_in_its_row():
    given().when(capture("github", "search")).then({"github::search": {"output": None}})


def test_a_complete_listing_replaces_the_one_before():
    story = given(capture("github", "search", "fork")).when(capture("github", "fork", "star"))
    assert listed(story) == ["fork", "star"]


def test_a_tool_that_a_complete_listing_lacks_stays_as_a_row_that_is_gone():
    story = given(capture("github", "search", "fork")).when(capture("github", "fork"))
    story.then({"github::search": {"state": "gone", "gone": 2, "since": 1, "first": 1}})


def test_a_failed_capture_removes_no_tool():
    story = given(capture("github", "search")).when(failure("github"))
    assert listed(story) == ["search"]
    story.then_nothing()


@pytest.mark.parametrize("stage", ["spawn", "connect", "handshake", "list", "timeout"])
def test_a_failure_at_any_stage_says_nothing_of_tools(stage):
    given(capture("github", "search")).when(failure("github", stage)).then_nothing()


def test_an_empty_listing_removes_every_tool_of_its_server_and_of_no_other():
    story = given(capture("github", "search", "fork"), capture("gitlab", "search")).when(empty("github"))
    assert (listed(story), listed(story, "gitlab")) == ([], ["search"])
    story.then({"github::search": {"gone": 3}, "github::fork": {"gone": 3}, "@server/github": {"tools": 0}})


def test_an_empty_listing_after_an_empty_one_changes_nothing():
    given(capture("github", "search"), empty("github")).when(empty("github")).then_nothing()


def test_an_empty_listing_removes_without_reading_its_list():
    story = given(capture("github", "search"))
    assert reads(descriptors, story, empty("github")) == []
    assert listed(story.when(empty("github"))) == []


def test_a_complete_listing_of_no_tools_removes_like_an_empty_one():
    assert listed(given(capture("github", "search")).when(capture("github"))) == []


def test_a_partial_listing_never_removes():
    story = given(capture("github", "search", "fork")).when(partial("github", "star"))
    assert listed(story) == ["fork", "search", "star"]


def test_a_partial_listing_of_nothing_removes_nothing():
    story = given(capture("github", "search")).when(partial("github"))
    assert listed(story) == ["search"]


def test_a_tool_known_from_a_partial_listing_says_so_until_a_complete_one_has_it():
    story = given(partial("github", "search")).then({"github::search": {"partial": True}})
    story.when(capture("github", "search")).then({"github::search": {"partial": "absent", "since": 1}})


def test_a_partial_listing_takes_nothing_from_what_a_complete_one_said():
    story = given(capture("github", "search", "fork")).when(partial("github", "search"))
    story.then_only("@server/github").then({"@server/github": {"outcome": "partial", "exact": True}})


def test_a_complete_listing_removes_what_only_a_partial_one_had_added():
    story = given(capture("github", "search"), partial("github", "star")).when(capture("github", "search"))
    assert listed(story) == ["search"]
    story.then({"github::star": {"state": "gone", "gone": 3, "partial": "absent"}})


def test_a_complete_listing_takes_back_what_a_partial_one_had_changed():
    other = tool("search", description="finds more")
    story = given(capture("github", "search")).when(partial("github", other))
    changed = story.rows["github::search"]["definition"]
    story = story.when(capture("github", "search"))
    assert story.rows["github::search"]["definition"] != changed
    story.then({"github::search": {"since": 3, "first": 1}})


def test_the_listing_of_a_server_is_the_last_complete_one_also_after_a_partial_one():
    story = given(capture("github", "search"))
    whole = list_digest(story)
    story.when(partial("github", "star")).then(
        {"@server/github": {"listing": whole, "outcome": "partial", "seq": 2, "tools": 2}}
    )


def test_only_partial_listings_leave_a_server_without_a_listing():
    given(partial("github", "star")).then({"@server/github": {"listing": None, "tools": 1, "exact": False}})


def test_an_erased_capture_changes_nothing():
    given(capture("github", "search")).when(erased(capture("github"))).then_nothing()


def test_a_listing_whose_content_was_erased_removes_and_adds_nothing():
    before = given(capture("github", "search", "fork"))
    after = before.when(capture("github", "fork", "star"))
    unread = before.forgetting(list_digest(after)).then_recorded(after.events[-1], {})
    assert listed(unread) == ["fork", "search"]
    unread.then_only("@server/github").then({"@server/github": {"erased": True, "exact": False, "tools": 2}})


def test_after_an_erased_listing_the_next_one_is_compared_with_the_rows():
    before = given(capture("github", "search", "fork"))
    after = before.when(capture("github", "fork", "star"))
    unread = before.forgetting(list_digest(after)).then_recorded(after.events[-1], {})
    story = unread.when(capture("github", "star"))
    assert listed(story) == ["star"]
    story.then({"@server/github": {"erased": "absent", "exact": True, "tools": 1}})


def test_a_listing_that_is_erased_in_part_only_adds():
    names = [f"tool_{number:03}" for number in range(200)]
    before = given(capture("github", *names[:100]))
    after = before.when(capture("github", *names[50:]))
    chunks = after.documents[list_digest(after)]["chunks"]
    unread = before.forgetting(chunks[0]).then_recorded(
        after.events[-1], {digest: value for digest, value in after.documents.items() if digest != chunks[0]}
    )
    assert set(names[:100]) <= set(listed(unread))
    assert "tool_199" in listed(unread)
    unread.then({"@server/github": {"erased": True, "exact": False}})


def test_a_repeated_listing_that_cannot_be_read_is_told_once():
    before = given(capture("github", "search"))
    after = before.when(capture("github", "star"))
    unread = before.forgetting(list_digest(after)).then_recorded(after.events[-1], {})
    again = after.when(capture("github", "star")).events[-1]
    unread.then_recorded(again, {}).then_nothing()


def test_two_servers_may_list_tools_of_one_name():
    story = given(capture("github", "search"), capture("gitlab", tool("search", description="other")))
    story = story.when(capture("github", "fork"))
    story.then({"github::search": {"state": "gone"}, "gitlab::search": {"state": "listed", "gone": "absent"}})


def test_a_server_whose_name_begins_like_another_keeps_its_tools():
    story = given(capture("git", "search"), capture("github", "search")).when(empty("git"))
    assert listed(story) == ["search"]


def test_a_tool_that_moves_to_another_server_is_not_renamed():
    story = given(capture("github", "search")).on(empty("github"), capture("gitlab", "search"))
    story.then({"github::search": {"renamed_to": "absent"}, "gitlab::search": {"renamed_from": "absent"}})


def test_a_changed_definition_has_a_new_since_and_keeps_its_first():
    story = given(capture("github", "search")).when(capture("github", tool("search", description="finds")))
    story.then({"github::search": {"since": 2, "first": 1, "state": "listed", "back": "absent"}})


def test_a_tool_that_comes_back_keeps_its_first_and_says_when_it_came_back():
    story = given(capture("github", "search", "fork"), capture("github", "fork"))
    story = story.when(capture("github", "search", "fork"))
    story.then({"github::search": {"state": "listed", "first": 1, "since": 1, "back": 3, "gone": "absent"}})


def test_a_tool_that_comes_back_another_has_a_new_since():
    story = given(capture("github", "search"), empty("github"))
    story = story.when(capture("github", tool("search", description="finds")))
    story.then({"github::search": {"first": 1, "since": 3, "back": 3}})


def test_a_tool_that_goes_twice_is_gone_since_the_second_time():
    story = given(capture("github", "search"), empty("github"), capture("github", "search"))
    story.when(empty("github")).then({"github::search": {"state": "gone", "gone": 4, "back": 3}})


def test_coming_back_is_remembered_through_a_change():
    story = given(capture("github", "search"), empty("github"), capture("github", "search"))
    story.when(capture("github", tool("search", description="finds"))).then({"github::search": {"back": 3}})


def test_one_name_gone_and_one_new_with_an_equal_definition_is_a_rename():
    story = given(capture("github", "search", "fork"))
    story = story.when(capture("github", tool("search") | {"name": "find"}, "fork"))
    story.then(
        {
            "github::search": {"state": "gone", "renamed_to": "find"},
            "github::find": {"state": "listed", "renamed_from": "search", "first": 2},
        }
    )


def test_a_rename_with_other_prose_is_told_by_the_meaning():
    story = given(capture("github", "search"))
    story = story.when(capture("github", tool("search", description="Finds.") | {"name": "find"}))
    story.then({"github::search": {"renamed_to": "find"}, "github::find": {"renamed_from": "search"}})


def test_a_new_tool_that_differs_in_its_schema_is_not_a_rename():
    other = tool("search", inputSchema={"type": "object", "properties": {}}) | {"name": "find"}
    story = given(capture("github", "search")).when(capture("github", other))
    story.then({"github::search": {"renamed_to": "absent"}, "github::find": {"renamed_from": "absent"}})


def test_two_new_names_for_one_gone_are_no_rename():
    twins = [tool("search") | {"name": name} for name in ("find", "seek")]
    story = given(capture("github", "search")).when(capture("github", *twins))
    story.then(
        {
            "github::search": {"renamed_to": "absent"},
            "github::find": {"renamed_from": "absent"},
            "github::seek": {"renamed_from": "absent"},
        }
    )


def test_one_new_name_for_two_gone_is_no_rename():
    twins = [tool("search") | {"name": name} for name in ("find", "seek")]
    story = given(capture("github", *twins)).when(capture("github", "search"))
    story.then({"github::find": {"renamed_to": "absent"}, "github::search": {"renamed_from": "absent"}})


def test_an_equal_definition_decides_before_one_of_equal_meaning():
    prose = tool("search", description="Seeks.")
    story = given(capture("github", "search"))
    story = story.when(capture("github", tool("search") | {"name": "find"}, prose | {"name": "seek"}))
    story.then({"github::find": {"renamed_from": "search"}, "github::seek": {"renamed_from": "absent"}})


def test_two_tools_of_one_meaning_are_not_told_apart_by_elimination():
    gone = [tool("search"), tool("search", description="Seeks.") | {"name": "seek"}]
    new = [tool("search") | {"name": "find"}, tool("search", description="Looks.") | {"name": "look"}]
    story = given(capture("github", *gone)).when(capture("github", *new))
    story.then({"github::find": {"renamed_from": "search"}, "github::look": {"renamed_from": "absent"}})


def test_a_new_name_beside_the_old_one_is_a_copy_and_no_rename():
    story = given(capture("github", "search"))
    story = story.when(capture("github", "search", tool("search") | {"name": "find"}))
    story.then({"github::find": {"renamed_from": "absent"}, "github::search": {"renamed_to": "absent"}})


def test_names_that_change_places_over_two_listings_are_no_rename():
    story = given(capture("github", "search"), empty("github"))
    story = story.when(capture("github", tool("search") | {"name": "find"}))
    story.then({"github::find": {"renamed_from": "absent"}, "github::search": {"renamed_to": "absent"}})


def test_a_partial_listing_proves_no_rename():
    story = given(capture("github", "search")).when(partial("github", tool("search") | {"name": "find"}))
    story.then({"github::find": {"renamed_from": "absent"}, "github::search": {"renamed_to": "absent"}})


def test_a_rename_and_back_leaves_the_first_name_listed_and_without_a_new_one():
    new = capture("github", tool("search") | {"name": "find"})
    story = given(capture("github", "search"), new).when(capture("github", "search"))
    story.then(
        {
            "github::search": {"state": "listed", "renamed_to": "absent", "renamed_from": "find", "back": 3},
            "github::find": {"state": "gone", "renamed_to": "search"},
        }
    )


def test_a_renamed_tool_keeps_its_old_name_through_a_change():
    story = given(capture("github", "search"), capture("github", tool("search") | {"name": "find"}))
    story = story.when(capture("github", tool("find", description="Finds.")))
    story.then({"github::find": {"renamed_from": "search", "since": 3}})


def test_a_tool_that_is_listed_in_an_unusable_form_is_not_renamed():
    story = given(capture("github", "search"))
    broken = [{"name": "search", "reason": "inputSchema is no object"}]
    story = story.when(capture("github", tool("search") | {"name": "find"}, rejected=broken))
    story.then({"github::search": {"state": "gone", "renamed_to": "absent"}, "@server/github": {"rejected": broken}})


def test_what_was_rejected_is_told_until_a_listing_rejects_nothing():
    broken = capture("github", "search", rejected=[{"name": "fork", "reason": "no name"}])
    story = given(broken).then({"@server/github": {"rejected": [{"name": "fork", "reason": "no name"}]}})
    story.when(capture("github", "search")).then_only("@server/github").then({"@server/github": {"rejected": "absent"}})


def test_of_two_tools_of_one_name_the_first_holds():
    twice = capture("github", "fork", tool("search", description="first"), tool("search", description="second"))
    story = given(capture("github", "search", "fork")).when(twice)
    definition = story.documents[story.rows["github::search"]["definition"]]
    assert definition["description"] == "first"
    story.then({"@server/github": {"tools": 2, "exact": False}})


def test_a_name_that_stands_twice_and_then_once_is_still_listed():
    twice = capture("github", tool("search", description="first"), tool("search", description="second"))
    story = given(twice).when(capture("github", tool("search", description="second")))
    assert listed(story) == ["search"]
    assert story.documents[story.rows["github::search"]["definition"]]["description"] == "second"


def test_a_name_that_is_listed_once_more_does_not_take_the_place_of_the_first():
    story = given(capture("github", "search")).when(capture("github", "search", tool("search", description="second")))
    assert story.documents[story.rows["github::search"]["definition"]]["description"] == "does search"
    story.then_only("@server/github").when(capture("github", "search")).then({"github::search": {"since": 1}})


def test_an_unchanged_listing_changes_no_row_and_reads_no_document():
    names = [f"tool_{number:03}" for number in range(200)]
    story = given(capture("github", *names))
    assert reads(descriptors, story, capture("github", *names)) == []
    story.twice().then_nothing()


def test_an_unchanged_partial_listing_changes_no_row_and_reads_no_document():
    story = given(capture("github", "search"), partial("github", "star"))
    assert reads(descriptors, story, partial("github", "star")) == []
    story.twice().then_nothing()


def test_a_change_of_one_tool_of_a_thousand_reads_only_the_parts_that_differ():
    names = [f"tool_{number:04}" for number in range(1000)]
    story = given(capture("github", *names))
    changed = capture("github", *names[:-1], tool(names[-1], description="other"))
    assert len(reads(descriptors, story, changed)) <= 4
    story.when(changed).then_only("@server/github", "github::tool_0999")


def test_a_listing_in_another_order_changes_no_tool():
    story = given(capture("github", "search", "fork")).when(capture("github", "fork", "search"))
    story.then_only("@server/github").then({"@server/github": {"seq": 2, "tools": 2}})


def test_what_was_served_says_nothing_of_what_was_listed():
    given(capture("github", "search")).when(served("github::star")).then_nothing()


def test_the_number_of_tools_follows_every_listing():
    story = given(capture("github", "search", "fork"), partial("github", "star"), capture("github", "fork"))
    story.then({"@server/github": {"tools": 1}}).when(capture("github", "search", "fork", "star")).then(
        {"@server/github": {"tools": 3}}
    )


def test_a_tool_whose_name_holds_colons_is_its_servers():
    story = given(capture("github", ":search", "a::b")).when(empty("github"))
    story.then({"github:::search": {"state": "gone"}, "github::a::b": {"state": "gone"}})
