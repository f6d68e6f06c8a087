"""What is asked of a run: where a value comes from, what filled a request, and what differs."""

from typing import TYPE_CHECKING

from studio.app.commands import Command
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.window.open_flow import OpenFlow
    from studio.ui.window.workspace import Workspace

in_run = Menu("run")


def asking_commands() -> "list[Command[OpenFlow]]":
    """What is asked of a run."""

    def has_messages(flow: "OpenFlow") -> bool:
        return flow.work.messages.step is not None

    return [
        in_run(
            "run.origin",
            "Where does this come from?",
            lambda flow: flow.origins.ask_selected(),
            "Ctrl+Alt+O",
            lambda flow: flow.origins.can_ask(),
            "Trace the output of the selected node or wire back to its sources",
            words="provenance lineage trace source explain",
            on={"node", "wire"},
        ),
        in_run(
            "run.context",
            "Show the context of the request",
            _show_context,
            "Ctrl+Alt+C",
            has_messages,
            "What the shown chat's messages, tools and schemas take up, in tokens",
            words="prompt tokens window messages",
        ),
        in_run(
            "run.differences",
            "Compare messages",
            _show_differences,
            "Ctrl+Alt+M",
            has_messages,
            "Compare them with another round, step or run",
            words="diff",
            also=("Ctrl+Alt+D",),
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
