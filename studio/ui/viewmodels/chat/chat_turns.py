"""One turn of a chat as its panel shows it: a view on the run that answers."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import cast

from PySide6.QtCore import QCoreApplication

from studio.flow.plain_text import excerpt, pretty, quoted
from studio.flow.ports import PortType
from studio.flow.records import CallingLibrary, Flow
from studio.ids import NodeId, StepId
from studio.trace.events import ApprovalAsked
from studio.trace.events.calls import MADE_UP_LABEL
from studio.trace.events.values import Plain
from studio.trace.fold.state import RunState, RunStatus
from studio.trace.fold.steps import StepState, StepStatus
from studio.trace.questions import WAITED
from studio.ui.viewmodels.run.results import OUTPUT_KIND, Given, given_by
from studio.ui.viewmodels.words import count_words
from studio.ui.viewmodels.words.step_words import is_in_doubt, run_figures, run_tone, run_word, waiting_word
from studio.ui.viewmodels.words.value_words import told

translate = QCoreApplication.translate

SHORT = 60
"""Characters of a tool's arguments on its line."""
_SAID = frozenset({"text", "message", "messages", "any"})
"""Types of what may carry an answer on to an output."""


@dataclass(frozen=True, slots=True)
class ToolLine:
    """A call of a tool, on one line, and what it was called with and answered."""

    step: StepId
    tool: str
    short: str
    arguments: str
    answer: str
    word: str
    tone: str


@dataclass(frozen=True, slots=True)
class Place:
    """A step that somebody has to look at, and what it is called."""

    step: StepId
    title: str


@dataclass(frozen=True, slots=True)
class Asking:
    """A question to the person, and who asks it."""

    step: StepId
    title: str
    asked: ApprovalAsked


@dataclass(frozen=True, slots=True)
class TurnView:
    """Where the run of a turn stands, and what it has said so far.

    `streamed` is what is being said, as long as nothing is `given`; `doing` names who works.
    """

    word: str = ""
    tone: str = "skipped"
    doing: str = ""
    streamed: str = ""
    given: tuple[Given, ...] = ()
    tools: tuple[ToolLine, ...] = ()
    held: tuple[Place, ...] = ()
    asks: tuple[Asking, ...] = ()
    error: str = ""
    failed: Place | None = None
    figures: str = ""
    is_made_up: bool = False
    is_over: bool = False
    is_left: bool = False
    """Whether it is over with a question that is answered elsewhere, and goes on then."""

    @property
    def where(self) -> object:
        """What of it leads somewhere else."""
        return self.held, self.failed, self.is_left

    @property
    def answer(self) -> str | None:
        """What was answered, as a text for the turns after it; None where nothing was."""
        return answer_of(one.shown.data for one in self.given)


class TurnFold:
    """Reads a run as a turn; of a run that goes on, only what came since is looked through."""

    def __init__(self, flow: Flow, library: CallingLibrary) -> None:
        self._flow, self._library = flow, library
        self._speakers = tuple(speakers(flow, library))
        self._seen = 0
        self._tools: list[StepId] = []
        self._lines: dict[StepId, ToolLine] = {}

    def view(self, state: RunState, *, is_stopping: bool = False) -> TurnView:
        """The turn as it is now."""
        flow = self._flow
        given = tuple(given_by(state, flow)) if state.status.is_final else ()
        word, tone = self._standing(state, is_stopping=is_stopping)
        error, failed = self._failure(state)
        return TurnView(
            word,
            tone,
            self._doing(state),
            "" if given else self._streamed(state),
            given,
            tuple(self._tool_lines(state)),
            tuple(Place(step, self._title(step)) for step in state.held_steps),
            tuple(Asking(step, self._title(step), asked) for step, asked in state.waiting.items()),
            error,
            failed,
            run_figures(state) if state.status.is_final else "",
            any(MADE_UP_LABEL in one.shown.labels for one in given) or bool(state.made_up),
            state.status.is_final,
            _is_left(state),
        )

    def answering(self, state: RunState) -> StepState | None:
        """The step that gave the answer: the nearest to an output that spoke in words, else any."""
        steps = [state.steps.get(state.latest.get(node, StepId(""))) for node in self._speakers]
        done = [one for one in steps if one is not None and one.status is StepStatus.DONE]
        spoke = [one for one in done if _speaks(state, one)]
        return next(iter((*spoke, *done)), None)

    def _title(self, step: StepId) -> str:
        return count_words.step_title(self._flow, step, self._library)

    def _standing(self, state: RunState, *, is_stopping: bool) -> tuple[str, str]:
        """The word for where the run stands, and its tone."""
        if is_stopping:
            return translate("chat", "Stopping…"), "skipped"
        if state.waiting or _is_left(state):
            return _begun(waiting_word()), "held"
        if state.held_steps:
            titles = ", ".join(self._title(step) for step in state.held_steps)
            return translate("chat", "Paused at {step}").format(step=titles), "held"
        if state.started is None:
            return translate("chat", "Starting…"), "running"
        return _begun(run_word(state.status)), run_tone(state.status)

    def _doing(self, state: RunState) -> str:
        """Who works just now: the last step that began, as people know it."""
        if state.status is not RunStatus.RUNNING or state.waiting:
            return ""
        for name in reversed(state.order[-40:]):
            step = state.steps[name]
            if step.status is StepStatus.RUNNING and not step.call:
                return self._title(name)
        return ""

    def _streamed(self, state: RunState) -> str:
        for node in self._speakers:
            step = state.steps.get(state.latest.get(node, StepId("")))
            chat = _speaks(state, step) if step is not None else None
            if step is not None and chat is not None:
                return step.text or chat.text
        return ""

    def _failure(self, state: RunState) -> tuple[str, Place | None]:
        error = state.error
        if error is None or _is_left(state):
            return "", None
        said = quoted(f"{error.message} {error.hint}".strip())
        step = StepId(error.step) if error.step else None
        return said, Place(step, self._title(step)) if step is not None else None

    def _tool_lines(self, state: RunState) -> Iterator[ToolLine]:
        for name in state.order[self._seen :]:
            if state.steps[name].call.startswith("tool"):
                self._tools.append(name)
        self._seen = len(state.order)
        for name in self._tools:
            line = self._lines.get(name)
            if line is None:
                step = state.steps[name]
                line = _tool_line(step)
                if step.status.is_final:
                    self._lines[name] = line
            yield line


def speakers(flow: Flow, library: CallingLibrary) -> Iterator[NodeId]:
    """The nodes whose words may become what a flow gives, the nearest to its outputs first."""
    into: dict[NodeId, list[NodeId]] = {}
    for wire in flow.wires:
        if _carries_words(flow, library, wire.source.node, wire.source.port):
            into.setdefault(wire.target.node, []).append(wire.source.node)
    waiting = [node for node, record in flow.nodes.items() if record.kind == OUTPUT_KIND]
    places = flow.layout.nodes
    waiting.sort(key=lambda node: (at.y, at.x) if (at := places.get(node)) else (0, 0))
    found = dict.fromkeys(waiting)
    for node in waiting:
        for source in into.get(node, ()):
            if source not in found:
                found[source] = None
                waiting.append(source)
                yield source


def answer_of(given: Iterable[Plain]) -> str | None:
    """What a flow answers that gave these values: the first text, else the first value; None for nothing."""
    values = list(given)
    texts = [one for one in values if isinstance(one, str)]
    return said_by((*texts, *values)[0]) if values else None


def said_by(data: Plain) -> str:
    """A value as the text of a message: of a conversation, what was said last."""
    value: object = data
    listed = cast("list[object]", value) if isinstance(value, list) else [value]
    last = listed[-1] if listed else None
    fields = cast("dict[str, object]", last) if isinstance(last, dict) else {}
    content = fields.get("content")
    return content if "role" in fields and isinstance(content, str) else pretty(data)


def _is_left(state: RunState) -> bool:
    """Whether a run ended because somebody has to say something first."""
    return is_in_doubt(state) or (state.error is not None and state.error.error == WAITED)


def _speaks(state: RunState, step: StepState) -> StepState | None:
    """The chat whose words a step says; a judge, who answers in a form, only lets others' pass.

    A team speaks by the turn of one of its agents.
    """
    said = step
    while said.speaker is not None or said.children:
        inner = said.speaker or state.steps.get(said.children[-1])
        if inner is None or inner is said or inner.tool:
            break
        said = inner
    request = said.request
    is_in_words = isinstance(request, dict) and not cast("dict[str, object]", request).get("response_schema")
    return said if is_in_words else None


def _carries_words(flow: Flow, library: CallingLibrary, node: NodeId, port: str) -> bool:
    record = flow.nodes.get(node)
    signature = library.signature(record) if record is not None else None
    if signature is None:
        return False
    found: PortType | None = next((one.type for one in signature.outputs if one.name == port), None)
    return found is None or found.is_variable or found.base in _SAID


def _tool_line(step: StepState) -> ToolLine:
    short = excerpt(told(_only(step.arguments)), SHORT)
    if step.status is StepStatus.FAILED or step.is_error:
        word, tone = translate("chat", "refused"), "failed"
    elif step.status.is_final:
        is_done = step.status is StepStatus.DONE
        word, tone = ("", "done") if is_done else (translate("chat", "stopped"), "skipped")
    elif step.status is StepStatus.HELD:
        word, tone = translate("chat", "paused"), "held"
    else:
        word, tone = translate("chat", "running"), "running"
    answer = step.error.message if step.error is not None and not step.text else step.text
    shown = "" if step.arguments is None else pretty(step.arguments)
    return ToolLine(step.id, step.tool or step.node, short, shown, answer, word, tone)


def _only(arguments: object) -> object:
    """What a tool was called with; of a single argument, its value."""
    if not isinstance(arguments, dict):
        return arguments
    named = cast("dict[str, object]", arguments)
    return next(iter(named.values())) if len(named) == 1 else named


def _begun(words: str) -> str:
    return words[:1].upper() + words[1:]
