"""Fingers on the canvas, and the paper that comes along at the edge."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QEventPoint, QInputDevice, QNativeGestureEvent, QPointingDevice, QTouchEvent
from PySide6.QtWidgets import QApplication

from studio.flow.records import Flow, Point
from studio.ids import NodeId
from tests.ui.canvas.builders import chain
from tests.ui.canvas.conftest import Hand
from tests.ui.canvas.strokes import hold, release

Open = Callable[[Flow], Hand]
SCREEN = QPointingDevice(
    "fingers",
    1,
    QInputDevice.DeviceType.TouchScreen,
    QPointingDevice.PointerType.Finger,
    QInputDevice.Capability.Position,
    5,
    0,
)
STATES = {
    QEvent.Type.TouchBegin: QEventPoint.State.Pressed,
    QEvent.Type.TouchUpdate: QEventPoint.State.Updated,
    QEvent.Type.TouchEnd: QEventPoint.State.Released,
}


NONE = Qt.KeyboardModifier.NoModifier


def touch(h: Hand, kind: QEvent.Type, *places: QPoint, keys: Qt.KeyboardModifier = NONE) -> None:
    points = [
        QEventPoint(number, STATES[kind], QPointF(at), QPointF(h.view.mapToGlobal(at)))
        for number, at in enumerate(places)
    ]
    event = QTouchEvent(kind, SCREEN, keys, points)
    QApplication.sendEvent(h.view, event)


def pinch(h: Hand, at: QPoint, by: float) -> None:
    """What a trackpad tells while two fingers spread on it."""
    gesture = Qt.NativeGestureType.ZoomNativeGesture
    place = QPointF(h.view.mapToGlobal(at))
    event = QNativeGestureEvent(gesture, SCREEN, 2, QPointF(at), QPointF(at), place, by, QPointF())
    QApplication.sendEvent(h.view, event)


def slide(h: Hand, start: QPoint, end: QPoint) -> None:
    touch(h, QEvent.Type.TouchBegin, start)
    for share in (0.3, 0.6, 1.0):
        touch(h, QEvent.Type.TouchUpdate, start + (end - start) * share)
    touch(h, QEvent.Type.TouchEnd, end)


def tap(h: Hand, at: QPoint) -> None:
    touch(h, QEvent.Type.TouchBegin, at)
    touch(h, QEvent.Type.TouchEnd, at)


def test_a_finger_drags_the_node_that_it_touches_in_one_step(hand: Open) -> None:
    h = hand(chain())
    slide(h, h.at("upper"), h.at("upper") + QPoint(40, 160))
    assert h.flow.layout.nodes[NodeId("upper")] == Point(360, 200)
    assert len(h.undo_steps) == 1


def test_a_finger_on_empty_canvas_moves_the_paper(hand: Open) -> None:
    h = hand(chain())
    slide(h, QPoint(500, 600), QPoint(560, 570))
    assert (h.view.board.camera.x, h.view.board.camera.y) == (120, 50)
    assert h.undo_steps == []


def test_a_finger_draws_a_wire_from_a_port(hand: Open) -> None:
    h = hand(chain())
    slide(h, h.port("upper.text", is_output=True), h.port("writer.prompt"))
    assert "upper.text -> writer.prompt" in h.wires


def test_a_tap_selects_and_two_taps_on_empty_canvas_open_the_palette(hand: Open) -> None:
    h = hand(chain())
    tap(h, h.at("upper"))
    assert h.selected == {"upper"}
    tap(h, QPoint(500, 600))
    assert h.selected == set()
    tap(h, QPoint(503, 602))
    assert h.view.adding.palette.isVisible()


def test_a_key_that_is_held_counts_for_fingers_too(hand: Open) -> None:
    h = hand(chain())
    tap(h, h.at("upper"))
    touch(h, QEvent.Type.TouchBegin, h.at("writer"), keys=Qt.KeyboardModifier.ShiftModifier)
    touch(h, QEvent.Type.TouchEnd, h.at("writer"), keys=Qt.KeyboardModifier.ShiftModifier)
    assert h.selected == {"upper", "writer"}


def test_a_pinch_on_the_trackpad_zooms_about_the_pointer_at_once(hand: Open) -> None:
    h = hand(chain())
    before = h.view.board.camera.to_scene(400, 300)
    pinch(h, QPoint(400, 300), 0.5)
    assert h.view.board.camera.scale == pytest.approx(1.5)
    assert h.view.board.camera.to_scene(400, 300) == pytest.approx(before, abs=1)


def test_a_finger_that_rests_asks_for_the_menu(hand: Open) -> None:
    h = hand(chain())
    asked: list[str] = []

    def hear(name: str, at: QPoint) -> None:
        asked.append(f"{name} {h.view.mapFromGlobal(at) == h.at('upper')}")

    h.view.menu_asked.connect(hear)
    touch(h, QEvent.Type.TouchBegin, h.at("upper"))
    h.view.touch.resting.timeout.emit()
    touch(h, QEvent.Type.TouchEnd, h.at("upper"))
    assert asked == ["node True"]
    assert h.selected == {"upper"}


def test_two_fingers_zoom_and_move_what_lies_between_them(hand: Open) -> None:
    h = hand(chain())
    before = h.view.board.camera.to_scene(400, 300)
    touch(h, QEvent.Type.TouchBegin, QPoint(350, 300), QPoint(450, 300))
    touch(h, QEvent.Type.TouchUpdate, QPoint(320, 320), QPoint(520, 320))
    touch(h, QEvent.Type.TouchEnd, QPoint(320, 320), QPoint(520, 320))
    assert h.view.board.camera.scale == pytest.approx(2.0)
    assert h.view.board.camera.to_scene(420, 320) == pytest.approx(before, abs=1)


def test_a_second_finger_puts_back_what_the_first_was_dragging(hand: Open) -> None:
    h = hand(chain())
    before = h.flow
    start = h.at("upper")
    touch(h, QEvent.Type.TouchBegin, start)
    touch(h, QEvent.Type.TouchUpdate, start + QPoint(60, 60))
    touch(h, QEvent.Type.TouchUpdate, start + QPoint(60, 60), QPoint(700, 500))
    assert h.view.board.scene.rect(NodeId("upper")).x == 320
    touch(h, QEvent.Type.TouchEnd, start, QPoint(700, 500))
    assert h.flow == before


def test_at_the_edge_the_paper_comes_along_and_what_is_dragged_stays_in_the_hand(hand: Open) -> None:
    h = hand(chain())
    edge = QPoint(h.view.width() - 2, 300)
    hold(h, h.at("writer"), edge)
    scroll = h.view.mouse.edge
    assert scroll.is_under_way
    x = h.view.board.camera.x
    for _ in range(10):
        scroll.step()
    assert h.view.board.camera.x < x - 100
    rect = h.view.board.scene.rect(NodeId("writer"))
    assert h.point(rect.x + 60, rect.y).x() == pytest.approx(edge.x(), abs=8)
    release(h, edge)
    assert not scroll.is_under_way
    assert len(h.undo_steps) == 1


def test_away_from_the_edge_and_after_escape_the_paper_lies_still(hand: Open) -> None:
    h = hand(chain())
    hold(h, h.at("upper"), QPoint(4, 300))
    assert h.view.mouse.edge.is_under_way
    h.key(Qt.Key.Key_Escape)
    assert not h.view.mouse.edge.is_under_way
    hold(h, h.at("upper"), QPoint(600, 500))
    assert not h.view.mouse.edge.is_under_way
