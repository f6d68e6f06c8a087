"""What a right-click on an earlier run offers."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu, QWidget

from studio.ids import RunId
from studio.store.summary import RunSummary

if TYPE_CHECKING:
    from studio.ui.window.open_flow import OpenFlow
    from studio.ui.window.past.run_comparison import RunComparison


def runs_menu(
    run: RunSummary,
    flow: "OpenFlow",
    pair: tuple[RunId, RunId] | None,
    check_script: Callable[[RunId], None],
    save_bundle: Callable[[RunId], None],
    parent: QWidget,
) -> QMenu:
    """Make the menu for a run; what a run of another flow cannot do, or one that goes on, is greyed.

    `pair` is the two runs that are selected, if they are two.
    """
    from studio.ui.window.past.earlier_runs import can_go_on

    menu = QMenu(parent)
    name, flow_name = run.run, flow.work.session.flow.name
    controls, earlier = flow.controls, flow.controls.earlier
    is_over = run.status.is_final and not run.damaged
    is_ready = is_over and controls.can_run
    controls.attached.add_to(menu, run, controls.show_old, controls.leave_old)
    _add_comparison(menu, flow.comparison, name, pair)
    menu.addSeparator()
    replay = menu.addAction(menu.tr("Replay it without calling any model"), lambda: earlier.replay(name))
    replay.setEnabled(is_ready)
    fork = menu.addAction(
        menu.tr("Run it again with the flow as it is now…"), lambda: earlier.ask_again(name)
    )
    fork.setToolTip(menu.tr("Steps that were not edited are reused"))
    fork.setEnabled(is_ready and run.flow_name == flow_name)
    go_on = menu.addAction(menu.tr("Resume it"), lambda: earlier.go_on(name))
    go_on.setEnabled(is_ready and can_go_on(run.status))
    menu.addSeparator()
    words = menu.tr("Check the flow's Python script against this run")
    check = menu.addAction(words, lambda: check_script(name))
    check.setToolTip(
        menu.tr(
            "Checks that the exported script makes the same requests and returns the same outputs. "
            "No model is called."
        )
    )
    check.setEnabled(is_over and run.flow_name == flow_name)
    save = menu.addAction(menu.tr("Save it as a file…"), lambda: save_bundle(name))
    save.setToolTip(menu.tr("Includes its flow but no keys; opens anywhere, read-only"))
    save.setEnabled(is_over)
    return menu


def _add_comparison(
    menu: QMenu, comparison: "RunComparison", run: RunId, pair: tuple[RunId, RunId] | None
) -> None:
    """Compare two runs that are selected, or one with the shown run or the run that it goes back to."""
    if pair is not None:
        menu.addAction(menu.tr("Compare these two runs"), lambda: comparison.compare(*pair))
    shown = comparison.with_shown(run)
    with_shown = menu.addAction(
        menu.tr("Compare with the shown run"),
        lambda: comparison.compare(*shown) if shown is not None else None,
    )
    with_shown.setEnabled(shown is not None)
