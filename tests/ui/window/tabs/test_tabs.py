"""Several flows in one window: their tabs, and the way from a flow to the one that it calls."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.app.compose import compose
from studio.ui.start import flows_at_start, is_gone, open_flows
from studio.ui.window.chrome.appearance import Appearance
from studio.ui.window.main_window import MainWindow
from studio.ui.window.tabs.tab_side import Cross
from tests.app.flows import chain
from tests.app.written_projects import write_flow, write_project
from tests.ui.window.runs.test_called_flow import calling


@pytest.fixture
def root(window: MainWindow, tmp_path: Path) -> Path:
    """A project in which `flow.json` calls `part.json`, which calls `deep.json`; all are open."""
    root = write_project(tmp_path / "trial", flow=calling("part.json"))
    write_flow(root / "part.json", {**calling("deep.json"), "name": "Part"})
    write_flow(root / "deep.json", {**chain(), "name": "Deep"})
    for name in ("flow.json", "part.json", "deep.json", "flow.json"):
        window.documents.open(root / name)
    return root


def names(window: MainWindow) -> list[str]:
    return [window.tabs.bar.tabText(index) for index in range(window.tabs.bar.count())]


def front(window: MainWindow) -> str:
    assert window.session is not None
    return window.session.path.name


def spot(window: MainWindow, index: int) -> QPoint:
    return window.tabs.bar.tabRect(index).center()


@pytest.mark.usefixtures("root")
def test_a_dragged_tab_takes_its_flow_along(window: MainWindow) -> None:
    window.tabs.bar.moveTab(0, 2)
    assert names(window) == ["Part", "Deep", "Main"]
    assert [one.work.session.flow.name for one in window.tabs.flows] == ["Part", "Deep", "Main"]
    QTest.mouseClick(window.tabs.bar, Qt.MouseButton.LeftButton, pos=spot(window, 1))
    assert front(window) == "deep.json"


@pytest.mark.usefixtures("root")
def test_a_cross_is_drawn_on_the_chosen_tab_alone_and_each_says_what_it_closes(
    qtbot: QtBot, window: MainWindow
) -> None:
    def crosses() -> list[Cross]:
        (side,) = window.tabs.sides
        return [side.cross(index) for index in range(side.bar.count())]

    assert [one.is_marked for one in crosses()] == [True, False, False]
    assert [one.accessibleName() for one in crosses()] == ["Close Main", "Close Part", "Close Deep"]
    window.app.commands.run("view.next_flow")
    assert [one.is_marked for one in crosses()] == [False, True, False]
    QTest.mouseClick(crosses()[2], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: names(window) == ["Main", "Part"])


@pytest.mark.usefixtures("root")
def test_the_middle_button_closes_the_flow_of_a_tab(window: MainWindow) -> None:
    QTest.mouseClick(window.tabs.bar, Qt.MouseButton.MiddleButton, pos=spot(window, 1))
    assert names(window) == ["Main", "Deep"]


@pytest.mark.usefixtures("root")
def test_ctrl_tab_goes_round_through_the_flows(qtbot: QtBot, window: MainWindow) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.waitUntil(window.menus.action("view.next_flow").isEnabled)
    seen: list[str] = []
    for key in (Qt.KeyboardModifier.NoModifier,) * 3 + (Qt.KeyboardModifier.ShiftModifier,):
        assert window.front is not None
        backwards = key == Qt.KeyboardModifier.ShiftModifier
        pressed = Qt.Key.Key_Backtab if backwards else Qt.Key.Key_Tab
        QTest.keyClick(window.front.work.canvas, pressed, Qt.KeyboardModifier.ControlModifier | key)
        seen.append(front(window))
    assert seen == ["part.json", "deep.json", "flow.json", "deep.json"]


@pytest.mark.usefixtures("root")
def test_every_tab_tells_whether_its_flow_was_changed(qtbot: QtBot, window: MainWindow) -> None:
    flow = window.tabs.flows[2]
    window.documents.open(flow.work.session.path)
    flow.work.canvas.run("all")
    flow.work.canvas.run("delete")
    window.documents.open(window.tabs.flows[0].work.session.path)
    qtbot.waitUntil(lambda: names(window) == ["Main", "Part", "Deep •"])
    flow.work.session.history.undo()
    qtbot.waitUntil(lambda: names(window) == ["Main", "Part", "Deep"])


def test_a_called_flow_tells_the_way_to_it_and_a_click_leads_back_to_the_node_that_calls(
    qtbot: QtBot, window: MainWindow, root: Path
) -> None:
    crumbs: Callable[[], list[str]] = lambda: [one.text() for one in window.trails.breadcrumb.crumbs]  # noqa: E731
    assert window.trails.breadcrumb.isHidden()
    for name in ("flow.json", "part.json"):
        assert front(window) == name
        assert window.front is not None
        window.front.work.canvas.run("all")
        window.front.work.canvas.run("open")
    assert front(window) == "deep.json"
    assert window.trails.breadcrumb.isVisible()
    assert (crumbs(), window.trails.breadcrumb.here.text()) == (["Main", "Part"], "Deep")
    assert window.session is not None
    window.session.selection.select()
    window.app.commands.run("view.caller")
    assert front(window) == "part.json"
    QTest.mouseClick(window.trails.breadcrumb.crumbs[0], Qt.MouseButton.LeftButton)
    assert (front(window), window.session.selection.now.nodes) == ("flow.json", {"brief"})
    assert window.trails.breadcrumb.isHidden()
    window.documents.open(root / "deep.json")
    window.documents.close_current()
    qtbot.waitUntil(lambda: names(window) == ["Main", "Part"])


def test_the_flows_of_the_last_window_are_open_again_in_their_order(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, root: Path, window: MainWindow
) -> None:
    window.tabs.bar.moveTab(0, 1)
    window.documents.open(root / "part.json")
    window.close()
    app = compose(dict(os.environ), tmp_path / "config", is_warmed=False)
    again = MainWindow(app, Appearance(qapp, app.settings, tmp_path))
    qtbot.addWidget(again)
    open_flows(again, app.settings.open_flows)
    qtbot.waitUntil(lambda: len(again.tabs.flows) == 3)
    qtbot.waitUntil(lambda: names(again) == ["Part", "Main", "Deep"])
    assert front(again) == "part.json"
    again.leave()
    app.close()


def test_starting_with_a_project_opens_its_flows_that_were_open_and_its_main_flow_in_front(
    tmp_path: Path,
) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"
    for folder in (mine, other):
        folder.mkdir()
    before = [mine / "a.json", other / "b.json", mine / "a.json"]
    assert flows_at_start(None, before) == before
    assert flows_at_start(mine, before) == [mine / "a.json", mine]
    assert flows_at_start(mine / "c.json", before) == [mine / "c.json"]


def test_after_a_window_that_was_killed_all_its_flows_come_back_whatever_it_is_started_with(
    tmp_path: Path,
) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"
    before = [mine / "a.json", other / "b.json", mine / "a.json"]
    assert flows_at_start(mine, before, was_killed=True) == [*dict.fromkeys(before), mine]
    nobody = 4_194_305  # no process has a number as large
    assert is_gone(nobody)
    assert not is_gone(os.getppid()), "another window that is open"
    assert not is_gone(0), "it was closed"
