"""Everything that can happen in a run. A closed union; `kind` tells the members apart.

Events are slotted dataclasses of plain values, cheap to make; `entry_from_json` validates what is read
back. An entry is an event with its run, number, step, parent and time. Steps are named
`[SCOPE/]NODE[#CALL][@ATTEMPT]` (`studio.ids`); entries of the run as a whole have the empty step.
"""

from functools import cache
from typing import Annotated, TypeAlias

import orjson
from pydantic import Field, TypeAdapter

from studio.ids import RunId, StepId
from studio.trace.events.calls import (
    AnswerReused,
    ApprovalAsked,
    ApprovalGiven,
    ChatAnswered,
    ChatRequested,
    EmbedAnswered,
    EmbedRequested,
    PolicyDecided,
    TextStreamed,
    ToolAnswered,
    ToolCalled,
)
from studio.trace.events.memories import MemoryOpened, MemoryRead, MemoryUnsaved, MemoryWritten
from studio.trace.events.parts import PartTold
from studio.trace.events.run import (
    BindingClosed,
    BindingOpened,
    BudgetLeft,
    BudgetRaised,
    BudgetReached,
    BudgetWarned,
    LogWritten,
    NodeMet,
    RunCancelled,
    RunContinued,
    RunFailed,
    RunFinished,
    RunHeld,
    RunResumed,
    RunStarted,
    StopAsked,
)
from studio.trace.events.steps import (
    FolderOpened,
    InputsEdited,
    OutputsEdited,
    OutputsPinned,
    RaceDecided,
    StepCancelled,
    StepFailed,
    StepFaulted,
    StepFinished,
    StepHeld,
    StepProgressed,
    StepReady,
    StepReleased,
    StepRetried,
    StepSkipped,
    StepStarted,
    StepTimedOut,
    ValueDrawn,
)
from studio.trace.events.values import Plain, frequent
from studio.trace.events.variables import StateMerged, StateRead, StateWritten

Written: TypeAlias = StateWritten | MemoryWritten
"""What takes effect when the step finishes, and inside a map when the item ends."""

Event: TypeAlias = (
    RunStarted
    | RunContinued
    | NodeMet
    | BindingOpened
    | BindingClosed
    | StepReady
    | StepStarted
    | StepHeld
    | StepReleased
    | InputsEdited
    | OutputsEdited
    | StepFaulted
    | OutputsPinned
    | TextStreamed
    | ChatRequested
    | ChatAnswered
    | EmbedRequested
    | EmbedAnswered
    | AnswerReused
    | ToolCalled
    | ToolAnswered
    | ApprovalAsked
    | ApprovalGiven
    | PolicyDecided
    | StepProgressed
    | PartTold
    | StepRetried
    | StepFinished
    | StepFailed
    | StepSkipped
    | StepCancelled
    | RaceDecided
    | StateRead
    | StateWritten
    | StateMerged
    | ValueDrawn
    | MemoryOpened
    | MemoryRead
    | MemoryWritten
    | MemoryUnsaved
    | FolderOpened
    | StepTimedOut
    | StopAsked
    | BudgetWarned
    | BudgetReached
    | BudgetRaised
    | BudgetLeft
    | LogWritten
    | RunHeld
    | RunResumed
    | RunFinished
    | RunFailed
    | RunCancelled
)


@frequent
class Entry:
    """An event, numbered from 1 within its run and dated in seconds since the epoch.

    `parent` is the step inside which this one happened: the loop or map of a body's step, the step
    whose node made a chat or tool call.
    """

    run: RunId
    number: int
    step: StepId
    parent: StepId
    time: float
    event: Annotated[Event, Field(discriminator="kind")]


DURABLE = (ChatAnswered, EmbedAnswered, ToolAnswered, ApprovalGiven, ToolCalled)
"""Events that are on disk for good, whatever happens to the machine, before anyone sees them.

All others are on disk before anyone sees them as well, but a power cut may take the latest: they are computed
again when the run is resumed.
"""


@cache
def _entries() -> TypeAdapter[Entry]:
    return TypeAdapter(Entry)  # takes longer to make than a small run takes: made for the first that reads


@cache
def _events() -> TypeAdapter[Event]:
    return TypeAdapter(Annotated[Event, Field(discriminator="kind")])


def entry_to_json(entry: Entry) -> bytes:
    """Give an entry as one line of JSON (UTF-8, no line break)."""
    return orjson.dumps(entry, option=orjson.OPT_NON_STR_KEYS)


def entry_from_json(line: bytes | str) -> Entry:
    """Read and validate what `entry_to_json` wrote; raises `pydantic.ValidationError`."""
    return _entries().validate_json(line)


def event_to_json(event: Event) -> bytes:
    """Give an event as JSON (UTF-8); raises `TypeError` for what JSON can't say."""
    return orjson.dumps(event, option=orjson.OPT_NON_STR_KEYS)


def event_from_json(line: bytes | str) -> Event:
    """Read and validate what `event_to_json` wrote; raises `pydantic.ValidationError`."""
    return _events().validate_json(line)


def event_from_plain(plain: Plain) -> Event:
    """Validate an event's parsed JSON; raises `pydantic.ValidationError`."""
    return _events().validate_python(plain)
