"""The runs behind the turns of a chat: those that go on, and earlier ones read from the store."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QCoreApplication

from studio.app.runs.live_run import LiveRun
from studio.errors import StepwireError
from studio.flow.plain_text import quoted
from studio.ids import RunId
from studio.store.reader import RunStore
from studio.trace.fold.steps import StepState
from studio.ui.viewmodels.chat.chat_turns import TurnFold, TurnView, answer_of
from studio.ui.window.runs.run_controls import RunControls
from studio.ui.window.workspace import Workspace
from studio.workspace.runs import bound

translate = QCoreApplication.translate


class ChatRuns:
    """Gives the run of each turn that is shown, and notes which of them have changed."""

    def __init__(self, workspace: Workspace, controls: RunControls) -> None:
        self._work, self._controls = workspace, controls
        self._runs: dict[RunId, LiveRun | None] = {}
        self._folds: dict[RunId, TurnFold] = {}
        self._changed: dict[RunId, None] = {}
        self._ends: dict[RunId, tuple[Callable[[], None], ...]] = {}

    def close(self) -> None:
        """Stop listening to all of them."""
        for run in tuple(self._runs):
            self._forget(run)

    def live(self, run: RunId) -> LiveRun | None:
        """A run as it is known here; None where it is not shown, or not kept any more."""
        return self._runs.get(run)

    def take(self, live: LiveRun) -> None:
        """Take in a run that has just begun."""
        self._hear(live)

    def read(self, runs: Sequence[RunId]) -> None:
        """Know these runs and no others."""
        for run in [one for one in self._runs if one not in runs]:
            self._forget(run)
        for run in runs:
            if run not in self._runs:
                self._open(run)

    def take_changed(self) -> list[RunId]:
        """The runs of which anything came since the last call."""
        for live in self._controls.own.going:
            if live.run in self._runs and self._runs[live.run] is not live:
                self._forget(live.run)  # it goes on again, once it was answered or limits were raised
                self._hear(live)
        changed, self._changed = self._changed, {}
        return list(changed)

    def view(self, run: RunId) -> TurnView:
        """The turn that a run answers, as it is now."""
        live = self._runs.get(run)
        if live is None:
            said = translate("chat", "The run that answered is not kept any more.")
            return TurnView(translate("chat", "Not kept"), error=said, is_over=True)
        if live.is_read or (live.state.started is None and not live.is_over):
            word = translate("chat", "Reading…") if live.is_read else translate("chat", "Starting…")
            return TurnView(word, "skipped" if live.is_read else "running")
        if live.state.started is None:
            refusal = live.refusal
            error = quoted(f"{refusal.message} {refusal.hint}".strip()) if refusal is not None else ""
            return TurnView(translate("chat", "Did not begin"), "failed", error=error, is_over=True)
        return self._fold(live).view(live.state, is_stopping=live.is_stopping)

    def answer(self, run: RunId) -> str | None:
        """What a run answered, whether it is shown or not; None where it gave nothing."""
        live = self._runs.get(run)
        if live is not None and not live.is_read:
            return self.view(run).answer
        try:
            outputs = RunStore(self._work.session.project.private).outputs(run)
        except StepwireError:
            return None
        return answer_of(one.data for one in outputs.values())

    def answering(self, run: RunId) -> StepState | None:
        """The step that gave the answer."""
        live = self._runs.get(run)
        if live is None or live.state.started is None:
            return None
        return self._fold(live).answering(live.state)

    def _fold(self, live: LiveRun) -> TurnFold:
        fold = self._folds.get(live.run)
        if fold is None:
            flow = live.flow if live.flow.nodes else self._work.session.flow
            library = bound(self._work.session.registry, live.flows)
            fold = self._folds[live.run] = TurnFold(flow, library)
        return fold

    def _open(self, run: RunId) -> None:
        app = self._work.app
        going = next((one for one in app.runs.running if one.run == run), None)
        live = self._controls.own.find(run) or going
        if live is None:
            try:
                live = app.runs.open_old(self._work.session.project.private, run)
            except StepwireError:
                self._runs[run] = None
                return
        self._hear(live)

    def _hear(self, live: LiveRun) -> None:
        run = live.run

        def mark() -> None:
            self._changed[run] = None

        self._runs[run] = live
        self._ends[run] = (live.on_entries(lambda _: mark()), live.on_change(mark))
        mark()

    def _forget(self, run: RunId) -> None:
        for end in self._ends.pop(run, ()):
            end()
        for known in (self._runs, self._folds, self._changed):
            known.pop(run, None)
