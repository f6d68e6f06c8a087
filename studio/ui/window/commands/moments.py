"""Looking back in time: the moment of the run that is shown, and how the timeline shows it."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.commands import Command
from studio.trace.timeline.lanes import Grouping

if TYPE_CHECKING:
    from studio.ui.window.open_flow import OpenFlow

translate = QCoreApplication.translate


def moment_commands() -> "list[Command[OpenFlow]]":
    """What is done to the playhead and the timeline of the flow in front."""

    def has_run(flow: "OpenFlow") -> bool:
        return flow.view.state is not None

    def is_past(flow: "OpenFlow") -> bool:
        return flow.view.playhead.moment is not None

    return [
        Command(
            "run.moment_before",
            translate("actions", "Show the run one event earlier"),
            "run",
            lambda flow: flow.view.playhead.step(-1),
            "Alt+,",
            has_run,
            translate("actions", "Canvas, messages and debugger show that moment; the run itself goes on"),
            also=("Ctrl+Alt+Left",),
            words=translate("actions", "back time travel rewind"),
        ),
        Command(
            "run.moment_after",
            translate("actions", "Show the run one event later"),
            "run",
            lambda flow: flow.view.playhead.step(1),
            "Alt+.",
            is_past,
            also=("Ctrl+Alt+Right",),
            words=translate("actions", "forward time travel"),
        ),
        Command(
            "run.moment_end",
            translate("actions", "Show the run as it is now"),
            "run",
            lambda flow: flow.view.playhead.leave(),
            "Alt+End",
            is_past,
            also=("Ctrl+Alt+End",),
            words=translate("actions", "live latest"),
        ),
        Command(
            "run.critical_path",
            translate("actions", "Mark the critical path"),
            "run",
            lambda flow: flow.work.timeline.head.path.click(),
            can=has_run,
            help=translate(
                "actions", "The chain of steps that determined how long the run took; choose again to hide it"
            ),
            words=translate("actions", "slow bottleneck profile time"),
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
