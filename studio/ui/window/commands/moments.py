"""Looking back in time: the moment of the run that is shown, and how the timeline shows it."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.commands import Command
from studio.trace.timeline.lanes import Grouping
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.window.open_flow import OpenFlow

translate = QCoreApplication.translate
in_run = Menu("run")


def moment_commands() -> "list[Command[OpenFlow]]":
    """What is done to the playhead and the timeline of the flow in front."""

    def has_run(flow: "OpenFlow") -> bool:
        return flow.view.state is not None

    def is_past(flow: "OpenFlow") -> bool:
        return flow.view.playhead.moment is not None

    return [
        in_run(
            "run.moment_before",
            "Show the run one event earlier",
            lambda flow: flow.view.playhead.step(-1),
            "Alt+,",
            has_run,
            "Canvas, messages and debugger show that moment; the run itself goes on",
            words="back time travel rewind",
            also=("Ctrl+Alt+Left",),
        ),
        in_run(
            "run.moment_after",
            "Show the run one event later",
            lambda flow: flow.view.playhead.step(1),
            "Alt+.",
            is_past,
            words="forward time travel",
            also=("Ctrl+Alt+Right",),
        ),
        in_run(
            "run.moment_end",
            "Show the run as it is now",
            lambda flow: flow.view.playhead.leave(),
            "Alt+End",
            is_past,
            words="live latest",
            also=("Ctrl+Alt+End",),
        ),
        in_run(
            "run.critical_path",
            "Mark the critical path",
            lambda flow: flow.work.timeline.head.path.click(),
            can=has_run,
            help="The chain of steps that determined how long the run took; choose again to hide it",
            words="slow bottleneck profile time",
        ),
        *(
            Command(
                f"run.lanes_{grouping}",
                title,
                "run",
                lambda flow, grouping=grouping: flow.work.timeline.group(grouping),
                can=has_run,
            )
            for grouping, title in (
                (Grouping.NODE, translate("actions", "Timeline: lanes by node")),
                (Grouping.AGENT, translate("actions", "Timeline: lanes by agent")),
                (Grouping.SCOPE, translate("actions", "Timeline: lanes by round and item")),
            )
        ),
    ]
