"""What a step says of itself in a sentence or two: tooltips, and what a screen reader hears."""

from PySide6.QtCore import QCoreApplication

from studio.errors import InDoubtError
from studio.flow.plain_text import quoted
from studio.flow.records import CallingLibrary, Flow
from studio.ids import NodeId, StepId, is_in_called_flow, own_step, step_parts
from studio.trace.figures import cost, duration
from studio.trace.fold.idle import idle_words
from studio.trace.fold.state import RunState, RunStatus
from studio.trace.fold.steps import StepState, StepStatus
from studio.ui.viewmodels.words import count_words

translate = QCoreApplication.translate


def status_word(status: StepStatus) -> str:
    """The one word that stands in a step's pill."""
    match status:
        case StepStatus.READY:
            return translate("step", "ready")
        case StepStatus.RUNNING:
            return translate("step", "running")
        case StepStatus.HELD:
            return translate("step", "paused")
        case StepStatus.DONE:
            return translate("step", "done")
        case StepStatus.FAILED:
            return translate("step", "failed")
        case StepStatus.SKIPPED:
            return translate("step", "skipped")
        case StepStatus.CANCELLED:
            return translate("step", "stopped")


def waiting_word() -> str:
    """What stands for a step, or a run, that goes on when somebody has answered."""
    return translate("step", "waiting for you")


def is_in_doubt(ended: RunState | StepState) -> bool:
    """Whether a run or step ended because a person has to say what it has changed outside."""
    return ended.error is not None and ended.error.error == InDoubtError.__name__


def question_of(state: RunState, step: StepId) -> str | None:
    """What a step waits to be told, if it or one of its calls has asked somebody."""
    own = own_step(step)
    asked = (one for name, one in state.waiting.items() if name.startswith(f"{own}#"))
    return next((one.question for one in asked), None)


def question_in_call(state: RunState, node: NodeId) -> str | None:
    """What a node that lends waits to be told, inside a call of its tool."""
    for name, asked in state.waiting.items():
        scope, asking, _, _ = step_parts(name)
        if asking == node and not is_in_called_flow(scope):
            return asked.question
    return None


def run_word(status: RunStatus) -> str:
    """The one word for where a run stands."""
    match status:
        case RunStatus.RUNNING:
            return translate("run", "running")
        case RunStatus.HELD:
            return translate("run", "paused")
        case RunStatus.FINISHED:
            return translate("run", "done")
        case RunStatus.FAILED:
            return translate("run", "failed")
        case RunStatus.CANCELLED:
            return translate("run", "stopped")
        case RunStatus.INTERRUPTED:
            return translate("run", "interrupted")


def run_said(state: RunState) -> tuple[str, str]:
    """The word for where a run stands, and its state colour; one that ended in doubt waits for a person."""
    if is_in_doubt(state):
        return waiting_word(), "held"
    return run_word(state.status), run_tone(state.status)


def run_tone(status: RunStatus) -> str:
    """The state colour of a run: one of the theme's `running done held failed skipped`."""
    match status:
        case RunStatus.RUNNING:
            return "running"
        case RunStatus.HELD:
            return "held"
        case RunStatus.FINISHED:
            return "done"
        case RunStatus.FAILED:
            return "failed"
        case RunStatus.CANCELLED | RunStatus.INTERRUPTED:
            return "skipped"


def step_tone(status: StepStatus) -> str:
    """The state colour of a step: one of the theme's `running done held failed skipped`."""
    if status in {StepStatus.READY, StepStatus.CANCELLED}:
        return "skipped"
    return str(status)


def figures(state: RunState, step: StepState) -> str:
    """Time worked, tokens and cost of a step, as far as there are any: `1.8 s · 612 tokens · $0.0009`.

    Before them stands what went wrong on purpose, in the step or in its calls.
    """
    told = translate("step", "injected fault: {what}")
    faults = [told.format(what=quoted(one)) for one in state.faults_in(step)]
    return " · ".join([*faults, *_figures(state.worked_by(step), step.tokens, step.cost)])


def run_figures(state: RunState) -> str:
    """The same of a run, with how long it was held and waited."""
    faulty = [translate("run", "injected faults")] if state.faults else []
    spent = _figures(state.worked(), state.tokens, state.cost)
    return " · ".join([*faulty, *spent, *idle_words(state.idle)])


def _figures(worked: float | None, tokens: int, spent: float) -> list[str]:
    said = [duration(worked)] if worked is not None else []
    if tokens:
        said.append(count_words.tokens(tokens))
    if spent:
        said.append(cost(spent))
    return said


def describe_step(flow: Flow, state: RunState, step: StepState, library: CallingLibrary | None = None) -> str:
    """A step's name, state, figures and error, one a line."""
    title = count_words.step_title(flow, step.id, library)
    if step.call:
        title = f"{title}: {step.tool or translate('step', 'chat')}"
    word = waiting_word() if is_in_doubt(step) else status_word(step.status)
    lines = [title, " · ".join(one for one in (word, figures(state, step)) if one)]
    if step.error is not None:
        lines.append(quoted(step.error.message))
    elif step.note:
        lines.append(quoted(step.note))
    return "\n".join(lines)


def waiting_since(state: RunState, now: float) -> float | None:
    """Seconds since the run was held for the first step that still is; None while it goes on."""
    starts = [
        held[-1][0] for step in state.held_steps if (held := state.steps[step].held) and held[-1][1] is None
    ]
    return max(now - min(starts), 0.0) if starts else None
