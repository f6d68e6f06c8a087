"""Cases in the window: a step becomes one, cases run, and what they gave is shown."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from studio.app.experiments.case_runs import CaseRuns
from studio.app.reuse.cases import case_of
from studio.app.runs.live_run import LiveRun
from studio.errors import StepwireError, UsageError
from studio.experiments.cases.case_checks import check_kinds
from studio.experiments.cases.case_files import Case, keep_case, read_cases, remove_case
from studio.flow.ports import Signature
from studio.flow.records import title_of
from studio.flow.subflows.calls import named_flow_at
from studio.ids import NodeId, own_step, step_parts
from studio.sdk.tool import Effect
from studio.trace.fold.steps import StepState
from studio.ui.editors.make import Surroundings
from studio.ui.panels.cases import CasesPanel
from studio.ui.panels.widgets.notice import NoticeBar, Remedy
from studio.ui.window.cases.case_sheet import CaseSheet
from studio.ui.window.workspace import Workspace
from studio.workspace.profiles import profile_names
from studio.workspace.runs import bound
from studio.workspace.trust import UnapprovedError

CASE_MATTER = "case"
"""The key of notices about cases."""


class Cases(QObject):
    """Makes, runs and removes the cases of one open flow's project."""

    run_chosen = Signal(str)
    """Show the run in which a case was tried."""
    trust_asked = Signal(object, object)
    """What nobody has approved, an `UnapprovedError`, and what runs the cases once it is."""

    def __init__(self, workspace: Workspace, notices: NoticeBar) -> None:
        super().__init__(workspace)
        self._work, self._notices = workspace, notices
        self.runs: CaseRuns = workspace.case_runs
        panel: CasesPanel = workspace.cases
        panel.run_asked.connect(self.run)
        panel.remove_asked.connect(self.remove)
        panel.case_chosen.connect(self.show)
        panel.stop_asked.connect(self.runs.stop)
        self.refresh()

    @property
    def can_make(self) -> bool:
        """Whether a step is shown that is over, in a project that keeps cases."""
        step = self._shown()
        return step is not None and step.status.is_final and not self._work.session.project.is_bundle

    @property
    def can_run(self) -> bool:
        """Whether there is a case to run."""
        return not self._work.session.project.is_bundle and bool(read_cases(self._work.session.project))

    def refresh(self) -> None:
        """Read the project's cases again."""
        self._work.cases.show_cases(read_cases(self._work.session.project))

    def make(self) -> None:
        """Ask what is to be expected of the shown step, and keep it as a case."""
        step, run = self._shown(), self._work.shown.run
        if step is not None and run is not None:
            self.make_of(run, step)

    def make_of(self, run: LiveRun, step: StepState) -> None:
        """The same of a step of any run."""
        self._try(lambda: self._make(run, step))

    def run(self, cases: Sequence[Case]) -> None:
        """Run these cases."""
        if self._work.session.project.is_bundle:
            return
        self._notices.settle(CASE_MATTER)
        try:
            self.runs.require_trust(cases, self._work.app.environ)
        except UnapprovedError as error:
            self.trust_asked.emit(error, partial(self.run, cases))
            return
        self.runs.begin(cases, self._work.inspector.start.chosen_profile)

    def run_all(self) -> None:
        """Run every case of the project."""
        self.refresh()
        self._work.raise_asked.emit("cases")
        self.run(read_cases(self._work.session.project))

    def remove(self, case: Case) -> None:
        """Take a case away; a notice brings it back."""
        project = self._work.session.project

        def act() -> None:
            remove_case(project, case)
            self.refresh()
            said = self.tr("The case “{name}” has been removed.").format(name=case.name)
            self._notices.say(said, Remedy(self.tr("Undo"), undo), tone="skipped", key=CASE_MATTER)

        def undo() -> None:
            keep_case(project, case)
            self._notices.settle(CASE_MATTER)
            self.refresh()

        self._try(act)

    def show(self, case: Case) -> None:
        """Show the node of a case, and the run in which it was tried last."""
        session, verdict = self._work.session, self.runs.verdict(case)
        node = NodeId(case.node)
        if verdict is not None and verdict.run:
            self.run_chosen.emit(verdict.run)
        if case.flow == session.name and node in session.flow.nodes:
            session.selection.select([node])
            self._work.canvas.reveal(node)

    def _make(self, run: LiveRun, step: StepState) -> None:
        work = self._work
        library = bound(work.session.registry, run.flows)
        found = named_flow_at(run.flow, library, step_parts(step.id)[0])
        if found is None or step.node not in found[1].nodes:
            raise UsageError(self.tr("The flow of this step is no longer known."))
        name, around = found
        case = case_of(step, run.run, around, name or work.session.name, library)
        kind = library.get(around.nodes[step.node].kind)
        warning = ""
        if kind is not None and kind.effect is Effect.SIDE_EFFECT:
            warning = self.tr(
                "Every time this case runs, the step repeats its side effects, in a copy of the project."
            )
        signature = library.signature(around.nodes[step.node])
        case = replace(case, name=title_of(around, step.node))
        session = work.session
        around = Surroundings(work.look, session.project.root, lambda: profile_names(session.project))
        checks = check_kinds(list(session.registry))
        loose = _conversations(signature)
        sheet = CaseSheet(around, case, loose, warning, work.canvas.window(), checks=checks)
        sheet.accepted.connect(lambda: self._try(lambda: self._keep(sheet.case())))
        sheet.finished.connect(sheet.deleteLater)
        sheet.open()

    def _keep(self, case: Case) -> None:
        kept = keep_case(self._work.session.project, case)
        self.refresh()
        self._work.raise_asked.emit("cases")
        self._work.told.emit(self.tr("“{name}” is now a case.").format(name=kept.name))

    def _shown(self) -> StepState | None:
        """The step of a node that is shown; of a call the step that made it."""
        selected, shown = self._work.session.selection.now, self._work.shown
        state = shown.state
        if state is None:
            return None
        if selected.step is not None and selected.step in state.steps:
            return state.steps.get(own_step(selected.step))
        return shown.shown_step(selected.only_node, selected.step) if selected.only_node is not None else None

    def _try(self, act: Callable[[], None]) -> None:
        try:
            act()
        except StepwireError as error:
            self._notices.say(str(error), tone="held", key=CASE_MATTER)


def _conversations(signature: Signature | None) -> list[str]:
    """The outputs that tell what was said on the way; seldom is every word of it expected."""
    return [one.name for one in signature.outputs if one.type.base == "messages"] if signature else []
