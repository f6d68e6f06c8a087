"""What is said of edits that came back after a window had ended without saving them."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.session import Session
from studio.errors import StepwireError
from studio.ui.panels.notice import Remedy

if TYPE_CHECKING:
    from studio.ui.window.main_window import MainWindow

translate = QCoreApplication.translate
RECOVERY_MATTER = "recovery"


def tell_recovered(window: "MainWindow", session: Session) -> None:
    """Say what came back with a flow that was opened just now, and offer to go back to its file."""
    name, key = session.flow.name or session.path.stem, f"{RECOVERY_MATTER} {session.path}"
    found = session.recovered
    if found.changed_on_disk:
        said = translate(
            "recovery",
            "“{name}” has the edits again that were not saved; its file was changed by others since. "
            "Saving asks which of the two stays.",
        )
        words = translate("recovery", "Take what is on disk")
    elif found.edits:
        said = translate("recovery", "“{name}” has the edits again that were not saved.")
        words = translate("recovery", "Discard them")
    elif found.damaged:
        said = translate(
            "recovery", "The journal of “{name}” was damaged: not all steps can be undone any more."
        )
        window.notices.say(said.format(name=name), tone="held", key=key)
        return
    else:
        return

    def go_back() -> None:
        try:
            if found.changed_on_disk:
                session.reload()
            else:
                session.discard()
        except StepwireError as error:
            window.notices.say(str(error), key=key)

    session.on_saved(lambda: window.notices.settle(key))  # nothing is left to go back to
    remedies = [Remedy(words, go_back), Remedy(translate("recovery", "Keep them"), lambda: None)]
    window.notices.say(said.format(name=name), remedies, tone="held", key=key)
