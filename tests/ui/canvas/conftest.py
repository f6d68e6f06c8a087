"""A canvas on a small flow, and a hand that uses it."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio.flow.records import Flow, Wire
from studio.ids import NodeId, PortName
from studio.ui.canvas.camera import Camera
from studio.ui.canvas.view import CanvasView
from studio.ui.theme.fonts import load_fonts
from tests.ui.builders import a_theme
from tests.ui.canvas.builders import Document, document


class Hand:
    """Presses real buttons and keys on a canvas at scale 1, scene origin at (60, 80)."""

    def __init__(self, view: CanvasView, doc: Document) -> None:
        self.view = view
        self.doc = doc

    @property
    def flow(self) -> Flow:
        return self.doc.history.flow

    @property
    def wires(self) -> list[str]:
        return [str(wire) for wire in self.flow.wires]

    @property
    def selected(self) -> set[str]:
        return {str(node) for node in self.doc.selection.now.nodes}

    @property
    def undo_steps(self) -> list[str]:
        return self.doc.history.undo_labels

    def at(self, node: str, dx: float = 60, dy: float = 18) -> QPoint:
        """A widget point on a node, its title unless told otherwise."""
        rect = self.view.board.scene.rect(NodeId(node))
        return self.point(rect.x + dx, rect.y + dy)

    def port(self, socket: str, *, is_output: bool = False) -> QPoint:
        node, _, name = socket.partition(".")
        spot = self.view.board.scene.spot(NodeId(node), PortName(name), is_output=is_output)
        assert spot is not None, socket
        return self.point(*self.view.board.port_point(NodeId(node), spot))

    def middle(self, wire: Wire) -> QPoint:
        """A widget point halfway along a wire."""
        scene = self.view.board.scene
        x0, y0, x1, y1, x2, y2, x3, y3 = scene.curves[scene.wire_row[wire]].tolist()
        return self.point((x0 + 3 * x1 + 3 * x2 + x3) / 8, (y0 + 3 * y1 + 3 * y2 + y3) / 8)

    def point(self, x: float, y: float) -> QPoint:
        return QPointF(*self.view.board.camera.to_widget(x, y)).toPoint()

    def click(self, at: QPoint, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.mouseClick(self.view, Qt.MouseButton.LeftButton, keys, at)

    def press(self, at: QPoint, button: Qt.MouseButton = Qt.MouseButton.LeftButton) -> None:
        QTest.mousePress(self.view, button, Qt.KeyboardModifier.NoModifier, at)

    def move(self, at: QPoint) -> None:
        QTest.mouseMove(self.view, at)

    def release(self, at: QPoint, button: Qt.MouseButton = Qt.MouseButton.LeftButton) -> None:
        QTest.mouseRelease(self.view, button, Qt.KeyboardModifier.NoModifier, at)

    def drag(self, start: QPoint, end: QPoint, button: Qt.MouseButton = Qt.MouseButton.LeftButton) -> None:
        self.press(start, button)
        for share in (0.25, 0.5, 0.75, 1.0):
            self.move(start + (end - start) * share)
        self.release(end, button)

    def key(self, key: Qt.Key, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(self.view, key, keys)


@pytest.fixture
def hand(qtbot: QtBot) -> Iterator[Callable[[Flow], Hand]]:
    """Open a canvas on a flow."""

    def opened(of: Flow) -> Hand:
        load_fonts()
        doc = document(of)
        view = CanvasView(doc, a_theme("dark"))
        qtbot.addWidget(view)
        view.resize(1200, 800)
        view.show()
        qtbot.waitExposed(view)
        view.board.camera = Camera(1.0, 60, 80)
        view.looking.gliding.animation.setDuration(0)
        view.activateWindow()
        view.setFocus()
        return Hand(view, doc)

    yield opened
    QGuiApplication.clipboard().clear()  # what lies there outlives the interpreter, and crashes it
