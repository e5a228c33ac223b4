"""Wrong versions of the four views, each of which the tests named here must notice.

A mutant is one fragment of a module's source, which stands there exactly once, and what it becomes.
"""

from __future__ import annotations

from tests.unit.projections.mutant import Mutant

TESTS = tuple(
    f"tests/unit/projections/test_{view}.py" for view in ("descriptors", "servers", "coverage", "intended", "live")
)

DESCRIPTORS = "ledger/projections/descriptors.py"
RENAMES = "ledger/projections/renames.py"
LISTS = "ledger/projections/whole_lists.py"
ENTRIES = "ledger/projections/entries.py"
SERVERS = "ledger/projections/servers.py"
COVERAGE = "ledger/projections/coverage.py"
INTENDED = "ledger/projections/intended.py"
LIVE = "ledger/projections/live.py"


MUTANTS = (
    Mutant(
        "treat a failed capture as an empty listing",
        DESCRIPTORS,
        "    return marked\n",
        """    return marked


_fold_listing = fold
KINDS |= {"capture.failed"}


def fold(state, event, views, documents):
    if event.kind == "capture.failed" and event.payload is not None:
        as_empty = {"server": event.payload["server"], "outcome": "empty", "tools": None}
        event = event._replace(payload=as_empty)
    return _fold_listing(state, event, views, documents)
""",
    ),
    Mutant(
        "let a partial listing remove",
        DESCRIPTORS,
        'listing = _added if payload["outcome"] == "partial" else _replaced',
        "listing = _replaced",
    ),
    Mutant("skip listings", DESCRIPTORS, 'frozenset({"descriptors.captured"})', "frozenset()"),
    Mutant(
        "let an empty listing say nothing",
        DESCRIPTORS,
        "return whole((), str, listed_keys)",
        "return whole((), str, tuple)",
    ),
    Mutant(
        "forget the rows of tools that are gone",
        DESCRIPTORS,
        "changes |= {key: _gone(state[key], seq) for key in replacement.absent}",
        "changes |= dict.fromkeys(replacement.absent)",
    ),
    Mutant(
        "forget when a tool was first seen",
        DESCRIPTORS,
        '"first": row["first"]}',
        '"first": seq}',
    ),
    Mutant(
        "renew the age of a definition that came back",
        DESCRIPTORS,
        'row["since"] if is_same else seq',
        "seq",
    ),
    Mutant("forget that a tool came back", DESCRIPTORS, 'listed["back"] = seq', "pass"),
    Mutant(
        "believe that a partial listing was the complete one",
        DESCRIPTORS,
        'known["exact"] and not changes,',
        'known["exact"],',
    ),
    Mutant(
        "see a rename where a tool is only unusable",
        DESCRIPTORS,
        "for key in absent if key not in unusable}",
        "for key in absent}",
    ),
    Mutant(
        "remove the tools of servers whose names begin alike",
        DESCRIPTORS,
        "key.startswith(prefix) and",
        'key.startswith(prefix.removesuffix("::")) and',
    ),
    Mutant(
        "take the first of several candidates for a rename",
        RENAMES,
        "if len(old) == 1 and len(new_keys.get(value, ())) == 1",
        "if value in new_keys",
    ),
    Mutant(
        "tell renames only by definitions that are equal to the letter",
        RENAMES,
        '_unique("semantic", gone, new) | _unique("nameless", gone, new)',
        '_unique("nameless", gone, new)',
    ),
    Mutant(
        "let the meaning decide before equality",
        RENAMES,
        '_unique("semantic", gone, new) | _unique("nameless", gone, new)',
        '_unique("semantic", gone, new)',
    ),
    Mutant(
        "remove what may stand in an erased part",
        LISTS,
        "absent = [] if erased else sorted(set(standing()) - present.keys())",
        "absent = sorted(set(standing()) - present.keys())",
    ),
    Mutant(
        "compare with a list that was not read whole",
        LISTS,
        "return Replacement(present, absent, exact and not erased, erased)",
        "return Replacement(present, absent, exact, erased)",
    ),
    Mutant(
        "overlook that a name stands twice",
        LISTS,
        "    if named_twice:\n        return None\n",
        "",
    ),
    Mutant("let the last of two items hold", LISTS, "present.setdefault(key, item)", "present[key] = item"),
    Mutant("return rows that did not change", LISTS, "        if row != before:\n    ", "        if True:\n    "),
    Mutant(
        "depend on the order of a row's keys",
        ENTRIES,
        'before == {**entry, "since": before["since"]}',
        'list(before.items()) == list({**entry, "since": before["since"]}.items())',
    ),
    Mutant(
        "take one of several tools that share a name",
        ENTRIES,
        'None if row["name"] in self._rows else row',
        "row",
    ),
    Mutant(
        "use the clock",
        SERVERS,
        'captured["last_complete"] = {"seq": event.seq, "recorded_us": event.recorded_us}',
        'captured["last_complete"] = {"seq": event.seq, "recorded_us": __import__("time").time_ns() // 1000}',
    ),
    Mutant(
        "take a partial listing for a complete observation",
        SERVERS,
        'if payload["outcome"] != "partial":',
        'if payload["outcome"]:',
    ),
    Mutant("count failures for ever", SERVERS, '"failures": 0,\n        "captures": row', '"captures": row'),
    Mutant("count every judgement as a flap", SERVERS, 'row["flaps"] + has_fallen', 'row["flaps"] + 1'),
    Mutant("skip failures", SERVERS, '    "capture.failed": _failed,\n', ""),
    Mutant(
        "change the rows that were given",
        SERVERS,
        'failed = {**row, **coverage, "failures": row["failures"] + 1, "last_failure": failure}',
        'row |= {**coverage, "failures": row["failures"] + 1, "last_failure": failure}; failed = row',
    ),
    Mutant("cover once the interval", COVERAGE, 'now + 2 * promise["interval_us"]', 'now + promise["interval_us"]'),
    Mutant(
        "let everybody keep the promise of one observer",
        COVERAGE,
        "session = _promises(state, event.actor).get(key)",
        'session = (row["watched"] or {}).get("session")',
    ),
    Mutant(
        "cover beyond the end of a session",
        COVERAGE,
        "ended = None if until is None else min(until, now)",
        "ended = until",
    ),
    Mutant(
        "write no gap when an observation is late",
        COVERAGE,
        '        gaps[_gap_key(key, fields["gap"])] = gap\n',
        "        del gap\n",
    ),
    Mutant(
        "let a one-shot capture end what was covered",
        COVERAGE,
        "until if until_before is None else max(until, until_before)",
        "until",
    ),
    Mutant(
        "give a gap that was told the reason of silence",
        COVERAGE,
        '"reason": payload.get("reason") or "unknown"',
        '"reason": "late"',
    ),
    Mutant(
        "let a refused render empty the catalog",
        INTENDED,
        """    if event.kind == "render.refused":
        return {""",
        """    if event.kind == "render.refused":
        return dict.fromkeys(state) | {""",
    ),
    Mutant(
        "forget that a render was refused",
        INTENDED,
        'KINDS = frozenset({"render.completed", "render.refused"})',
        'KINDS = frozenset({"render.completed"})',
    ),
    Mutant(
        "keep tools hidden for ever",
        INTENDED,
        'return replaced_by_none(last["hidden"], standing)',
        "return replaced_by_none(None, standing)",
    ),
    Mutant(
        "take a listing for a serving",
        LIVE,
        """KINDS = frozenset({"live.served"})""",
        """KINDS = frozenset({"live.served", "descriptors.captured"})""",
    ),
    Mutant(
        "compare a serving with the first one",
        LIVE,
        '"list": payload["tools"],',
        '"list": last["list"] or payload["tools"],',
    ),
    Mutant(
        "never look for a name again",
        LIVE,
        'names_hold = last.get("names_of", render) == render',
        "names_hold = True",
    ),
    Mutant(
        "keep what is no longer left out",
        LIVE,
        'replaced_by_none(last["omitted"], standing_under("omitted/", state))',
        'replaced_by_none(None, standing_under("omitted/", state))',
    ),
    Mutant(
        "count what was removed as changed",
        LIVE,
        '"changed": len(entries) - added - removed,',
        '"changed": len(entries) - added,',
    ),
)
