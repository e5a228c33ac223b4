"""Drift over random histories, against a naive difference of what events say; it knows nothing of the fold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from ledger.canon.digest import digest, nameless_digest
from ledger.projections.comparison import difference
from ledger.projections.fold import fold_all
from ledger.projections.memory import Memory
from ledger.projections.reasons import reason
from ledger.projections.scene import Scene
from tests.unit.projections.drift_stories import basis, from_source, given, health, hidden, open_entries
from tests.unit.projections.facts import capture, entry, failure, rendered, served, tool
from tests.unit.projections.story import Story, Told, erased, event

SERVERS, TOOLS = ("a", "b"), ("x", "y", "z")
KEYS = tuple(f"{server}::{name}" for server in SERVERS for name in TOOLS)
VARIANTS = (
    {},
    {"description": "other words"},
    {"inputSchema": {"type": "object", "required": ["other"]}},
    {"outputSchema": {"type": "object"}},
)


# The naive difference


class Reality:
    """What the events of a history said last, as their producers gave them."""

    def __init__(self) -> None:
        self.intended: dict[str, dict[str, Any]] | None = None
        self.hidden: set[tuple[str | None, str]] = set()
        self.listed: dict[str, dict[str, Any]] = {}
        self.served: dict[str, dict[str, Any]] | None = None
        self.is_erased = False

    def hear(self, told: Told) -> None:
        if told.payload is None:
            if told.kind == "live.served":
                self.served, self.is_erased = self.served or {}, True
        elif told.kind == "render.completed":
            self.intended = keyed(told.payload["intended"]["tools"], [])
            self.hidden = {(each.get("server"), each["tool"]) for each in told.payload.get("hidden") or ()}
        elif told.kind == "live.served":
            self.served = keyed(told.payload["tools"], list((self.intended or {}).items()))
            self.is_erased = False
        elif told.kind == "descriptors.captured" and told.payload["outcome"] != "partial":
            self.listed[told.payload["server"]] = {each["name"]: each for each in told.payload["tools"]}

    def drift(self) -> dict[str, str]:
        """The tools that drift, with their categories."""
        if self.intended is None or (self.served is None and not self.listed):
            return {}
        keys = {*self.intended, *(self.served or {}), *KEYS}
        judge = self.against_listed if self.served is None else self.against_served
        found = {key: judge(key, self.intended.get(key)) for key in keys}
        return {key: category for key, category in found.items() if category is not None}

    def against_served(self, key: str, wanted: dict[str, Any] | None) -> str | None:
        assert self.served is not None
        actual = self.served.get(key)
        if self.is_erased:
            return None if wanted is None else "unobserved"
        if wanted is None:
            return None if actual is None else "hidden_leak" if self.hides(key) else "extra"
        if actual is None:
            return "missing"
        parts = different(wanted["definition"], actual["definition"])
        parts |= {"name"} if wanted["name"] != actual["name"] else set()
        if "outputSchema" in parts and actual.get("schema_source") in ("prior_override", "generic_wrapper"):
            return "schema_fallback"
        if parts == {"outputSchema"} and wanted.get("locked"):
            return "locked"
        return "definition_differs" if parts else None

    def against_listed(self, key: str, wanted: dict[str, Any] | None) -> str | None:
        actual = self.found(key)
        if wanted is None:
            called = {each for other in (self.intended or {}).values() for each in calls(other)}
            return "extra" if isinstance(actual, dict) and not self.hides(key) and key not in called else None
        if wanted.get("kind") == "aggregate":
            found = [self.found(each) for each in calls(wanted)]
            return "missing" if None in found else "unobserved" if "nobody knows" in found else None
        if actual == "nobody knows":
            return "unobserved"
        if not isinstance(actual, dict):
            return "missing"
        source = wanted.get("source_digest")
        if source is not None:
            agrees = source in (digest(actual), nameless_digest(actual))
        else:
            agrees = different(wanted["definition"], actual) <= {"name"}
        if agrees:
            return None
        is_held = wanted.get("locked") and different(wanted["definition"], actual) - {"name"} == {"outputSchema"}
        return "locked" if is_held else "definition_differs"

    def found(self, key: str) -> dict[str, Any] | str | None:
        server, _, name = key.partition("::")
        return self.listed[server].get(name) if server in self.listed else "nobody knows"

    def hides(self, key: str) -> bool:
        server, _, name = key.partition("::")
        return any(name == tool_ and server in (home, "?") for home, tool_ in self.hidden)


def keyed(entries: list[dict[str, Any]], names: list[tuple[str, dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """Entries by who they are; a mere name is the one intended tool that has it."""
    found: dict[str, dict[str, Any]] = {}
    for each in entries:
        if "server" in each:
            key = f"{each['server']}::{each['tool']}"
        else:
            known = [key for key, other in names if other["name"] == each["name"]]
            key = known[0] if len(known) == 1 else f"?::{each['name']}"
        found.setdefault(key, each)
    return found


def calls(wanted: dict[str, Any]) -> list[str]:
    return [f"{each['server']}::{each['tool']}" for each in wanted.get("operations") or ()]


def different(a: dict[str, Any], b: dict[str, Any]) -> set[str]:
    return {field for field in a.keys() | b.keys() if text(a.get(field)) != text(b.get(field))}


def text(value: object) -> str:
    return json.dumps(value, sort_keys=True)


# Random histories


definitions = st.builds(
    lambda name, like, fields: {**tool(like or name, **fields), "name": name},
    st.sampled_from(TOOLS),
    st.sampled_from((None, None, "like another")),
    st.sampled_from(VARIANTS),
)
some_tools = st.lists(definitions, unique_by=lambda each: str(each["name"]), max_size=3)


@st.composite
def entries(draw: st.DrawFn, *, is_served: bool) -> dict[str, Any]:
    key = draw(st.sampled_from(KEYS))
    name = key.partition("::")[2]
    definition = tool(name, **draw(st.sampled_from(VARIANTS)))
    if is_served:
        found = entry(key, definition=definition)
        shown = draw(st.sampled_from(("as it is", "as it is", "renamed", "by its name", "fallen back")))
        if shown == "by its name":
            return {"name": name, "definition": definition}
        if shown == "fallen back":
            return {**found, "schema_source": "generic_wrapper"}
        return {**found, "name": f"{key[0]}.{name}"} if shown == "renamed" else found
    locked = {"locked": True} if draw(st.booleans()) else {}
    # A locked entry with a source has its definition, so that the naive difference can name the parts.
    if draw(st.booleans()):
        return from_source(key, definition, definition=definition, **locked)
    return entry(key, definition=definition, **locked)


@st.composite
def renders(draw: st.DrawFn) -> Told:
    wanted = draw(st.lists(entries(is_served=False), unique_by=lambda each: (each["server"], each["tool"]), max_size=4))
    if draw(st.booleans()):
        called = draw(st.lists(st.sampled_from(KEYS), min_size=1, max_size=2, unique=True))
        operations = [{"server": each.partition("::")[0], "tool": each.partition("::")[2]} for each in called]
        wanted.append(entry("suite::all", kind="aggregate", operations=operations))
    concealed = draw(st.lists(st.sampled_from(KEYS), max_size=2, unique=True))
    return rendered(*wanted, **({"hidden": hidden(*concealed)} if concealed else {}))


captures = st.builds(
    lambda server, tools, whole, bad: capture(
        server,
        *(each for each in tools if each["name"] != bad),
        outcome="complete" if whole else "partial",
        **({"rejected": [{"name": bad, "reason": "no schema"}]} if bad else {}),
    ),
    st.sampled_from(SERVERS),
    some_tools,
    st.sampled_from((True, True, False)),
    st.sampled_from((None, None, None, *TOOLS)),
)
left_out = st.lists(
    st.fixed_dictionaries(
        {"name": st.sampled_from(TOOLS), "reason": st.sampled_from(("server_down", "hidden", "no word of ours"))},
        optional={"server": st.sampled_from(SERVERS)},
    ),
    max_size=2,
)
servings = st.builds(
    lambda shown, omits: served(*shown, **({"omitted": omits} if omits else {})),
    st.lists(entries(is_served=True), max_size=5),
    left_out,
)
others = st.one_of(
    st.builds(failure, st.sampled_from(SERVERS)),
    st.builds(health, st.sampled_from((*SERVERS, "suite")), st.sampled_from(("up", "down", "disabled", "degraded"))),
    st.builds(lambda who: event("drift.waived", subject=who), st.sampled_from((*KEYS, "all"))),
)
listing_facts = st.one_of(renders(), captures, captures, captures, others)
serving_facts = st.one_of(renders(), captures, servings, servings, servings, servings.map(erased), others, others)
# Without a render first, most of a history would be about nothing.
listing_histories = st.tuples(renders(), st.lists(listing_facts, min_size=4, max_size=12)).map(
    lambda both: [both[0], *both[1]]
)
serving_histories = st.tuples(renders(), st.lists(serving_facts, min_size=4, max_size=12)).map(
    lambda both: [both[0], *both[1]]
)
histories = st.one_of(
    listing_histories,
    serving_histories,
    st.lists(st.one_of(listing_facts, serving_facts), max_size=6),
)
repetitions = st.lists(st.booleans(), min_size=13, max_size=13)


def told_again(history: list[Told], repeats: list[bool]) -> list[Told]:
    """The history with some events twice in a row, as observers repeat themselves."""
    return [each for told, twice in zip(history, repeats, strict=False) for each in ([told, told] if twice else [told])]


@settings(max_examples=150)
@for_all(histories, repetitions)
def test_after_every_event_the_open_entries_are_those_of_a_naive_difference(history, repeats):
    story, reality, opened = given(), Reality(), {}
    for told in told_again(history, repeats):
        story = story.when(told)
        reality.hear(told)
        expected = reality.drift()
        assert open_entries(story) == expected
        opened = {key: opened.get(key, story.seq) for key in expected}
        assert {key: story.rows[key]["opened"] for key in expected} == opened
        check_rows(story)


def check_rows(story: Story) -> None:
    """The indexes hold just the open entries, and every reason has an event."""
    found = open_entries(story)
    keys = [key for name, row in story.rows.items() if name.startswith("@open/") for key in row["keys"]]
    assert sorted(keys) == sorted(found)
    assert sorted(story.rows.get("@open", {"servers": []})["servers"]) == sorted({key.split("::")[0] for key in keys})
    for key in found:
        row = story.rows[key]
        assert row["reason_seq"] is not None
        assert row["opened"] <= row["since"] <= story.seq
        assert row["reason_seq"] <= story.seq
    for key in story.rows.get("@awaited", {"keys": []})["keys"]:
        assert key in found


@settings(max_examples=150)
@for_all(histories, repetitions)
def test_after_every_event_each_reason_is_what_looking_at_everything_would_say(history, repeats):
    """The fold looks only at what an event may have changed; this looks at every open entry each time."""
    story = given()
    for told in told_again(history, repeats):
        story = story.when(told)
        scene = Scene(story.events[-1], story.states, story.documents.__getitem__, Memory(story.rows))
        for key in open_entries(story):
            row = story.rows[key]
            found = difference(scene, key, row)
            assert found is not None
            assert (found.category, found.parts) == (row["category"], row["parts"])
            assert reason(scene, key, found).name == row["reason"]


@settings(max_examples=60)
@for_all(histories)
def test_the_rows_after_each_prefix_are_the_fold_of_that_prefix(history):
    story = given()
    for told in history:
        story = story.when(told)
        folded = fold_all(story.folds, story.events, story.documents.__getitem__)
        assert folded["drift"] == story.rows


@settings(max_examples=60)
@for_all(histories, st.lists(others, min_size=1, max_size=4))
def test_failures_and_health_change_reasons_only(history, more):
    before = given(*history)
    after = before.on(*more)
    assert open_entries(after) == open_entries(before)
    assert basis(after) == basis(before)
    kept = ("opened", "opened_us", "category", "parts", "intended", "actual")
    for key in open_entries(before):
        assert [after.rows[key][field] for field in kept] == [before.rows[key][field] for field in kept]


@settings(max_examples=60)
@for_all(serving_histories, servings)
def test_a_serving_that_is_repeated_opens_and_closes_nothing(history, told):
    once = given(*history).when(told)
    assert open_entries(once.twice()) == open_entries(once)
    once.twice().twice().then_nothing()


# Real histories, where they are at hand


HISTORIES = sorted((Path(__file__).resolve().parents[4] / "shared" / "data" / "realmcp").glob("*.jsonl"))


@pytest.mark.parametrize("history", HISTORIES, ids=lambda path: path.stem)
def test_a_real_server_drifts_from_its_first_version_where_the_sets_differ(history: Path) -> None:
    versions = [json.loads(line)["captured"]["tools"] for line in history.read_text("utf-8").splitlines()]
    wanted = {each["name"]: each for each in versions[0]}
    entries = [entry(f"s::{name}", definition=definition) for name, definition in wanted.items()]
    story = given(rendered(*entries))
    for tools in versions:
        story = story.when(capture("s", *tools))
        found = {each["name"]: each for each in tools}
        names = [name for name in wanted.keys() | found.keys() if text(wanted.get(name)) != text(found.get(name))]
        assert sorted(open_entries(story)) == sorted(f"s::{name}" for name in names)
