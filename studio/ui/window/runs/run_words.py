"""What is said of a run in the notices: why it does not begin, why it failed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.errors import ScriptedAnswerMissingError
from studio.flow.checks.check import Problem
from studio.flow.records import title_of
from studio.ids import NodeId, StepId
from studio.llm.profiles import BUILT_IN
from studio.ui.panels.widgets.notice import Remedy
from studio.ui.viewmodels.words import count_words
from studio.ui.viewmodels.words.step_words import is_in_doubt

if TYPE_CHECKING:
    from studio.app.runs.live_run import LiveRun
    from studio.trace.fold.state import RunState
    from studio.ui.panels.inspector.settings_form import Rejected
    from studio.ui.window.workspace import Workspace

translate = QCoreApplication.translate

RUN_MATTER = "run"
"""The key of notices about runs; the next run settles them."""
INPUT_MATTER = "input"
"""The key of the notice that an input is missing; typing one settles it."""
PROBLEM_MATTER = "problems"
"""The key of notices about problems that stop a run; their mending settles them."""
DECIDED_HERE = frozenset({"AnswerMissingError", "LimitReachedError"})
"""Errors whose remedies are buttons of their own."""
LIMIT_MATTER = "limit"
"""The key of notices about a limit at which a run is held."""
ASIDE_MATTER = "aside"
"""The key of notices about runs that are held without being shown."""


def problems_said(work: "Workspace", errors: Sequence[Problem]) -> tuple[str, Remedy | None]:
    """Say what stops a run before it begins, and offer to show the node of the first problem."""
    count, node = len(errors), errors[0].node
    said = (
        translate("RunControls", "The run cannot start because of a problem.")
        if count == 1
        else translate("RunControls", "The run cannot start because of {count} problems.").format(count=count)
    )
    show = translate("RunControls", "Show it")
    remedy = Remedy(show, lambda: work.show_node(node)) if node is not None else None
    return f"{said} {errors[0].message}", remedy


def rejected_said(work: "Workspace", node: NodeId, found: "Rejected") -> tuple[str, Remedy]:
    """Say which typed setting does not fit, so that a run would go by the one before, and lead there."""
    said = translate("RunControls", "“{field}” of “{node}” does not fit yet: {why} Correct or undo it first.")
    return (
        said.format(field=found.label, node=title_of(work.session.flow, node), why=found.why),
        Remedy(translate("RunControls", "Show it"), lambda: work.show_node(node)),
    )


def failure_said(work: "Workspace", run: "LiveRun") -> str:
    """Say why a run failed, and where; it need not be the shown one."""
    from studio.workspace.runs import bound

    error = run.state.error
    assert error is not None  # noqa: S101  # a failed run says why
    if is_in_doubt(run.state):
        said = translate(
            "RunControls", "“{step}” is waiting for you: its side effects may already have happened."
        )
        if run.state.forked_from is not None:
            said = translate(
                "RunControls", "The earlier run may have done “{step}” already. Shall it be done again?"
            )
        library = bound(work.session.registry, run.flows)
        return said.format(step=count_words.step_title(work.session.flow, StepId(error.step), library))
    # What the terminal says to do is a button here.
    hint = "" if error.error in DECIDED_HERE else error.hint
    text = f"{error.message} {hint}".strip()
    if error.step:
        library = bound(work.session.registry, run.flows)
        title = count_words.step_title(work.session.flow, StepId(error.step), library)
        if not text.startswith(f"`{title}` failed"):  # a step of a called flow, or of a round
            text = f"{title}: {text}"
    return text


def lacks_scripted_answer(work: "Workspace", state: "RunState") -> bool:
    """Whether a run failed because the project's script has no answer for one of its nodes."""
    if state.error is None or state.error.error != ScriptedAnswerMissingError.__name__:
        return False
    profiles = work.session.project.profiles
    asked = (profiles.get(name) or BUILT_IN.get(name) for name in state.uses or (state.profile,))
    return any(one is not None and one.provider == "scripted" for one in asked)


def script_said() -> str:
    """Say in plain words why a flow or a task of one's own finds no answer in the script of an example."""
    return translate(
        "RunControls",
        "The scripted answers of this project are only for the flow and tasks that they were written for.",
    )
