"""The generated references: commands, events, errors and settings, as the code says they are.

Cog blocks in docs/reference/ and the README print what these functions return; a test keeps the pages current.
"""

from __future__ import annotations

import inspect
import pkgutil
import re
from dataclasses import MISSING, fields, is_dataclass
from importlib import import_module
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

import typer
from pydantic import AfterValidator, BaseModel, StringConstraints

import ledger
from cli.app import app
from ledger.config import SETTINGS
from ledger.errors import LedgerError
from ledger.events import model
from ledger.events.registry import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pydantic.fields import FieldInfo

    from ledger.config import Setting

PROGRAM = "catledger"


def command_table() -> str:
    """Each command that does something with the first line of its help."""
    does = [(name, command) for name, command in all_commands() if not hasattr(command, "commands")]
    rows = [(f"`{name}`", _one_line(command.help)) for name, command in does]
    return _table(("command", "does"), rows)


def commands() -> str:
    """Each command with its usage, its help, its arguments and its options."""
    return _joined(_command(name, command) for name, command in all_commands())


def events() -> str:
    """Each kind with its docstring and its fields, family by family."""
    families: dict[str, list[str]] = {}
    for kind, event in KINDS.items():
        family = inspect.cleandoc(import_module(event.__module__).__doc__ or "").removesuffix(".")
        families.setdefault(family, []).append(_event(kind, event, {}))
    return _joined(_joined([f"## {family}", *kinds]) for family, kinds in families.items())


def event_parts() -> str:
    """The parts that the fields of payloads are made of."""
    parts: dict[str, type[BaseModel]] = {}
    for kind, event in KINDS.items():
        _event(kind, event, parts)
    return _joined(_part_sections(parts))


def errors() -> str:
    """Each error with its code, its exit code, its meaning and its hint."""
    return _joined(_error(error) for error in all_errors())


def settings() -> str:
    """Each setting with its default, its meaning, and the other names that it is read from."""
    return _joined(_setting(each) for each in SETTINGS)


def all_commands() -> list[tuple[str, Any]]:
    """Every command by the words that call it, the program itself first."""
    root: Any = typer.main.get_command(app)
    return [(PROGRAM, root), *_commands_below(root, "")]


def all_errors() -> list[type[LedgerError]]:
    """Every class of error there is, a branch before its errors; every module is imported to find them."""
    for module in pkgutil.walk_packages(ledger.__path__, "ledger."):
        if "._migrations" not in module.name:
            import_module(module.name)
    return list(dict.fromkeys(_errors_below(LedgerError)))


def _commands_below(group: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if command.hidden:
            continue
        yield prefix + name, command
        if hasattr(command, "commands"):
            yield from _commands_below(command, f"{prefix}{name} ")


def _command(name: str, command: Any) -> str:
    path = name if name == PROGRAM else f"{PROGRAM} {name}"
    shown = [each for each in command.params if not getattr(each, "hidden", False) and "completion" not in each.name]
    words = [path, "[OPTIONS]", *(_value(each) for each in shown if not _is_option(each))]
    if hasattr(command, "commands"):
        words.append("COMMAND …")
    usage = f"```\n{' '.join(words)}\n```"
    rows = [_parameter(each) for each in shown]
    table = _table(("argument or option", "default", "meaning"), rows) if rows else ""
    return _joined([f"## {path}", _paragraphs(command.help), usage, table])


def _parameter(parameter: Any) -> tuple[str, ...]:
    name = _value(parameter)
    if _is_option(parameter):
        name = ", ".join(parameter.opts) + ("" if parameter.is_flag else f" {name}")
    return f"`{name}`", _default(parameter), _one_line(getattr(parameter, "help", None))


def _is_option(parameter: Any) -> bool:
    return str(parameter.opts[0]).startswith("-")


def _value(parameter: Any) -> str:
    choices = getattr(parameter.type, "choices", None)
    if parameter.metavar or not choices:
        return str(parameter.metavar or parameter.type.name.upper().removesuffix(" RANGE"))
    return "|".join(str(getattr(choice, "value", choice)) for choice in choices)


def _default(parameter: Any) -> str:
    if parameter.required:
        return "required"
    if parameter.default is None or parameter.default is False:
        return ""
    value = getattr(parameter.default, "value", parameter.default)
    return f"`{value}`"


def _event(kind: str, event: type[model.Event], parts: dict[str, type[BaseModel]]) -> str:
    rows = [_field(name, field, parts) for name, field in event.model_fields.items() if name != "redacted"]
    table = _table(("field", "holds", "required"), rows)
    about = f"Class `{event.__name__}`, version {event.version}."
    return _joined([f"### {kind}", _paragraphs(event.__doc__), table, about])


def _part_sections(parts: dict[str, type[BaseModel]]) -> Iterator[str]:
    done: set[str] = set()
    while waiting := sorted(parts.keys() - done):
        for name in waiting:
            part = parts[name]
            rows = [_field(each, field, parts) for each, field in part.model_fields.items()]
            more = "Any other field is kept." if part.model_config.get("extra") == "allow" else ""
            table = _table(("field", "holds", "required"), rows)
            yield _joined([f"### {name}", _paragraphs(part.__doc__), table, more])
            done.add(name)


def _field(name: str, field: FieldInfo, parts: dict[str, type[BaseModel]]) -> tuple[str, str, str]:
    annotation: Any = field.annotation
    if field.metadata:
        annotation = Annotated[(annotation, *field.metadata)]
    return f"`{field.alias or name}`", _holds(annotation, parts), "yes" if field.is_required() else ""


# The strings that have a form of their own, by the pattern that the models give them.
_FORMS = {
    model.SERVER_PATTERN: "a server's name",
    model.NAME_PATTERN: "a name",
    model.EVENT_ID_PATTERN: "an event id",
    model.DIGEST_PATTERN: "a digest",
    model.CHAIN_PATTERN: "a chain id",
    model.HASH_PATTERN: "a hash",
    model.WORD_PATTERN: "one word",
}
_PLAIN = {str: "text", int: "a whole number", float: "a number", bool: "true or false", Any: "any JSON"}


def _holds(annotation: Any, parts: dict[str, type[BaseModel]]) -> str:
    """What a field holds, in words."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _constrained(arguments[0], arguments[1:], parts)
    if origin in (Union, UnionType):
        held = [_holds(each, parts) for each in arguments if each is not NoneType]
        return " or ".join(dict.fromkeys(held))
    if origin is Literal:
        return ", ".join(f"`{each}`" for each in arguments)
    if origin is list:
        return f"a list: {_holds(arguments[0], parts)}"
    if origin is dict:
        return "an object" if arguments[1] is Any else f"an object: {_holds(arguments[1], parts)} by name"
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        parts[annotation.__name__] = annotation
        return f"[{annotation.__name__}](#{annotation.__name__.lower()})"
    return _PLAIN[annotation]


def _constrained(kind: Any, constraints: tuple[Any, ...], parts: dict[str, type[BaseModel]]) -> str:
    for each in constraints:
        pattern = getattr(each, "pattern", None)
        if pattern in _FORMS:
            return _FORMS[pattern]
        if isinstance(each, AfterValidator):
            return "a time with a zone"
        if isinstance(each, StringConstraints) or getattr(each, "min_length", None):
            return "text, not empty"
        flattened = getattr(each, "metadata", [each])
        least = [bound for bound in flattened if hasattr(bound, "ge") or hasattr(bound, "gt")]
        if least:
            bound = least[0]
            words = f"from {bound.ge} on" if hasattr(bound, "ge") else f"above {bound.gt}"
            return f"{_holds(kind, parts)} {words}"
    return _holds(kind, parts)


def _errors_below(error: type[LedgerError]) -> Iterator[type[LedgerError]]:
    yield error
    ours = [each for each in error.__subclasses__() if each.__module__.startswith("ledger.")]
    for each in sorted(ours, key=lambda below: (below.exit_code, below.code)):
        yield from _errors_below(each)


def _error(error: type[LedgerError]) -> str:
    branch = next((each for each in error.__mro__[1:] if issubclass(each, LedgerError)), None)
    family = f", under `{branch.__name__}`" if branch else ""
    facts = [f"Class `{error.__name__}`{family}; exit code {error.exit_code}."]
    hint = _hint(error)
    if hint:
        facts.append(f"Hint: {hint}.")
    return _joined([f"## {error.code}", _paragraphs(error.__doc__), " ".join(facts)])


def _hint(error: type[LedgerError]) -> str:
    """The hint; one that is made of an error's facts names them in angle brackets."""
    hint = inspect.getattr_static(error, "hint", "")
    if isinstance(hint, property) and is_dataclass(error):
        required = [each for each in fields(error) if each.default is MISSING]
        facts: dict[str, Any] = {each.name: f"‹{each.name}›" for each in required}
        facts |= {each.name: (f"‹{each.name}›",) for each in required if "tuple" in str(each.type)}
        hint = error(**facts).hint
    return _one_line(str(hint))


def _setting(setting: Setting) -> str:
    facts = [f"Default: `{setting.default}`." if setting.default else "Default: empty."]
    if len(setting.names) > 1:
        facts.append(f"Also read from {', '.join(f'`{name}`' for name in setting.names[1:])}.")
    meaning = f"{setting.meaning[0].upper()}{setting.meaning[1:]}."
    return _joined([f"## {setting.names[0]}", meaning, " ".join(facts)])


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part for part in parts if part)


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split())


def _paragraphs(text: str | None) -> str:
    """A docstring, each paragraph on one line: how it was wrapped in the source is no business of the page."""
    return "\n\n".join(_one_line(part) for part in re.split(r"\n\s*\n", inspect.cleandoc(text or "")))
