"""Intake: JSON lines from a file or a pipe, recorded in constant memory."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO

from ledger.canon.jsontext import parse
from ledger.errors import BadInput, LedgerError, Misused, NothingRecorded, OverLimit
from ledger.store.append import append
from ledger.store.store import find_catalog, name_for_writing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ledger.services.record import Recorder
    from ledger.store.append import Draft
    from ledger.store.receipts import Head
    from ledger.store.store import Store


@dataclass(frozen=True)
class Taken:
    """How many events were appended and how many were there before, and the head after them."""

    appended: int
    duplicates: int
    head: Head


def take_file(
    store: Store,
    recorder: Recorder,
    path: Path,
    *,
    catalog: str | None,
    batch: int,
    skip: int,
    advance: Callable[[int], None],
) -> Taken:
    """Check every line of a file, then record them: a bad line writes nothing."""
    try:
        if path.is_file():
            with path.open("rb") as file:
                for _ in _drafts(recorder, file, skip):
                    pass
        with path.open("rb") as file:
            return take_stream(store, recorder, file, catalog=catalog, batch=batch, skip=skip, advance=advance)
    except OSError as error:
        raise BadInput(error.strerror or str(error), str(path)) from error


def take_stream(
    store: Store,
    recorder: Recorder,
    lines: BinaryIO,
    *,
    catalog: str | None,
    batch: int,
    skip: int,
    advance: Callable[[int], None],
) -> Taken:
    """Record lines batch by batch, each all or nothing; an error says which lines are in and how to resume."""
    with store.engine.reading() as connection:
        name = name_for_writing(connection, catalog)
    appended = duplicates = 0
    head: Head | None = None
    numbered = _drafts(recorder, lines, skip)
    last_in = skip
    try:
        while chunk := list(islice(numbered, batch)):
            done = append(store, name, [draft for _, draft in chunk])
            head, last_in = done.head, chunk[-1][0]
            duplicates += done.duplicates
            appended += len(chunk) - done.duplicates
            advance(len(chunk))
    except LedgerError as error:
        if last_in > skip:
            error.hint = f"lines up to {last_in} are recorded; mend the cause and resume with --skip {last_in}"
        raise
    if head is None:
        with store.engine.reading() as connection:
            try:
                head = find_catalog(connection, name).head
            except LedgerError:
                raise NothingRecorded("the input: it has no line") from None
    return Taken(appended, duplicates, head)


def _drafts(recorder: Recorder, lines: BinaryIO, skip: int) -> Iterator[tuple[int, Draft]]:
    for number, line in enumerate(_bounded(lines, recorder.longest_line), 1):
        if number <= skip or not line.strip():
            continue
        try:
            value = parse(line)
            if not isinstance(value, dict):
                raise BadInput("must be an object with kind and payload")
            yield number, recorder.taken(value)
        except (BadInput, OverLimit) as error:
            error.place = f"line {number}" + (f", {error.place}" if error.place else "")
            raise
        except Misused as error:
            raise BadInput(str(error), f"line {number}") from error


def _bounded(lines: BinaryIO, longest: int) -> Iterator[bytes]:
    """Lines, none longer than an event may be: a pipe without a line's end must not fill the memory."""
    number = 0
    while line := lines.readline(longest + 1):
        number += 1
        if len(line) > longest:
            raise OverLimit("max_event_bytes", longest, len(line), f"line {number}")
        yield line
