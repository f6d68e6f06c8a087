"""Everything that can happen in a run. A closed union; `kind` tells the members apart.

Events are slotted dataclasses of plain values, cheap to make; `entry_from_json` validates what is read
back. An entry is an event with its run, number, step, parent and time. Steps are named
`[SCOPE/]NODE[#CALL][@ATTEMPT]` (`studio.ids`); entries of the run as a whole have the empty step.
"""

from collections.abc import Mapping
from dataclasses import field
from functools import cache
from typing import Annotated, Literal, TypeAlias

import orjson
from pydantic import Field, TypeAdapter

from studio.ids import MADE_UP, RunId, StepId
from studio.trace.memory_events import MemoryOpened, MemoryRead, MemoryUnsaved, MemoryWritten
from studio.trace.part_events import PartTold
from studio.trace.shown import Plain, Shown, Values, frequent
from studio.trace.state_events import StateMerged, StateRead, StateWritten


@frequent
class Origin:
    """The earlier run that a run goes back to, and the step from which it was forked (none: a replay).

    `again` has the steps that the fork does again (False: that only give other outputs), `edits` the values
    in the place of a step's own, with the step and the side of its work: all that it takes to fork once more.
    `changes` tells in a sentence each what a person made different.
    """

    run: str
    step: str = ""
    again: Mapping[str, bool] = field(default_factory=dict[str, bool])
    edits: tuple[tuple[str, Literal["before", "after"], Mapping[str, Plain]], ...] = ()
    changes: tuple[str, ...] = ()


@frequent
class Pin:
    """What a node gives without being executed, by output, and the run and step that gave it first.

    `edited` tells that a person changed it, or typed it in.
    """

    values: Values
    run: str = ""
    step: str = ""
    edited: bool = False


@frequent
class ScriptFile:
    """The script that a run executes: where it was, the SHA-256 of its text, and that text, keyless."""

    path: str
    digest: str
    text: str = ""


@frequent
class RunStarted:
    """A run began. `flow` is the canonical text of the flow that runs, `flows` of those that it may call."""

    flow_name: str
    flow: str
    inputs: Values = field(default_factory=dict[str, Shown])
    profile: str = ""
    project: str = ""
    forked_from: Origin | None = None
    limits: Mapping[str, float] = field(default_factory=dict[str, float])
    flows: Mapping[str, str] = field(default_factory=dict[str, str])
    script: bool = False
    """Whether a script ran it, and not the studio."""
    pins: Mapping[str, Pin] = field(default_factory=dict[str, Pin])
    """What nodes gave without being executed, by node; those of called flows as `summary.json:critic`."""
    source: ScriptFile | None = None
    """What decided which steps there are, where that was no flow; `flow` then has only the inputs."""
    kind: Literal["run_started"] = "run_started"


@frequent
class NodeMet:
    """A script calls a node type, for the first time in this way: `node` is its name and where it stands.

    Rounds and items are left out of that: `rounds/writer`, or `summary/writer` in a function that is called.
    """

    node: str
    type: str
    settings: Mapping[str, Plain] = field(default_factory=dict[str, Plain])
    kind: Literal["node_met"] = "node_met"


@frequent
class RunContinued:
    """The run goes on after it ended too early: what had finished is kept, the rest is begun again."""

    limits: Mapping[str, float] = field(default_factory=dict[str, float])
    kind: Literal["run_continued"] = "run_continued"


@frequent
class BindingOpened:
    """What a binding node lends can be used from now on."""

    node: str
    kind: Literal["binding_opened"] = "binding_opened"


@frequent
class BindingClosed:
    """A binding node released what it held."""

    node: str
    kind: Literal["binding_closed"] = "binding_closed"


@frequent
class StepReady:
    """Every input of the step is known, and it waits for its turn."""

    kind: Literal["step_ready"] = "step_ready"


@frequent
class StepStarted:
    """The step's node began to work on these inputs."""

    inputs: Values = field(default_factory=dict[str, Shown])
    kind: Literal["step_started"] = "step_started"


@frequent
class StepHeld:
    """The debugger holds the step or call, before it reads `values` or after it gave them.

    Of the call of a `tool`, `schema` is what its arguments have to fit. `detail` says more of the reason, as
    the error for which it is held instead of failing; `breakpoint` is the key of what holds it.
    """

    phase: Literal["before", "after"]
    reason: str
    values: Values = field(default_factory=dict[str, Shown])
    tool: str = ""
    schema: Plain = None
    detail: str = ""
    breakpoint: str = ""
    kind: Literal["step_held"] = "step_held"


@frequent
class StepReleased:
    """A held step goes on."""

    kind: Literal["step_released"] = "step_released"


@frequent
class InputsEdited:
    """A person changed inputs of a held step; `values` has the changed ones."""

    values: Values
    kind: Literal["inputs_edited"] = "inputs_edited"


@frequent
class OutputsEdited:
    """A person changed outputs of a held step: `values` has those given, `absent` those that give nothing."""

    values: Values
    absent: tuple[str, ...] = ()
    kind: Literal["outputs_edited"] = "outputs_edited"


@frequent
class OutputsPinned:
    """The step's node is not executed: it gives what was pinned to it, which came from this run and step."""

    run: str = ""
    origin: str = ""
    edited: bool = False
    kind: Literal["outputs_pinned"] = "outputs_pinned"


@frequent
class TextStreamed:
    """A piece of an answer arrived; provisional until the answer is complete."""

    text: str
    kind: Literal["text_streamed"] = "text_streamed"


@frequent
class ChatRequested:
    """A language model is asked; `request` is `studio.llm.client.request_to_json`.

    `fallback` has the profiles that are asked in turn should this one not be reached, or refuse.
    """

    profile: str
    request: Plain
    fallback: tuple[str, ...] = ()
    kind: Literal["chat_requested"] = "chat_requested"


MADE_UP_LABEL = "made_up"
"""The label of values that were made from made-up answers."""


@frequent
class ChatAnswered:
    """A complete answer came. Tokens as the endpoint counted them; `cost` in US dollars.

    `others` has the messages beside `message`, where several samples were asked for.
    """

    message: Plain
    finish_reason: str
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = None
    llm: str = ""
    others: tuple[Plain, ...] = ()
    kind: Literal["chat_answered"] = "chat_answered"

    @property
    def tokens(self) -> int:
        """Tokens in and out together."""
        return self.input_tokens + self.output_tokens

    @property
    def is_made_up(self) -> bool:
        """Whether nobody gave it: it was made up to fit."""
        return self.llm == MADE_UP


@frequent
class EmbedRequested:
    """A language model is asked for vectors of texts; `dimensions` is how long they are to be."""

    profile: str
    texts: tuple[str, ...]
    dimensions: int | None = None
    kind: Literal["embed_requested"] = "embed_requested"


@frequent
class EmbedAnswered:
    """The vectors came, in the order of the texts; `cost` in US dollars."""

    vectors: Plain
    input_tokens: int = 0
    cost: float | None = None
    llm: str = ""
    kind: Literal["embed_answered"] = "embed_answered"

    @property
    def tokens(self) -> int:
        """Tokens in; none come out."""
        return self.input_tokens

    @property
    def is_made_up(self) -> bool:
        """Whether nobody gave them: they are of no language model."""
        return self.llm == MADE_UP


@frequent
class AnswerReused:
    """What follows in this step was not asked for again: it is the answer, or result, of `step` in `run`.

    It was paid for then; its tokens and cost do not count again.
    """

    run: str
    step: str
    kind: Literal["answer_reused"] = "answer_reused"


@frequent
class ToolCalled:
    """A tool is run; `arguments` is the parsed object."""

    tool: str
    arguments: Plain
    call_id: str = ""
    effect: str = "pure"
    kind: Literal["tool_called"] = "tool_called"


@frequent
class ToolAnswered:
    """The tool answered; with `is_error` the text says why it could not."""

    tool: str
    text: str
    is_error: bool = False
    labels: tuple[str, ...] = ()
    kind: Literal["tool_answered"] = "tool_answered"


@frequent
class ApprovalAsked:
    """A person is asked to fill a form: a question and a JSON Schema."""

    question: str
    schema: Plain
    kind: Literal["approval_asked"] = "approval_asked"


@frequent
class ApprovalGiven:
    """A person answered."""

    answer: Plain
    kind: Literal["approval_given"] = "approval_given"


Decision: TypeAlias = Literal["allow", "ask", "deny"]


@frequent
class PolicyDecided:
    """Whether something may be started or reached was decided, or left to a person; `rule` says by what."""

    decision: Decision
    subject: str
    rule: str
    kind: Literal["policy_decided"] = "policy_decided"


@frequent
class StepProgressed:
    """The step says how far it has come; or how far what it needs is, which is no work of its own."""

    done: float
    total: float
    note: str = ""
    is_preparing: bool = False
    kind: Literal["step_progressed"] = "step_progressed"


@frequent
class StepRetried:
    """An attempt failed and another follows."""

    attempt: int
    error: str
    kind: Literal["step_retried"] = "step_retried"


@frequent
class StepFinished:
    """The step gave these outputs; an absent one is missing."""

    outputs: Values = field(default_factory=dict[str, Shown])
    kind: Literal["step_finished"] = "step_finished"


@frequent
class StepFailed:
    """The step failed; `error` is the class of error, `message` one sentence, `hint` what to do.

    `origin` is the step that the error came from, where this one failed unrun because of it.
    """

    error: str
    message: str
    hint: str = ""
    origin: str = ""
    kind: Literal["step_failed"] = "step_failed"


@frequent
class StepSkipped:
    """The step did not run, because an input it needs is absent."""

    reason: str = ""
    kind: Literal["step_skipped"] = "step_skipped"


@frequent
class StepCancelled:
    """The step was stopped before it finished."""

    kind: Literal["step_cancelled"] = "step_cancelled"


@frequent
class RaceDecided:
    """The first value came to a race: `winner` is the output that gave it, `index` its wire's place."""

    winner: str
    index: int
    kind: Literal["race_decided"] = "race_decided"


@frequent
class ValueDrawn:
    """The step read the clock (`value` is ISO 8601) or was given chance (`value` is the seed)."""

    source: Literal["clock", "random"]
    value: Plain
    kind: Literal["value_drawn"] = "value_drawn"


@frequent
class FolderOpened:
    """The step works on files from now on; `path` is the folder within the project."""

    path: str = ""
    kind: Literal["folder_opened"] = "folder_opened"


@frequent
class StepTimedOut:
    """The step took longer than its time limit, and is being stopped."""

    seconds: float
    kind: Literal["step_timed_out"] = "step_timed_out"


@frequent
class StopAsked:
    """A person cancelled the step, or all that went on in the round or item, that `name` names."""

    name: str
    kind: Literal["stop_asked"] = "stop_asked"


@frequent
class BudgetWarned:
    """Most of a limit is used up: the run's, or that of `node`."""

    limit: str
    spent: float
    allowed: float
    node: str = ""
    kind: Literal["budget_warned"] = "budget_warned"


@frequent
class BudgetReached:
    """A limit is used up, and the run is held until a person raises it or stops the run."""

    limit: str
    spent: float
    allowed: float
    node: str = ""
    kind: Literal["budget_reached"] = "budget_reached"


@frequent
class BudgetRaised:
    """A person raised a limit that was reached to `allowed`; the run goes on."""

    limit: str
    allowed: float
    node: str = ""
    kind: Literal["budget_raised"] = "budget_raised"


@frequent
class BudgetLeft:
    """Whoever waited at a limit was stopped, so that nothing asks for more any longer."""

    limit: str
    node: str = ""
    kind: Literal["budget_left"] = "budget_left"


@frequent
class LogWritten:
    """A node wrote a line, or a `breakpoint` did, which is then its key."""

    text: str
    breakpoint: str = ""
    kind: Literal["log_written"] = "log_written"


@frequent
class RunHeld:
    """No new step starts until a person goes on."""

    reason: str = ""
    kind: Literal["run_held"] = "run_held"


@frequent
class RunResumed:
    """Steps start again."""

    kind: Literal["run_resumed"] = "run_resumed"


@frequent
class RunFinished:
    """The run is done; its outputs by the id of their flow output."""

    outputs: Values = field(default_factory=dict[str, Shown])
    kind: Literal["run_finished"] = "run_finished"


@frequent
class RunFailed:
    """The run ended with the error of a step (`step` is its name, empty where none is to blame)."""

    error: str
    message: str
    hint: str = ""
    step: str = ""
    exit_code: int = 1
    kind: Literal["run_failed"] = "run_failed"


@frequent
class RunCancelled:
    """The run was stopped."""

    kind: Literal["run_cancelled"] = "run_cancelled"


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
