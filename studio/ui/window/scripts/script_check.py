"""The script of the flow in front, played against an earlier run: a notice tells the first difference."""

import re
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from studio.app.documents.session import Session
from studio.flow.records import Flow
from studio.ids import RunId
from studio.ui.panels.widgets.notice import NoticeBar, Remedy
from studio.ui.window.roles import HasDocuments, HasFront, Notifies

if TYPE_CHECKING:
    from studio.app.scripts.verification import Verified

VERSIONS = re.compile(r" \([0-9a-f]{12}, not [0-9a-f]{12}\)")
"""Versions of flows, which only a terminal shows."""
SCRIPT_MATTER = "script"
"""The key of notices about a script that is checked."""


class Window(HasFront, HasDocuments, Notifies, Protocol):
    """What this asks of the window."""


class ScriptCheck(QObject):
    """Checks one script at a time, on a thread of its own."""

    _found = Signal(object, object, object)

    def __init__(self, window: Window, parent: QWidget) -> None:
        super().__init__(parent)
        self._window = window
        self._is_busy = False
        self._notices: NoticeBar | None = None
        self._found.connect(self._tell)

    def check(self, run: RunId) -> None:
        """Export the flow in front as it is now, and play the script against a run."""
        session = self._window.session
        if session is None or self._is_busy:
            return
        self._is_busy = True
        said = self.tr("The script is executed against the run; no model is called and nothing is changed.")
        self._notices = self._window.notices
        self._notices.say(said, tone="skipped", key=SCRIPT_MATTER, lasts=True)
        threading.Thread(
            target=self._work, args=(session, session.flow, run), name="script", daemon=True
        ).start()

    def _work(self, session: Session, flow: Flow, run: RunId) -> None:
        found: Verified | str
        try:
            from studio.app.scripts.flow_export import export_flow  # with all that writes and plays scripts
            from studio.app.scripts.verification import verify_text

            name = session.path.name  # as the script beside the canvas has it, line for line
            text = export_flow(flow, registry=session.registry, name=name, project=session.project)
            found = verify_text(text, run, session.project, flow, session.registry)
        except Exception as error:  # noqa: BLE001  # whatever it is, a person waits for an answer
            found = str(error)
        with suppress(RuntimeError):  # the window is gone
            self._found.emit(found, session, flow)

    def _tell(self, found: "Verified | str", session: Session, flow: Flow) -> None:
        self._is_busy = False
        notices = self._notices
        if notices is None or not isValid(notices):  # its flow was closed meanwhile
            return
        if isinstance(found, str):
            notices.say(found, key=SCRIPT_MATTER)
            return
        said = VERSIONS.sub("", " ".join((found.sentence, *found.notes)))
        tone = "done" if found.difference is None else "failed"
        notices.say(said, self._ways(found, session, flow), tone=tone, key=SCRIPT_MATTER)

    def _ways(self, found: "Verified", session: Session, flow: Flow) -> list[Remedy]:
        """The way to the line that does otherwise; while the flow was not edited, the script has it there."""
        line = found.difference.line if found.difference is not None else 0

        def show() -> None:
            front = self._window.front
            if front is None or front.work.session is not session:
                return
            self._window.documents.show_script()
            if session.flow is flow:
                front.work.script.show_line(line)

        return [Remedy(self.tr("Show line {number}").format(number=line), show)] if line else []
