"""The state of one step: what it read, said and gave, what it cost, and when the debugger held it."""

from dataclasses import dataclass, field, replace
from enum import StrEnum

from studio.ids import NodeId, Scope, StepId
from studio.trace import events
from studio.trace.events.values import Plain, Shown, Values
from studio.trace.fold.origins import NO_ORIGINS, Origins


class StepStatus(StrEnum):
    """Where a step stands."""

    READY = "ready"
    RUNNING = "running"
    HELD = "held"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        """Whether nothing more will happen to the step."""
        return self not in GOING


GOING = (StepStatus.READY, StepStatus.RUNNING, StepStatus.HELD)
"""Where a step stands that is not over."""


@dataclass(slots=True)
class StepState:
    """One step so far. `call` is empty for a node's own step, else such as `chat.1` or `tool.2`.

    `tokens` and `cost` include what was spent in `children`. `ready` is when all its inputs were known,
    `began` when the step first took time: held before it started, or started; between the two it waited for
    its turn. `held` has the spans in which the debugger
    held the step, the last one open (None) while it does. A chat has `profile`, `request` and `message`, a
    tool call `tool`, `call_id`, `arguments` and `is_error`. What `is_reused` was answered by an earlier run.
    `writes` has the changes of run variables that take effect when it finishes. What `is_pinned` gave what
    was pinned to its node, which did not work. `origins` has what came from elsewhere than the wires.
    """

    id: StepId
    node: NodeId
    scope: Scope
    call: str
    attempt: int
    parent: StepId = StepId("")  # noqa: RUF009  (a `NewType` makes nothing)
    status: StepStatus = StepStatus.READY
    inputs: Values = field(default_factory=dict[str, Shown])
    outputs: Values = field(default_factory=dict[str, Shown])
    error: events.StepFailed | None = None
    ready: float | None = None
    began: float | None = None
    started: float | None = None
    ended: float | None = None
    held: list[tuple[float, float | None]] = field(default_factory=list[tuple[float, float | None]])
    held_phase: str = ""
    held_reason: str = ""
    held_detail: str = ""
    """More of the reason, such as the error for which it is held instead of failing."""
    held_by: str = ""
    """The key of the breakpoint or catch that holds it."""
    held_schema: Plain | None = None
    tokens: int = 0
    cost: float = 0.0
    children: list[StepId] = field(default_factory=list[StepId])
    request: Plain | None = None
    profile: str = ""
    message: Plain | None = None
    others: tuple[Plain, ...] = ()
    answered: events.ChatAnswered | None = None
    """Of a chat: the last answer, with what its endpoint counted."""
    tool: str = ""
    call_id: str = ""
    arguments: Plain | None = None
    is_error: bool = False
    note: str = ""
    progress: tuple[float, float] | None = None
    writes: tuple[events.StateWritten, ...] = ()
    remembered: list[events.MemoryWritten] = field(default_factory=list[events.MemoryWritten])
    """What it changes in memories, which takes effect when it finishes."""
    recalled: list[events.MemoryRead] = field(default_factory=list[events.MemoryRead])
    """What it looked for in memories, and found."""
    parts: dict[str, events.PartTold] = field(default_factory=dict[str, events.PartTold])
    """What it makes as it goes, in order of appearance, each as it was told last."""
    edited: bool = False
    faults: tuple[str, ...] = ()
    """What went wrong with it on purpose: `corrupt critic#chat`."""
    is_reused: bool = False
    is_pinned: bool = False
    origins: Origins = NO_ORIGINS
    _pieces: list[str] = field(default_factory=list[str], repr=False, compare=False)
    _speaker: "StepState | None" = field(default=None, repr=False, compare=False)

    @property
    def text(self) -> str:
        """What the step says: its first output that is text, else what was answered or streamed so far.

        A node's own step shows what the last of its chats that said anything says.
        """
        for shown in self.outputs.values():
            if isinstance(shown.data, str):
                return shown.data
        if len(self._pieces) > 1:
            self._pieces[:] = ["".join(self._pieces)]
        if self._pieces:
            return self._pieces[0]
        return self._speaker.text if self._speaker is not None else ""

    def start(self, time: float) -> None:
        """Note that the step works; the first start counts."""
        self.status = StepStatus.RUNNING
        self.ended = None
        self.error = None
        self._begin(time)
        if self.started is None:
            self.started = time

    def end(self, status: StepStatus, time: float) -> None:
        """Note how the step ended, and close what was open in it."""
        if self.held:
            self._close_hold(time)
        self.status = status
        self.ended = time

    def hold(self, event: events.StepHeld, time: float) -> None:
        """Note that the debugger holds the step."""
        self._close_hold(time)
        self.tool = event.tool or self.tool
        if event.phase == "before":
            self.inputs = event.values
        else:
            self.outputs = event.values
        self.status = StepStatus.HELD
        self.ended = None
        self._begin(time)
        self.held.append((time, None))
        self.held_phase, self.held_reason, self.held_schema = event.phase, event.reason, event.schema
        self.held_detail, self.held_by = event.detail, event.breakpoint

    def release(self, time: float) -> None:
        """Note that the step goes on."""
        was_answered = bool(self.call) and self.held_phase == "after" and self.held_reason != "error"
        self._close_hold(time)
        if was_answered:  # nothing more is told of it
            self.end(StepStatus.DONE, time)
        else:
            self.status = StepStatus.READY if self.started is None else StepStatus.RUNNING

    def edit_answer(self, values: Values) -> None:
        """Note what a call is to have said; other steps say what they give."""
        answer: Plain = values["answer"].data if self.call and "answer" in values else None
        if isinstance(answer, str):
            self.is_error = False
            self.settle(answer)
        elif isinstance(answer, dict):
            self.message = answer
            content: Plain = self.message.get("content")
            self.settle(content if isinstance(content, str) else "")

    def suffer(self, event: events.StepFaulted) -> None:
        """Note a fault; one of an answer is what the call is to have said."""
        self.faults = (*self.faults, f"{event.fault} {event.at}")
        if event.phase == "before":
            self.inputs = {**self.inputs, **event.values}
        else:
            kept = {port: one for port, one in self.outputs.items() if port not in event.absent}
            self.outputs = kept | dict(event.values)
            self.edit_answer(event.values)

    def stream(self, piece: str) -> None:
        """Add a piece of an answer."""
        self._pieces.append(piece)

    def settle(self, text: str) -> None:
        """Replace what was streamed by what was really said."""
        self._pieces[:] = [text] if text else []

    def listen_to(self, call: "StepState | None") -> None:
        """Say what this call says, as long as the step says nothing itself."""
        self._speaker = call

    def copied(self) -> "StepState":
        """Give one that may change without this one; whose words it says stays the same step."""
        return replace(
            self,
            held=list(self.held),
            children=list(self.children),
            remembered=list(self.remembered),
            recalled=list(self.recalled),
            parts=dict(self.parts),
            _pieces=list(self._pieces),
        )

    def listens_to(self, call: "StepState") -> bool:
        """Whether the step says what this call says."""
        return self._speaker is not None and self._speaker.id == call.id

    @property
    def speaker(self) -> "StepState | None":
        """The call whose words it says, as long as it says nothing itself."""
        return self._speaker

    def _begin(self, time: float) -> None:
        if self.began is None:
            self.began = time

    def _close_hold(self, time: float) -> None:
        if self.held and self.held[-1][1] is None:
            self.held[-1] = (self.held[-1][0], time)
        self.held_phase = self.held_reason = self.held_detail = self.held_by = ""
        self.held_schema = None
