"""What is said of edits that came back after a window had ended without saving them."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from studio.app.session import Session
from studio.errors import StepwireError
from studio.ui.panels.notice import Remedy

if TYPE_CHECKING:
    from studio.ui.window.main_window import MainWindow
    from studio.ui.window.tabs import OpenFlow

RECOVERY_MATTER = "recovery"


class Recovery(QObject):
    """Says of each flow in front what came back with it, until a person has answered."""

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window = window
        self._unanswered: list[Session] = []
        window.notices.shown.connect(self._close)

    def begin(self, session: Session) -> None:
        """Note what came back with a flow that is being opened."""
        found = session.recovered
        if found.edits or found.damaged:
            self._unanswered.append(session)
            session.on_saved(partial(self._settle, session))  # nothing is left to go back to

    def follow(self, flow: "OpenFlow | None") -> None:
        """Say what came back with the flow that is in front now, and no more what came back with others."""
        session = flow.work.session if flow is not None else None
        if session is not None and session in self._unanswered:
            self._tell(session)
        else:
            self._window.notices.settle(RECOVERY_MATTER)

    def _tell(self, session: Session) -> None:
        name, found = session.flow.name or session.path.stem, session.recovered
        if found.changed_on_disk:
            said = self.tr(
                "“{name}” has the edits again that were not saved; its file was changed by others since. "
                "Saving asks which of the two stays."
            )
            words = self.tr("Take what is on disk")
        elif found.edits:
            said = self.tr("“{name}” has the edits again that were not saved.")
            words = self.tr("Discard them")
        else:
            said = self.tr("The journal of “{name}” was damaged: not all steps can be undone any more.")
            words = ""
        keep = Remedy(self.tr("Keep them"), partial(self._settle, session))
        remedies = [Remedy(words, partial(self._go_back, session)), keep] if words else []
        self._window.notices.say(said.format(name=name), remedies, tone="held", key=RECOVERY_MATTER)

    def _go_back(self, session: Session) -> None:
        try:
            if session.recovered.changed_on_disk:
                session.reload()
            else:
                session.discard()
        except StepwireError as error:
            self._window.notices.say(str(error), key=RECOVERY_MATTER)

    def _settle(self, session: Session) -> None:
        if session in self._unanswered:
            self._unanswered.remove(session)
            if self._window.session is session:
                self._window.notices.settle(RECOVERY_MATTER)

    def _close(self, is_shown: bool) -> None:  # noqa: FBT001  # a signal gives it so
        """Take the notice's own cross for an answer."""
        session = self._window.session
        if not is_shown and session is not None and session in self._unanswered:
            self._unanswered.remove(session)
