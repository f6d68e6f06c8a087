"""What is said of edits that came back after a window had ended without saving them."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from studio.errors import StepwireError
from studio.ui.panels.widgets.notice import Remedy

if TYPE_CHECKING:
    from studio.ui.window.open_flow import OpenFlow

RECOVERY_MATTER = "recovery"


class Recovery(QObject):
    """Says of a flow what came back with it, until a person has answered, or goes on working with it."""

    def begin(self, flow: "OpenFlow") -> None:
        """Say what came back with a flow that is being opened."""
        session = flow.work.session
        if not session.recovered.edits and not session.recovered.damaged:
            return
        self._tell(flow)
        settle = partial(flow.notices.settle, RECOVERY_MATTER)
        session.on_saved(settle)  # nothing is left to go back to
        session.history.on_change(lambda _: settle())  # an edit or a run says: I keep them
        flow.controls.runs_changed.connect(settle)

    def _tell(self, flow: "OpenFlow") -> None:
        session = flow.work.session
        name, found = session.title, session.recovered
        if found.changed_on_disk:
            said = self.tr(
                "The unsaved edits of “{name}” are restored; its file has been changed by "
                "someone else since. When you save, you choose which version stays."
            )
            words = self.tr("Load from disk")
        elif found.edits:
            said = self.tr("The unsaved edits of “{name}” are restored.")
            words = self.tr("Discard edits")
        else:
            said = self.tr("The edit history of “{name}” was damaged: some edits can no longer be undone.")
            words = ""
        keep = Remedy(self.tr("Keep edits"), lambda: None)
        remedies = [Remedy(words, partial(self._go_back, flow)), keep] if words else []
        flow.notices.say(said.format(name=name), remedies, tone="held", key=RECOVERY_MATTER)

    def _go_back(self, flow: "OpenFlow") -> None:
        session = flow.work.session
        try:
            if session.recovered.changed_on_disk:
                session.reload()
            else:
                session.discard()
        except StepwireError as error:
            flow.notices.say(str(error), key=RECOVERY_MATTER)
