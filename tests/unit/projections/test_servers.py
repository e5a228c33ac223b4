"""What is known of each server: captures, failures, health and flaps, and what discovery found."""

from __future__ import annotations

import pytest

from ledger.projections import servers
from tests.unit.projections.facts import capture, empty, failure, partial, served, us, watching
from tests.unit.projections.story import erased, event, stories_of

given = stories_of(servers)


def health(server, after, before=None, reason=None):
    said = {"before": before, "reason": reason}
    return event("health.changed", server=server, after=after, **{k: v for k, v in said.items() if v is not None})


SEEN = capture("github", "search")
STOPPED = event("recording.stopped", session="s1", reason="shutdown")


# Captures


def test_a_server_is_known_from_its_first_capture_on():
    given().when(SEEN).then(
        {
            "server/github": {
                "health": {"state": "unknown", "since": 1, "reason": None},
                "last_complete": {"seq": 1, "recorded_us": us(0)},
                "last_attempt": {"seq": 1, "recorded_us": us(0), "kind": "descriptors.captured"},
                "failures": 0,
                "last_failure": None,
                "captures": 1,
                "flaps": 0,
                "launch": None,
                "about": None,
                "watched": None,
                "covered_until_us": us(0),
                "gap": None,
                "first_seen": 1,
            }
        }
    )


@pytest.mark.parametrize("whole", [SEEN, empty("github")])
def test_a_complete_or_empty_listing_is_a_complete_observation(whole):
    given(whole).then({"server/github": {"last_complete": {"seq": 1, "recorded_us": us(0)}}})


def test_a_partial_listing_is_an_attempt_and_no_complete_observation():
    story = given(SEEN).when(partial("github", "fork"))
    story.then(
        {
            "server/github": {
                "last_complete": {"seq": 1, "recorded_us": us(0)},
                "last_attempt": {"seq": 2, "recorded_us": us(1), "kind": "descriptors.captured"},
                "captures": 2,
            }
        }
    )


def test_a_failure_is_an_attempt_and_no_complete_observation():
    story = given(SEEN).when(failure("github", "connect", code=111, message="refused"))
    story.then(
        {
            "server/github": {
                "last_complete": {"seq": 1, "recorded_us": us(0)},
                "last_attempt": {"seq": 2, "recorded_us": us(1), "kind": "capture.failed"},
                "last_failure": {"seq": 2, "stage": "connect", "code": 111, "message": "refused"},
                "failures": 1,
                "captures": 1,
            }
        }
    )


def test_failures_count_until_the_server_answers_and_the_last_one_is_remembered():
    story = given(failure("github"), failure("github")).then({"server/github": {"failures": 2}})
    story.when(partial("github")).then({"server/github": {"failures": 0}})
    assert story.when(SEEN).rows["server/github"]["last_failure"]["seq"] == 2


def test_a_long_complaint_is_cut_because_the_row_is_stored_again_at_every_capture():
    story = given().when(failure("github", message="x" * 5000))
    message = story.rows["server/github"]["last_failure"]["message"]
    assert (len(message), message[-1]) == (200, "…")


def test_a_code_that_no_row_can_hold_is_told_as_text():
    story = given().when(failure("github", code=2**60))
    assert story.rows["server/github"]["last_failure"]["code"] == str(2**60)


def test_an_unchanged_capture_of_a_watched_server_is_one_row():
    given(watching("github"), SEEN).when(SEEN).then_only("server/github")


def test_servers_do_not_share_what_is_known_of_them():
    story = given(SEEN).when(failure("gitlab"))
    story.then_only("server/gitlab").then({"server/github": {"failures": 0}, "server/gitlab": {"failures": 1}})


def test_a_launch_is_known_by_its_fingerprint_and_kept_where_none_is_told():
    story = given(capture("github", launch="fp1")).then({"server/github": {"launch": "fp1"}})
    story = story.when(capture("github", launch={"fingerprint": "fp2", "command": "npx"}))
    story.when(capture("github")).then({"server/github": {"launch": "fp2"}})


def test_a_launch_without_a_fingerprint_is_known_by_its_digest():
    story = given(capture("github", launch={"command": "npx", "args": ["a"]}))
    other = story.when(capture("github", launch={"command": "npx", "args": ["b"]}))
    first, second = (each.rows["server/github"]["launch"] for each in (story, other))
    assert first.startswith("jcs1-sha256:")
    assert first != second


def test_what_a_server_says_about_itself_is_kept_where_a_capture_did_not_ask():
    story = given(capture("github", instructions="be kind"))
    about = story.rows["server/github"]["about"]
    assert story.documents[about] == {"instructions": "be kind"}
    story.when(SEEN).then({"server/github": {"about": about}})


def test_a_server_called_served_is_not_what_clients_are_served():
    story = given(capture("served", "search"), served("a::one"))
    story.then({"server/served": {"captures": 1}, "watch/served": {"servings": 1}})
    given(watching("served")).when(capture("served")).then({"server/served": {"watched": None}})


# Health


def test_health_is_what_was_judged_last_with_its_reason():
    story = given(health("github", "up")).when(health("github", "down", reason="no answer"))
    story.then({"server/github": {"health": {"state": "down", "since": 2, "reason": "no answer"}}})


def test_health_says_since_when_it_is_so_and_not_when_it_was_said_again():
    story = given(health("github", "down")).when(health("github", "down", reason="still"))
    story.then({"server/github": {"health": {"state": "down", "since": 1, "reason": "still"}}})
    story.twice().then_nothing()


def test_neither_a_capture_nor_a_failure_is_a_judgement_of_health():
    story = given(health("github", "down")).on(SEEN, failure("github"))
    story.then({"server/github": {"health": {"state": "down", "since": 1, "reason": None}}})


def test_health_is_no_observation():
    story = given(SEEN).when(health("github", "up"))
    story.then({"server/github": {"last_attempt": {"seq": 1, "recorded_us": us(0), "kind": "descriptors.captured"}}})


@pytest.mark.parametrize(
    ("told", "flaps"),
    [
        (["up", "down"], 1),
        (["up", "down", "up", "down"], 2),
        (["up", "down", "down"], 1),
        (["up", "degraded", "down"], 1),
        (["up", "disabled"], 0),
        (["disabled", "down"], 0),
        (["down", "up"], 0),
        (["down"], 0),
    ],
)
def test_a_flap_is_a_fall_of_an_answering_server(told, flaps):
    given(*(health("github", state) for state in told)).then({"server/github": {"flaps": flaps}})


def test_a_first_judgement_flaps_by_what_the_observer_knew_before():
    given(health("github", "down", before="up")).then({"server/github": {"flaps": 1}})


def test_the_ledgers_own_memory_outweighs_what_an_observer_says_was_before():
    given(health("github", "disabled"), health("github", "down", before="up")).then({"server/github": {"flaps": 0}})


# Discovery


def test_what_a_source_found_takes_the_place_of_what_it_had_found():
    first = event("discovery.updated", source="registry", servers=["a", {"name": "b", "load": 0.5}])
    story = given(first).then({"discovery/registry": {"servers": ["a", "b"], "seq": 1, "reset": None}})
    story.when(event("discovery.updated", source="registry", servers=["c"])).then(
        {"discovery/registry": {"servers": ["c"], "seq": 2}}
    )


def test_sources_do_not_share_what_they_found():
    story = given(event("discovery.updated", source="one", servers=["a"]))
    story.when(event("discovery.updated", servers=["b"])).then(
        {"discovery/one": {"servers": ["a"]}, "discovery/": {"servers": ["b"]}}
    )


def test_a_reset_drops_all_that_its_source_had_found():
    story = given(event("discovery.updated", source="one", servers=["a", "b"]))
    story.when(event("discovery.reset", source="one")).then({"discovery/one": {"servers": [], "seq": 1, "reset": 2}})


def test_a_reset_that_names_servers_drops_only_those():
    story = given(event("discovery.updated", source="one", servers=["a", "b"]))
    story.when(event("discovery.reset", source="one", servers=[{"name": "a"}])).then(
        {"discovery/one": {"servers": ["b"], "reset": 2}}
    )


def test_a_reset_before_anything_was_found_is_remembered():
    given().when(event("discovery.reset", source="one")).then(
        {"discovery/one": {"servers": [], "seq": None, "reset": 1}}
    )


def test_a_discovered_server_is_not_yet_one_that_was_seen():
    given().when(event("discovery.updated", source="one", servers=["a"])).then({"server/a": None})


@pytest.mark.parametrize(
    "told", [SEEN, failure("github"), health("github", "down"), watching("github"), STOPPED, served()]
)
def test_an_erased_fact_changes_nothing(told):
    given(watching("github"), SEEN).when(erased(told)).then_nothing()
