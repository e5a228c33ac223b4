"""In which spans somebody was watching, and the gaps between them."""

from __future__ import annotations

from ledger.clock import iso
from ledger.projections import servers
from tests.unit.projections.facts import at, capture, failure, served, us, watching
from tests.unit.projections.story import event, stories_of

given = stories_of(servers)

SEEN = capture("github", "search")
STOPPED = event("recording.stopped", session="s1", reason="shutdown")


def gaps(story, watch="github"):
    """The gaps of a watch as (from second, to second, reason), in order."""
    found = [row for key, row in story.rows.items() if key.rpartition("/")[0] == f"gap/{watch}"]
    spans = [(row["from"]["recorded_us"], row["to"]["recorded_us"], row["reason"]) for row in found]
    return [((start - us(0)) // 10**6, (end - us(0)) // 10**6, reason) for start, end, reason in sorted(spans)]


def covered_until(story, watch="server/github"):
    return (story.rows[watch]["covered_until_us"] - us(0)) // 10**6


def test_an_observation_under_a_promise_covers_twice_its_interval():
    story = given(watching("github", every=60), at(10, SEEN))
    assert covered_until(story) == 130


def test_a_promise_alone_covers_nothing():
    story = given(watching("github"))
    story.then({"server/github": {"covered_until_us": None, "last_attempt": None, "first_seen": 1, "captures": 0}})
    story.then({"server/github": {"watched": {"session": "s1", "interval_us": 60_000_000}}})


def test_observations_in_time_leave_no_gap():
    story = given(watching("github", every=60), at(10, SEEN), at(70, SEEN), at(190, SEEN), at(310, SEEN))
    assert gaps(story) == []


def test_a_late_observation_leaves_a_gap_from_the_end_of_what_was_covered():
    story = given(watching("github", every=60), at(10, SEEN), at(500, SEEN))
    story.then(
        {
            "gap/github/2": {
                "from": {"seq": 2, "recorded_us": us(130)},
                "to": {"seq": 3, "recorded_us": us(500)},
                "reason": "late",
                "glimpses": 0,
            }
        }
    )
    assert covered_until(story) == 620


def test_an_observation_at_the_last_moment_is_in_time():
    assert gaps(given(watching("github", every=60), at(10, SEEN), at(130, SEEN))) == []


def test_every_loss_of_watch_is_a_gap_of_its_own():
    story = given(watching("github", every=60), at(0, SEEN), at(500, SEEN), at(1000, SEEN))
    assert gaps(story) == [(120, 500, "late"), (620, 1000, "late")]


def test_a_failed_capture_shows_that_somebody_was_watching():
    story = given(watching("github", every=60), at(0, SEEN), at(100, failure("github")), at(200, SEEN))
    assert gaps(story) == []
    assert covered_until(story) == 320


def test_a_one_shot_capture_covers_its_instant():
    assert covered_until(given(at(10, SEEN))) == 10


def test_between_two_one_shot_captures_nobody_was_watching():
    story = given(at(10, SEEN), at(50, SEEN))
    assert gaps(story) == [(10, 50, "not_watched")]
    story.then({"gap/github/1": {"from": {"seq": 1, "recorded_us": us(10)}, "to": {"seq": 2, "recorded_us": us(50)}}})


def test_a_gap_grows_over_the_glimpses_of_one_shot_captures():
    story = given(at(10, SEEN), at(50, SEEN), at(70, failure("github")), at(90, SEEN))
    assert gaps(story) == [(10, 90, "not_watched")]
    story.then({"gap/github/1": {"glimpses": 2}, "server/github": {"gap": 1}})


def test_watching_ends_a_gap_and_the_next_one_is_another():
    story = given(at(10, SEEN), at(50, SEEN), at(60, watching("github", every=5)), at(70, SEEN), at(200, SEEN))
    assert gaps(story) == [(10, 70, "not_watched"), (80, 200, "late")]


def test_two_one_shot_captures_in_one_instant_leave_no_gap():
    assert gaps(given(at(10, SEEN), at(10, SEEN))) == []


def test_one_who_promised_nothing_covers_an_instant_beside_one_who_did():
    story = given(at(0, watching("github", every=60), actor="gateway"), at(0, SEEN, actor="gateway"))
    story = story.when(at(100, SEEN, actor="alice"))
    assert covered_until(story) == 120
    story = story.when(at(200, SEEN, actor="alice"))
    assert (gaps(story), covered_until(story)) == ([(120, 200, "late")], 200)


def test_a_short_promise_takes_nothing_from_a_long_one():
    story = given(
        at(0, watching("github", every=600, session="long"), actor="gateway"),
        at(0, watching("github", every=5, session="short"), actor="alice"),
        at(1, SEEN, actor="gateway"),
        at(2, SEEN, actor="alice"),
    )
    assert covered_until(story) == 1201


def test_a_server_that_a_session_does_not_watch_is_seen_by_it_in_instants():
    story = given(watching("gitlab", every=60), at(10, SEEN))
    assert covered_until(story) == 10
    story.then({"server/github": {"watched": None}})


def test_a_session_without_an_interval_promises_nothing():
    story = given(watching("github", every=None), at(10, SEEN), at(20, SEEN))
    assert gaps(story) == [(10, 20, "not_watched")]
    story.then({"server/github": {"watched": {"session": "s1", "interval_us": None}}})


def test_an_interval_may_be_less_than_a_second():
    story = given(watching("github", every=0.25), at(10, SEEN))
    story.then({"session/s1": {"interval_us": 250_000}, "server/github": {"covered_until_us": us(10) + 500_000}})


def test_an_absurd_interval_is_only_a_long_one():
    story = given(watching("github", every=1e300), at(10, SEEN))
    assert us(10) < story.rows["server/github"]["covered_until_us"] < 2**63


def test_a_session_is_remembered_with_who_began_it_and_how_it_ended():
    story = given(at(0, watching("github", "served", every=60), actor="gateway"))
    row = {
        "actor": "gateway",
        "watches": ["github", "served"],
        "interval_us": 60_000_000,
        "started": 1,
        "stopped": None,
        "reason": None,
    }
    story.then({"session/s1": row, "observer/gateway": {"watches": {"server/github": "s1", "watch/served": "s1"}}})
    story.when(STOPPED).then({"session/s1": row | {"stopped": 2, "reason": "shutdown"}, "observer/gateway": None})


def test_stopping_ends_what_was_covered():
    story = given(watching("github", every=60), at(10, SEEN), at(20, STOPPED))
    assert covered_until(story) == 20
    story.then({"server/github": {"watched": None}})
    assert gaps(story.when(at(100, SEEN))) == [(20, 100, "not_watched")]


def test_stopping_late_lengthens_nothing():
    story = given(watching("github", every=60), at(10, SEEN), at(500, STOPPED))
    assert covered_until(story) == 130


def test_stopping_twice_is_stopping_once():
    given(watching("github"), SEEN, STOPPED).when(STOPPED).then_nothing()


def test_stopping_a_session_that_nobody_began_changes_nothing():
    given(SEEN).when(STOPPED).then_nothing()


def test_stopping_one_session_leaves_the_others_promises():
    story = given(watching("github", session="s1"), watching("gitlab", session="s2"), SEEN)
    story = story.when(event("recording.stopped", session="s2"))
    story.then({"server/github": {"watched": {"session": "s1", "interval_us": 60_000_000}}})
    story.then({"observer/test": {"watches": {"server/github": "s1"}}})


def test_a_killed_session_is_known_by_its_silence():
    """It records no stop: what it promised runs out, and the next observation tells."""
    story = given(watching("github", every=60), at(10, SEEN))
    story = story.on(at(900, watching("github", every=60, session="s2")), at(910, SEEN))
    assert gaps(story) == [(130, 910, "late")]
    story.then({"session/s1": {"stopped": 3, "reason": "replaced"}, "session/s2": {"stopped": None}})


def test_an_observer_may_watch_two_servers_in_two_sessions():
    story = given(watching("github", session="s1", every=60), watching("gitlab", session="s2", every=5))
    story = story.when(at(10, SEEN))
    assert covered_until(story) == 130
    story.then({"session/s1": {"stopped": None}})


def test_a_session_that_begins_again_promises_only_what_it_then_says():
    story = given(watching("github", "gitlab"), watching("gitlab"))
    story.then({"observer/test": {"watches": {"server/gitlab": "s1"}}, "session/s1": {"started": 2}})


def test_a_session_without_a_name_is_its_observers():
    story = given(watching("github", every=60, session=None), at(10, SEEN)).then({"session/test#1": {"stopped": None}})
    story = story.when(at(20, event("recording.stopped")))
    assert covered_until(story) == 20
    story.then({"session/test#1": {"stopped": 3}, "observer/test": None})


def test_a_serving_is_watched_like_a_server():
    story = given(watching("served", every=60), at(10, served("a::one")), at(500, served("a::one")))
    assert gaps(story, "served") == [(130, 500, "late")]
    story.then(
        {
            "watch/served": {
                "servings": 2,
                "last_attempt": {"seq": 3, "recorded_us": us(500), "kind": "live.served"},
                "covered_until_us": us(620),
                "first_seen": 1,
            }
        }
    )


def test_a_serving_says_nothing_of_whether_servers_were_watched():
    given(watching("github", "served"), at(10, SEEN)).when(at(20, served("github::search"))).then_only("watch/served")


def test_a_gap_that_is_told_has_its_own_reason_and_times():
    told = event("recording.gap", **{"from": iso(us(20)), "to": iso(us(40)), "reason": "spool_full", "dropped": 7})
    story = given(watching("github", "served", every=60), at(10, SEEN)).when(at(50, told))
    row = {
        "from": {"seq": None, "recorded_us": us(20)},
        "to": {"seq": 3, "recorded_us": us(40)},
        "reason": "spool_full",
        "dropped": 7,
    }
    story.then_only("gap/github/3", "gap/served/3").then({"gap/github/3": row, "gap/served/3": row})


def test_a_gap_that_is_told_without_times_begins_at_the_last_observation():
    story = given(watching("github", "gitlab"), at(10, SEEN)).when(at(50, event("recording.gap")))
    assert gaps(story) == [(10, 50, "unknown")]
    story.then({"gap/gitlab/3": {"from": {"seq": None, "recorded_us": None}}})


def test_a_gap_told_by_one_who_promised_nothing_concerns_everything():
    story = given(SEEN, served("a::one"), failure("gitlab")).when(event("recording.gap", reason="off"))
    story.then_only("gap/github/4", "gap/gitlab/4", "gap/served/4")


def test_a_gap_told_by_one_observer_does_not_concern_what_another_watches():
    story = given(at(0, watching("github"), actor="a"), at(0, watching("gitlab", session="s2"), actor="b"))
    story.when(at(5, event("recording.gap"), actor="b")).then_only("gap/gitlab/3")


def test_a_gap_that_is_told_takes_nothing_from_what_is_covered():
    story = given(watching("github", every=60), at(10, SEEN)).when(at(20, event("recording.gap", reason="refused")))
    assert covered_until(story) == 130


def test_promises_run_on_for_what_they_had_left_when_the_clock_is_set_back():
    story = given(watching("github", every=60), at(1000, SEEN), at(1090, failure("gitlab")))
    back = event("clock.corrected", before_us=us(1090), after_us=us(100), reason="clock was ahead")
    story = story.when(at(100, back))
    assert covered_until(story) == 130
    assert gaps(story.when(at(200, SEEN))) == [(130, 200, "late")]


def test_what_had_run_out_stays_run_out_when_the_clock_is_set_back():
    story = given(watching("github", every=5), at(1000, SEEN))
    back = event("clock.corrected", before_us=us(2000), after_us=us(100), reason="clock was ahead")
    assert covered_until(story.when(at(100, back))) == 100


def test_no_gap_runs_backwards_when_the_clock_is_set_back():
    back = event("clock.corrected", before_us=us(1500), after_us=us(100), reason="clock was ahead")
    story = given(at(1000, SEEN), at(1500, SEEN), at(100, back), at(300, SEEN), at(400, SEEN))
    assert gaps(story) == [(100, 400, "not_watched"), (1000, 1500, "not_watched")]


def test_a_clock_that_is_set_back_to_after_what_was_covered_changes_nothing():
    back = event("clock.corrected", before_us=us(2000), after_us=us(1500), reason="clock was ahead")
    given(watching("github", "gitlab"), at(1000, SEEN)).when(at(1500, back)).then_nothing()
