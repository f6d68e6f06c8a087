"""Bends of wires: made, moved and taken away by the hand, and what becomes of them when nodes move."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio.flow.edits.wire_bends import bends_of, lead, straighten
from studio.flow.records import Flow, Point, Wire
from studio.ids import NodeId
from studio.ui.canvas.drawing.picture import write_picture
from studio.ui.canvas.hits import Target
from tests.flow.builders import wire
from tests.ui.builders import a_theme
from tests.ui.canvas.builders import chain, notes_flow
from tests.ui.canvas.conftest import Hand

Open = Callable[[Flow], Hand]
WIRE = wire("question.value -> upper.text")
CONTROL = Qt.KeyboardModifier.ControlModifier


def bent(*points: tuple[int, int]) -> Flow:
    flow = replace(chain(), wires=(WIRE, wire("upper.text -> writer.prompt")))
    return lead(flow, {WIRE: [Point(x, y) for x, y in points]}).applied_to(flow)


def points(h: Hand, of: Wire = WIRE) -> list[tuple[int, int]]:
    return [(point.x, point.y) for point in bends_of(h.flow, of)]


def double_click(h: Hand, at: QPoint) -> None:
    h.click(at)
    QTest.mouseDClick(h.view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
    h.release(at)


def test_a_double_click_on_a_wire_adds_a_bend_there(hand: Open) -> None:
    h = hand(chain())
    at = h.middle(WIRE)
    double_click(h, at)
    assert len(points(h)) == 1
    x, y = h.view.board.camera.to_scene(at.x(), at.y())
    assert abs(points(h)[0][0] - x) <= 1
    assert abs(points(h)[0][1] - y) <= 1
    assert h.undo_steps == ["Add bend"]
    h.doc.history.undo()
    assert points(h) == []


def test_a_bend_is_put_between_those_that_it_lies_between(hand: Open) -> None:
    h = hand(bent((260, 300), (500, 300), (400, 420)))
    double_click(h, h.point(380, 300 - 13))
    assert len(points(h)) == 3
    scene = h.view.board.scene
    curve = scene.curves[scene.pieces(scene.wire_row[WIRE])[1]]
    on = (curve[:2] + 3 * curve[2:4] + 3 * curve[4:6] + curve[6:]) / 8
    double_click(h, h.point(*on.tolist()))
    assert [points(h)[place] for place in (0, 2, 3)] == [(260, 300), (500, 300), (400, 420)]
    assert abs(points(h)[1][0] - on[0]) <= 1


def test_a_bend_is_dragged_in_one_step_and_keeps_to_the_grid(hand: Open) -> None:
    h = hand(bent((280, 200)))
    h.drag(h.point(280, 200), h.point(333, 301))
    assert points(h) == [(336, 304)]
    assert h.undo_steps == ["Bend wire"]
    h.doc.history.undo()
    assert points(h) == [(280, 200)]


def test_with_control_a_bend_is_dragged_to_any_place(hand: Open) -> None:
    h = hand(bent((280, 200)))
    start, end = h.point(280, 200), h.point(311, 243)
    QTest.mousePress(h.view, Qt.MouseButton.LeftButton, CONTROL, start)
    for at in (h.point(300, 220), end):
        event = QMouseEvent(
            QEvent.Type.MouseMove,
            at.toPointF(),
            h.view.mapToGlobal(at.toPointF()),
            Qt.MouseButton.NoButton,
            Qt.MouseButton.LeftButton,
            CONTROL,
        )
        QApplication.sendEvent(h.view, event)
    QTest.mouseRelease(h.view, Qt.MouseButton.LeftButton, CONTROL, end)
    assert points(h) == [(311, 243)]


def test_escape_leads_the_wire_as_before(hand: Open) -> None:
    h = hand(bent((280, 200)))
    before = h.view.board.scene.curves.copy()
    h.press(h.point(280, 200))
    h.move(h.point(340, 320))
    assert not np.array_equal(h.view.board.scene.curves, before)
    h.key(Qt.Key.Key_Escape)
    h.release(h.point(340, 320))
    assert np.array_equal(h.view.board.scene.curves, before)
    assert points(h) == [(280, 200)]
    assert h.undo_steps == []


def test_a_double_click_on_a_bend_takes_it_away(hand: Open) -> None:
    h = hand(bent((260, 200), (300, 320)))
    double_click(h, h.point(260, 200))
    assert points(h) == [(300, 320)]
    assert h.undo_steps == ["Remove bend"]


def test_delete_takes_the_selected_bend_away_and_leaves_the_wire(hand: Open) -> None:
    h = hand(bent((260, 200), (300, 320)))
    h.click(h.point(300, 320))
    assert h.doc.selection.now.bends == {(WIRE, 1)}
    h.key(Qt.Key.Key_Delete)
    assert points(h) == [(260, 200)]
    assert str(WIRE) in h.wires
    assert len(h.undo_steps) == 1


def test_a_rubber_band_selects_bends_and_they_are_dragged_and_deleted_together(hand: Open) -> None:
    h = hand(bent((256, 304), (296, 400)))
    h.drag(h.point(230, 270), h.point(330, 430))
    assert h.doc.selection.now.bends == {(WIRE, 0), (WIRE, 1)}
    assert not h.doc.selection.now.wires
    h.drag(h.point(296, 400), h.point(337, 400))
    assert points(h) == [(296, 304), (336, 400)]
    h.key(Qt.Key.Key_Delete)
    assert points(h) == []
    assert len(h.undo_steps) == 2


def test_bends_go_along_when_both_nodes_of_their_wire_are_moved(hand: Open) -> None:
    h = hand(bent((280, 200)))
    h.click(h.at("question"))
    h.click(h.at("upper"), CONTROL)
    h.press(h.at("upper"))
    h.move(h.at("upper") + QPoint(0, 48))
    h.move(h.at("upper") + QPoint(0, 80))
    shown = h.view.board.scene.bends.now[WIRE]
    h.release(h.at("upper"))
    moved = h.flow.layout.nodes[NodeId("upper")]
    assert shown == ((280, 200 + moved.y - 40),)
    assert points(h) == [(280 + moved.x - 320, 200 + moved.y - 40)]
    assert moved.y > 40
    assert len(h.undo_steps) == 1
    h.doc.history.undo()
    assert points(h) == [(280, 200)]


def test_bends_stay_where_they_are_when_one_node_is_moved(hand: Open) -> None:
    h = hand(bent((280, 200)))
    h.drag(h.at("upper"), h.at("upper") + QPoint(40, 80))
    assert points(h) == [(280, 200)]


def test_a_bent_wire_is_hit_where_it_is_led_and_no_longer_where_it_was(hand: Open) -> None:
    h = hand(chain())
    was = h.middle(WIRE)
    assert h.view.board.hit(was.x(), was.y()).wire == WIRE
    h = hand(bent((280, 500)))
    assert h.view.board.hit(was.x(), was.y()).target is Target.NOTHING
    at = h.point(280, 500)
    assert h.view.board.hit(at.x(), at.y()).bend == (WIRE, 0)
    scene = h.view.board.scene
    x0, y0, x1, y1, x2, y2, x3, y3 = scene.curves[scene.pieces(scene.wire_row[WIRE])[0]].tolist()
    at = h.point((x0 + 3 * x1 + 3 * x2 + x3) / 8, (y0 + 3 * y1 + 3 * y2 + y3) / 8)
    assert h.view.board.hit(at.x(), at.y()).wire == WIRE


def test_a_wire_has_no_corner_at_its_bends_and_begins_and_ends_level(hand: Open) -> None:
    scene = hand(bent((260, 300), (300, 400))).view.board.scene
    curves = scene.curves[scene.pieces(scene.wire_row[WIRE])]
    assert len(curves) == 3
    for before, after in pairwise(curves):
        assert np.allclose(before[6:], after[:2])
        into, out = before[6:] - before[4:6], after[2:4] - after[:2]
        assert abs(float(into[0] * out[1] - into[1] * out[0])) < 1e-6
        assert float(into @ out) > 0
    assert curves[0][1] == curves[0][3]
    assert curves[-1][5] == curves[-1][7]


def test_commands_bend_a_selected_wire_and_straighten_it(hand: Open) -> None:
    h = hand(chain())
    h.view.board.select([], [WIRE])
    h.view.run("bend")
    assert len(points(h)) == 1
    h.view.board.select([], [WIRE])
    h.view.run("straighten")
    assert points(h) == []
    assert len(h.undo_steps) == 2


def test_a_deleted_wire_takes_its_bends_along_and_undo_brings_both_back(hand: Open) -> None:
    h = hand(bent((280, 200)))
    h.view.board.select([], [WIRE])
    h.key(Qt.Key.Key_Delete)
    assert str(WIRE) not in h.wires
    assert points(h) == []
    h.doc.history.undo()
    assert points(h) == [(280, 200)]


def test_a_picture_shows_the_bends(hand: Open, tmp_path: Path) -> None:
    straight, led = hand(chain()).doc, hand(bent((280, 700))).doc
    for name, doc in (("straight", straight), ("led", led)):
        write_picture(doc, a_theme("dark"), tmp_path / f"{name}.svg")
    assert (tmp_path / "straight.svg").read_text() != (tmp_path / "led.svg").read_text()


def test_bends_that_are_taken_away_leave_the_others_in_their_order() -> None:
    flow = bent((1, 1), (2, 2), (3, 3))
    left = straighten(flow, [(WIRE, 0), (WIRE, 2)]).applied_to(flow)
    assert bends_of(left, WIRE) == (Point(2, 2),)


def test_a_bend_above_the_title_of_a_loop_is_still_in_reach(hand: Open) -> None:
    flow = notes_flow()
    entering = next(
        one for one in flow.wires if one.target.node == "rounds" and one.source.node == "question"
    )
    h = hand(flow)
    area = h.view.board.scene.areas[NodeId("rounds")]
    h.doc.history.do(lead(h.flow, {entering: [Point(round(area.title.x) + 160, round(area.title.y) + 12)]}))
    ((x, y),) = points(h, entering)
    assert h.view.board.scene.areas[NodeId("rounds")].title.contains(x, y)
    double_click(h, h.point(x, y))
    assert points(h, entering) == []
    h.click(h.point(x + 200, y))
    assert h.selected == {"rounds"}
