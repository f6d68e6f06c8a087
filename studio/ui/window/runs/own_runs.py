"""The runs that were begun in one workspace: several may go on, of which one is shown."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject, Signal

from studio.app.runs.live_run import LiveRun
from studio.host.protocol import AnswerForm
from studio.ids import RunId, StepId
from studio.trace.fold.state import RunStatus
from studio.ui.panels.widgets.notice import NoticeBar, Remedy
from studio.ui.viewmodels.words.held_words import held_title
from studio.ui.window.runs.run_words import ASIDE_MATTER
from studio.ui.window.workspace import Workspace


class OwnRuns(QObject):
    """Keeps them, and says when one is held that nobody sees; `show` shows a run."""

    changed = Signal()
    """One began, is held, asks a person or goes on, so that lists of runs read differently."""

    def __init__(
        self, workspace: Workspace, notices: NoticeBar, show: Callable[[LiveRun | None], None]
    ) -> None:
        super().__init__(workspace)
        self._work, self._notices, self._show = workspace, notices, show
        self._told: dict[RunId, tuple[RunStatus, StepId | None, tuple[StepId, ...]]] = {}
        self._runs: dict[RunId, LiveRun] = {}
        self._begun: set[RunId] = set()
        self._ends: dict[RunId, Sequence[Callable[[], None]]] = {}
        self.last: LiveRun | None = None
        """The one that was begun last, over or not."""
        workspace.questions.answered_aside.connect(self.answer)

    @property
    def going(self) -> list[LiveRun]:
        """Those that go on, in the order in which they were begun."""
        return [run for run in self._runs.values() if not run.is_over]

    @property
    def is_beginning(self) -> bool:
        """Whether one was begun of which nothing has come yet."""
        return any(run.state.started is None for run in self.going)

    @property
    def next(self) -> LiveRun | None:
        """The one that goes on after the shown one, in turn; None where no other does."""
        going, shown = self.going, self._work.shown.run
        place = going.index(shown) + 1 if shown in going else 0
        found = going[place % len(going)] if going else None
        return found if found is not shown else None

    def add(self, run: LiveRun, *ends: Callable[[], None]) -> None:
        """Take one in that was begun just now; `ends` stop what else listens to it, once it is over."""
        self._begun.add(run.run)
        self._runs = {one.run: one for one in (*self.going, run)}
        self.last = run
        self.hear_no_more(run.run)
        self._ends[run.run] = (run.on_entries(lambda _: self._see(run)), *ends)

    def hear_no_more(self, run: RunId) -> None:
        """Stop listening to one: it is over, and need not be kept for what it could tell."""
        for end in self._ends.pop(run, ()):
            end()

    def close(self) -> None:
        """Stop listening to all of them."""
        for run in tuple(self._ends):
            self.hear_no_more(run)

    def forget(self, run: LiveRun) -> None:
        """Leave one out that is followed no longer."""
        self.hear_no_more(run.run)
        self._runs.pop(run.run, None)
        if self.last is run:
            self.last = None
        self.tell_others()

    def began(self, run: LiveRun) -> bool:
        """Whether a run was begun here, over or not."""
        return run.run in self._begun

    def knows(self, run: LiveRun) -> bool:
        """Whether a run goes on here, or was the last that did."""
        return run is self.last or run in self.going

    def find(self, run: RunId) -> LiveRun | None:
        """The run of this name, if it goes on here or was the last that did."""
        return next((one for one in (*self.going, self.last) if one is not None and one.run == run), None)

    def answer(self, run: str, step: str, answer: Mapping[str, object]) -> None:
        """Give a person's answer to a run that is not shown, in whichever flow of the window it goes on."""
        for one in self._work.app.runs.running:
            if one.run == run:
                one.ask(AnswerForm(one.run, StepId(step), answer))

    def show_next(self) -> None:
        """Show the run that goes on after the shown one, in turn."""
        if (run := self.next) is not None:
            self._show(run)

    def _see(self, run: LiveRun) -> None:
        status, step = run.status, next(iter(run.state.held_steps), None)
        now = status, step, tuple(run.state.waiting)
        if self._told.get(run.run) == now:
            return  # what was told of it still holds
        self._told[run.run] = now
        self.changed.emit()
        self.tell_others()

    def tell_others(self) -> None:
        """Say which runs are held that are not shown, or no more that any is."""
        shown = self._work.shown.run
        held = [run for run in self.going if run.status is RunStatus.HELD and run is not shown]
        if not held:
            self._notices.settle(ASIDE_MATTER)
            return
        run = held[0]
        step = next(iter(run.state.held_steps), None)
        where = held_title(run.flow, run.state.steps[step]) if step is not None else ""
        said = self.tr("1 other run is paused: {where}").format(where=where).rstrip(": ")
        if len(held) > 1:
            said = self.tr("{count} other runs are paused.").format(count=len(held))
        remedy = Remedy(self.tr("Show it"), lambda: self._show(run))
        self._notices.say(said, remedy, tone="held", key=ASIDE_MATTER)
