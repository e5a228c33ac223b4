"""The laws of the four views, over stories that nobody thought of."""

from __future__ import annotations

import itertools

from hypothesis import example, given, settings
from hypothesis import strategies as st

from ledger.projections import descriptors, intended, live, servers
from ledger.projections.fold import fold_all
from tests.unit.projections.facts import at, capture, entry, failure, partial, rendered, served, tool, us, watching
from tests.unit.projections.story import Story, erased, event

VIEWS = (descriptors, servers, intended, live)
STORIES = settings(max_examples=120, deadline=None, derandomize=True)

names = st.sampled_from(["a", "b", "c", "d"])
server_names = st.sampled_from(["one", "two"])
definitions = st.builds(
    lambda name, like, prose: tool(like, description=prose) | {"name": name},
    names,
    st.sampled_from(["a", "b"]),
    st.sampled_from(["Does.", "Does so."]),
)
listings = st.lists(definitions, max_size=4)
entries = st.one_of(
    st.builds(lambda server, bare, name: entry(f"{server}::{bare}", name), server_names, names, names),
    st.builds(lambda name, server: entry(name, kind="aggregate", server=server), names, server_names),
    names.map(entry),
)
catalogs = st.lists(entries, max_size=4)
omissions = st.none() | st.lists(
    st.fixed_dictionaries(
        {"name": names, "reason": st.sampled_from(["server_down", "hidden"])}, optional={"server": server_names}
    ),
    max_size=3,
)
hidings = st.lists(st.fixed_dictionaries({"tool": names}, optional={"server": server_names}), max_size=2)


def some(kind, **fields):
    return event(kind, **{name: value for name, value in fields.items() if value is not None})


facts = st.one_of(
    st.builds(lambda server, tools: capture(server, *tools), server_names, listings),
    st.builds(lambda server, tools: partial(server, *tools), server_names, listings),
    st.builds(lambda server: capture(server, outcome="empty"), server_names),
    st.builds(failure, server_names),
    st.builds(lambda tools, left: some("live.served", tools=tools, omitted=left), catalogs, omissions),
    st.builds(lambda tools, hidden: rendered(*tools, hidden=hidden), catalogs, hidings),
    st.just(event("render.refused", reason="verify_failed")),
    st.builds(
        lambda server, after: event("health.changed", server=server, after=after),
        server_names,
        st.sampled_from(["up", "down", "degraded", "disabled"]),
    ),
    st.builds(
        lambda watches, session: watching(*watches, every=20, session=session),
        st.lists(st.sampled_from(["one", "two", "served"]), max_size=2),
        st.sampled_from(["s1", "s2", None]),
    ),
    st.builds(lambda session: some("recording.stopped", session=session), st.sampled_from(["s1", "s2", None])),
    st.builds(lambda reason: some("recording.gap", reason=reason), st.sampled_from([None, "killed"])),
    st.builds(lambda found: event("discovery.updated", source="lan", servers=found), st.lists(server_names)),
    st.just(event("discovery.reset", source="lan")),
)
timed = st.builds(
    lambda told, step, actor, is_erased: (erased(told) if is_erased else told, step, actor),
    facts,
    st.sampled_from([0, 1, 15, 100]),
    st.sampled_from(["gateway", "alice"]),
    st.sampled_from([False] * 9 + [True]),
)
histories = st.lists(timed, max_size=14)


def told(history):
    """The events of a history, each at its time."""
    times = itertools.accumulate(step for _, step, _ in history)
    return [at(second, fact, actor=actor) for (fact, _, actor), second in zip(history, times, strict=True)]


@STORIES
@given(histories)
def test_any_prefix_folded_from_zero_is_what_the_views_were_then(history):
    """The story keeps rows as text between events and checks that nothing given to a fold is changed by it."""
    story = Story(VIEWS)
    for fact in told(history):
        story = story.when(fact)
        assert fold_all(VIEWS, story.events, story.documents.__getitem__) == story.states


@STORIES
@given(histories)
def test_no_view_depends_on_the_order_of_keys(history):
    story = Story(VIEWS)
    for fact in told(history):
        before, story = story, story.when(fact)
        last = story.events[-1]
        turned = last._replace(payload=_turned(last.payload))
        views = _turned({view.NAME: before.states.get(view.NAME, {}) for view in VIEWS})
        for view in VIEWS:
            state = before.states.get(view.NAME, {})
            if last.kind in view.KINDS:
                straight = view.fold(state, last, story.states, story.documents.__getitem__)
                assert view.fold(views[view.NAME], turned, _turned(story.states), _reader(story)) == straight


def _turned(value):
    """The same JSON with the keys of every object in the opposite order."""
    if isinstance(value, dict):
        return {key: _turned(inner) for key, inner in reversed(value.items())}
    return [_turned(inner) for inner in value] if isinstance(value, list) else value


def _reader(story):
    return lambda digest: _turned(story.documents[digest])


many = [f"tool_{number:03}" for number in range(150)]
versions = st.dictionaries(st.sampled_from(many), st.sampled_from(["gone", "other", "another", "twice"]), max_size=5)


def _listing(changes):
    """A long listing with a few changes: the tools in order, as a server might list them."""
    for name in many:
        change = changes.get(name)
        if change != "gone":
            yield tool(name, description=change) if change else tool(name)
        if change == "twice":
            yield tool(name, description="the second of its name")


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.booleans(), versions), min_size=1, max_size=5))
@example([(False, {}), (False, {"tool_007": "twice"}), (False, {})])
@example([(False, {}), (True, {"tool_007": "other"}), (False, {})])
def test_long_listings_say_what_comparing_them_tool_by_tool_would_say(history):
    """Against a model that keeps whole definitions and never heard of digests."""
    story, model = Story((descriptors,)), {}
    for is_partial, changes in history:
        listing = list(_listing(changes))
        first = {each["name"]: each for each in reversed(listing)}
        model = model | first if is_partial else first
        story = story.when((partial if is_partial else capture)("s", *listing))
        rows = {key: row for key, row in story.rows.items() if row.get("state") == "listed"}
        assert {key.removeprefix("s::"): story.documents[row["definition"]] for key, row in rows.items()} == model
        assert story.rows["@server/s"]["tools"] == len(model)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.lists(versions, min_size=1, max_size=5))
def test_long_servings_say_what_comparing_them_entry_by_entry_would_say(history):
    story, before = Story((intended, live)), {}
    for changes in history:
        model = {each["name"]: each for each in reversed(list(_listing(changes)))}
        catalog = [entry(f"s::{each['name']}") | {"definition": each} for each in _listing(changes)]
        story = story.on(rendered(*catalog), served(*catalog))
        for view in ("intended", "live"):
            rows = {key: row for key, row in story.states[view].items() if "definition" in row}
            assert {row["name"]: story.documents[row["definition"]] for row in rows.values()} == model
        changed = sum(before[name] != model[name] for name in before.keys() & model.keys())
        story.then(
            {
                "@serving": {
                    "added": len(model.keys() - before.keys()),
                    "removed": len(before.keys() - model.keys()),
                    "changed": changed,
                    "tools": len(model),
                }
            }
        )
        before = model


looks = st.lists(
    st.tuples(st.sampled_from([1, 5, 30, 200]), st.sampled_from(["watcher", "passer-by", "start", "stop"])),
    min_size=1,
    max_size=25,
)


@STORIES
@given(looks)
def test_gaps_are_exactly_the_time_that_nothing_covers(history):
    """Against a model that paints every covered second of the story."""
    story, now = Story((servers,)), 0
    covered, promised, watched_until, seen = set(), False, 0, []
    for step, what in history:
        now += step
        if what == "start":
            story, promised = story.when(at(now, watching("s", every=10), actor="watcher")), True
        elif what == "stop":
            stop = event("recording.stopped", session="s1")
            story, promised = story.when(at(now, stop, actor="watcher")), False
            covered -= set(range(now, watched_until))
        else:
            story = story.when(at(now, capture("s"), actor=what))
            seen.append(now)
            if promised and what == "watcher":
                watched_until = now + 20
                covered |= set(range(now, watched_until))
    gaps = [row for key, row in story.rows.items() if key.startswith("gap/s/")]
    length = sum(row["to"]["recorded_us"] - row["from"]["recorded_us"] for row in gaps) // 10**6
    assert length == (len(set(range(seen[0], seen[-1])) - covered) if seen else 0)
    assert sum(row["glimpses"] + 1 for row in gaps) <= len(seen)
    if seen:
        row = story.rows["server/s"]
        assert row["covered_until_us"] == us(max([seen[-1], *(second + 1 for second in covered)]))
