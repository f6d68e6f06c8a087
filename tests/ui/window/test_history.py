from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, QRect, Qt
from pytestqt.qtbot import QtBot

from studio.flow.change import Change
from studio.flow.edits import set_title
from studio.ids import NodeId
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow

pytestmark = pytest.mark.shared_window

CRITIC = NodeId("critic")
ROLES = Qt.ItemDataRole


def _rename(flow: OpenFlow, *titles: str) -> None:
    history = flow.work.session.history
    for title in titles:
        history.do(set_title(history.flow, CRITIC, title))


def _rows(flow: OpenFlow) -> list[str]:
    rows = flow.work.history.list.rows
    return [str(rows.data(rows.index(row), ROLES.AccessibleTextRole)) for row in range(rows.rowCount())]


def _place(flow: OpenFlow, row: int) -> QRect:
    return flow.work.history.list.visualRect(flow.work.history.list.rows.index(row))


def _shown(qtbot: QtBot, window: MainWindow, flow: OpenFlow) -> None:
    window.app.commands.run("edit.history")
    qtbot.waitUntil(lambda: len(_rows(flow)) == len(flow.work.session.history.steps) + 1)


def test_the_history_lists_every_step_and_says_where_the_flow_stands(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    _rename(flow, "One")
    _shown(qtbot, window, flow)
    _rename(flow, "Two")
    flow.work.session.history.undo()
    first, one, two = _rows(flow)
    assert first.endswith("done")
    assert ("One" in one, one.endswith("current state")) == (True, True)
    assert ("Two" in two, two.endswith("undone")) == (True, True)


def test_a_click_goes_back_to_a_step_and_on_again_in_one_change(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    session = flow.work.session
    before = session.flow
    _rename(flow, "One", "Two", "Three")
    after = session.flow
    _shown(qtbot, window, flow)
    heard: list[Change] = []
    session.history.on_change(heard.append)
    for row, wanted in ((0, before), (3, after)):
        qtbot.mouseClick(  # pyright: ignore[reportUnknownMemberType]
            flow.work.history.list.viewport(), Qt.MouseButton.LeftButton, pos=_place(flow, row).center()
        )
        assert session.flow == wanted
    assert len(heard) == 2


def test_the_keyboard_walks_the_steps_and_enter_goes_there(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    _rename(flow, "One", "Two")
    _shown(qtbot, window, flow)
    steps = flow.work.history.list
    qtbot.keyClick(steps, Qt.Key.Key_Up)  # pyright: ignore[reportUnknownMemberType]
    assert flow.work.session.flow.nodes[CRITIC].title == "Two", "walking alone does nothing"
    qtbot.keyClick(steps, Qt.Key.Key_Return)  # pyright: ignore[reportUnknownMemberType]
    assert flow.work.session.flow.nodes[CRITIC].title == "One"
    assert steps.currentIndex().row() == 1


def test_the_history_of_an_earlier_window_is_listed_too(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow, project: Path
) -> None:
    _rename(flow, "One", "Two")
    window.documents.save()
    window.drop(flow.work.session)
    window.documents.open(project)
    again = window.front
    assert again is not None
    _shown(qtbot, window, again)
    assert len(_rows(again)) == 3
    rows = again.work.history.list.rows
    assert rows.rowCount(rows.index(0)) == 0
    assert rows.rowCount(QModelIndex()) == 3
