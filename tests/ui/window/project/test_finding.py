"""Finding in the flow and in the project, from the keyboard."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTreeWidgetItem
from pytestqt.qtbot import QtBot

from studio.app.documents.session import Session
from studio.flow.edits import describe
from studio.ids import NodeId
from studio.ui.panels.find.panel import ProjectFindPanel
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from studio.workspace.files import load_flow, versions_of
from tests.app.written_projects import write_flow, write_project
from tests.documents import document

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def birds(name: str) -> dict[str, object]:
    return document(
        name,
        {
            "first": {"kind": "text.template", "title": "First", "settings": {"template": "An owl calls"}},
            "second": {"kind": "text.template", "title": "Second", "settings": {"template": "owl {{owl}}"}},
        },
        layout={
            "nodes": {"first": [0, 0], "second": [400, 0]},
            "frames": {},
            "notes": {"n": {"text": "No owl in June", "at": [0, 300], "size": [200, 100]}},
        },
    )


@pytest.fixture
def opened(window: MainWindow, tmp_path: Path) -> OpenFlow:
    root = write_project(tmp_path / "trial", flow=birds("Birds"))
    write_flow(root / "other.json", birds("Other birds"))
    window.documents.open(root)
    assert window.front is not None
    return window.front


def press(qtbot: QtBot, window: MainWindow, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.waitUntil(window.menus.action("flow.find").isEnabled)
    assert window.front is not None
    QTest.keyClick(window.front.work.canvas, key, modifiers)


def item(panel: ProjectFindPanel, flow: int, hit: int) -> QTreeWidgetItem:
    """A listed hit."""
    top = panel.tree.topLevelItem(flow)
    assert top is not None
    found = top.child(hit)
    assert found is not None
    return found


def test_ctrl_f_finds_in_the_flow_and_enter_goes_from_hit_to_hit(
    qtbot: QtBot, window: MainWindow, opened: OpenFlow
) -> None:
    press(qtbot, window, Qt.Key.Key_F, CONTROL)
    bar, selection = window.find_replace.bar, opened.work.session.selection
    QTest.keyClicks(bar.row.field, "owl")
    assert bar.said.text() == "4 results"
    seen: list[tuple[frozenset[NodeId], frozenset[str]]] = []
    for _ in range(5):
        QTest.keyClick(bar.row.field, Qt.Key.Key_Return)
        seen.append((selection.now.nodes, selection.now.notes))
    first, second = frozenset({NodeId("first")}), frozenset({NodeId("second")})
    nothing: frozenset[NodeId] = frozenset()
    assert seen == [
        (first, frozenset()),
        (second, frozenset()),
        (second, frozenset()),
        (nothing, frozenset({"n"})),
        (first, frozenset()),
    ]
    assert bar.said.text() == "1 of 4: First · template"
    QTest.keyClick(bar.row.field, Qt.Key.Key_F3, SHIFT)
    qtbot.waitUntil(lambda: selection.now.notes == frozenset({"n"}))


def test_what_was_found_is_marked_until_the_search_is_left_and_follows_edits(
    qtbot: QtBot, window: MainWindow, opened: OpenFlow
) -> None:
    window.find_replace.open()
    bar = window.find_replace.bar
    QTest.keyClicks(bar.row.field, "calls")
    marks = window.find_replace.marks
    assert marks is not None
    assert marks.isVisible()
    assert marks.nodes == {"first"}
    opened.work.session.selection.select([NodeId("first")])
    opened.work.canvas.run("delete")
    qtbot.waitUntil(lambda: bar.said.text() == "No results")
    assert not marks.isVisible()
    QTest.keyClick(bar.row.field, Qt.Key.Key_Escape)
    assert bar.isHidden()
    assert opened.work.canvas.hasFocus()


def test_a_pattern_that_cannot_be_read_is_said(window: MainWindow, opened: OpenFlow) -> None:
    del opened
    window.find_replace.open()
    window.find_replace.bar.row.pattern.click()
    QTest.keyClicks(window.find_replace.bar.row.field, "(")
    assert "cannot be read" in window.find_replace.bar.said.text()


def test_chosen_hits_are_replaced_in_open_and_closed_flows_and_each_can_be_undone(
    qtbot: QtBot, window: MainWindow, opened: OpenFlow
) -> None:
    press(qtbot, window, Qt.Key.Key_F, CONTROL | SHIFT)
    panel = window.find_replace.panel
    QTest.keyClicks(panel.row.field, "owl")
    QTest.keyClick(panel.row.field, Qt.Key.Key_Return)
    assert panel.said.text() == "8 matches in 2 flows"
    QTest.keyClicks(panel.instead, "crow")
    first, note = item(panel, 0, 0), item(panel, 0, 3)
    assert (first.text(1), first.text(2)) == ("An owl calls", "An crow calls")
    note.setCheckState(0, Qt.CheckState.Unchecked)
    assert panel.replace.text() == "Replace 7"
    root = opened.work.session.project.root
    QTest.mouseClick(panel.replace, Qt.MouseButton.LeftButton)
    session = opened.work.session
    assert session.flow.nodes[NodeId("second")].settings["template"] == "crow {{crow}}"
    assert session.flow.layout.notes["n"].text == "No owl in June"
    assert session.history.undo_labels == ["Replace “owl”"]
    assert load_flow(root / "other.json").flow.layout.notes["n"].text == "No crow in June"
    assert load_flow(versions_of(root / "other.json")[0]).flow.layout.notes["n"].text == "No owl in June"
    assert panel.said.text().startswith("Replaced 7 matches in flow.json, other.json.")
    window.documents.open(root / "other.json")
    assert window.session is not None
    window.app.commands.run("edit.undo")
    assert window.session.flow.layout.notes["n"].text == "No owl in June"


def test_a_hit_in_another_flow_is_shown_there(window: MainWindow, opened: OpenFlow) -> None:
    del opened
    panel = window.find_replace.panel
    window.find_replace.open_project()
    QTest.keyClicks(panel.row.field, "calls")
    panel.search()
    panel.tree.itemActivated.emit(item(panel, 1, 0), 0)
    assert window.session is not None
    assert window.session.path.name == "other.json"
    assert window.session.selection.now.nodes == {"first"}


def test_what_a_pattern_puts_in_place_is_shown_before_it_does(window: MainWindow, opened: OpenFlow) -> None:
    del opened
    panel = window.find_replace.panel
    panel.row.pattern.click()
    QTest.keyClicks(panel.row.field, r"(\w+) calls")
    panel.search()
    QTest.keyClicks(panel.instead, r"\1 is")
    assert item(panel, 0, 0).text(2) == "An owl is"
    panel.instead.setText(r"\9")
    QTest.mouseClick(panel.replace, Qt.MouseButton.LeftButton)
    assert "cannot be read" in panel.said.text()
    assert window.session is not None
    assert not window.session.is_modified


def test_a_notice_leaves_tabs_and_find_bar_in_sight(
    opened: OpenFlow, window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(1000, 700)
    window.show()
    window.notices.say("Unsaved edits of the last session came back.", tone="held")
    window.find_replace.open()
    qtbot.waitUntil(lambda: window.find_replace.bar.isVisible() and window.notices.isVisible())
    bar, notice = window.find_replace.bar, window.notices

    def is_beneath() -> bool:
        foot = bar.mapTo(window, bar.rect().bottomLeft()).y()
        return notice.mapTo(window, notice.rect().topLeft()).y() > foot

    qtbot.waitUntil(is_beneath)
    bar.leave()
    qtbot.waitUntil(lambda: notice.mapTo(window, notice.rect().topLeft()).y() < 200)
    assert opened.work.canvas.isVisible()


def test_nothing_is_replaced_in_a_closed_flow_whose_unsaved_edits_nobody_has_seen(
    window: MainWindow, opened: OpenFlow
) -> None:
    path = opened.work.session.project.root / "other.json"
    before = path.read_bytes()
    left = Session.open(path, window.app.registry)
    left.keep_journal(window.app.journals)
    left.history.do(describe(left.flow, "Mine", ""))
    left.close()
    panel = window.find_replace.panel
    window.find_replace.open_project()
    QTest.keyClicks(panel.row.field, "owl")
    panel.search()
    QTest.keyClicks(panel.instead, "crow")
    QTest.mouseClick(panel.replace, Qt.MouseButton.LeftButton)
    assert path.read_bytes() == before
    assert "“other.json” has unsaved edits" in panel.said.text()
    window.documents.open(path)
    assert window.session is not None
    assert window.session.flow.name == "Mine"
