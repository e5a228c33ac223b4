"""Old payloads are lifted step by step; what is newer than the code stops the reader."""

import pytest

from ledger.errors import NewerEvent
from ledger.events.upcast import STEPS, VERSIONS, upcast

# A kind that exists only here: no real one has a second version yet.
TEST_VERSIONS = {"test.happened": 3}
TEST_STEPS = {
    ("test.happened", 1): lambda payload: {"server": payload["upstream"]},
    ("test.happened", 2): lambda payload: payload | {"outcome": "complete"},
}


def lifted(version, payload):
    return upcast("test.happened", version, payload, versions=TEST_VERSIONS, steps=TEST_STEPS)


def test_a_payload_of_the_newest_version_stays_as_it_is():
    payload = {"server": "github", "outcome": "empty"}
    assert lifted(3, payload) is payload


def test_an_old_payload_passes_every_step_in_order():
    assert lifted(1, {"upstream": "github"}) == {"server": "github", "outcome": "complete"}


def test_a_payload_in_the_middle_passes_only_the_steps_after_it():
    assert lifted(2, {"server": "github"}) == {"server": "github", "outcome": "complete"}


def test_the_old_payload_is_left_as_it_was():
    old = {"server": "github"}
    lifted(2, old)
    assert old == {"server": "github"}


def test_a_newer_version_stops_the_reader_and_names_both():
    with pytest.raises(NewerEvent, match=r"test\.happened version 4.*knows version 3") as caught:
        lifted(4, {})
    assert caught.value.exit_code == 2
    assert caught.value.code == "newer_event"


def test_an_unknown_kind_stops_the_reader_too():
    with pytest.raises(NewerEvent, match="does not know that kind"):
        upcast("catalog.dreamt", 1, {})


def test_every_version_below_the_newest_has_its_step():
    needed = {(kind, version) for kind, newest in VERSIONS.items() for version in range(1, newest)}
    assert STEPS.keys() == needed
