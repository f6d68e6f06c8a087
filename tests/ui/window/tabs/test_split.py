"""Two flows beside one another: which one the window speaks of, and what goes from one to the other."""

import os
import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio import places
from studio.app.compose import compose
from studio.trace.fold.state import RunStatus
from studio.ui.start import flows_at_start, open_flows
from studio.ui.window.chrome.appearance import Appearance
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from studio.ui.window.tabs.tab_side import Document
from tests.app.flows import SCRIPT, chain
from tests.app.written_projects import write_project
from tests.ui.window.live_runs import finish
from tests.ui.window.windows import LONG

SETTINGS = Path(__file__).parents[1] / "layouts" / "documents_as_lists.json"
"""Settings as they were kept before two documents could stand beside one another."""


@pytest.fixture
def pair(window: MainWindow, project: Path, tmp_path: Path) -> tuple[OpenFlow, OpenFlow]:
    """The example at the left, and a flow of another project at the right, which is in front."""
    window.documents.open(project)
    window.documents.open(write_project(tmp_path / "other", flow=chain(default="Why?")))
    window.app.commands.run("view.beside")
    left, right = window.tabs.flows
    return left, right


def sides(window: MainWindow) -> list[list[str]]:
    """The titles of the tabs on each side, without the marks of what was changed."""
    return [[one.title.removesuffix(" •") for one in side.documents] for side in window.tabs.sides]


def click(flow: OpenFlow) -> None:
    """Click on an empty place of a canvas."""
    QTest.mouseClick(flow.work.canvas, Qt.MouseButton.LeftButton, pos=QPoint(3, 3))


def inside(window: MainWindow, flow: OpenFlow) -> tuple[int, int]:
    """Where a canvas stands in the window, from its left to its right edge."""
    left = flow.work.canvas.mapTo(window, QPoint(0, 0)).x()
    return left, left + flow.work.canvas.width()


@pytest.mark.shared_window
def test_two_flows_stand_beside_one_another_and_a_click_says_of_which_the_window_speaks(
    qtbot: QtBot, window: MainWindow, pair: tuple[OpenFlow, OpenFlow]
) -> None:
    left, right = pair
    qtbot.waitUntil(lambda: inside(window, left)[1] <= inside(window, right)[0])
    assert left.work.canvas.isVisible()
    assert right.work.canvas.isVisible()
    for flow, other in ((left, right), (right, left)):
        click(flow)
        assert window.front is flow
        assert window.docks["inspector"].pages.currentWidget() is flow.work.inspector
        qtbot.waitUntil(lambda flow=flow: flow.work.session.project.name in window.windowTitle())
        marks = [side.bar.property("current") for side in window.tabs.sides]
        assert marks == [flow is left, flow is right]
        flow.work.canvas.run("all")
        flow.work.canvas.run("delete")
        qtbot.waitUntil(window.menus.action("edit.undo").isEnabled)
        assert other.work.session.flow.nodes
        window.app.commands.run("edit.undo")
        assert flow.work.session.flow.nodes, "undo takes back what was done on this side"


@pytest.mark.shared_window
def test_what_is_copied_on_one_side_is_pasted_on_the_other(
    window: MainWindow, pair: tuple[OpenFlow, OpenFlow]
) -> None:
    left, right = pair
    click(left)
    window.app.commands.run("canvas.all")
    window.app.commands.run("canvas.copy")
    before = len(right.work.session.flow.nodes)
    window.app.commands.run("view.go_to_other_side")
    assert right.work.canvas.hasFocus()
    window.app.commands.run("canvas.paste")
    copied = len(left.work.session.flow.nodes)
    assert len(right.work.session.flow.nodes) == before + copied
    assert len(left.work.session.flow.nodes) == copied


@pytest.mark.shared_window
def test_a_run_goes_on_and_is_drawn_while_the_flow_beside_it_is_edited(
    qtbot: QtBot, window: MainWindow, pair: tuple[OpenFlow, OpenFlow]
) -> None:
    left, right = pair
    click(left)
    window.app.commands.run("run.run")
    click(right)
    assert window.front is right
    right.work.canvas.run("all")
    right.work.canvas.run("duplicate")
    qtbot.waitUntil(lambda: bool(left.work.canvas.board.cards.shown.states), timeout=LONG)
    assert not right.work.canvas.board.cards.shown.states

    def is_done() -> bool:
        state = left.view.state
        return state is not None and state.status is RunStatus.FINISHED

    qtbot.waitUntil(is_done, timeout=LONG)
    assert window.front is right, "what happens on the other side takes nothing away from this one"
    assert right.view.state is None
    assert window.docks["result"].pages.currentWidget() is not left.work.result


@pytest.mark.shared_window
def test_a_flow_stands_beside_its_own_script_and_notices_stay_above_the_canvas(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    flow.notices.say("It failed.")
    window.app.commands.run("view.script_beside")
    qtbot.waitUntil(lambda: flow.work.script.isVisible() and flow.work.canvas.isVisible())
    assert sides(window) == [[flow.work.session.flow.name], [f"Script: {flow.work.session.flow.name}"]]
    qtbot.waitUntil(flow.work.script.code.hasFocus, timeout=LONG)
    assert flow.pages.canvas.isAncestorOf(flow.notices)
    window.documents.turn_script()
    assert not window.tabs.is_split, "with its last tab, a side is closed"
    assert flow.work.canvas.isVisible()
    window.app.commands.run("view.script")
    assert not flow.work.canvas.isVisible()
    assert flow.notices.isVisible(), "where the canvas is not seen, they stand above what is"


def test_a_side_goes_with_its_last_tab_and_the_split_is_closed_by_hand(
    qtbot: QtBot, window: MainWindow, pair: tuple[OpenFlow, OpenFlow], tmp_path: Path
) -> None:
    left, right = pair
    third = write_project(tmp_path / "third", flow={**chain(), "name": "Third"})
    window.documents.open(third)
    names = [flow.work.session.flow.name for flow in pair]
    assert sides(window) == [[names[0]], [names[1], "Third"]]
    window.app.commands.run("view.other_side")
    assert sides(window) == [[names[0], "Third"], [names[1]]]
    window.app.commands.run("view.close_split")
    assert sides(window) == [[names[0], "Third", names[1]]]
    assert window.session is not None
    assert window.session.flow.name == "Third"
    click(window.tabs.flows[1])
    window.app.commands.run("view.beside")
    assert sides(window) == [[names[0], names[1]], ["Third"]]
    window.documents.close_current()
    assert sides(window) == [names]
    window.tabs.show_flow(left)
    window.app.commands.run("view.beside")
    window.tabs.show_flow(right)
    window.documents.close_current()
    assert sides(window) == [[names[0]]], "where the left side goes, the right one has its place"
    assert window.front is left
    qtbot.waitUntil(lambda: left.work.canvas.width() == window.tabs.width())
    assert not window.menus.action("view.beside").isEnabled(), "nothing is left to stand beside it"


@pytest.mark.shared_window
def test_the_menu_of_a_tab_moves_it_to_the_other_side(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    def offered() -> list[str]:
        menu = window.context_menus.make_tab_menu()
        found = [one.text() for one in menu.actions()]
        menu.deleteLater()
        return found

    assert "Show beside" not in offered(), "it is alone"
    window.tabs.show_document(flow, "script")
    qtbot.waitUntil(lambda: "Show beside" in offered())
    window.app.commands.run("view.beside")
    qtbot.waitUntil(lambda: {"Move to the other side", "Close the split"} <= set(offered()))
    assert "Show beside" not in offered()


@pytest.mark.shared_window
def test_a_tab_that_is_dragged_to_the_right_half_stands_there(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    tabs, left = window.tabs, Qt.MouseButton.LeftButton
    window.tabs.show_document(flow, "script")
    bar = tabs.bar
    start = bar.tabRect(1).center()
    there = bar.mapFrom(tabs, QPoint(tabs.width() * 3 // 4, tabs.height() // 2))
    QTest.mousePress(bar, left, pos=start)
    QTest.mouseMove(bar, there)
    QTest.mouseRelease(bar, left, pos=there)
    qtbot.waitUntil(lambda: tabs.is_split)
    assert [one.kind for one in tabs.documents] == ["flow", "script"]
    bar = tabs.bar
    back = bar.mapFrom(tabs, QPoint(20, tabs.height() // 2))
    QTest.mousePress(bar, left, pos=bar.tabRect(0).center())
    QTest.mouseMove(bar, back)
    QTest.mouseRelease(bar, left, pos=back)
    qtbot.waitUntil(lambda: not tabs.is_split)
    assert tabs.shown == Document(flow, "script")


def test_the_keyboard_goes_from_side_to_side_and_on_to_the_panels(
    window: MainWindow, pair: tuple[OpenFlow, OpenFlow]
) -> None:
    left, right = pair
    assert QTest.qWaitForWindowActive(window)
    click(left)
    window.app.commands.run("view.next_place")
    assert right.work.canvas.hasFocus()
    assert window.front is right
    window.app.commands.run("view.next_place")
    focused = QApplication.focusWidget()
    assert focused is not None
    assert not window.tabs.isAncestorOf(focused)
    assert window.front is right, "a panel speaks of the flow that was in front before"
    window.docks["inspector"].bring_up()
    right.work.inspector.setFocus()
    window.app.commands.run("view.canvas_alone")
    assert window.front is right, "where the keyboard's place goes, it comes back to the flow in front"


def test_a_small_window_has_room_for_both(
    qtbot: QtBot, window: MainWindow, pair: tuple[OpenFlow, OpenFlow]
) -> None:
    left, right = pair
    size = QSize(1280 * 2 // 3, 800 * 2 // 3)  # 1280x800 at a scale of 1.5
    window.docks["library"].bring_up()
    window.find_replace.open()
    window.resize(size)
    qtbot.waitUntil(lambda: window.size() == size)
    qtbot.waitUntil(lambda: inside(window, right)[1] <= window.width())
    assert left.work.canvas.width() >= 160
    assert right.work.canvas.width() >= 160


def again(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> MainWindow:
    """The window of the next start, with all that was open."""
    app = compose(dict(os.environ), tmp_path / "config", is_warmed=False)
    made = MainWindow(app, Appearance(qapp, app.settings, tmp_path))
    qtbot.addWidget(made, before_close_func=lambda _: app.close())
    made.resize(1400, 900)
    made.show()
    wanted = flows_at_start(None, app.settings.open_flows)
    open_flows(made, wanted)
    qtbot.waitUntil(lambda: len(made.tabs.flows) == len(set(wanted)))
    return made


def test_both_sides_and_their_sizes_come_back_after_the_window_was_killed(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, window: MainWindow, pair: tuple[OpenFlow, OpenFlow]
) -> None:
    left, right = pair
    window.tabs.add_document(right, "script")
    window.tabs.show_flow(left)
    window.tabs.share = 0.3
    window.tabs.share_changed.emit()  # as a hand that lets go of the line between
    qtbot.waitUntil(lambda: window.app.settings.split == pytest.approx(0.3, abs=0.02), timeout=LONG)
    before = sides(window)
    for one in pair:
        one.work.session.close()  # a process that ends lets go of what it holds
    # Nothing told the first window to end.
    made = again(qapp, qtbot, tmp_path)
    qtbot.waitUntil(lambda: sides(made) == before)
    assert [side.shown.kind for side in made.tabs.sides if side.shown] == ["flow", "flow"]
    assert made.front is made.tabs.flows[0]
    qtbot.waitUntil(lambda: made.tabs.share == pytest.approx(0.3, abs=0.05))
    made.tabs.show_document(made.tabs.flows[1], "script")
    made.close()
    last = again(qapp, qtbot, tmp_path)
    qtbot.waitUntil(lambda: sides(last) == before)
    assert last.tabs.shown == Document(last.tabs.flows[1], "script"), "what was in front is so again"
    last.leave()


def test_a_comparison_that_was_open_is_open_again_with_its_two_runs(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, window: MainWindow
) -> None:
    window.documents.open(write_project(tmp_path / "small", flow=chain(default="Why?"), script=SCRIPT))
    flow = window.front
    assert flow is not None
    for _ in range(2):
        window.app.commands.run("run.run")
        finish(qtbot, flow)
    window.app.commands.run("run.compare")
    qtbot.waitUntil(lambda: flow.work.comparison.runs is not None, timeout=LONG)
    runs = [one.run for one in flow.work.comparison.runs or ()]
    window.close()
    made = again(qapp, qtbot, tmp_path)
    assert made.tabs.shown == Document(made.tabs.flows[0], "comparison")
    panel = made.tabs.flows[0].work.comparison
    qtbot.waitUntil(lambda: [one.run for one in panel.runs or ()] == runs, timeout=LONG)
    assert panel.same.isVisible()
    made.close()
    store = made.tabs.flows[0].work.session.project.private
    shutil.rmtree(store / "runs")
    last = again(qapp, qtbot, tmp_path)
    assert [one.kind for one in last.tabs.documents] == ["flow"], "its runs are gone"
    last.leave()


def test_settings_from_before_the_split_open_what_they_name(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path
) -> None:
    mine = write_project(tmp_path / "mine", flow={**chain(), "name": "Mine"})
    shutil.copytree(places.projects() / "debate", tmp_path / "theirs", ignore=shutil.ignore_patterns(".*"))
    kept = SETTINGS.read_text("utf-8").replace("{root}", str(tmp_path))
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.json").write_text(kept, "utf-8")
    made = again(qapp, qtbot, tmp_path)
    qtbot.waitUntil(lambda: len(made.tabs.documents) == 3)
    assert [one.kind for one in made.tabs.documents] == ["flow", "script", "flow"]
    assert made.session is not None
    assert made.session.path == mine / "flow.json"
    assert not made.tabs.is_split
    made.close()
    kept = (tmp_path / "config" / "settings.json").read_text("utf-8")
    assert "open_flows" not in kept
    assert "open_scripts" not in kept
