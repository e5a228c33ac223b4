"""An aggregate ready to be called: the operation is chosen, its arguments and its answer are mapped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ledger.catalog.mapping import NOTHING, Flaw, Path, Rule, carry_out, compile_rules, dotted, read
from ledger.catalog.problems import Place
from ledger.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ledger.canon.jsontext import Json


@dataclass(frozen=True, slots=True)
class CompiledOperation:
    """One operation. Without argument rules the arguments pass through, all but the selector."""

    value: str
    server: str | None
    tool: str
    selector_field: str
    arguments: tuple[Rule, ...] | None = None
    response: tuple[Rule, ...] = ()
    require_any_of: tuple[tuple[Path, ...], ...] = ()
    timeout_seconds: float | None = None
    calls_downstream: bool = True


@dataclass(frozen=True, slots=True)
class CompiledAggregate:
    """The operations of one aggregate by every name that selects them; the first keeps a name."""

    selector_field: str
    case_insensitive: bool
    operations: Mapping[str, CompiledOperation]

    def key(self, selected: str) -> str:
        return selected.casefold() if self.case_insensitive else selected


def compile_aggregate(
    operations: Sequence[Mapping[str, Json]], places: Sequence[Place] = ()
) -> tuple[CompiledAggregate, tuple[Flaw, ...]]:
    """Compile the operations of an aggregate's entry, as `render.completed` carries them.

    `places` says where each was written; without it a flaw is placed in the list of operations itself.
    """
    field, case_insensitive = _selector(operations)
    compiled = CompiledAggregate(field, case_insensitive, {})
    by_key: dict[str, CompiledOperation] = {}
    flaws: list[Flaw] = []
    for index, written in enumerate(operations):
        place = places[index] if places else Place("operations").at(index)
        operation, found = _operation(written, field, place)
        flaws.extend(found)
        for name in selecting_names(written):
            by_key.setdefault(compiled.key(name), operation)
    return CompiledAggregate(field, case_insensitive, by_key), tuple(flaws)


def choose(aggregate: CompiledAggregate, arguments: Mapping[str, Json]) -> CompiledOperation:
    """The operation that the selector names, by its value or an alias; BadInput if it names none."""
    selected = arguments.get(aggregate.selector_field)
    if not isinstance(selected, str):
        raise BadInput("must name an operation", place=aggregate.selector_field)
    operation = aggregate.operations.get(aggregate.key(selected))
    if operation is None:
        known = ", ".join(dict.fromkeys(one.value for one in aggregate.operations.values()))
        raise BadInput(f"names no operation; there are: {known}", place=aggregate.selector_field)
    return operation


def apply_arguments(compiled: CompiledOperation, arguments: Mapping[str, Json]) -> dict[str, Json]:
    """What to hand to the downstream tool; BadInput names an argument that is missing or must not be null."""
    given = dict(arguments)
    for group in compiled.require_any_of:
        if all(read(given, path) in (NOTHING, None) for path in group):
            names = " or ".join(dotted(path) for path in group)
            raise BadInput(f"{names} is required", place=dotted(group[0]))
    if compiled.arguments is None:
        return {name: value for name, value in given.items() if name != compiled.selector_field}
    return carry_out(compiled.arguments, given)


def apply_response(compiled: CompiledOperation, structured: Json) -> Json:
    """What to answer: the downstream's structured content as it is, unless response mappings rebuild it."""
    return carry_out(compiled.response, structured) if compiled.response else structured


def selecting_names(written: Mapping[str, Json]) -> tuple[str, ...]:
    """The texts that select an operation, its own value first."""
    aliases = written.get("aliases")
    return _value(written), *(str(alias) for alias in (aliases if isinstance(aliases, list) else ()))


def _value(written: Mapping[str, Json]) -> str:
    return str(written.get("value") or written["tool"])


def _selector(operations: Sequence[Mapping[str, Json]]) -> tuple[str, bool]:
    written = operations[0].get("selector") if operations else None
    selector = written if isinstance(written, dict) else {}
    return str(selector.get("field", "operation")), selector.get("caseInsensitive") is not False


def _operation(
    written: Mapping[str, Json], selector_field: str, place: Place
) -> tuple[CompiledOperation, tuple[Flaw, ...]]:
    arguments, bad_arguments = _rules(written, "argumentMappings", place)
    response, bad_response = _rules(written, "responseMappings", place)
    groups, bad_groups = _groups(written.get("requireAnyOf"), place.at("requireAnyOf"))
    server, timeout = written.get("server"), written.get("timeoutSeconds")
    operation = CompiledOperation(
        value=_value(written),
        server=str(server) if server is not None else None,
        tool=str(written["tool"]),
        selector_field=selector_field,
        arguments=arguments,
        response=response or (),
        require_any_of=groups,
        timeout_seconds=float(timeout) if isinstance(timeout, (int, float)) else None,
        calls_downstream=written.get("mode") != "state_only",
    )
    return operation, (*bad_arguments, *bad_response, *bad_groups)


def _rules(written: Mapping[str, Json], field: str, place: Place) -> tuple[tuple[Rule, ...] | None, tuple[Flaw, ...]]:
    listed = written.get(field)
    return compile_rules(listed, place.at(field)) if isinstance(listed, list) else (None, ())


def _groups(written: Json, place: Place) -> tuple[tuple[tuple[Path, ...], ...], tuple[Flaw, ...]]:
    groups: list[tuple[Path, ...]] = []
    flaws: list[Flaw] = []
    for index, listed in enumerate(written if isinstance(written, list) else ()):
        group = tuple(tuple(str(name).split(".")) for name in (listed if isinstance(listed, list) else ()))
        if group and all(all(path) for path in group):
            groups.append(group)
        else:
            flaws.append(Flaw(place.at(index), "is not a list of dotted paths"))
    return tuple(groups), tuple(flaws)
