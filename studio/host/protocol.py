"""What a run host and its window say to each other: small records, one frame each.

A frame is four bytes of length, big-endian, and that many bytes of UTF-8 JSON.
"""

import json
import struct
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Final, Literal, TypeAlias

import orjson
from pydantic import Field, TypeAdapter

from studio.ids import RunId, StepId
from studio.llm.clean_text import normalise_json
from studio.runtime.gates.breakpoints import Breakpoint
from studio.trace.events import Entry
from studio.trace.events.run import Pin

LENGTH: Final = struct.Struct(">I")
LARGEST_FRAME: Final = 1 << 30
"""Bytes; a longer frame means that the other side speaks something else."""


@dataclass(frozen=True, slots=True)
class Answering:
    """Who answers the chats of a run: a chat profile, which may be forbidden the network.

    The calls of a `batch` wait until those of other runs have had their turn.
    """

    profile: str = ""
    offline: bool = False
    priority: Literal["interactive", "batch"] = "interactive"


@dataclass(frozen=True, slots=True)
class Holding:
    """Where a run is held: at breakpoints, at its `first` step, and once `at` the next step of a node."""

    breakpoints: tuple[Breakpoint, ...] = ()
    first: bool = False
    at: str = ""


@dataclass(frozen=True, slots=True)
class Replay:
    """Execute the run `origin` again; unless `is_live`, nobody is asked anything."""

    origin: RunId
    is_live: bool = True
    how: Literal["replay"] = "replay"


@dataclass(frozen=True, slots=True)
class Fork:
    """Take from the run `origin` what does not depend on what is other now.

    It starts at `step`, with `values` at steps (step, port, plain JSON).
    """

    origin: RunId
    step: str = ""
    values: tuple[tuple[str, str, Any], ...] = ()
    is_live: bool = True
    how: Literal["fork"] = "fork"


@dataclass(frozen=True, slots=True)
class Resume:
    """Go on with the run `origin` under its own name.

    Side effects in doubt are done again in the steps `repeated`, and count as done in those that `happened`.
    What people are asked in the steps of `answers` they have answered.
    """

    origin: RunId
    repeated: tuple[str, ...] = ()
    happened: tuple[str, ...] = ()
    answers: Mapping[StepId, Any] = field(default_factory=dict[StepId, Any])
    how: Literal["resume"] = "resume"


Again: TypeAlias = Annotated[Replay | Fork | Resume, Field(discriminator="how")]


@dataclass(frozen=True, slots=True)
class StartRun:
    """Run a flow, or go back to a run of the `past`.

    `flow` is its canonical text (empty: the one that ran), `project` the folder its nodes may read and write.
    `flows` has the texts of the flows that it may call, by name; `pins` what nodes give without being
    executed, by place.
    """

    run: RunId
    project: str
    flow: str = ""
    inputs: Mapping[str, Any] = field(default_factory=dict[str, Any])
    flows: Mapping[str, str] = field(default_factory=dict[str, str])
    pins: Mapping[str, Pin] = field(default_factory=dict[str, Pin])
    limits: Mapping[str, float] = field(default_factory=dict[str, float])
    answering: Answering = Answering()
    holding: Holding = Holding()
    past: Again | None = None
    faults: tuple[Any, ...] = ()
    """What goes wrong in it on purpose, as JSON; a run that goes back has those of then."""
    kind: Literal["start_run"] = "start_run"


@dataclass(frozen=True, slots=True)
class AttachRun:
    """Follow a run that another process executes, and hold it at these from now on."""

    run: RunId
    breakpoints: tuple[Breakpoint, ...] = ()
    kind: Literal["attach_run"] = "attach_run"


@dataclass(frozen=True, slots=True)
class SetBreakpoints:
    """Hold at these from now on."""

    run: RunId
    breakpoints: tuple[Breakpoint, ...]
    kind: Literal["set_breakpoints"] = "set_breakpoints"


@dataclass(frozen=True, slots=True)
class HoldRun:
    """Hold whatever is ready next."""

    run: RunId
    kind: Literal["hold_run"] = "hold_run"


@dataclass(frozen=True, slots=True)
class ResumeRun:
    """Release every held step; where one is named, with `edited` values in place of its own."""

    run: RunId
    step: StepId | None = None
    edited: Mapping[str, Any] = field(default_factory=dict[str, Any])
    kind: Literal["resume_run"] = "resume_run"


@dataclass(frozen=True, slots=True)
class ReleaseStep:
    """Let one held step go on, with `edited` values (plain JSON by port) in place of its own."""

    run: RunId
    step: StepId
    edited: Mapping[str, Any] = field(default_factory=dict[str, Any])
    kind: Literal["release_step"] = "release_step"


@dataclass(frozen=True, slots=True)
class StepOn:
    """Release one held step (the longest waiting, where none is named) and hold again where `how` says."""

    run: RunId
    step: StepId | None = None
    how: Literal["over", "into", "out"] = "over"
    edited: Mapping[str, Any] = field(default_factory=dict[str, Any])
    kind: Literal["step_on"] = "step_on"


@dataclass(frozen=True, slots=True)
class RunTo:
    """Release every held step, and hold once at `place`: a step, or a node, whose next one is meant.

    Empty, it is nowhere: where the run went before is forgotten.
    """

    run: RunId
    place: str
    kind: Literal["run_to"] = "run_to"


@dataclass(frozen=True, slots=True)
class DropStep:
    """Leave one held step out."""

    run: RunId
    step: StepId
    kind: Literal["drop_step"] = "drop_step"


@dataclass(frozen=True, slots=True)
class SendStep:
    """Let one held step go on, and have what it gives leave at `port` alone."""

    run: RunId
    step: StepId
    port: str
    kind: Literal["send_step"] = "send_step"


@dataclass(frozen=True, slots=True)
class LetOthers:
    """Let steps start while others are held, or no longer."""

    run: RunId
    go_on: bool
    kind: Literal["let_others"] = "let_others"


@dataclass(frozen=True, slots=True)
class CancelRun:
    """Stop the run."""

    run: RunId
    kind: Literal["cancel_run"] = "cancel_run"


@dataclass(frozen=True, slots=True)
class PutAside:
    """End the run, for nobody is there any more; what it asks stays open, to be gone on from."""

    run: RunId
    kind: Literal["put_aside"] = "put_aside"


@dataclass(frozen=True, slots=True)
class CancelStep:
    """Stop one step, or all that goes on in a scope such as `rounds.2`; it fails."""

    run: RunId
    step: str
    kind: Literal["cancel_step"] = "cancel_step"


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """What a person answered to a step that asked."""

    run: RunId
    step: StepId
    answer: Mapping[str, Any]
    kind: Literal["answer_form"] = "answer_form"


@dataclass(frozen=True, slots=True)
class RaiseLimit:
    """Go on from a limit that was reached, now `amount`: the run's, or that of `node`."""

    run: RunId
    limit: str
    amount: float
    node: str = ""
    kind: Literal["raise_limit"] = "raise_limit"


@dataclass(frozen=True, slots=True)
class HostReady:
    """The host has loaded everything and can start runs."""

    pid: int
    kind: Literal["host_ready"] = "host_ready"


@dataclass(frozen=True, slots=True)
class Attached:
    """The run is followed: its entries up to `published` are in its file, those after come as they happen."""

    run: RunId
    published: int
    pid: int = 0
    kind: Literal["attached"] = "attached"


@dataclass(frozen=True, slots=True)
class Entries:
    """What happened in a run since the last batch, in order."""

    run: RunId
    entries: tuple[Entry, ...]
    kind: Literal["entries"] = "entries"


@dataclass(frozen=True, slots=True)
class BreakpointsHit:
    """How often each breakpoint and catch of a run would have held so far, by key."""

    run: RunId
    hits: Mapping[str, int]
    kind: Literal["breakpoints_hit"] = "breakpoints_hit"


@dataclass(frozen=True, slots=True)
class RunDue:
    """In how many seconds the run is to be over, or held at its limit; None when nothing says so any more.

    Said at once, before what the run recorded: a step may keep its host from saying anything afterwards.
    """

    run: RunId
    left: float | None
    kind: Literal["run_due"] = "run_due"


@dataclass(frozen=True, slots=True)
class RunEnded:
    """Nothing more comes from this run."""

    run: RunId
    kind: Literal["run_ended"] = "run_ended"


@dataclass(frozen=True, slots=True)
class RunRefused:
    """The run could not be started, or what was asked of it could not be done."""

    run: RunId
    message: str
    hint: str = ""
    error: str = ""
    """The name of the error's class, where it was raised on purpose."""
    kind: Literal["run_refused"] = "run_refused"


@dataclass(frozen=True, slots=True)
class HostLost:
    """The host is gone; its runs are interrupted. Made by the client, never sent."""

    reason: str
    kind: Literal["host_lost"] = "host_lost"


RunAsked: TypeAlias = (
    SetBreakpoints
    | HoldRun
    | ResumeRun
    | ReleaseStep
    | StepOn
    | RunTo
    | DropStep
    | SendStep
    | LetOthers
    | CancelRun
    | PutAside
    | CancelStep
    | AnswerForm
    | RaiseLimit
)
"""What a window asks of a run that goes on."""

Asked: TypeAlias = StartRun | AttachRun | RunAsked
"""What a window asks of a host."""

Said: TypeAlias = HostReady | Attached | Entries | BreakpointsHit | RunDue | RunEnded | RunRefused | HostLost
"""What a host says to its window."""

_ASKED: TypeAdapter[Asked] = TypeAdapter(Annotated[Asked, Field(discriminator="kind")])
_SAID: TypeAdapter[Said] = TypeAdapter(Annotated[Said, Field(discriminator="kind")])


def frame(message: Asked | Said) -> bytes:
    """Give a message as one frame; half surrogates in it are replaced."""
    try:
        body = orjson.dumps(message, option=orjson.OPT_NON_STR_KEYS)
    except orjson.JSONEncodeError:  # half a surrogate, or a number of more than 64 bits
        body = json.dumps(normalise_json(asdict(message)), ensure_ascii=False).encode()
    return LENGTH.pack(len(body)) + body


def read_asked(body: bytes) -> Asked:
    """Read the body of a frame from a window; raises `pydantic.ValidationError`."""
    return _ASKED.validate_json(body)


def read_said(body: bytes) -> Said:
    """Read the body of a frame from a host; raises `pydantic.ValidationError`."""
    return _SAID.validate_json(body)
