"""What is asked of a run: where a value comes from, what filled a request, and what differs."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.actions import Action
from studio.ui.window.actions.making import make, on_front

if TYPE_CHECKING:
    from studio.ui.window.main_window import MainWindow
    from studio.ui.window.tabs import OpenFlow
    from studio.ui.window.workspace import Workspace

translate = QCoreApplication.translate


def _show_context(work: "Workspace") -> None:
    from studio.ui.panels.messages.panel import CONTEXT

    _turn(work, CONTEXT)


def _show_differences(work: "Workspace") -> None:
    from studio.ui.panels.messages.panel import DIFFERENCES

    _turn(work, DIFFERENCES)


def asking_actions(window: "MainWindow") -> list[Action]:
    """What is asked of a run."""
    group = translate("actions", "Run")
    on, can = on_front(window, lambda flow: flow)

    def has_messages(flow: "OpenFlow") -> bool:
        return flow.work.messages.step is not None

    return [
        make(
            "run.origin",
            translate("actions", "Where does this come from?"),
            group,
            on(lambda flow: flow.origins.ask_selected()),
            "Ctrl+Alt+O",
            can(lambda flow: flow.origins.can_ask()),
            translate("actions", "Follow what the selected node or wire gave back to where it began"),
        ),
        make(
            "run.context",
            translate("actions", "What filled the request"),
            group,
            on(lambda flow: _show_context(flow.work)),
            "Ctrl+Alt+C",
            can(has_messages),
            translate("actions", "The messages, tools and schemas of the shown chat by their tokens"),
        ),
        make(
            "run.differences",
            translate("actions", "Differences of the messages"),
            group,
            on(lambda flow: _show_differences(flow.work)),
            "Ctrl+Alt+M",
            can(has_messages),
            translate("actions", "Compare them with another round, step or run"),
        ),
    ]


def _turn(work: "Workspace", page: int) -> None:
    """Bring up a page of the messages."""
    work.raise_asked.emit("messages")
    work.messages.turn_to(page)
