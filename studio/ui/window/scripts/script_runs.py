"""Runs of scripts, opened from what these told with `--trace`: taken into the project, and shown."""

import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QMimeData, QObject, Signal
from PySide6.QtWidgets import QWidget

from studio.app.documents.session import Session
from studio.errors import StepwireError
from studio.ui.dialogs import Wanted, file_dialog
from studio.ui.panels.widgets.notice import Remedy
from studio.ui.slots import of_text
from studio.ui.window.docks.docks import Docks
from studio.ui.window.roles import Explains, HasApp, HasDocuments, HasFlows, Notifies, ShowsRuns
from studio.workspace.project import flow_files

if TYPE_CHECKING:
    from studio.app.scripts.script_traces import Opened

TRACE_MATTER = "trace"
"""The key of notices about traces of scripts."""
ENDING = ".jsonl"
"""How the file of a trace ends that may be dropped onto the window."""


class Window(HasApp, HasFlows, HasDocuments, Notifies, Explains, ShowsRuns, Protocol):
    """What this asks of the window."""

    @property
    def docks(self) -> Docks:
        """The places around the canvas."""
        ...


class ScriptRuns(QObject):
    """Opens one trace at a time, on a thread of its own."""

    _found = Signal(object, object)

    def __init__(self, window: Window, parent: QWidget) -> None:
        super().__init__(parent)
        self._window, self._parent = window, parent
        self._is_busy = False
        self._found.connect(self._take)

    def ask(self) -> None:
        """Ask for a trace, and open it in the project of the flow in front."""
        session = self._window.session
        if session is None:
            return
        title = self.tr("Open a Python script's trace")
        dialog = file_dialog(self._parent, title, session.project.root, Wanted.FILE)
        dialog.setNameFilters([self.tr("Traces (*.jsonl)"), self.tr("All files (*)")])
        dialog.fileSelected.connect(of_text(lambda path: self.open(Path(path))))
        dialog.open()

    def open(self, trace: Path, flow: Path | None = None) -> None:
        """Take the runs of a trace into the project, and show the last one; `flow` is whose they are."""
        session = self._window.session
        if session is None:
            self._window.notices.say(
                self.tr("Open the script's flow first, then its trace."), key=TRACE_MATTER
            )
            return
        if self._is_busy:
            return
        self._is_busy = True
        said = self.tr("`{name}` is open.").format(name=trace.name)
        self._window.notices.say(said, tone="skipped", key=TRACE_MATTER, lasts=True)
        work = partial(self._work, session, trace, flow)
        threading.Thread(target=work, name="trace", daemon=True).start()

    def _work(self, session: Session, trace: Path, flow: Path | None) -> None:
        from studio.app.scripts.script_entries import read_traces
        from studio.app.scripts.script_traces import open_trace

        found: list[Opened] | Exception
        try:
            found = [
                open_trace(one, session.project, self._window.app.registry, flow)
                for one in read_traces(trace)
            ]
        except Exception as error:  # noqa: BLE001  # whatever it is, a person waits for an answer
            found = error
        with suppress(RuntimeError):  # the window is gone
            self._found.emit(found, (session, trace))

    def _take(self, found: "Sequence[Opened] | Exception", asked: tuple[Session, Path]) -> None:
        self._is_busy = False
        session, trace = asked
        if isinstance(found, Exception):
            self._tell_error(found, session, trace)
            return
        if session not in self._window.app.sessions:  # it was closed meanwhile
            self._window.notices.settle(TRACE_MATTER)
            return
        last = found[-1]
        # A flow of elsewhere would be opened with the runs of its own project.
        is_here = last.flow is not None and last.flow.is_relative_to(session.project.root)
        if last.flow is not None and is_here and last.flow != session.path:
            self._window.documents.open(last.flow)
        else:
            self._window.show_session(session)
        self._window.list_runs()
        self._window.acts.with_controls(lambda controls: controls.show_old(last.run))
        self._window.docks["runs"].bring_up()
        said = self._words(found)
        if any(one.broken for one in found):
            self._window.notices.say(said, tone="held", key=TRACE_MATTER)
        else:
            self._window.say_briefly(said)

    def _words(self, found: "Sequence[Opened]") -> str:
        said = [
            self.tr("The run of the Python script is shown.")
            if len(found) == 1
            else self.tr("{count} runs of scripts were added to the list; the last one is shown.").format(
                count=len(found)
            )
        ]
        broken = sum(one.broken for one in found)
        if broken:
            said.append(self.tr("Lines of the trace that could not be read: {count}.").format(count=broken))
        return " ".join(said)

    def _tell_error(self, error: Exception, session: Session, trace: Path) -> None:
        from studio.app.scripts.script_traces import FlowNotFoundError

        said, remedy = str(error), None
        if isinstance(error, FlowNotFoundError):
            said = error.message
            remedy = Remedy(self.tr("Choose its flow…"), lambda: self._ask_flow(session, trace))
        elif not isinstance(error, StepwireError):
            said = self.tr("`{name}` could not be opened: {why}").format(name=trace.name, why=said)
        self._window.notices.say(said, remedy, key=TRACE_MATTER)

    def _ask_flow(self, session: Session, trace: Path) -> None:
        """Ask from which flow the script was made."""
        folder = next((one.parent for one in flow_files(session.project.root)), session.project.root)
        title = self.tr("Which flow was the script exported from?")
        dialog = file_dialog(self._parent, title, folder, Wanted.FILE)
        dialog.setNameFilter(self.tr("Flows (*.json)"))
        dialog.fileSelected.connect(of_text(lambda path: self.open(trace, Path(path))))
        dialog.open()


def dropped_trace(data: QMimeData) -> Path | None:
    """Give the trace that is dragged, if it is one."""
    paths = [Path(one.toLocalFile()) for one in data.urls() if one.isLocalFile()]
    return paths[0] if len(paths) == 1 and paths[0].suffix == ENDING else None
