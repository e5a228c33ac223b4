"""The intended catalog: layers over real descriptors, aggregates expanded, hidden tools left out.

1. expand the aggregates
2. draft an entry for every captured tool and every aggregate that no layer hides
3. give each its name
4. give each its output schema: the first at once, a later one only when it is earned, a locked one never
5. check the result by the rules
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ledger.catalog.adoption import Adopted, AdoptionRow, adopt
from ledger.catalog.aggregate import Expansion, expand
from ledger.catalog.definitions import (
    exposed_name,
    from_layers,
    overridden,
    with_name,
    with_output_schema,
)
from ledger.catalog.entry import Captured, Entry, Listing
from ledger.catalog.layer import Origin
from ledger.catalog.naming import Wish, exposed_names
from ledger.catalog.problems import Problem, RuleId, in_order
from ledger.catalog.rendered import Lock, Promotion, Rendered, Settings
from ledger.catalog.rules import Outcome, verify
from ledger.catalog.sayings import Hiding, Said

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ledger.canon.jsontext import Json
    from ledger.catalog.layers import Layers
    from ledger.catalog.statement import Identity


@dataclass(frozen=True, slots=True)
class _Draft:
    """An entry before it has its name and its output schema."""

    identity: Identity
    definition: Mapping[str, Json]
    said: Said
    source_digest: str | None = None
    expansion: Expansion | None = None

    @property
    def is_stated(self) -> bool:
        """Whether a layer, and not a server, says what the output schema is."""
        return self.source_digest is None or "outputSchema" in self.said.fields.value


def render(
    layers: Layers,
    descriptors: Sequence[Listing],
    adoption: Mapping[Identity, AdoptionRow],
    settings: Settings,
) -> Rendered:
    """What clients should see. Pure: the same inputs give the same result, byte for byte.

    `descriptors` are in configuration order, which decides who keeps a name that several servers use. A
    render with `invalid_input` is for reading only: it leaves out what it could not understand.
    """
    captured = Captured(descriptors)
    expansions = {one.identity: expand(one, layers.defaults, captured) for one in layers.aggregations}
    heard = _heard(layers, captured, expansions, settings)
    hidden = tuple(said.hiding for said in heard.values() if said.hiding is not None)
    drafts = list(_drafts(heard, captured, expansions, settings))
    names = exposed_names(
        (Wish(one.identity, exposed_name(one.identity.tool, one.said.fields.value)) for one in drafts),
        captured.servers,
    )
    adopted = {one.identity: _adopted(one, adoption, settings) for one in drafts}
    intended = tuple(_entry(one, names.of[one.identity], adopted[one.identity]) for one in drafts)
    outcome = Outcome(intended, hidden, captured, expansions)
    told = (*_told_of_schemas(drafts, adopted), *_told_of_strangers(layers, heard, drafts))
    return Rendered(
        inputs=layers.inputs,
        settings=settings,
        descriptor_source="overrides" if any(_is_undescribed(one) for one in intended) else "live",
        intended=intended,
        hidden=hidden,
        promoted=tuple(_promotions(adopted)),
        locked=tuple(_lock(one) for one in drafts if one.said.is_locked),
        problems=in_order((*layers.problems, *names.problems, *told, *verify(outcome))),
        aggregates={entry.name: expansions[entry.identity].compiled for entry in intended if entry.kind == "aggregate"},
    )


def _heard(
    layers: Layers, captured: Captured, expansions: Mapping[Identity, Expansion], settings: Settings
) -> dict[Identity, Said]:
    """What is said about every tool that is captured, aggregated, or spoken of, in order of identity."""
    listed = (identity for identity, _ in captured.items())
    everyone = sorted({*listed, *expansions, *layers.sayings.named_tools()})
    return {identity: _unless_off(identity, layers.said_about(identity), settings) for identity in everyone}


def _unless_off(identity: Identity, said: Said, settings: Settings) -> Said:
    if identity.server not in settings.hidden_servers:
        return said
    switched_off = Hiding(identity, "server_disabled: by a setting", Origin("settings", "hidden_servers"))
    return Said(said.fields, switched_off)


def _drafts(
    heard: Mapping[Identity, Said],
    captured: Captured,
    expansions: Mapping[Identity, Expansion],
    settings: Settings,
) -> Iterator[_Draft]:
    for identity, said in heard.items():
        if said.hiding is not None:
            continue
        fields = said.fields.value
        tool = captured.get(identity)
        if identity in expansions:
            if expansions[identity].operations:
                yield _Draft(identity, from_layers(identity.tool, fields), said, None, expansions[identity])
        elif tool is not None:
            yield _Draft(identity, overridden(tool.definition, fields), said, tool.digest)
        elif settings.from_overrides and identity.server in captured.never_listed:
            yield _Draft(identity, from_layers(identity.tool, fields), said)


def _adopted(draft: _Draft, adoption: Mapping[Identity, AdoptionRow], settings: Settings) -> Adopted:
    return adopt(
        draft.definition.get("outputSchema"),
        adoption.get(draft.identity),
        is_locked=draft.said.is_locked,
        is_stated=draft.is_stated,
        success_threshold=settings.success_threshold,
    )


def _entry(draft: _Draft, name: str, adopted: Adopted) -> Entry:
    return Entry(
        name=name,
        identity=draft.identity,
        definition=with_name(with_output_schema(draft.definition, adopted.schema), name),
        kind="aggregate" if draft.expansion else "tool",
        source_digest=draft.source_digest,
        operations=draft.expansion.operations if draft.expansion else (),
        locked=draft.said.is_locked,
    )


def _is_undescribed(entry: Entry) -> bool:
    return entry.kind == "tool" and entry.source_digest is None


def _promotions(adopted: Mapping[Identity, Adopted]) -> Iterator[Promotion]:
    for identity, one in adopted.items():
        if one.promoted is not None:
            yield Promotion(identity, one.promoted, one.evidence)


def _lock(draft: _Draft) -> Lock:
    return Lock(draft.identity, draft.said.fields.origin_of("/lockSchema"))


def _told_of_schemas(drafts: Sequence[_Draft], adopted: Mapping[Identity, Adopted]) -> Iterator[Problem]:
    for draft in drafts:
        one, subject = adopted[draft.identity], str(draft.identity)
        if one.withheld is not None:
            why = "its schema is locked" if draft.said.is_locked else "it waits for enough passes"
            reason = f"a newer output schema, {one.withheld}, is not shown: {why}"
            yield Problem(RuleId.SCHEMA_WITHHELD, subject, reason, "notice")
        if one.lost:
            reason = "the promoted output schema is no longer known; the captured one is shown"
            yield Problem(RuleId.SCHEMA_LOST, subject, reason, "warning")


def _told_of_strangers(layers: Layers, heard: Mapping[Identity, Said], drafts: Sequence[_Draft]) -> Iterator[Problem]:
    """Overrides of tools that nobody lists: a typing error, or a server that is not configured here."""
    shown = {draft.identity for draft in drafts}
    for identity in layers.sayings.named_tools():
        if identity not in shown and heard[identity].hiding is None:
            reason = "a layer speaks of this tool, and no server lists it"
            yield Problem(RuleId.UNKNOWN_TOOL, str(identity), reason, "notice")
