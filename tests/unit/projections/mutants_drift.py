"""Wrong versions of drift, each of which the tests named here must notice.

A mutant is one fragment of a module's source, which stands there exactly once, and what it becomes.
"""

from __future__ import annotations

from tests.unit.projections.mutant import Mutant

TESTS = tuple(
    f"tests/unit/projections/test_drift_{part}.py"
    for part in ("entries", "listed", "reasons", "gateway", "erasure", "waivers", "laws")
)

_DRIFT = "ledger/projections/drift.py"
_TOUCHED = "ledger/projections/touched.py"
_COMPARISON = "ledger/projections/comparison.py"
_SCENE = "ledger/projections/scene.py"
_ABSENCE = "ledger/projections/absence.py"
_CAUSES = "ledger/projections/causes.py"
_REASONS = "ledger/projections/reasons.py"
_EPISODES = "ledger/projections/episodes.py"
_MEMORY = "ledger/projections/memory.py"
_WAIVERS = "ledger/projections/waivers.py"


MUTANTS = (
    # What is compared, and with what
    Mutant(
        "the basis goes back to what is listed",
        _TOUCHED,
        "if not is_partial and scene.basis == NONE:",
        "if not is_partial:",
    ),
    Mutant("a partial listing makes a basis", _TOUCHED, "if not is_partial and scene.basis", "if scene.basis"),
    Mutant(
        "what a partial listing adds counts as listed whole",
        _SCENE,
        'self._completely_listed(known["listing"]).get(tool_of(key)) if row.get("partial") else row',
        "row",
    ),
    Mutant(
        "a server nobody listed has no tools",
        _SCENE,
        'if known["listing"] is None or known["unreadable"]:\n            return UNKNOWN',
        'if known["listing"] is None or known["unreadable"]:\n            return None',
    ),
    Mutant(
        "failed is empty",
        _TOUCHED,
        "{**scene.memory.server(server), **said})",
        '{**scene.memory.server(server), **said, "listing": None})',
    ),
    Mutant(
        "the exposed name is not compared",
        _COMPARISON,
        ' and wanted["name"] == actual["name"]:',
        ":",
    ),
    Mutant(
        "only the schemas are compared",
        _COMPARISON,
        'if wanted["definition"] == actual["definition"] and',
        'if wanted.get("input") == actual.get("input") and',
    ),
    Mutant(
        "the overridden text is compared with the listing",
        _COMPARISON,
        "    if is_digest(source):",
        "    if not source:",
    ),
    Mutant(
        "an aggregate agrees when one tool is listed",
        _COMPARISON,
        "    if absent:",
        "    if len(absent) == len(found):",
    ),
    Mutant(
        "a tool that an aggregate calls is extra",
        _COMPARISON,
        " or scene.memory.callers(server_of(key), tool_of(key)):",
        ":",
    ),
    Mutant(
        "a hidden tool may be served",
        _COMPARISON,
        "if actual is None or scene.is_unreadable:",
        "if actual is None or scene.is_unreadable or scene.hidden(key):",
    ),
    Mutant("a hidden tool must not be listed", _COMPARISON, " or scene.hidden(key) or", " or"),
    Mutant("any lock excuses everything", _COMPARISON, "if parts == [OUTPUT] and (", "if ("),
    Mutant("a fallback excuses everything", _COMPARISON, "if OUTPUT in parts and actual", "if actual"),
    Mutant(
        "an erased serving is an empty one",
        _COMPARISON,
        '    if scene.is_unreadable:\n        return _lacking("unobserved", wanted)\n',
        "",
    ),
    Mutant(
        "the parts of the first comparison stay",
        _COMPARISON,
        'compared = ("intended", "actual", "name", "actual_name", "source")',
        "compared = ()",
    ),
    # When
    Mutant("an unchanged listing is looked at again", _DRIFT, 'and newest["seq"] != event.seq', "and False"),
    Mutant("a listing is taken for a repetition", _DRIFT, ' and newest["seq"] != event.seq', ""),
    Mutant("tools that a serving lost are not looked at", _TOUCHED, "    return [*left, *come]", "    return [*come]"),
    Mutant(
        "tools that a listing lost are not looked at",
        _TOUCHED,
        "items: list[Item] = [*gone, *come]",
        "items: list[Item] = [*come]",
    ),
    Mutant(
        "a hidden tool that changes is not looked at",
        _TOUCHED,
        "_wherever(scene, called | concealed)",
        "_wherever(scene, called)",
    ),
    Mutant("names are not understood anew", _TOUCHED, ' or before["names_of"] != served["names_of"]:', ":"),
    Mutant(
        "callers of a changed tool are not looked at",
        _TOUCHED,
        "for item in items}.union(callers)",
        "for item in items}",
    ),
    Mutant("a repeated serving ends no waiting", _TOUCHED, "return set(memory.awaited())", "return set()"),
    Mutant("a render changes no reason", _TOUCHED, "        return set(memory.open_keys())", "        return set()"),
    Mutant("health changes no reason", _TOUCHED, "return {*scene.memory.open_of(server), *(", "return {*("),
    Mutant("a server's callers keep their reason", _TOUCHED, "if callers else ())}", "if not callers else ())}"),
    Mutant(
        "what was left out is not read again",
        _TOUCHED,
        '(row["category"] == "missing" or "name" in row["parts"])',
        '"name" in row["parts"]',
    ),
    Mutant(
        "who has the name is not looked at again",
        _TOUCHED,
        '(row["category"] == "missing" or "name" in row["parts"])',
        'row["category"] == "missing"',
    ),
    # Reasons
    Mutant("a failure forgets to end with a listing", _TOUCHED, '"failing": None, "capture": now}', '"capture": now}'),
    Mutant(
        "every failure is a new proof",
        _DRIFT,
        'NEVER_HEARD_OF)["failing"] is not None',
        'NEVER_HEARD_OF)["failing"] is None',
    ),
    Mutant("disabled is down", _CAUSES, '"disabled": "server_disabled"', '"disabled": "server_down"'),
    Mutant(
        "the older fact wins",
        _ABSENCE,
        "return lack if (lack.mark.seq or 0) > (state.mark.seq or 0) else state",
        "return state",
    ),
    Mutant("what was said stands for ever", _ABSENCE, "    if newer is not None:\n        return newer\n", ""),
    Mutant("recovery is not noticed", _ABSENCE, "return said if sign is None else", "return said if True else"),
    Mutant("silence proves absence", _ABSENCE, 'return Reason("never_captured")', 'return Reason("not_listed")'),
    Mutant(
        "a tool of the same name has moved",
        _CAUSES,
        "for other, row in rows if _is_same(gone, row) and appeared(row) > appeared(gone)",
        "for other, row in rows",
    ),
    Mutant(
        "one of several has moved",
        _CAUSES,
        "    if len(found) != 1:\n        return None\n    other, row = found[0]\n    proof = scene.mark(gone",
        "    if not found:\n        return None\n    other, row = found[0]\n    proof = scene.mark(gone",
    ),
    Mutant("a rejected definition is not listed", _ABSENCE, "_rejected(scene, key) or _not_listed", "_not_listed"),
    Mutant("a reason keeps no proof", _EPISODES, "told |= proof if is_proved else {}", "told |= {}"),
    Mutant("a gateway may waive", _CAUSES, 'frozenset(REASONS) - {"waived"}', "frozenset(REASONS)"),
    Mutant("probation is pending adoption", _REASONS, ' and adoption["hash"] != adoption["promoted"]', ""),
    Mutant(
        "a leak is always an override",
        _REASONS,
        'reason_word(row["reason"]) or "hidden_by_override"',
        '"hidden_by_override"',
    ),
    Mutant(
        "a render that changed nothing is not noticed",
        _REASONS,
        "if appeared(listed) > scene.render_seq:",
        'if appeared(listed) > rendered["seq"]:',
    ),
    # Entries
    Mutant(
        "an entry opens anew with each reason",
        _EPISODES,
        'row = {**before, **told, "since"',
        'row = {**before, **told, "opened": scene.event.seq, "since"',
    ),
    Mutant(
        "a reason is as old as its entry",
        _EPISODES,
        'before["since"] if is_same else scene.event.seq}',
        'before["since"]}',
    ),
    Mutant(
        "closing forgets the entry",
        _DRIFT,
        "return before if standing is None else closed(scene, standing)",
        "return before if standing is None else None",
    ),
    Mutant("closed entries stay in the index", _MEMORY, ".difference(left.get(server, ()))", ""),
    Mutant("the closing observation counts", _EPISODES, ' - _is_observation(scene, before["observer"]),', ","),
    Mutant("another server's listing counts", _EPISODES, ''' and observer == f"server/{payload['server']}"''', ""),
    Mutant(
        "a switch of the basis starts the count again",
        _EPISODES,
        "seen = observations(before, scene.servers) + ",
        "seen = 0 + ",
    ),
    # Waivers
    Mutant("a waiver holds in its last moment", _WAIVERS, 'at_us < row["until_us"]', 'at_us <= row["until_us"]'),
    Mutant(
        "a waiver without an end never held",
        _WAIVERS,
        'row["until_us"] is None or at_us <',
        'row["until_us"] is not None and at_us <',
    ),
    Mutant(
        "the widest waiver is told",
        _WAIVERS,
        '(key, entry.get("name"), server_of(key), EVERYTHING)',
        '(EVERYTHING, server_of(key), entry.get("name"), key)',
    ),
)
