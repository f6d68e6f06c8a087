"""What hands do on the canvas, and the flow that comes of it."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio.flow.records import Flow, Point
from studio.ids import NodeId
from tests.flow.builders import flow, wire
from tests.ui.canvas.builders import chain, notes_flow, placed
from tests.ui.canvas.conftest import Hand
from tests.ui.canvas.strokes import wheel

Open = Callable[[Flow], Hand]
CONTROL = Qt.KeyboardModifier.ControlModifier


def test_a_click_selects_and_a_click_beside_selects_nothing(hand: Open) -> None:
    h = hand(chain())
    h.click(h.at("upper"))
    assert h.selected == {"upper"}
    h.click(h.at("upper", 60, 300))
    assert h.selected == set()
    assert h.undo_steps == []


def test_control_click_adds_to_the_selection_and_takes_away(hand: Open) -> None:
    h = hand(chain())
    h.click(h.at("upper"))
    h.click(h.at("writer"), CONTROL)
    assert h.selected == {"upper", "writer"}
    h.click(h.at("upper"), CONTROL)
    assert h.selected == {"writer"}


def test_a_rubber_band_selects_the_nodes_that_it_touches(hand: Open) -> None:
    h = hand(chain())
    h.drag(h.at("question", -20, -20), h.at("upper", 30, 60))
    assert h.selected == {"question", "upper"}


def test_a_wire_is_selected_by_a_click_and_deleted_by_delete(hand: Open) -> None:
    h = hand(chain())
    h.click(h.middle(h.flow.wires[0]))
    assert h.doc.selection.now.wires == {h.flow.wires[0]}
    h.key(Qt.Key.Key_Delete)
    assert h.wires == []
    h.doc.history.undo()
    assert h.wires == ["question.value -> upper.text"]


def test_dragging_a_node_is_one_undo_step_and_keeps_to_the_grid(hand: Open) -> None:
    h = hand(chain())
    before = h.flow
    h.drag(h.at("upper"), h.at("upper") + QPoint(51, 30))
    assert h.flow.layout.nodes[NodeId("upper")] == Point(368, 72)
    assert len(h.undo_steps) == 1
    h.doc.history.undo()
    assert h.flow == before


def test_dragging_one_of_several_selected_nodes_drags_them_all(hand: Open) -> None:
    h = hand(chain())
    h.click(h.at("upper"))
    h.click(h.at("writer"), CONTROL)
    h.drag(h.at("writer"), h.at("writer") + QPoint(0, 80))
    places = h.flow.layout.nodes
    assert (places[NodeId("upper")], places[NodeId("writer")]) == (Point(320, 120), Point(600, 120))
    assert places[NodeId("question")] == Point(40, 40)
    assert len(h.undo_steps) == 1


def test_escape_puts_dragged_nodes_back(hand: Open) -> None:
    h = hand(chain())
    before = h.flow
    h.press(h.at("upper"))
    h.move(h.at("upper") + QPoint(100, 100))
    assert h.view.board.scene.rect(NodeId("upper")).x != 320
    h.key(Qt.Key.Key_Escape)
    h.release(h.at("upper"))
    assert h.flow == before
    assert h.view.board.scene.rect(NodeId("upper")).x == 320


def test_a_wire_is_drawn_from_output_to_input(hand: Open) -> None:
    h = hand(chain())
    h.drag(h.port("upper.text", is_output=True), h.port("writer.prompt"))
    assert "upper.text -> writer.prompt" in h.wires
    assert h.undo_steps == ["Connect Shout to Writer"]


def test_a_wire_is_drawn_from_input_to_output_as_well(hand: Open) -> None:
    h = hand(chain())
    h.drag(h.port("writer.prompt"), h.port("upper.text", is_output=True))
    assert "upper.text -> writer.prompt" in h.wires


def test_a_wire_dropped_on_a_card_takes_its_first_port_that_fits(hand: Open) -> None:
    h = hand(chain())
    h.drag(h.port("upper.text", is_output=True), h.at("writer", 120, 90))
    assert "upper.text -> writer.prompt" in h.wires


def test_a_refused_wire_says_why_and_changes_nothing(hand: Open) -> None:
    h = hand(chain())
    reasons: list[str] = []
    h.view.refused.connect(reasons.append)
    before = h.flow
    h.press(h.port("upper.text", is_output=True))
    for at in (h.port("writer.tools") - QPoint(30, -30), h.port("writer.tools") + QPoint(0, 4)):
        h.move(at)
    h.release(h.port("writer.tools") + QPoint(0, 4))
    assert h.flow == before
    assert len(reasons) == 1
    assert "tool" in reasons[0]


def test_a_wire_dropped_on_the_port_that_it_reaches_already_replaces_no_neighbour(hand: Open) -> None:
    start = {"one": "text.upper", "two": "text.upper", "pair": "text.pair"}
    wired = flow(start, "one.text -> pair.one", "two.text -> pair.two")
    h = hand(placed(wired, one=(0, 0), two=(0, 300), pair=(600, 100)))
    reasons: list[str] = []
    h.view.refused.connect(reasons.append)
    before = h.flow
    h.drag(h.port("one.text", is_output=True), h.port("pair.one") + QPoint(-2, 3))
    assert h.flow == before
    assert reasons == ["These two ports are already wired."]


def test_while_a_wire_is_dragged_only_ports_that_accept_it_are_offered(hand: Open) -> None:
    h = hand(chain())
    h.press(h.port("upper.text", is_output=True))
    h.move(h.port("upper.text", is_output=True) + QPoint(40, 120))
    offered = {str(socket) for socket in h.view.board.offered or ()}
    assert "writer.prompt" in offered
    assert "writer.tools" not in offered
    h.key(Qt.Key.Key_Escape)
    assert h.view.board.offered is None
    assert h.view.gesture is None


def test_a_wire_dragged_from_an_occupied_input_goes_along(hand: Open) -> None:
    h = hand(chain())
    h.drag(h.port("upper.text"), h.port("writer.prompt"))
    assert h.wires == ["question.value -> writer.prompt"]
    assert h.undo_steps == ["Rewire Question to Writer"]


def test_a_wire_dragged_from_an_occupied_input_and_dropped_on_nothing_goes(hand: Open) -> None:
    h = hand(chain())
    h.drag(h.port("upper.text"), h.port("upper.text") + QPoint(-30, 220))
    assert h.wires == []
    h.doc.history.undo()
    assert h.wires == ["question.value -> upper.text"]


def test_a_wire_dropped_back_where_it_was_is_no_edit(hand: Open) -> None:
    h = hand(chain())
    h.press(h.port("upper.text"))
    h.move(h.port("upper.text") + QPoint(-60, 60))
    h.release(h.port("upper.text"))
    assert h.wires == ["question.value -> upper.text"]
    assert h.undo_steps == []


def test_a_wire_dropped_on_empty_canvas_offers_what_fits_and_wires_it(hand: Open) -> None:
    h = hand(chain())
    h.drag(h.port("upper.text", is_output=True), h.at("upper", 260, 220))
    box = h.view.adding.palette
    assert box.isVisible()
    assert h.view.window().focusWidget() is box.field
    kinds = {look.kind for look in box.offered}
    assert "llm.agent" in kinds
    assert "value.number" not in kinds
    QTest.keyClicks(box.field, "joi")
    QTest.keyClick(box.field, Qt.Key.Key_Return)
    assert "upper.text -> join_text.parts[0]" in h.wires
    assert len(h.undo_steps) == 1
    assert h.selected == {"join_text"}


def test_middle_drag_and_space_drag_move_the_paper_only(hand: Open) -> None:
    h = hand(chain())
    h.drag(QPoint(600, 500), QPoint(650, 470), Qt.MouseButton.MiddleButton)
    assert (h.view.board.camera.x, h.view.board.camera.y) == (110, 50)
    QTest.keyPress(h.view, Qt.Key.Key_Space)
    h.drag(h.at("upper"), h.at("upper") + QPoint(20, 10))
    QTest.keyRelease(h.view, Qt.Key.Key_Space)
    assert (h.view.board.camera.x, h.view.board.camera.y) == (130, 60)
    assert h.undo_steps == []
    assert not h.view.adding.palette.isVisible()


@pytest.mark.parametrize("notches", [3, -3])
def test_the_wheel_zooms_at_the_pointer(hand: Open, notches: int) -> None:
    h = hand(chain())
    at = QPointF(h.at("writer"))
    before = h.view.board.camera.to_scene(at.x(), at.y())
    for _ in range(abs(notches)):
        wheel(h, at, 120 if notches > 0 else -120)
    after = h.view.board.camera.to_scene(at.x(), at.y())
    assert (h.view.board.camera.scale > 1) == (notches > 0)
    assert after == pytest.approx(before, abs=2)


def test_a_trackpad_scroll_moves_the_paper(hand: Open) -> None:
    h = hand(chain())
    event = QWheelEvent(
        QPointF(300, 300),
        QPointF(300, 300),
        QPoint(12, -7),
        QPoint(24, -14),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.ScrollUpdate,
        False,
    )
    QApplication.sendEvent(h.view, event)
    assert (h.view.board.camera.x, h.view.board.camera.y, h.view.board.camera.scale) == (72, 73, 1.0)


def test_dragging_the_title_of_an_area_moves_its_body(hand: Open) -> None:
    h = hand(placed(notes_flow()))
    area = h.view.board.scene.areas[NodeId("rounds")].rect
    h.drag(h.point(area.x + 300, area.y + 10), h.point(area.x + 340, area.y + 34))
    places = h.flow.layout.nodes
    assert places[NodeId("writer")] == Point(360, 88)
    assert places[NodeId("accepted")] == Point(624, 296)
    assert places[NodeId("search")] == Point(288, 480)
    assert h.view.board.scene.areas[NodeId("rounds")].rect.x == area.x + 40
    assert len(h.undo_steps) == 1


def test_an_area_grows_with_its_body_while_a_node_is_dragged(hand: Open) -> None:
    h = hand(notes_flow())
    before = h.view.board.scene.areas[NodeId("rounds")].rect
    h.press(h.at("accepted"))
    h.move(h.at("accepted") + QPoint(4, 60))
    h.move(h.at("accepted") + QPoint(0, 120))
    during = h.view.board.scene.areas[NodeId("rounds")].rect
    assert during.height > before.height + 60
    h.key(Qt.Key.Key_Escape)
    assert h.view.board.scene.areas[NodeId("rounds")].rect == before


def test_wires_end_at_the_ports_on_an_areas_border(hand: Open) -> None:
    h = hand(notes_flow())
    h.drag(h.port("rounds.start"), h.port("rounds.start") + QPoint(-40, 200))
    assert "question.value -> rounds.start" not in h.wires
    h.drag(h.port("question.value", is_output=True), h.port("rounds.start"))
    assert "question.value -> rounds.start" in h.wires


def test_a_click_on_the_inside_of_an_area_selects_nothing(hand: Open) -> None:
    h = hand(notes_flow())
    h.click(h.at("writer", 60, 300))
    assert h.selected == set()


def test_a_collect_is_a_pair_of_ports_on_its_maps_border(hand: Open) -> None:
    h = hand(
        placed(
            flow(
                {
                    "split": "text.split",
                    "each": "control.for_each",
                    "up": "text.upper",
                    "all": "control.collect",
                    "join": "text.join",
                },
                "split.parts -> each.items[0]",
                "each.item -> up.text",
                "up.text -> all.item",
                "all.items -> join.parts[0]",
            ),
            split=(0, 0),
            up=(400, 0),
            join=(900, 0),
        )
    )
    area = h.view.board.scene.areas[NodeId("each")]
    assert {pill.node for pill in area.pills} == {"each", "all"}
    assert h.view.board.hit(*_xy(h.port("all.items", is_output=True))).node == "all"
    assert h.view.board.hit(*_xy(h.port("all.item"))).socket == wire("x.y -> all.item").target


def _xy(point: QPoint) -> tuple[float, float]:
    return float(point.x()), float(point.y())


def test_an_area_encloses_what_is_lent_to_its_body_while_it_stands_close(hand: Open) -> None:
    h = hand(notes_flow())
    area = h.view.board.scene.areas[NodeId("rounds")].rect
    assert not area.meets(h.view.board.scene.rect(NodeId("search")))
    h.drag(h.at("search"), h.at("search") - QPoint(0, 120))
    scene = h.view.board.scene
    assert scene.areas[NodeId("rounds")].rect.bottom > scene.rect(NodeId("search")).bottom
