"""Back in time through the real window: by mouse in the timeline's ruler, by keys, and from the palette."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio.ids import NodeId, StepId
from studio.trace.fold.steps import StepStatus
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from tests.ui.window.live_runs import LONG, live_of

pytestmark = pytest.mark.shared_window

WRITER, CRITIC = NodeId("writer"), NodeId("critic")


@pytest.fixture
def ran(qtbot: QtBot, window: MainWindow, flow: OpenFlow) -> OpenFlow:
    """The example, which has run to its end."""
    window.app.commands.run("run.run")
    qtbot.waitUntil(lambda: live_of(flow).is_over, timeout=LONG)
    return flow


def _at(flow: OpenFlow, seconds: float) -> QPoint:
    picture = flow.work.timeline.view.picture()
    return QPoint(round(picture.left + picture.scale.x(seconds)), 8)


def _start_of(flow: OpenFlow, step: str) -> float:
    state = live_of(flow).state
    found = state.steps[StepId(step)]
    assert state.started is not None
    assert found.started is not None
    return found.started - state.started


def _status(flow: OpenFlow, node: NodeId) -> str:
    return flow.work.canvas.board.cards.shown.state(node).status


def test_the_whole_window_goes_back_in_time_and_forward_again(
    qtbot: QtBot, window: MainWindow, ran: OpenFlow
) -> None:
    work, view = ran.work, ran.work.timeline.view
    qtbot.waitUntil(lambda: _status(ran, CRITIC) == "done")
    window.docks["timeline"].raise_()

    # The mouse in the ruler: into the first round, while its writer works and no critic has been asked.
    place = _at(ran, (_start_of(ran, "rounds.1/writer") + _start_of(ran, "rounds.1/critic")) / 2)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    qtbot.waitUntil(lambda: (_status(ran, WRITER), _status(ran, CRITIC)) == ("running", ""), timeout=LONG)
    badge = ran.view.playhead.badge
    assert badge.text.startswith("The run at ")
    assert badge.isVisible()
    assert live_of(ran).state.steps[StepId("rounds.1/critic")].status is StepStatus.DONE, (
        "it is only shown so"
    )
    spoken = [bubble.words.body for bubble in work.messages.bubbles]

    # Keys go from event to event; the palette's action does the same.
    at = ran.view.playhead.moment
    assert at is not None
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: (ran.view.playhead.moment or 0.0) > at)
    window.app.commands.run("run.moment_before")
    qtbot.waitUntil(lambda: (ran.view.playhead.moment or 9e9) <= at)

    # Nothing that is shown as held or running then can be acted upon.
    work.session.selection.select([WRITER])
    assert work.inspector.held.step is None

    QTest.keyClick(view, Qt.Key.Key_End)
    qtbot.waitUntil(lambda: _status(ran, CRITIC) == "done")
    assert ran.view.playhead.moment is None
    assert badge.isHidden()
    work.session.selection.select([])
    qtbot.waitUntil(lambda: [bubble.words.body for bubble in work.messages.bubbles] != spoken)


def test_the_badge_leads_back_and_another_run_begins_at_its_end(
    qtbot: QtBot, window: MainWindow, ran: OpenFlow
) -> None:
    ran.view.playhead.go(0.0)
    qtbot.waitUntil(lambda: _status(ran, WRITER) == "", timeout=LONG)
    QTest.mouseClick(ran.view.playhead.badge.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: _status(ran, WRITER) == "done")
    ran.view.playhead.go(0.0)
    qtbot.waitUntil(lambda: _status(ran, WRITER) == "", timeout=LONG)
    window.app.commands.run("run.run")
    qtbot.waitUntil(lambda: ran.view.playhead.moment is None and ran.view.playhead.badge.isHidden())
    qtbot.waitUntil(lambda: live_of(ran).is_over, timeout=LONG)


def test_a_held_run_is_looked_at_as_it_was_and_goes_on_beneath(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    flow.work.session.selection.select([CRITIC])
    window.app.commands.run("canvas.breakpoint")
    window.app.commands.run("run.run")
    qtbot.waitUntil(lambda: flow.controls.is_held, timeout=LONG)
    flow.view.playhead.go(0.0)
    qtbot.waitUntil(lambda: _status(flow, WRITER) == "", timeout=LONG)
    flow.work.session.breakpoints.set("critic", state=None)
    window.app.commands.run("run.continue")
    qtbot.waitUntil(lambda: live_of(flow).is_over, timeout=LONG)
    assert _status(flow, WRITER) == ""
    flow.view.playhead.leave()
    qtbot.waitUntil(lambda: _status(flow, CRITIC) == "done")
