"""Changing the id of a node from the keyboard."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QInputDialog
from pytestqt.qtbot import QtBot

from studio.ids import NodeId
from studio.ui.window.main_window import MainWindow
from studio.workspace.files import load_flow
from tests.app.written_projects import write_flow, write_project
from tests.ui.window.project.test_subflows import letter
from tests.ui.window.runs.test_called_flow import calling


def test_shift_f2_asks_for_the_id_and_renames_it_where_the_flow_is_called(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    root = write_project(tmp_path / "trial", flow=letter())
    write_flow(
        root / "caller.json",
        {
            **calling("flow.json"),
            "nodes": {
                "brief": {"kind": "control.subflow", "settings": {"flow": "flow.json"}},
                "said": {"kind": "io.flow_output"},
            },
            "wires": ["brief.answer -> said.value"],
        },
    )
    window.documents.open(root)
    assert window.session is not None
    assert window.front is not None
    window.activateWindow()
    window.session.selection.select([NodeId("answer")])
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.waitUntil(window.menus.action("flow.rename").isEnabled)
    QTest.keyClick(window.front.work.canvas, Qt.Key.Key_F2, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: bool(window.findChildren(QInputDialog)))
    dialog = window.findChildren(QInputDialog)[-1]
    assert dialog.textValue() == "answer"
    dialog.setTextValue("reply")
    dialog.accept()
    assert "body.text -> reply.value" in [str(wire) for wire in window.session.flow.wires]
    assert window.session.selection.now.nodes == {"reply"}
    assert [str(wire) for wire in load_flow(root / "caller.json").flow.wires] == ["brief.reply -> said.value"]
    assert window.notices.text == "Also renamed in the calls of caller.json."
    window.app.commands.run("edit.undo")
    assert "body.text -> answer.value" in [str(wire) for wire in window.session.flow.wires]
