"""What drift makes of content that was erased: nobody can say any more what was there."""

from __future__ import annotations

from tests.unit.projections.drift_stories import basis, from_source, given, health, hidden, open_entries, why
from tests.unit.projections.facts import capture, empty, entry, failure, list_digest, partial, rendered, served, tool
from tests.unit.projections.story import erased, event


def changed(name, **fields):
    return tool(name, inputSchema={"type": "object", "required": ["other"]}, **fields)


def test_an_erased_serving_leaves_every_intended_tool_unobserved():
    story = given(rendered("a::x", "a::y"), served("a::x", "a::z"), erased(served("a::x")))
    assert open_entries(story) == {"a::x": "unobserved", "a::y": "unobserved"}
    assert why(story, "a::x") == why(story, "a::y") == ("unobserved", 3)
    story.then({"a::x": {"opened": 3}, "a::y": {"opened": 2, "since": 3}, "a::z": {"state": "closed"}})


def test_the_next_serving_that_can_be_read_decides_again():
    story = given(rendered("a::x", "a::y"), served("a::x"), erased(served()), served("a::x"))
    assert open_entries(story) == {"a::y": "missing"}
    story.then({"a::x": {"state": "closed", "closed": 4}})


def test_a_render_is_not_compared_with_an_erased_serving():
    story = given(rendered("a::x"), served("a::x"), erased(served()), rendered("a::x", "a::y"))
    assert open_entries(story) == {"a::x": "unobserved", "a::y": "unobserved"}
    assert open_entries(story.when(rendered("a::y"))) == {"a::y": "unobserved"}


def test_an_erased_serving_after_another_changes_nothing():
    given(rendered("a::x"), erased(served())).when(erased(served())).then_nothing()


def test_health_and_listings_say_nothing_about_an_erased_serving():
    story = given(rendered("a::x"), erased(served())).on(health("a", "down"), capture("a", "y"), failure("a"))
    assert why(story, "a::x") == ("unobserved", 2)


def test_an_erased_first_serving_makes_the_served_basis():
    story = given(capture("a", "x"), rendered("a::x"), erased(served()))
    assert basis(story) == "served"
    assert open_entries(story) == {"a::x": "unobserved"}


def test_the_erased_list_of_a_serving_is_as_an_erased_serving():
    before = given(rendered("a::x"), served("a::x"))
    list_of = list_digest(before.when(served("a::y")))
    story = _forgotten(before, list_of, served("a::y"))
    assert open_entries(story) == {"a::x": "unobserved"}
    assert open_entries(story.when(served("a::x"))) == {}


def test_what_was_left_out_may_be_erased_and_the_serving_still_be_read():
    before = given(rendered("a::x"), served("a::x"))
    told = served("a::x", omitted=[{"name": "y", "reason": "hidden"}])
    list_of = before.when(told).events[-1].payload["omitted"]
    assert open_entries(_forgotten(before, list_of, told)) == {}


def test_an_erased_complete_listing_leaves_the_tools_of_its_server_unobserved():
    before = given(capture("a", "x"), capture("b", "x"), rendered("a::x", "b::x"))
    told = capture("a", "x", "y")
    list_of = list_digest(before.when(told))
    story = _forgotten(before, list_of, told)
    assert open_entries(story) == {"a::x": "unobserved"}
    assert why(story, "a::x") == ("unobserved", 4)
    assert open_entries(story.when(partial("a", "x"))) == {"a::x": "unobserved"}
    assert open_entries(story.when(capture("a", "x", "z"))) == {"a::z": "extra"}
    assert open_entries(story.when(empty("a"))) == {"a::x": "missing"}


def test_a_list_that_was_erased_since_is_compared_with_the_rows_that_it_left():
    before = given(capture("a", "x"), rendered("a::x"))
    story = before.forgetting(list_digest(given(capture("a", "x"))), list_digest(before))
    assert open_entries(story.when(capture("a", "y"))) == {"a::x": "missing", "a::y": "extra"}
    assert open_entries(story.when(rendered("a::z"))) == {"a::x": "extra", "a::z": "missing"}
    story = given(rendered("a::x"), served("a::x"))
    story = story.forgetting(list_digest(story))
    assert open_entries(story.when(served("a::y"))) == {"a::x": "missing", "a::y": "extra"}


def test_events_that_are_erased_change_nothing_but_servings_do():
    story = given(capture("a", "x"), rendered("a::x", "a::y"))
    for told in (
        capture("a", "y"),
        failure("a"),
        health("a", "down"),
        rendered(),
        event("drift.waived", subject="all"),
    ):
        story.when(erased(told)).then_nothing()


def test_a_definition_that_was_erased_differs_still_and_its_schemas_are_named_by_their_digests():
    story = given(rendered("a::x"))
    found = served(entry("a::x", definition=changed("x", title="X")))
    definition = story.rows["@rendered"] and story.states["intended"]["a::x"]["definition"]
    story = story.forgetting(definition).when(found)
    story.then({"a::x": {"category": "definition_differs", "parts": ["inputSchema"]}})


def test_an_entry_whose_definition_was_erased_cannot_be_compared_with_a_listing():
    told = entry("a::x", "find", definition={**tool("x"), "name": "find"})
    story = given(capture("a", "x"), rendered(told))
    definition = story.states["intended"]["a::x"]["definition"]
    story = story.forgetting(definition).when(capture("a", changed("x")))
    assert open_entries(story) == {"a::x": "unobserved"}
    assert why(story, "a::x") == ("unobserved", 2)


def test_an_erased_source_leaves_the_schemas_to_tell():
    told = from_source("a::x", "x", definition=tool("x", title="ours"))
    story = given(capture("a", "x"), rendered(told))
    source = story.states["descriptors"]["a::x"]["definition"]
    story = story.forgetting(source).when(capture("a", changed("x", title="theirs")))
    story.then({"a::x": {"category": "definition_differs", "parts": ["inputSchema"]}})


def test_a_list_of_hidden_tools_that_was_erased_is_compared_with_the_rows_that_it_left():
    story = given(rendered(hidden=hidden("a::x")), served("a::x"))
    assert open_entries(story) == {"a::x": "hidden_leak"}
    story = story.forgetting(story.events[0].payload["hidden"])
    assert open_entries(story.when(rendered())) == {"a::x": "extra"}


def _forgotten(story, digest, told):
    """The story after an event that brings a document which is erased."""
    after = story.when(told)
    brought = {**after.documents, digest: story.forgetting(digest).documents[digest]}
    return story.then_recorded(after.events[-1], brought, told)
