"""How much work a schema makes for a validator: schemas and instances come from strangers.

A validator follows every reference anew, so a kilobyte of references that each lead to two more keeps it busy
for years, and one that looks back at what was evaluated (`unevaluatedProperties`) runs out of stack. Nothing
stops it from outside. So the work is counted here first: more may be counted than is done, never less.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from ledger.canon.pointer import resolve
from ledger.canon.positions import every_schema, is_schema, subschemas
from ledger.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ledger.canon.jsontext import Json

    Schema = dict[str, Json]

MAX_SPREAD: Final = 10_000
"""Schemas that may apply to one and the same value, references followed."""
MAX_CHAIN: Final = 150
"""References that may lead on to each other for one value; the validator needs stack for each."""
MAX_NAMESAKES: Final = 100
"""Schemas in one document that a reference may have to be tried against."""

_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_BESIDE = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"})
_ONLY_BY_REFERENCE = frozenset({"$defs", "definitions"})


class References:
    """Where the references of one schema can lead; of several possible targets all are taken."""

    def __init__(self, root: Json) -> None:
        self._root = root
        self._resources: list[Schema] = []
        self._anchors: defaultdict[str, list[Schema]] = defaultdict(list)
        for _, schema in every_schema(root):
            self._index(schema)
        most = max([len(self._resources), *map(len, self._anchors.values())])
        _check_limit("schemas share a name or have an $id", MAX_NAMESAKES, most)

    def _index(self, schema: Schema) -> None:
        for keyword in ("$id", "id"):
            match schema.get(keyword):
                case str(name) if name.startswith("#"):  # how anchors were written up to draft 7
                    self._anchors[name[1:]].append(schema)
                case str():
                    self._resources.append(schema)
        for keyword in ("$anchor", "$dynamicAnchor"):
            match schema.get(keyword):
                case str(name):
                    self._anchors[name].append(schema)

    def targets(self, schema: Schema) -> Iterator[Schema]:
        """The schemas that the references of a schema may mean."""
        for keyword in _REFERENCES:
            match schema.get(keyword):
                case str(reference):
                    yield from (target for target in self._find(reference) if isinstance(target, dict))

    def leads_nowhere(self, reference: str) -> bool:
        """Whether a reference can mean no part of the document."""
        return not self._find(reference)

    def _find(self, reference: str) -> list[Json]:
        uri, _, fragment = reference.partition("#")
        # which resource a URI means is not worked out: any that has an $id might be it
        bases: list[Json] = [*self._resources] if uri else [self._root, *self._resources]
        if not fragment:
            return _distinct(bases)
        if not fragment.startswith("/"):
            return [*self._anchors.get(unquote(fragment), ())]
        found: list[Json] = []
        for base in bases:
            with suppress(BadInput):
                found.append(resolve(base, unquote(fragment)))
        return _distinct([target for target in found if is_schema(target)])


class Effort:
    """The work that one schema makes; BadInput where it is beyond the limits. The schema must not change."""

    def __init__(self, schema: Json) -> None:
        self._schema = schema
        self._references = References(schema)
        self._spreads: dict[int, list[Schema]] = {}
        self.size: Final = self._size()
        """How many schemas there are with each reference replaced by its target; None if too many or endless.

        No value makes more visits than this times the number of its parts.
        """

    def check_compilable(self) -> None:
        """Raise if building a validator would take too long or too much stack, or checking any value."""
        total = 0
        for path, schema in every_schema(self._schema):
            if not path or "unevaluatedProperties" in schema or "unevaluatedItems" in schema:
                total += len(self._spread(schema))
                _check_limit("schemas apply to one value", MAX_SPREAD, total)

    def visits(self, instance: Json, limit: int, weight: Callable[[Json], int] = lambda _: 1) -> int:
        """How often a schema meets a part of `instance`, counted by `weight`; ends soon beyond `limit`."""
        total = 0
        waiting: list[tuple[Json, Json]] = [(self._schema, instance)]
        while waiting and total + len(waiting) <= limit:
            schema, part = waiting.pop()
            for each in self._spread(schema) if isinstance(schema, dict) else [{}]:
                total += weight(part)
                if isinstance(part, dict) and "properties" in each:
                    total += len(part) // 16  # looking them up is work too, however few are found
                for pair in _applied_below(each, part):
                    waiting.append(pair)
                    if total + len(waiting) > limit:
                        break
        return total + len(waiting)

    def _spread(self, schema: Schema) -> list[Schema]:
        """The schemas that apply where this one does, itself included, as often as they are reached."""
        known = self._spreads.get(id(schema))
        if known is not None:
            return known
        spread: list[Schema] = []
        waiting: list[tuple[Schema, tuple[int, ...]]] = [(schema, ())]
        while waiting:
            each, path = waiting.pop()
            spread.append(each)
            _check_limit("schemas apply to one value", MAX_SPREAD, len(spread) + len(waiting))
            _check_limit("references follow each other", MAX_CHAIN, len(path))
            path = (*path, id(each))
            waiting.extend((other, path) for other in self._beside(each) if id(other) not in path)
        self._spreads[id(schema)] = spread
        return spread

    def _beside(self, schema: Schema) -> Iterator[Schema]:
        for keys, held in subschemas(schema):
            if keys[0] in _BESIDE and isinstance(held, dict):
                yield held
        yield from self._references.targets(schema)

    def _size(self) -> int | None:
        count = 0
        waiting: list[tuple[Json, tuple[int, ...]]] = [(self._schema, ())]
        while waiting:
            schema, path = waiting.pop()
            count += 1
            if isinstance(schema, dict):
                if id(schema) in path or len(path) > MAX_CHAIN or count + len(waiting) > MAX_SPREAD:
                    return None
                path = (*path, id(schema))
                parts = (held for keys, held in subschemas(schema) if keys[0] not in _ONLY_BY_REFERENCE)
                waiting.extend((held, path) for held in parts)
                waiting.extend((target, path) for target in self._references.targets(schema))
        return count


def cost_of_copies(instance: Json) -> Callable[[Json], int]:
    """A weight for `visits`: what it takes to explain why a part of `instance` does not fit.

    It takes a validator as long as copying twenty values, and it copies each part that fails as well.
    """
    sizes: dict[int, int] = {}

    def size(value: Json) -> int:
        if isinstance(value, dict | list):
            sizes[id(value)] = 1 + sum(map(size, value.values() if isinstance(value, dict) else value))
            return sizes[id(value)]
        return 1 + (len(value) // 100 if isinstance(value, str) else 0)

    size(instance)
    return lambda value: 20 + (sizes.get(id(value)) or size(value))


def sum_of_squares(instance: Json) -> int:
    """Of the lengths of all texts and keys: what a pattern may cost that is tried at every character anew."""
    total = 0
    waiting: list[Json] = [instance]
    while waiting:
        match waiting.pop():
            case str(text):
                total += len(text) ** 2
            case list(items):
                waiting += items
            case dict(members):
                waiting += members.values()
                waiting += members
    return total


def _applied_below(schema: Schema, value: Json) -> Iterator[tuple[Json, Json]]:
    """Each part of a value with each schema that may be applied to it; patterns may fit every name."""
    if isinstance(value, dict):
        match schema.get("properties"):
            case dict(properties):
                yield from ((properties[name], value[name]) for name in properties.keys() & value.keys())
        match schema.get("patternProperties"):
            case dict(patterns):
                yield from ((held, part) for held in patterns.values() for part in value.values())
        for keyword in ("additionalProperties", "unevaluatedProperties"):
            if keyword in schema:
                yield from ((schema[keyword], part) for part in value.values())
        if "propertyNames" in schema:
            yield from ((schema["propertyNames"], name) for name in value)
    elif isinstance(value, list):
        for keyword in ("prefixItems", "items", "additionalItems", "contains", "unevaluatedItems"):
            match schema.get(keyword):
                case list(held):
                    yield from zip(held, value, strict=False)
                case dict(held):
                    yield from ((held, part) for part in value)


def _check_limit(what: str, allowed: int, found: int) -> None:
    if found > allowed:
        reason = f"the schema makes too much work: more than {allowed} {what}"
        raise BadInput(reason, hint="make the schema simpler")


def _distinct(values: list[Json]) -> list[Json]:
    return list({id(value): value for value in values}.values())
