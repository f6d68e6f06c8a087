"""The result of the shown run: followed as the run goes on, with what the run before gave, and its files."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from studio.errors import StepwireError
from studio.flow.plain_text import quoted
from studio.ids import RunId, StepId
from studio.store.reader import RunStore
from studio.trace.events.values import Values
from studio.trace.fold.state import RunStatus
from studio.trace.lineage.wire_sources import Spot
from studio.ui.viewmodels.run.results import given_by
from studio.ui.viewmodels.run.shown_run import Batch, drawn_flow
from studio.ui.viewmodels.words.step_words import run_figures, run_tone, run_word, waiting_word
from studio.ui.visibility import Seen, is_seen

if TYPE_CHECKING:
    from studio.ui.window.runs.origins import Origins
    from studio.ui.window.workspace import Workspace


class Results(QObject):
    """Feeds the result panel of one workspace, and brings it up when a run that was watched has ended."""

    def __init__(
        self, workspace: "Workspace", before: Callable[[], RunId | None], origins: "Origins"
    ) -> None:
        """Act in a workspace; `before` names the run before the shown one."""
        super().__init__(workspace)
        self._work, self._panel, self._before, self._origins = workspace, workspace.result, before, origins
        self._seen = Seen(workspace.result, self._show)
        self._last: tuple[RunId, Values | None] | None = None
        self._going: RunId | None = None
        self._written: tuple[QWidget, str] | None = None
        """What stood where the keyboard was in the inspector, when the run was first seen going on."""
        self._panel.origin_asked.connect(self._ask_origin)
        self._panel.step_asked.connect(self._show_failed)
        self._panel.folder_asked.connect(open_folder)
        self._end = workspace.shown.on_batch(self._take)

    def close(self) -> None:
        """Stop listening."""
        self._end()

    def catch_up(self) -> None:
        """Read what was missed, where the panel is seen by now; called once a frame."""
        self._seen.catch_up()

    def _take(self, _batch: Batch) -> None:
        self._seen.tell()
        run, state = self._work.shown.run, self._work.shown.live_state
        if run is None or state is None:
            self._going = None
        elif not state.status.is_final:
            written = self._written if self._going == run.run else None
            self._written = written or self._writing()  # the keyboard comes back late from a dialog before it
            self._going = run.run
        elif self._going == run.run:
            self._going = None
            is_wanted = state.outputs and not self._is_typing() and not is_seen(self._work.chat)
            if state.status is RunStatus.FINISHED and is_wanted:
                had_keyboard = self._writing() is not None
                self._work.offer("result")
                if had_keyboard and is_seen(self._panel):
                    self._panel.setFocus()  # else keys go to whatever comes after what is covered

    def _is_typing(self) -> bool:
        """Whether somebody writes where the result would cover it; a run begun from there is no writing."""
        found = self._writing()
        return found is not None and found != self._written

    def _writing(self) -> tuple[QWidget, str] | None:
        """Where in the inspector the keyboard is, and what stands there; None where it is elsewhere."""
        inspector, focused = self._work.inspector, QApplication.focusWidget()
        if focused is None or not inspector.isAncestorOf(focused):
            return None
        text = focused.toPlainText() if isinstance(focused, QPlainTextEdit | QTextEdit) else ""
        return focused, focused.text() if isinstance(focused, QLineEdit) else text

    def _show(self) -> None:
        run, state = self._work.shown.run, self._work.shown.state
        if run is None or state is None:
            self._panel.clear()
            return
        flow = drawn_flow(run, self._work.session.flow)
        word = waiting_word() if state.waiting else run_word(state.status)
        error = quoted(f"{state.error.message} {state.error.hint}".strip()) if state.error is not None else ""
        self._panel.show_result(
            word[:1].upper() + word[1:],
            "held" if state.waiting else run_tone(state.status),
            run_figures(state),
            given_by(state, flow),
            error=error,
        )
        self._panel.show_before(self._outputs_before(run.run) if state.status.is_final else None)

    def _outputs_before(self, run: RunId) -> Values | None:
        """What the run before gave, read once; None where there was none, or it gave nothing."""
        if self._last is None or self._last[0] != run:
            self._last = (run, self._read_before())
        return self._last[1]

    def _read_before(self) -> Values | None:
        before = self._before()
        if before is None:
            return None
        try:
            return RunStore(self._work.session.project.private).outputs(before) or None
        except StepwireError:
            return None  # the list of runs says what is wrong with it

    def _ask_origin(self, spot: object) -> None:
        if isinstance(spot, Spot):
            self._origins.show([spot])

    def _show_failed(self) -> None:
        state = self._work.shown.state
        if state is not None and state.error is not None and state.error.step:
            self._work.show_step(StepId(state.error.step))


def open_folder(file: object) -> None:
    """Show the folder in which a file lies; the file itself is opened by nobody."""
    if isinstance(file, Path):
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(file.parent)))
