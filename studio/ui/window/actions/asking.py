"""What is asked of a run: where a value comes from."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.actions import Action
from studio.ui.window.actions.making import Can, Run, make
from studio.ui.window.workspace import Workspace

if TYPE_CHECKING:
    from studio.ui.window.main_window import MainWindow

translate = QCoreApplication.translate


def asking_actions(window: "MainWindow") -> list[Action]:
    """What is asked of a run."""
    group = translate("actions", "Run")

    def on(act: Callable[[Workspace], None]) -> Run:
        def do() -> None:
            if window.front is not None:
                act(window.front.work)

        return do

    def can(ask: Callable[[Workspace], bool]) -> Can:
        return lambda: window.front is not None and ask(window.front.work)

    return [
        make(
            "run.origin",
            translate("actions", "Where does this come from?"),
            group,
            on(lambda work: work.origins.ask_selected()),
            "Ctrl+Alt+O",
            can(lambda work: work.origins.can_ask()),
            translate("actions", "Follow what the selected node or wire gave back to where it began"),
        ),
    ]
