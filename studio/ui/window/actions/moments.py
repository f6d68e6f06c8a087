"""Looking back in time: the moment of the run that is shown, and how the timeline shows it."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.actions import Action
from studio.trace.grouping import Grouping
from studio.ui.window.actions.making import make, on_front

if TYPE_CHECKING:
    from studio.ui.window.main_window import MainWindow

translate = QCoreApplication.translate


def moment_actions(window: "MainWindow") -> list[Action]:
    """What is done to the playhead and the timeline of the flow in front."""
    group = translate("actions", "Run")
    on, can = on_front(window, lambda flow: flow)
    has_run = can(lambda flow: flow.view.state is not None)
    is_past = can(lambda flow: flow.view.playhead.moment is not None)
    return [
        make(
            "run.moment_before",
            translate("actions", "Show the run one event earlier"),
            group,
            on(lambda flow: flow.view.playhead.step(-1)),
            "Alt+,",
            has_run,
            translate("actions", "Canvas, messages and debugger show it as it was then; it goes on beneath"),
        ),
        make(
            "run.moment_after",
            translate("actions", "Show the run one event later"),
            group,
            on(lambda flow: flow.view.playhead.step(1)),
            "Alt+.",
            is_past,
        ),
        make(
            "run.moment_end",
            translate("actions", "Show the run as it is now"),
            group,
            on(lambda flow: flow.view.playhead.leave()),
            "Alt+End",
            is_past,
        ),
        make(
            "run.critical_path",
            translate("actions", "Mark the critical path"),
            group,
            on(lambda flow: flow.work.timeline.head.path.click()),
            "",
            has_run,
            translate("actions", "The chain of steps that determined how long the run took; again: no more"),
        ),
        *(
            make(
                f"run.lanes_{grouping}",
                title,
                group,
                on(lambda flow, grouping=grouping: flow.work.timeline.group(grouping)),
                "",
                has_run,
            )
            for grouping, title in (
                (Grouping.NODE, translate("actions", "Timeline: lanes by node")),
                (Grouping.AGENT, translate("actions", "Timeline: lanes by agent")),
                (Grouping.SCOPE, translate("actions", "Timeline: lanes by round and item")),
            )
        ),
    ]
