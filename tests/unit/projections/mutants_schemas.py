"""Wrong versions of schema adoption, each of which the tests named here must notice.

A mutant is one fragment of a module's source, which stands there exactly once, and what it becomes.
"""

from __future__ import annotations

from tests.unit.projections.mutant import Mutant

TESTS = tuple(f"tests/unit/projections/test_schemas_{part}.py" for part in ("table", "stories", "properties"))

_ADOPTION = "ledger/projections/adoption.py"
_SCHEMAS = "ledger/projections/schemas.py"
_SIGHTS = "ledger/projections/sights.py"
_NAMES = "ledger/projections/schema_names.py"


MUTANTS = (
    Mutant("validations are skipped", _SCHEMAS, 'case "schema.validated":', 'case "schema.checked":'),
    Mutant("fallbacks are skipped", _SCHEMAS, 'case "fallback.engaged":', 'case "fallback.taken":'),
    Mutant("renders are skipped", _SCHEMAS, 'case "render.completed":', 'case "render.finished":'),
    Mutant("a pass forgets to end the failures", _ADOPTION, '"bad": 0,\n        "promotable"', '"promotable"'),
    Mutant("a failure forgets to end the passes", _ADOPTION, '"ok": 0,\n        "bad": bad', '"bad": bad'),
    Mutant("the failure streak is forgotten", _ADOPTION, 'bad = row["bad"] + 1', "bad = 1"),
    Mutant(
        "a fallback counts as a failure",
        _ADOPTION,
        'return {**row, "last_fallback"',
        'return {**row, "bad": row["bad"] + 1, "last_fallback"',
    ),
    Mutant(
        "a pass promotes outside a render",
        _ADOPTION,
        '"promotable": earned,\n        "escalated": row["escalated"] and not earned,\n        "evidence"',
        '"promotable": earned,\n        "promoted": row["hash"] if earned else row["promoted"],'
        '\n        "escalated": row["escalated"] and not earned,\n        "evidence"',
    ),
    Mutant(
        "a render promotes without citing",
        _SIGHTS,
        "render.locks(shown.key, shown.entry), cited)",
        "render.locks(shown.key, shown.entry), cited or ())",
    ),
    Mutant(
        "a citation is believed without passes",
        _ADOPTION,
        'if sight.cited is None or not row["promotable"]:',
        "if sight.cited is None:",
    ),
    Mutant(
        "any citation of the tool will do",
        _SIGHTS,
        "citation is None or _named",
        "citation is None or False and _named",
    ),
    Mutant(
        "the cited evidence is dropped",
        _ADOPTION,
        'list(sight.cited)[-limits.success :] or row["evidence"]',
        "[]",
    ),
    Mutant(
        "thresholds in settings are ignored",
        _SIGHTS,
        '_thresholds(payload.get("settings") or {})',
        "_thresholds({})",
    ),
    Mutant(
        "thresholds stay the defaults",
        _SCHEMAS,
        "limits = state.get(SETTINGS, _BEFORE_ANY_RENDER)",
        "limits = _BEFORE_ANY_RENDER",
    ),
    Mutant("the threshold must be passed, not reached", _ADOPTION, "earned = ok >= success", "earned = ok > success"),
    Mutant("one failure too many escalates", _ADOPTION, "or bad >= failure", "or bad > failure"),
    Mutant(
        "a new threshold waits for the next validation",
        _SCHEMAS,
        "if is_tuned or not _is_settled",
        "if not _is_settled",
    ),
    Mutant(
        "one pass ends an escalation",
        _ADOPTION,
        '"escalated": row["escalated"] and not earned,\n        "evidence"',
        '"escalated": False,\n        "evidence"',
    ),
    Mutant("a repeated render resets the streak", _ADOPTION, 'if row["hash"] != sight.hash:', "if True:"),
    Mutant("kept passes are lost", _ADOPTION, '"ok": row["ok"] + waiting["ok"]', '"ok": row["ok"]'),
    Mutant(
        "a failure does not end kept passes",
        _ADOPTION,
        'return {**row, "waiting": None} if known else row',
        "return row",
    ),
    Mutant(
        "passes before the capture count",
        _SCHEMAS,
        'captured["output"] == schema or not is_digest(schema)',
        "True",
    ),
    Mutant(
        "passes outlive the render that dropped them",
        _ADOPTION,
        '"waiting": None, "in_render": True}\n\n\ndef _promoted',
        '"in_render": True}\n\n\ndef _promoted',
    ),
    Mutant("going back is pending", _ADOPTION, "VALIDATED if returned else PENDING", "PENDING"),
    Mutant(
        "a schema that is gone takes the promoted one along",
        _ADOPTION,
        '"state": UNTYPED, "hash": None, "in_render": True',
        '"state": UNTYPED, "hash": None, "promoted": None, "in_render": True',
    ),
    Mutant(
        "an untyped tool is pending", _ADOPTION, "if sight.hash is None:", "if sight.hash is None and row is not None:"
    ),
    Mutant(
        "a first schema is not on probation",
        _ADOPTION,
        '"promoted": row["promoted"] or schema',
        '"promoted": row["promoted"]',
    ),
    Mutant(
        "a stable tool is forgotten when it is quiet",
        _ADOPTION,
        'return {**row, "stable": stable,',
        'return {**row, "hash": None if stable >= limits.quiet else row["hash"], "stable": stable,',
    ),
    Mutant(
        "counting goes on when a tool is quiet",
        _ADOPTION,
        'row["stable"] if row["stable"] >= limits.quiet else row["stable"] + 1',
        'row["stable"] + 1',
    ),
    Mutant("a lock is not looked at", _SIGHTS, "render.locks(shown.key, shown.entry)", "False"),
    Mutant("a listed lock is not looked at", _SIGHTS, "return bool(self.locked) and", "return False and"),
    Mutant("a validation moves a locked streak", _SCHEMAS, 'or row["state"] not in ON_TRIAL:', "or False:"),
    Mutant(
        "a lock leaves an escalation standing",
        _ADOPTION,
        '"hash": sight.hash,\n        "escalated": False,',
        '"hash": sight.hash,',
    ),
    Mutant(
        "a lock that is gone keeps the streak",
        _ADOPTION,
        'if row is None or row["state"] == LOCKED:',
        "if row is None:",
    ),
    Mutant(
        "a tool that is left out stays in the render",
        _ADOPTION,
        '"in_render": False}\n\n\ndef under',
        '"in_render": row["in_render"]}\n\n\ndef under',
    ),
    Mutant("a tool that is left out is forgotten", _SCHEMAS, "rows |= _not_shown(state, entries, render.limits)", ""),
    Mutant("what is erased is taken for absent", _SCHEMAS, "if entries.erased:", "if False:"),
    Mutant(
        "a tool is known by its bare name",
        _SCHEMAS,
        'key = f"{server}::{tool}"\n    row',
        'key = next((each for each in state if each.endswith(f"::{tool}")), f"{server}::{tool}")\n    row',
    ),
    Mutant("aliases are not learned from what is served", _SCHEMAS, "for entry in items:", "for entry in ():"),
    Mutant("aliases are not resolved", _NAMES, "return Aliases(state).of(key).get(wanted, wanted)", "return wanted"),
    Mutant("the error of a failure is dropped", _ADOPTION, '"last_error": {"pointer"', '"last_errors": {"pointer"'),
)
