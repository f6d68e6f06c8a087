"""The outline in its dock, beside the inspector."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio.ids import NodeId
from studio.ui.canvas.scene.keyboard import Stand
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow


def test_a_row_of_the_outline_leads_canvas_and_inspector(
    window: MainWindow, flow: OpenFlow, qtbot: QtBot
) -> None:
    panel = flow.work.outline
    window.docks["outline"].bring_up()
    qtbot.waitUntil(lambda: panel.model.outline is not None)
    outline = panel.model.outline
    assert outline is not None
    row = outline.row_of(Stand(NodeId("critic")))
    assert row is not None
    panel.tree.setCurrentIndex(panel.model.index_of(row))
    assert flow.work.session.selection.now.nodes == {NodeId("critic")}
    QTest.keyClick(panel.tree, Qt.Key.Key_F9)
    assert flow.work.session.breakpoints.state("critic") is True
    QTest.keyClick(panel.tree, Qt.Key.Key_Return)
    qtbot.waitUntil(flow.work.inspector.isVisible)
