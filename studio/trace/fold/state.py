"""The state of a run: the one fold over its entries that every view, test and old run shares.

`RunState.apply` costs the same for the first entry and the millionth (it climbs to a step's parents, never
over its siblings). A step whose first entries were lost is made by the first one that names it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias, assert_never, cast

from studio.ids import NodeId, RunId, StepId, is_in_called_flow, step_parts
from studio.trace import events
from studio.trace.events import Entry
from studio.trace.events.run import Origin, Pin, ScriptFile
from studio.trace.events.values import Plain, Shown, Values
from studio.trace.fold.chat_use import ChatUse
from studio.trace.fold.cost_curve import Payment
from studio.trace.fold.idle import IdleTimes, worked_within
from studio.trace.fold.memory_state import MemoriesState
from studio.trace.fold.origins import OriginEvent, with_event
from studio.trace.fold.packed_steps import Steps
from studio.trace.fold.pending_writes import PendingWrites
from studio.trace.fold.steps import StepState, StepStatus
from studio.trace.fold.variable_state import VariablesState

__all__ = ["THE_RUN", "RunState", "RunStatus", "StepState", "StepStatus", "fold"]

EMBED = "embed"
"""What asking for vectors is called, where it stands as a tool."""

_OFTEN = (events.StepFinished, events.StepStarted, events.StepReady)
"""What nearly all entries are."""

READY, RUNNING, HELD = StepStatus.READY, StepStatus.RUNNING, StepStatus.HELD

THE_RUN = StepId("")
"""What `RunState.apply` gives where an entry is about the run as a whole."""


BudgetEvent: TypeAlias = events.BudgetWarned | events.BudgetReached | events.BudgetRaised | events.BudgetLeft


class RunStatus(StrEnum):
    """Where a run stands; INTERRUPTED is what the reader calls a run whose process died."""

    RUNNING = "running"
    HELD = "held"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"

    @property
    def is_final(self) -> bool:
        """Whether nothing more will happen."""
        return self not in (RunStatus.RUNNING, RunStatus.HELD)


@dataclass(slots=True)
class RunState:
    """A run so far. `steps` and `order` are in order of appearance; `latest` has each node's last own step.

    Nodes of called flows are not in `latest`: they may be called as nodes of the flow that ran.
    `waiting` has the questions that a person has not answered yet, `bindings` whether what a binding node
    lends is open, `log` what nodes wrote, `updated` the time of the last entry, `paid` what was paid for, in
    order of time, `uses` what was asked of each chat profile, `warnings` which limits are nearly used up,
    `reached` at which of them the run is held (by node, empty for the run, and name), `variables` what its
    variables are, `memories` what its memories are. Of the `tokens`, `cached`
    came out of a provider's cache, and `unpriced` cost what nobody
    knows.
    """

    run: RunId = RunId("")  # noqa: RUF009  (a `NewType` makes nothing)
    flow_name: str = ""
    flow: str = ""
    flows: Mapping[str, str] = field(default_factory=dict[str, str])
    project: str = ""
    profile: str = ""
    forked_from: Origin | None = None
    is_script: bool = False
    """Whether a script ran it, and not the studio."""
    source: ScriptFile | None = None
    """The script that decided which steps there are; None where that was the flow."""
    met: dict[str, events.NodeMet] = field(default_factory=dict[str, events.NodeMet])
    """The nodes that the script has called so far, as `place_of` names them."""
    pins: Mapping[str, Pin] = field(default_factory=dict[str, Pin])
    """What nodes gave without being executed, by node, or by flow and node."""
    faults: tuple[Plain, ...] = ()
    """What goes wrong in it on purpose."""
    inputs: Values = field(default_factory=dict[str, Shown])
    outputs: Values = field(default_factory=dict[str, Shown])
    error: events.RunFailed | None = None
    started: float | None = None
    ended: float | None = None
    updated: float | None = None
    lay_still: float = 0.0
    """Seconds between its ends and its going on, when nobody ran it."""
    tokens: int = 0
    cost: float = 0.0
    cached: int = 0
    unpriced: int = 0
    made_up: int = 0
    """How many of the answers of its chats nobody gave: they were made up."""
    paid: list[Payment] = field(default_factory=list[Payment])
    uses: dict[str, ChatUse] = field(default_factory=dict[str, ChatUse])
    steps: Steps = field(default_factory=Steps)
    order: list[StepId] = field(default_factory=list[StepId])
    latest: dict[NodeId, StepId] = field(default_factory=dict[NodeId, StepId])
    entries_count: int = 0
    waiting: dict[StepId, events.ApprovalAsked] = field(default_factory=dict[StepId, events.ApprovalAsked])
    held_steps: dict[StepId, None] = field(default_factory=dict[StepId, None])
    bindings: dict[NodeId, bool] = field(default_factory=dict[NodeId, bool])
    log: list[tuple[float, StepId, str]] = field(default_factory=list[tuple[float, StepId, str]])
    warnings: list[events.BudgetWarned] = field(default_factory=list[events.BudgetWarned])
    reached: dict[tuple[str, str], events.BudgetReached] = field(
        default_factory=dict[tuple[str, str], events.BudgetReached]
    )
    variables: VariablesState = field(default_factory=VariablesState)
    memories: MemoriesState = field(default_factory=MemoriesState)
    pending: PendingWrites = field(default_factory=PendingWrites)
    """What was written in items of maps that have not ended."""
    idle: IdleTimes = field(default_factory=IdleTimes)
    """When the run did not work, for it was held or waited."""
    _is_held: bool = False
    _end: RunStatus | None = None

    @property
    def status(self) -> RunStatus:
        """Where the run stands; it is held while any of its steps is."""
        if self._end is not None:
            return self._end
        return RunStatus.HELD if self._is_held or self.held_steps or self.reached else RunStatus.RUNNING

    def worked(self, now: float | None = None) -> float | None:
        """How long it has worked, without what it was held, waited or lay still; None before its beginning.

        One that is not over has worked until `now`, in seconds since the epoch, or else has no time yet.
        """
        until = self.ended if self.ended is not None else now
        if self.started is None or until is None:
            return None
        return max(until - self.started - self.lay_still - self.idle.seconds(until), 0.0)

    def faults_in(self, step: StepState) -> list[str]:
        """Name the faults that were injected in a step and in its calls, each once."""
        if not self.faults:
            return []
        calls = (self.steps[name] for name in step.children if self.steps[name].call)
        return list(dict.fromkeys((*step.faults, *(one for call in calls for one in call.faults))))

    def worked_by(self, step: StepState) -> float | None:
        """How long a step worked, without what it was held and the run idle; None while it goes on."""
        if step.started is None or step.ended is None:
            return None
        if not step.held and not self.idle.spans:  # as it is with nearly all
            return step.ended - step.started
        return worked_within(step.started, step.ended, [*step.held, *((a, b) for a, b, _ in self.idle.spans)])

    def apply(self, entry: Entry) -> StepId:
        """Take in the next entry; gives the step that it touched, `THE_RUN` where it was none."""
        self.entries_count += 1
        self.run = entry.run
        event = entry.event
        before, self.updated = self.updated, entry.time
        name = entry.step
        is_often = isinstance(event, _OFTEN)
        if self.idle.since is not None or not is_often:
            self.idle.take(entry)
        if not is_often and self._is_of_run(entry, before):
            return THE_RUN
        if not name:
            return THE_RUN
        step = self.steps.own(name) or self._appear(name)
        if entry.parent and not step.parent:
            self._adopt(step, entry.parent)
        _tell_step(self, step, cast("_StepEvent", event), entry.time)
        status = step.status
        if status is HELD:
            self.held_steps[name] = None
        elif self.held_steps:
            self.held_steps.pop(name, None)
        if status is not READY and status is not RUNNING and status is not HELD:
            self.steps.rest(name)
        return step.id

    def _is_of_run(self, entry: Entry, before: float | None) -> bool:
        """Take in what is told of the run as a whole; gives whether it was that."""
        event = entry.event
        if isinstance(event, BudgetEvent):
            self._tell_budget(event)
            return True
        if isinstance(event, _RunEvent):
            self._tell(event, entry.time, before)
            return True
        if isinstance(event, events.LogWritten):
            self.log.append((entry.time, entry.step, event.text))
            return entry.step not in self.steps  # what lends may write a line too, and is no step
        return False

    def share(self, writes: Iterable[events.Written]) -> None:
        """Let writes take effect for all."""
        for write in writes:
            if isinstance(write, events.StateWritten):
                self.variables.take(write)
            else:
                self.memories.take(write)

    def interrupt(self) -> None:
        """Note that nobody runs this any more: its process died. What had not ended counts as cancelled."""
        if self._end is None:
            self._finish(RunStatus.INTERRUPTED, self.updated or 0.0)
            self.idle.end(self.updated or 0.0)
            for step in self.steps.going():
                step.end(StepStatus.CANCELLED, self.updated or 0.0)

    def ancestors(self, step: StepState) -> Iterable[StepState]:
        """Give the steps inside which `step` happened, innermost first."""
        while step.parent and (parent := self.steps.own(step.parent)) is not None:
            yield parent
            step = parent

    def _appear(self, name: StepId) -> StepState:
        scope, node, call, attempt = step_parts(name)
        step = self.steps[name] = StepState(name, node, scope, call, attempt)
        self.order.append(name)
        if not call and not is_in_called_flow(scope):
            self.latest[node] = name
        return step

    def _adopt(self, step: StepState, parent_name: StepId) -> None:
        parent = self.steps.own(parent_name)
        if parent is None:  # it lends what makes these calls, and is told of in no event of its own
            parent = self._appear(parent_name)
            parent.status = StepStatus.RUNNING
        if parent is step or any(above is step for above in self.ancestors(parent)):
            return  # only a damaged file says so; a circle of parents would never end
        step.parent = parent_name
        parent.children.append(step.id)
        if step.tokens or step.cost:
            _spend(self.ancestors(step), step.tokens, step.cost)

    def _tell(  # noqa: C901  # one arm for each event
        self, event: "_RunEvent", time: float, before: float | None
    ) -> None:
        match event:
            case events.RunStarted():
                self.started = time
                self.flow_name, self.flow, self.flows = event.flow_name, event.flow, event.flows
                self.project, self.profile, self.inputs = event.project, event.profile, event.inputs
                self.forked_from, self.is_script = event.forked_from, event.script
                self.pins, self.source = event.pins, event.source
                self.faults = event.faults
            case events.NodeMet():
                self.met[event.node] = event
            case events.RunContinued():
                self.lay_still += time - before if before is not None else 0.0
                self._continue(time if before is None else before)
            case events.BindingOpened():
                self.bindings[NodeId(event.node)] = True
            case events.BindingClosed():
                self.bindings[NodeId(event.node)] = False
            case events.MemoryOpened() | events.MemoryUnsaved():
                self.memories.tell(event)
            case events.RunHeld():
                self._is_held = True
            case events.RunResumed():
                self._is_held = False
            case events.RunFinished():
                self.outputs = event.outputs
                self._finish(RunStatus.FINISHED, time)
            case events.RunFailed():
                self.error = event
                self._finish(RunStatus.FAILED, time)
            case events.RunCancelled():
                self._finish(RunStatus.CANCELLED, time)
            case _:
                assert_never(event)

    def _tell_budget(self, event: BudgetEvent) -> None:
        match event:
            case events.BudgetWarned():
                self.warnings.append(event)
            case events.BudgetReached():
                self.reached[event.node, event.limit] = event
            case events.BudgetRaised() | events.BudgetLeft():
                self.reached.pop((event.node, event.limit), None)

    def _continue(self, time: float) -> None:
        self.reached.clear()
        for step in self.steps.going():
            step.end(StepStatus.CANCELLED, time)
        self.waiting.clear()
        self.held_steps.clear()
        self.error = None
        self.ended = None
        self._is_held = False
        self._end = None

    def _finish(self, status: RunStatus, time: float) -> None:
        self._end = status
        self.ended = time
        for step in self.steps.going():
            if step.began is None and step.children:  # it lent, to the end
                step.status = StepStatus.DONE if status is RunStatus.FINISHED else StepStatus.CANCELLED
        self.steps.pack()
        self.reached.clear()
        self.waiting.clear()
        self.held_steps.clear()


def fold(entries: Iterable[Entry]) -> RunState:
    """Give the state after all `entries`."""
    state = RunState()
    for entry in entries:
        state.apply(entry)
    return state


_RunEvent: TypeAlias = (
    events.RunStarted
    | events.NodeMet
    | events.RunContinued
    | events.RunHeld
    | events.RunResumed
    | events.RunFinished
    | events.RunFailed
    | events.RunCancelled
    | events.BindingOpened
    | events.BindingClosed
    | events.MemoryOpened
    | events.MemoryUnsaved
)
_CallEvent: TypeAlias = (
    events.TextStreamed
    | events.ChatRequested
    | events.ChatAnswered
    | events.EmbedRequested
    | events.EmbedAnswered
    | events.ToolCalled
    | events.ToolAnswered
    | events.ApprovalAsked
    | events.ApprovalGiven
)
_EndEvent: TypeAlias = events.StepFinished | events.StepFailed | events.StepSkipped | events.StepCancelled
_OftenEvent: TypeAlias = events.StepReady | events.StepStarted
_OwnEvent: TypeAlias = (
    events.StepHeld
    | events.StepReleased
    | events.InputsEdited
    | events.OutputsEdited
    | events.StepFaulted
    | events.OutputsPinned
    | events.StepProgressed
    | events.PartTold
    | events.StepRetried
    | events.AnswerReused
    | events.RaceDecided
    | events.PolicyDecided
    | events.LogWritten
)
_SharedEvent: TypeAlias = (
    events.StateRead
    | events.StateWritten
    | events.MemoryRead
    | events.MemoryWritten
    | events.StateMerged
    | events.ValueDrawn
    | events.FolderOpened
    | events.StepTimedOut
    | events.StopAsked
)
_StepEvent: TypeAlias = _OftenEvent | _CallEvent | _EndEvent | _OwnEvent | _SharedEvent


def _tell_step(run: RunState, step: StepState, event: _StepEvent, time: float) -> None:
    # Those that come most often by far stand first.
    if isinstance(event, events.StepReady):
        step.ready = time
    elif isinstance(event, events.StepStarted):
        _start(step, event, time)
    elif isinstance(event, _EndEvent):
        _tell_end(run, step, event, time)
    elif isinstance(event, _CallEvent):
        _tell_call(run, step, event, time)
    elif isinstance(event, _SharedEvent):
        _tell_shared(run, step, event)
    else:
        if isinstance(event, OriginEvent):
            step.origins = with_event(step.origins, event)
        _tell_own(step, event, time)


def _start(step: StepState, event: events.StepStarted, time: float) -> None:
    step.inputs = event.inputs
    step.writes, step.parts = (), {}
    step.recalled, step.remembered = [], []
    step.start(time)


def _tell_end(run: RunState, step: StepState, event: _EndEvent, time: float) -> None:
    match event:
        case events.StepFinished():
            step.outputs = event.outputs
            step.end(StepStatus.DONE, time)
            if step.writes or step.remembered:
                run.share(run.pending.finish((*step.writes, *step.remembered)))
        case events.StepFailed():
            step.error = event
            step.end(StepStatus.FAILED, time)
        case events.StepSkipped():
            step.note = event.reason
            step.end(StepStatus.SKIPPED, time)
        case events.StepCancelled():
            step.end(StepStatus.CANCELLED, time)
        case _:
            assert_never(event)
    run.waiting.pop(step.id, None)


def _tell_shared(run: RunState, step: StepState, event: _SharedEvent) -> None:
    """Take in what a step did to what all steps share, and read there."""
    if isinstance(event, events.StateWritten):
        step.writes = (*step.writes, event)
    elif isinstance(event, events.MemoryWritten):
        step.remembered.append(event)
    elif isinstance(event, events.MemoryRead):
        step.recalled.append(event)
        step.faults = (*step.faults, event.fault) if event.fault else step.faults
    elif isinstance(event, events.StateRead):
        step.origins = with_event(step.origins, event)
    elif isinstance(event, events.StateMerged):
        run.share(run.pending.merge(event))


def _tell_own(  # noqa: C901  # one arm for each event
    step: StepState, event: _OwnEvent, time: float
) -> None:
    match event:
        case events.RaceDecided() | events.LogWritten():
            pass
        case events.AnswerReused() | events.OutputsPinned():
            step.is_pinned = isinstance(event, events.OutputsPinned)
            step.is_reused = not step.is_pinned
        case events.StepHeld():
            step.hold(event, time)
        case events.StepReleased():
            step.release(time)
        case events.InputsEdited():
            step.inputs = {**step.inputs, **event.values}
            step.edited = True
        case events.StepFaulted():
            step.suffer(event)
        case events.OutputsEdited():
            step.outputs = {
                port: one for port, one in step.outputs.items() if port not in event.absent
            } | dict(event.values)
            step.edited = True
            step.edit_answer(event.values)
        case events.PolicyDecided():
            step.note = f"{event.decision}: {event.subject} ({event.rule})"
            step.start(time)
            step.end(StepStatus.DONE, time)
        case events.PartTold():
            step.parts[event.part] = event
        case events.StepProgressed():
            step.progress, step.note = (event.done, event.total), event.note
        case events.StepRetried():
            step.note = event.error
            step.parts = {}
            step.settle("")
            step.listen_to(None)
        case _:
            assert_never(event)


def _tell_call(run: RunState, step: StepState, event: _CallEvent, time: float) -> None:
    match event:
        case events.TextStreamed():
            step.stream(event.text)
            _speak(run, step)
        case events.ChatRequested():
            step.request, step.profile = event.request, event.profile
            step.settle("")
            step.start(time)
        case events.ChatAnswered():
            _answer_chat(run, step, event, time)
            _end_call(step, time)
        case events.EmbedRequested():
            step.profile = event.profile
            step.tool, step.arguments = EMBED, {"texts": list(event.texts)}
            step.start(time)
        case events.EmbedAnswered():
            _pay(run, step, event, time)
            run.made_up += event.is_made_up
            step.settle(_described(event.vectors))
            _end_call(step, time)
        case events.ToolCalled():
            step.tool, step.call_id, step.arguments = event.tool, event.call_id, event.arguments
            step.start(time)
        case events.ToolAnswered():
            step.tool, step.is_error = event.tool, event.is_error
            step.settle(event.text)
            _end_call(step, time)
        case events.ApprovalAsked():
            run.waiting[step.id] = event
            step.start(time)
        case events.ApprovalGiven():
            run.waiting.pop(step.id, None)
            _end_form(step, time)
        case _:
            assert_never(event)


def _answer_chat(run: RunState, step: StepState, event: events.ChatAnswered, time: float) -> None:
    step.message, step.others, step.answered = event.message, event.others, event
    text = _content(event.message)
    step.settle(text)
    if text:
        _speak(run, step)
    if not step.is_reused:
        run.cached += event.cached_tokens
    run.made_up += event.is_made_up
    _pay(run, step, event, time)


def _pay(
    run: RunState, step: StepState, event: events.ChatAnswered | events.EmbedAnswered, time: float
) -> None:
    """Count what an answer cost, unless it was paid for in an earlier run, or a person gave it."""
    if step.is_reused or "answer" in step.inputs:
        return
    tokens, cost = event.tokens, event.cost or 0.0
    run.tokens += tokens
    run.cost += cost
    run.paid.append(Payment(time, step.id, tokens, cost))
    run.unpriced += tokens if event.cost is None else 0
    answered = event if isinstance(event, events.ChatAnswered) else None
    use = run.uses.setdefault(step.profile or run.profile, ChatUse())
    out, cached = (answered.output_tokens, answered.cached_tokens) if answered is not None else (0, 0)
    use.count(event.input_tokens, out, cached, event.cost)
    _spend((step, *run.ancestors(step)), tokens, cost)


def _described(vectors: Plain) -> str:
    """Vectors in a few words; nobody reads the numbers."""
    rows = cast("list[object]", vectors) if isinstance(vectors, list) else []
    length = len(cast("list[object]", rows[0])) if rows and isinstance(rows[0], list) else 0
    return f"{len(rows)} × {length}"


def _content(message: Plain) -> str:
    content = cast("dict[str, object]", message).get("content") if isinstance(message, dict) else None
    return content if isinstance(content, str) else ""


def _spend(steps: Iterable[StepState], tokens: int, cost: float) -> None:
    for step in steps:
        step.tokens += tokens
        step.cost += cost


def _speak(run: RunState, step: StepState) -> None:
    if step.call and step.parent:
        parent = run.steps.own(step.parent)
        if parent is not None:
            parent.listen_to(step)


def _end_form(step: StepState, time: float) -> None:
    """Note that a person answered; by such a form a chat may be answered, of which the answer follows."""
    if step.request is None:
        _end_call(step, time)


def _end_call(step: StepState, time: float) -> None:
    # A node may chat or ask within its own step, which then goes on.
    if step.call:
        step.end(StepStatus.DONE, time)
