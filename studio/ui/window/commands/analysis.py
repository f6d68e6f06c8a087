"""What is asked of a run: where a value comes from, what filled a request, and what differs."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.commands import Command

if TYPE_CHECKING:
    from studio.ui.window.open_flow import OpenFlow
    from studio.ui.window.workspace import Workspace

translate = QCoreApplication.translate


def asking_commands() -> "list[Command[OpenFlow]]":
    """What is asked of a run."""

    def has_messages(flow: "OpenFlow") -> bool:
        return flow.work.messages.step is not None

    return [
        Command(
            "run.origin",
            translate("actions", "Where does this come from?"),
            "run",
            lambda flow: flow.origins.ask_selected(),
            "Ctrl+Alt+O",
            lambda flow: flow.origins.can_ask(),
            translate("actions", "Trace the output of the selected node or wire back to its sources"),
            frozenset({"node", "wire"}),
            words=translate("actions", "provenance lineage trace source explain"),
        ),
        Command(
            "run.context",
            translate("actions", "Show the context of the request"),
            "run",
            _show_context,
            "Ctrl+Alt+C",
            has_messages,
            translate("actions", "What the shown chat's messages, tools and schemas take up, in tokens"),
            words=translate("actions", "prompt tokens window messages"),
        ),
        Command(
            "run.differences",
            translate("actions", "Compare messages"),
            "run",
            _show_differences,
            "Ctrl+Alt+M",
            has_messages,
            translate("actions", "Compare them with another round, step or run"),
            also=("Ctrl+Alt+D",),
            words=translate("actions", "diff"),
        ),
    ]


def _show_context(flow: "OpenFlow") -> None:
    from studio.ui.panels.messages.panel import CONTEXT

    _turn(flow.work, CONTEXT)


def _show_differences(flow: "OpenFlow") -> None:
    from studio.ui.panels.messages.panel import DIFFERENCES

    _turn(flow.work, DIFFERENCES)


def _turn(work: "Workspace", page: int) -> None:
    """Bring up a page of the messages."""
    work.raise_asked.emit("messages")
    work.messages.turn_to(page)
