"""The canvas has the room of the window; docks come with what they have to say, and a hand overrules them."""

import os
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.app.compose import compose
from studio.app.runs.live_run import LiveRun
from studio.ids import NodeId, RunId
from studio.ui.canvas.camera import fitted
from studio.ui.canvas.sight import CARDS_FROM
from studio.ui.visibility import is_seen
from studio.ui.window.docks.dock_records import Stage, dock_records
from studio.ui.window.docks.opened_docks import OpenedDocks, hand_of, hand_text
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from tests.ui.window.windows import point_at

RUN = RunId("20260102-030405-abcdef0")
OF_A_RUN = {"timeline", "debugger", "log", "messages"}
READABLE = max(CARDS_FROM, 0.6)
LAYOUTS = Path(__file__).parents[1] / "layouts"
"""Layouts as they were kept, by their version."""
BELOW = frozenset(one.name for one in dock_records() if one.home == "below")


def opened(window: MainWindow) -> set[str]:
    """The docks that are open, as a person sees them, those behind a tab included."""
    return {dock.objectName() for dock in window.docks.all if not dock.isHidden()}


def show_a_run(qtbot: QtBot, flow: OpenFlow) -> None:
    flow.view.show(LiveRun(RUN, flow.work.session.flow, ask=lambda _: None))
    flow.work.offer("timeline")
    qtbot.waitUntil(lambda: is_seen(flow.work.timeline))


def settle(qtbot: QtBot, window: MainWindow) -> None:
    """Let docks stand where they stay."""
    with qtbot.waitSignal(window.docks.arranged):
        window.docks.settle()


@pytest.mark.parametrize(("size", "share"), [(QSize(1600, 1000), 0.6), (QSize(1280, 800), 0.5)])
def test_before_the_first_run_the_canvas_has_most_of_the_window_and_ports_can_be_read(
    qtbot: QtBot, window: MainWindow, project: Path, size: QSize, share: float
) -> None:
    window.resize(size)
    window.documents.open(project)
    flow = window.front
    assert flow is not None
    canvas = flow.work.canvas
    qtbot.waitUntil(lambda: canvas.board.camera.scale < 1)
    settle(qtbot, window)
    assert window.size() == size
    assert canvas.width() * canvas.height() >= share * size.width() * size.height()
    assert canvas.board.camera.scale >= READABLE
    assert opened(window) <= {"inspector"}


@pytest.mark.shared_window
def test_docks_that_speak_of_a_run_come_with_it_take_a_third_and_go_again(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    assert opened(window) == {"inspector"}
    show_a_run(qtbot, flow)
    assert opened(window) == {"inspector", *OF_A_RUN}

    def share() -> float:
        above = flow.work.canvas.mapTo(window, QPoint(0, flow.work.canvas.height())).y()
        return (window.strips.strips["below"].y() - above) / window.height()

    qtbot.waitUntil(lambda: share() == pytest.approx(0.32, abs=0.02))
    window.resize(1400, 1200)
    qtbot.waitUntil(lambda: window.height() == 1200 and share() == pytest.approx(0.32, abs=0.02))
    window.resizeDocks([window.docks["timeline"]], [300], Qt.Orientation.Vertical)
    qtbot.waitUntil(lambda: share() == pytest.approx(0.25, abs=0.01))
    QTest.mouseRelease(window, Qt.MouseButton.LeftButton)  # a hand lets go of the line between
    window.resize(1400, 900)
    qtbot.waitUntil(lambda: window.height() == 900 and share() == pytest.approx(1 / 3, abs=0.01))
    flow.view.show(None)
    flow.view.frame()
    qtbot.waitUntil(lambda: not opened(window) & OF_A_RUN)


@pytest.mark.shared_window
def test_what_a_hand_closed_or_opened_stays_so_with_the_next_run(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    window.docks["problems"].toggleViewAction().trigger()
    assert {"problems", "cases"} <= opened(window)
    show_a_run(qtbot, flow)
    window.docks["messages"].close()
    flow.view.show(None)
    flow.view.frame()
    qtbot.waitUntil(lambda: not opened(window) & OF_A_RUN)
    assert {"problems", "cases"} <= opened(window), "opened by hand"
    show_a_run(qtbot, flow)
    assert "messages" not in opened(window), "closed by hand"
    assert hand_of(window.app.settings.docks, OF_A_RUN) == {"messages": False}
    window.docks["messages"].bring_up()
    assert "messages" in opened(window), "who asks for it sees it"


@pytest.mark.shared_window
def test_messages_keep_their_part_of_the_room_below_as_sides_come_and_go(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    show_a_run(qtbot, flow)
    messages, canvas = window.docks["messages"], flow.work.canvas
    for side in ("library", "outline"):
        window.docks[side].bring_up()
        qtbot.waitUntil(lambda: 0.35 < messages.width() / canvas.width() < 0.42)


@pytest.mark.shared_window
def test_groups_take_turns_in_their_place(qtbot: QtBot, window: MainWindow, flow: OpenFlow) -> None:
    show_a_run(qtbot, flow)
    window.docks["problems"].bring_up()
    assert opened(window) & BELOW == {"problems", "cases"}
    window.docks["log"].bring_up()
    qtbot.waitUntil(lambda: is_seen(flow.work.log))
    assert opened(window) & BELOW == {"timeline", "debugger", "log"}


@pytest.mark.shared_window
def test_nothing_comes_while_the_pointer_or_a_gesture_is_on_the_canvas(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow, monkeypatch: pytest.MonkeyPatch
) -> None:
    canvas = flow.work.canvas
    settle(qtbot, window)
    before = canvas.size()
    with monkeypatch.context() as patched:
        patched.setattr(canvas, "underMouse", lambda: True)
        flow.view.show(LiveRun(RUN, flow.work.session.flow, ask=lambda _: None))
        flow.work.offer("result")
        settle(qtbot, window)
        assert canvas.size() == before
        assert is_seen(flow.work.result), "what leaves the canvas as it is comes at once"
        assert not is_seen(flow.work.timeline)
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=QPoint(2, 2))
    QTest.mouseMove(canvas, QPoint(60, 60))
    assert canvas.gesture is not None
    QApplication.sendEvent(canvas, QEvent(QEvent.Type.Leave))
    settle(qtbot, window)
    assert canvas.size() == before, "a gesture is under way"
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=QPoint(60, 60))
    qtbot.waitUntil(lambda: is_seen(flow.work.timeline))
    assert canvas.height() < before.height()


@pytest.mark.shared_window
def test_below_a_pointer_that_rests_where_the_window_opened_the_flow_is_fitted(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow, monkeypatch: pytest.MonkeyPatch
) -> None:
    canvas = flow.work.canvas
    settle(qtbot, window)
    with monkeypatch.context() as patched:
        patched.setattr(canvas, "underMouse", lambda: True)
        window.docks["library"].bring_up()
        settle(qtbot, window)
        camera, extent = canvas.board.camera, canvas.board.scene.extent()
        assert extent is not None
        assert camera == fitted(extent, canvas.width(), canvas.height()).snapped(canvas.devicePixelRatioF())


@pytest.mark.shared_window
def test_what_is_asked_for_with_the_pointer_on_the_canvas_leaves_the_flow_where_it_is(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow, monkeypatch: pytest.MonkeyPatch
) -> None:
    canvas = flow.work.canvas
    settle(qtbot, window)

    def on_screen() -> tuple[float, float, float]:
        camera = canvas.board.camera
        corner = canvas.mapTo(window, QPoint(0, 0))
        return camera.x + corner.x(), camera.y + corner.y(), camera.scale

    before, width = on_screen(), canvas.width()
    point_at(canvas)
    with monkeypatch.context() as patched:
        patched.setattr(canvas, "underMouse", lambda: True)
        window.docks["library"].bring_up()
        window.docks["timeline"].bring_up()
        qtbot.waitUntil(lambda: canvas.width() < width)
        settle(qtbot, window)
        assert on_screen() == before
    QApplication.sendEvent(canvas, QEvent(QEvent.Type.Leave))
    assert on_screen() != before, "nobody looked elsewhere: the flow is fitted into what is left"


def test_a_narrow_window_has_docks_on_one_side_at_a_time(
    qtbot: QtBot, window: MainWindow, project: Path
) -> None:
    window.resize(1366, 768)
    window.documents.open(project)
    assert window.front is not None
    assert opened(window) == set()
    window.front.work.session.selection.select([NodeId("writer")])
    qtbot.waitUntil(lambda: opened(window) == {"inspector"})
    window.docks["library"].bring_up()
    assert opened(window) == {"library", "runs", "files"}
    window.docks["inspector"].bring_up()
    assert opened(window) == {"inspector", "outline"}
    window.resize(1500, 800)
    qtbot.waitUntil(lambda: {"library", "inspector"} <= opened(window))


@pytest.mark.shared_window
def test_one_key_shows_the_canvas_alone_and_brings_all_back(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    show_a_run(qtbot, flow)
    before = opened(window)
    assert window.menus.action("view.canvas_alone").shortcut().toString() == "F12"
    window.app.commands.run("view.canvas_alone")
    assert opened(window) == set()
    flow.work.offer("result")
    assert opened(window) == set(), "what comes by itself does not come now"
    window.app.commands.run("view.canvas_alone")
    assert opened(window) == before | {"result"}
    window.app.commands.run("view.canvas_alone")
    window.docks["outline"].bring_up()
    qtbot.waitUntil(lambda: is_seen(window.docks["outline"]))


def reopened(qtbot: QtBot, tmp_path: Path, before: MainWindow, project: Path) -> MainWindow:
    """The window of the next start."""
    again = MainWindow(compose(dict(os.environ), tmp_path / "config", is_warmed=False), before.appearance)
    qtbot.addWidget(again, before_close_func=lambda _: again.app.close())
    again.resize(1400, 900)
    again.documents.open(project)
    with qtbot.waitExposed(again):
        again.show()
    return again


def test_the_next_start_has_what_a_hand_made_of_the_room(
    qtbot: QtBot, tmp_path: Path, window: MainWindow, flow: OpenFlow
) -> None:
    window.docks["library"].toggleViewAction().trigger()
    settle(qtbot, window)
    window.resizeDocks([window.docks["library"]], [300], Qt.Orientation.Horizontal)
    show_a_run(qtbot, flow)
    window.docks["log"].close()
    window.close()
    again = reopened(qtbot, tmp_path, window, flow.work.session.project.root)
    assert opened(again) == {"library", "runs", "files", "inspector"}
    assert again.docks["library"].width() == 300
    assert again.front is not None
    show_a_run(qtbot, again.front)
    assert "log" not in opened(again)
    again.leave()


@pytest.mark.qt_log_ignore("does not support raise", extend=True)
def test_a_layout_of_before_is_taken_over_with_what_was_set_by_hand(
    qtbot: QtBot, tmp_path: Path, window: MainWindow, project: Path
) -> None:
    window.close()
    window.app.settings.window_state = (LAYOUTS / "0.txt").read_text("utf-8")
    again = reopened(qtbot, tmp_path, window, project)
    assert again.front is not None
    assert again.docks["files"].isFloating(), "it was taken out"
    assert again.docks.hand == {"messages": False, "files": True}
    assert not opened(again) & OF_A_RUN
    again.docks["library"].bring_up()
    assert again.docks["library"].width() == 300
    show_a_run(qtbot, again.front)
    qtbot.waitUntil(lambda: opened(again) & OF_A_RUN == OF_A_RUN - {"messages"})
    again.leave()


@pytest.mark.qt_log_ignore("does not support raise", extend=True)
@pytest.mark.parametrize("version", [0, 1])
def test_what_was_a_dock_in_a_layout_of_before_is_opened_as_a_document(
    qtbot: QtBot, tmp_path: Path, window: MainWindow, project: Path, version: int
) -> None:
    window.close()
    window.app.settings.window_state = (LAYOUTS / f"{version}.txt").read_text("utf-8")
    again = reopened(qtbot, tmp_path, window, project)
    assert [one.kind for one in again.tabs.documents] == ["flow", "script"]
    assert again.front is not None
    assert again.front.work.canvas.isVisible()
    again.docks["library"].bring_up()
    assert again.docks["library"].width() == 300
    again.tabs.show_document(again.front, "script")
    again.close()
    last = reopened(qtbot, tmp_path, window, project)
    assert [one.kind for one in last.tabs.documents] == ["flow", "script"], "and so it is from then on"
    last.leave()


def test_what_a_person_did_counts_more_than_what_the_window_would() -> None:
    docks = OpenedDocks(dock_records())
    docks.close_by_hand("log")
    assert not docks.hand, "it was closed"
    docks.stage = Stage(has_run=True)
    docks.close_by_hand("timeline")
    assert not docks.offer("timeline", BELOW)
    assert docks.offer("questions", BELOW, is_urgent=True)
    assert docks.seen([BELOW], {}) == {"debugger", "log", "questions"}
    docks.ask("timeline", BELOW)
    docks.stage = Stage()
    assert docks.seen([BELOW], {}) == {"questions"}, "what speaks of a run goes with it"
    assert hand_of(hand_text(docks.hand), BELOW) == docks.hand == {"timeline": False}


def test_a_table_in_the_place_of_the_canvas_has_all_the_room_but_for_what_is_asked_for() -> None:
    docks = OpenedDocks(dock_records())
    docks.stage = Stage(has_run=True)
    docks.open_by_hand("problems", BELOW)
    before, hand = docks.seen([BELOW], {}), dict(docks.hand)
    docks.stage = Stage(has_run=True, is_table=True)
    assert not docks.seen([BELOW], {})
    assert not docks.offer("timeline", BELOW)
    docks.open_by_hand("log", BELOW)
    assert "log" in docks.seen([BELOW], {})
    docks.close_by_hand("log")
    assert "log" not in docks.seen([BELOW], {})
    docks.ask("cases", BELOW)
    docks.stage = Stage(has_run=True)
    assert docks.hand == hand
    assert docks.seen([BELOW], {}) == before
    docks.stage = Stage(has_run=True, is_table=True)
    assert "cases" in docks.seen([BELOW], {})


@pytest.mark.shared_window
def test_every_group_has_a_strip_whose_buttons_open_and_close_its_place(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    strips = window.strips
    assert all(strip.isVisible() and strip.accessibleName() for strip in strips.strips.values())
    problems = strips.button("problems")
    assert problems.accessibleName().startswith("Problems")
    assert not problems.isChecked()
    problems.click()
    qtbot.waitUntil(lambda: is_seen(flow.work.problems) and problems.isChecked())
    strips.button("timeline").click()
    qtbot.waitUntil(lambda: is_seen(flow.work.timeline) and not problems.isChecked())
    assert opened(window) & BELOW == {"timeline", "debugger", "log"}
    strips.button("log").click()
    qtbot.waitUntil(lambda: is_seen(flow.work.log))
    strips.button("log").click()
    qtbot.waitUntil(lambda: not opened(window) & BELOW)


def test_a_strip_is_reached_and_walked_with_the_keyboard(window: MainWindow, flow: OpenFlow) -> None:
    assert QTest.qWaitForWindowActive(window)
    flow.work.canvas.setFocus()
    strips = window.strips
    for _ in range(12):
        window.app.commands.run("view.next_place")
        if QApplication.focusWidget() is strips.button("library"):
            break
    QTest.keyClick(strips.button("library"), Qt.Key.Key_Down)
    assert QApplication.focusWidget() is strips.button("runs")
    QTest.keyClick(strips.button("runs"), Qt.Key.Key_Space)
    assert is_seen(window.runs)


@pytest.mark.shared_window
def test_what_waits_for_the_pointer_to_leave_is_marked_in_its_strip(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(flow.work.canvas, "underMouse", lambda: True)
        flow.view.show(LiveRun(RUN, flow.work.session.flow, ask=lambda _: None))
        flow.work.offer("timeline")
        button = window.strips.button("timeline")
        qtbot.waitUntil(lambda: bool(button.property("waiting")))
    QApplication.sendEvent(flow.work.canvas, QEvent(QEvent.Type.Leave))
    qtbot.waitUntil(lambda: is_seen(flow.work.timeline) and not button.property("waiting"))
