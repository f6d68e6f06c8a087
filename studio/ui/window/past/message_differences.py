"""Offers what the shown messages can be compared with, and compares: with steps of the run, and with runs."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from studio.app.runs.live_run import LiveRun
from studio.errors import StepwireError
from studio.ids import RunId, StepId
from studio.store.reader import RunStore
from studio.trace.conversations.message_difference import compare_messages
from studio.trace.conversations.messages import conversation
from studio.trace.fold.state import RunState
from studio.ui.panels.messages.difference_page import Against
from studio.ui.panels.messages.panel import DIFFERENCES
from studio.ui.viewmodels.messages.comparable import comparable_steps, same_step
from studio.ui.viewmodels.run.shown_run import drawn_flow
from studio.ui.viewmodels.words import count_words
from studio.ui.viewmodels.words.held_words import call_words
from studio.ui.window.workspace import Workspace

SOON = 300
"""Milliseconds after which messages that grow are compared again."""
MOST_RUNS = 30
"""Runs that are offered, the latest ones."""


class Differences(QObject):
    """Feeds the page of differences of one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._work, self._panel = workspace, workspace.messages
        self._page = workspace.messages.differences
        self._chosen = ""
        self._other: LiveRun | None = None
        self._end: Callable[[], None] = _nothing
        self._runs: tuple[RunId | None, list[Against]] = (None, [])
        self._soon = QTimer(self, singleShot=True, interval=SOON)
        self._soon.timeout.connect(self.refresh)
        self._asked: tuple[object, StepId | None] = (None, None)
        self._panel.turned.connect(self._turn)
        self._page.against_chosen.connect(self.choose)
        self.endings: list[Callable[[], None]] = [self._close]

    def choose(self, key: str) -> None:
        """Compare with something else from now on."""
        self._chosen = key
        self.refresh()

    def refresh(self) -> None:
        """Offer and compare anew."""
        state, step = self._panel.state, self._panel.step
        if state is None or step is None or not conversation(state, step):
            self._page.offer((), "")
            return
        steps = [Against(f"step {one}", self._title(state, one)) for one in comparable_steps(state, step)]
        choices = [*steps, *self._listed_runs(state.run)]
        keys = [one.key for one in choices]
        if self._chosen not in keys:
            origin = f"run {state.forked_from.run}" if state.forked_from is not None else ""
            self._chosen = origin if origin in keys else next(iter(keys), "")
        self._page.offer(choices, self._chosen)
        kind, _, name = self._chosen.partition(" ")
        if kind == "step":
            self._compare(state, StepId(name))
        elif kind == "run":
            self._compare_run(RunId(name))

    def _close(self) -> None:
        """Hear no more of a run that is still read."""
        self._end()
        self._soon.stop()

    def _turn(self, page: int) -> None:
        if page != DIFFERENCES:
            return
        asked = (self._panel.state, self._panel.step)
        if asked[0] is not self._asked[0] or asked[1] != self._asked[1]:
            self._asked = asked
            self.refresh()
        elif not self._soon.isActive():
            self._soon.start()  # what streams is compared again now and then, and not with each word

    def _compare(self, other: RunState, step: StepId | None) -> None:
        state, shown = self._panel.state, self._panel.step
        if state is None or shown is None:
            return
        if step is None:
            self._page.say(self.tr("That run has no such step, or the step has no messages."))
            return
        self._page.show_pairs(compare_messages(conversation(other, step), conversation(state, shown)))

    def _compare_run(self, run: RunId) -> None:
        """Compare with the same step of another run, as soon as that is read."""
        if self._other is None or self._other.run != run:
            self._end()
            try:
                self._other = self._work.app.runs.open_old(self._work.session.project.private, run)
            except StepwireError as error:
                self._page.say(str(error))
                return
            self._page.say(self.tr("Reading the run…"))
            self._end = self._other.on_change(self.refresh)
        step = self._panel.step
        if self._other.is_over and self._other.state.entries_count and step is not None:
            self._compare(self._other.state, same_step(self._other.state, step))

    def _title(self, state: RunState, step: StepId) -> str:
        work = self._work
        run = work.shown.run
        flow = drawn_flow(run, work.session.flow)
        title = count_words.step_title(flow, step, work.shown.library(work.session.registry))
        call = call_words(state.steps[step])
        return f"{title}: {call}" if call else title

    def _listed_runs(self, shown: RunId) -> list[Against]:
        """Other runs of the project, the latest first; looked up once for each run that is shown."""
        if self._runs[0] != shown:
            try:
                found = RunStore(self._work.session.project.private).runs()
            except StepwireError:
                found = []
            said = self.tr("Run of {moment}, {flow}")
            self._runs = (
                shown,
                [
                    Against(
                        f"run {one.run}",
                        said.format(moment=count_words.moment(one.started), flow=one.flow_name),
                    )
                    for one in found
                    if one.run != shown
                ][:MOST_RUNS],
            )
        return self._runs[1]


def _nothing() -> None:
    """End a subscription that there is not."""
