"""Making a subflow of the selection in the window, and dissolving the call again."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QInputDialog
from pytestqt.qtbot import QtBot

from studio.ids import NodeId
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from tests.app.written_projects import write_project
from tests.documents import document

pytestmark = pytest.mark.shared_window

KEYS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def letter() -> dict[str, object]:
    return document(
        "Letter",
        {
            "answer": "io.flow_output",
            "body": {"kind": "text.template", "title": "Body", "settings": {"template": "{{head}}!"}},
            "head": {"kind": "text.template", "title": "Head", "settings": {"template": "Dear {{name}}"}},
            "name": "io.flow_input",
        },
        "body.text -> answer.value",
        "head.text -> body.head",
        "name.value -> head.name",
        layout={"nodes": {"name": [0, 0], "head": [300, 0], "body": [600, 0], "answer": [900, 0]}},
    )


@pytest.fixture
def opened(window: MainWindow, tmp_path: Path) -> OpenFlow:
    window.documents.open(write_project(tmp_path / "trial", flow=letter()))
    assert window.front is not None
    return window.front


def press(qtbot: QtBot, window: MainWindow, opened: OpenFlow, *nodes: str) -> None:
    """Ctrl+Shift+G on the canvas with these nodes selected."""
    window.activateWindow()
    opened.work.session.selection.select([NodeId(node) for node in nodes])
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.waitUntil(window.menus.action("flow.subflow").isEnabled)
    QTest.keyClick(opened.work.canvas, Qt.Key.Key_G, KEYS)


def make(qtbot: QtBot, window: MainWindow, opened: OpenFlow, title: str) -> None:
    press(qtbot, window, opened, "head", "body")
    qtbot.waitUntil(lambda: bool(window.findChildren(QInputDialog)))
    dialog = window.findChildren(QInputDialog)[-1]
    dialog.setTextValue(title)
    dialog.accept()
    qtbot.waitUntil(lambda: not window.findChildren(QInputDialog))


def test_the_selection_becomes_a_flow_of_the_project_and_a_call_stands_in_its_place(
    qtbot: QtBot, window: MainWindow, opened: OpenFlow
) -> None:
    before = opened.work.session.flow
    make(qtbot, window, opened, "Greeting card")
    session = opened.work.session
    assert [str(wire) for wire in session.flow.wires] == [
        "greeting_card.text -> answer.value",
        "name.value -> greeting_card.name",
    ]
    assert (session.project.root / "greeting_card.json").is_file()
    assert not session.problems
    assert session.history.undo_labels == ["Make subflow Greeting card"]
    session.history.undo()
    assert session.flow == before
    assert (session.project.root / "greeting_card.json").is_file()


def test_the_same_keys_on_the_call_put_the_nodes_back(
    qtbot: QtBot, window: MainWindow, opened: OpenFlow
) -> None:
    before = opened.work.session.flow
    make(qtbot, window, opened, "Card")
    assert opened.work.session.selection.now.only_node == "card"
    press(qtbot, window, opened, "card")
    assert opened.work.session.flow == before
    assert opened.work.session.selection.now.nodes == {"head", "body"}
    assert len(opened.work.session.history.undo_labels) == 2


def test_a_file_left_by_undo_is_used_again_and_another_is_never_written_over(
    qtbot: QtBot, window: MainWindow, opened: OpenFlow
) -> None:
    root = opened.work.session.project.root
    make(qtbot, window, opened, "Card")
    opened.work.session.history.undo()
    make(qtbot, window, opened, "Card")
    assert not (root / "card_2.json").exists()
    opened.work.session.history.undo()
    (root / "card.json").write_text("something else", "utf-8")
    make(qtbot, window, opened, "Card")
    assert (root / "card.json").read_text("utf-8") == "something else"
    assert opened.work.session.flow.nodes[NodeId("card")].settings == {"flow": "card_2.json"}


def test_what_cannot_become_a_subflow_is_said_and_nothing_is_asked(
    qtbot: QtBot, window: MainWindow, opened: OpenFlow
) -> None:
    press(qtbot, window, opened, "name")
    assert not window.findChildren(QInputDialog)
    assert window.notices.text == "Select the steps to move into a subflow."
    assert not opened.work.session.is_modified
