"""What an event's payload is made of: the class every kind derives from, and the values they share."""

from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from ledger.clock import iso, to_micros

# Rust's regular expressions: no look-around, `$` is the very end. A server may not end in a colon either,
# else `a:` + `b` and `a` + `:b` would be one identity text.
SERVER_PATTERN = r"^(?::?[^:\p{Cc}])+$"
NAME_PATTERN = r"^[^\p{Cc}]+$"
EVENT_ID_PATTERN = r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
DIGEST_PATTERN = r"^jcs1-sha256:[0-9a-f]{64}$"
CHAIN_PATTERN = r"^[0-9a-f]{32}$"
HASH_PATTERN = r"^[0-9a-f]{64}$"
# Letters only: a keyword or a type name fits, a value that failed does not.
WORD_PATTERN = r"^[$A-Za-z][A-Za-z_-]{0,63}$"


def normalised_moment(text: str) -> str:
    """The same instant in UTC with microseconds and `Z`; a text without a zone is no instant."""
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            raise ValueError("must be a time with a zone, such as 2026-11-18T07:41:00Z")
        return iso(to_micros(moment))
    except OverflowError:
        raise ValueError("must be a time between the years 1 and 9999") from None
    except ValueError as error:
        if "zone" in str(error):
            raise
        raise ValueError("must be an ISO 8601 time, such as 2026-11-18T07:41:00Z") from None


Server = Annotated[str, StringConstraints(min_length=1, max_length=256, pattern=SERVER_PATTERN)]
Name = Annotated[str, StringConstraints(min_length=1, pattern=NAME_PATTERN)]
EventId = Annotated[str, StringConstraints(pattern=EVENT_ID_PATTERN)]
DocumentDigest = Annotated[str, StringConstraints(pattern=DIGEST_PATTERN)]
ChainId = Annotated[str, StringConstraints(pattern=CHAIN_PATTERN)]
ChainHash = Annotated[str, StringConstraints(pattern=HASH_PATTERN)]
Word = Annotated[str, StringConstraints(pattern=WORD_PATTERN)]
NonEmpty = Annotated[str, StringConstraints(min_length=1)]
Moment = Annotated[str, AfterValidator(normalised_moment)]
Count = Annotated[int, Field(ge=0)]
DurationMs = Annotated[float, Field(ge=0, allow_inf_nan=False)]
# JSON whose shape is another's business. It is not walked here: canonical bytes are made of it, which refuse
# the rest.
JsonObject = dict[str, Any]


# Deferred: a process builds the validators of the kinds it meets, not of all of them.
WIRE = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)
OPEN_WIRE = ConfigDict(frozen=True, extra="allow", strict=True, defer_build=True)


class Part(BaseModel):
    """A part of a payload: fixed once made, and without room for fields nobody knows."""

    model_config = WIRE


class Event(BaseModel):
    """What the payload of one kind holds. `kind` is its name on the wire, fixed for ever."""

    model_config = WIRE

    kind: ClassVar[str]
    version: ClassVar[int] = 1

    redacted: list[str] | None = Field(
        None,
        description="JSON pointers to the values of this payload that were replaced before it was stored",
    )


class Definition(BaseModel):
    """A tool definition as it was on the wire: it has a name; whatever else it has is kept."""

    model_config = OPEN_WIRE

    name: Name


class ErrorFact(Part):
    """What went wrong, as the one who saw it tells it."""

    code: str | int | None = None
    message: str | None = None


class Violation(Part):
    """Where a value broke its schema: pointer, keyword and type, and never the value itself."""

    pointer: str | None = None
    keyword: Word | None = None
    type: Word | None = None


class Problem(Part):
    """A rule that something offends against."""

    rule: str | None = None
    subject: str | None = None
    message: str | None = None


class Operation(BaseModel):
    """One operation of an aggregate: the selector's value, and the downstream tool that it calls.

    Whatever else a renderer says of it (mappings, the schema it refers to) is kept: a gateway works from that.
    """

    model_config = OPEN_WIRE

    value: str | None = None
    server: Server | None = None
    tool: Name
    aliases: list[str] | None = None
    schema_hash: NonEmpty | None = None


class Entry(Part):
    """A tool in a catalog: `name` is what clients see, `server` and `tool` say who the tool is.

    A gateway that knows only names leaves the identity out. `source_digest` names the descriptor it was
    rendered from; `schema_hash` is a producer's own name for the output schema; `schema_source` says which
    rung of the fallback ladder a served schema came from.
    """

    name: Name
    server: Server | None = None
    tool: Name | None = None
    definition: JsonObject
    source_digest: NonEmpty | None = None
    kind: Literal["tool", "aggregate"] | None = None
    operations: list[Operation] | None = None
    locked: bool | None = None
    schema_hash: NonEmpty | None = None
    schema_source: Literal["declared", "prior_override", "generic_wrapper"] | None = None


class ToolPlace(Part):
    """A tool, and where it was spoken of."""

    server: Server | None = None
    tool: Name
    layer: str | None = None


class Hidden(Part):
    """A tool that is kept from clients on purpose."""

    server: Server | None = None
    tool: Name
    reason: str | None = None
    layer: str | None = None


class Omitted(Part):
    """A tool that clients did not get; `cause` is the id of the event that led to it, where one is known."""

    name: Name | None = None
    server: Server | None = None
    tool: Name | None = None
    reason: str | None = None
    detail: str | None = None
    cause: str | None = None

    @model_validator(mode="after")
    def _says_what(self) -> Self:
        if self.name is None and self.tool is None:
            raise ValueError("name or tool must say what was left out")
        return self
