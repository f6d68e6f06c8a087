"""One step is cancelled from the window, and the run goes on."""

from pathlib import Path

from pytestqt.qtbot import QtBot

from studio.flow import edits
from studio.flow.records import RunSettings
from studio.ids import NodeId, StepId
from studio.trace.fold.state import RunStatus, StepStatus
from studio.ui.window.main_window import MainWindow
from tests.app.flows import SLOW_SCRIPT, chain
from tests.app.written_projects import write_project
from tests.ui.window.live_runs import LONG, live_of

WRITER = NodeId("writer")


def test_a_step_that_takes_too_long_is_cancelled_and_its_default_stands_in(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    window.documents.open(write_project(tmp_path / "slow", flow=chain(default="Why?"), script=SLOW_SCRIPT))
    flow = window.front
    assert flow is not None
    session = flow.work.session
    policy = RunSettings(on_error="default", default="given up")
    session.history.do(edits.set_run(session.flow, WRITER, policy))
    session.selection.select([WRITER])
    cancel = window.app.commands["run.cancel_step"]
    assert not cancel.is_enabled()
    window.app.commands.run("run.run")
    qtbot.waitUntil(cancel.is_enabled, timeout=LONG)
    steps = live_of(flow).state.steps
    qtbot.waitUntil(lambda: StepId("writer#chat.1") in steps, timeout=LONG)
    window.app.commands.run("run.cancel_step")
    qtbot.waitUntil(lambda: live_of(flow).is_over, timeout=LONG)
    state = live_of(flow).state
    assert state.status is RunStatus.FINISHED
    assert state.outputs["answer"].data == "given up"
    assert state.steps[StepId("writer#chat.1")].status is StepStatus.CANCELLED
    assert not cancel.is_enabled()
