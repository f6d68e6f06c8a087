"""Nodes dragged onto wires, out of them, into line, and in and out of areas."""

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from studio.flow.edits.boxes import collapse
from studio.flow.records import Flow, Point
from studio.ids import NodeId
from studio.ui.canvas.scene.guides import STEP
from tests.flow.builders import flow
from tests.ui.canvas.builders import notes_flow, placed
from tests.ui.canvas.conftest import Hand
from tests.ui.canvas.strokes import ALT, CONTROL, hold, move, press, release, stroke

Open = Callable[[Flow], Hand]


def row() -> Flow:
    """`one -> two -> three` with room between, and `free` below."""
    return placed(
        flow(
            {"one": "text.upper", "two": "text.upper", "three": "text.upper", "free": "text.upper"},
            "one.text -> two.text",
            "two.text -> three.text",
        ),
        one=(0, 0),
        two=(480, 0),
        three=(960, 0),
        free=(240, 400),
    )


def onto(h: Hand, node: str, wire_row: int) -> tuple[QPoint, QPoint]:
    """Where to grab a node, and where to drag it so that its middle lies on a wire."""
    rect = h.view.board.scene.rect(NodeId(node))
    grip = QPoint(60, 18)
    return h.at(node), h.middle(h.flow.wires[wire_row]) + grip - QPoint(
        round(rect.width / 2), round(rect.height / 2)
    )


def test_a_node_dragged_onto_a_wire_is_put_into_it_in_one_step(hand: Open) -> None:
    h = hand(row())
    before = h.flow
    stroke(h, *onto(h, "free", 0))
    assert h.wires == ["free.text -> two.text", "one.text -> free.text", "two.text -> three.text"]
    assert h.undo_steps == ["Insert free"]
    h.doc.history.undo()
    assert h.flow == before


def test_the_wire_lights_up_while_a_node_that_fits_is_over_it(hand: Open) -> None:
    h = hand(row())
    start, end = onto(h, "free", 0)
    press(h, start)
    move(h, start + QPoint(60, 200))
    dull = h.view.grab().toImage().pixelColor(h.middle(h.flow.wires[0]) - QPoint(130, 0))
    move(h, end)
    bright = h.view.grab().toImage().pixelColor(h.middle(h.flow.wires[0]) - QPoint(130, 0))
    assert dull != bright
    h.key(Qt.Key.Key_Escape)
    assert h.wires == ["one.text -> two.text", "two.text -> three.text"]


def test_a_node_that_is_wired_already_passes_over_wires(hand: Open) -> None:
    h = hand(row())
    stroke(h, *onto(h, "three", 0))
    assert h.wires == ["one.text -> two.text", "two.text -> three.text"]
    assert h.undo_steps == ["Move three"]


def test_alt_drag_takes_a_node_out_and_joins_its_neighbours_in_one_step(hand: Open) -> None:
    h = hand(row())
    before = h.flow
    stroke(h, h.at("two"), h.at("two") + QPoint(0, 240), ALT)
    assert h.wires == ["one.text -> three.text"]
    assert h.undo_steps == ["Detach two"]
    assert h.flow.layout.nodes[NodeId("two")] == Point(480, 240)
    h.doc.history.undo()
    assert h.flow == before


def test_alt_may_be_let_go_before_the_node_is(hand: Open) -> None:
    h = hand(row())
    end = h.at("two") + QPoint(0, 240)
    hold(h, h.at("two"), end, ALT)
    move(h, end + QPoint(0, 8))
    release(h, end + QPoint(0, 8))
    assert h.wires == ["one.text -> two.text", "two.text -> three.text"]


def test_alt_drag_onto_another_wire_moves_the_node_there_in_one_step(hand: Open) -> None:
    h = hand(row())
    stroke(h, *onto(h, "three", 0), ALT)
    assert h.wires == ["one.text -> three.text", "three.text -> two.text"]
    assert len(h.undo_steps) == 1


def test_a_node_comes_to_rest_in_line_with_a_neighbour(hand: Open) -> None:
    h = hand(placed(row(), one=(3, 5)))
    stroke(h, h.at("free"), h.at("free") + QPoint(-233, -200))
    assert h.flow.layout.nodes[NodeId("free")].x == 3
    assert h.flow.layout.nodes[NodeId("free")].y % STEP == 0


def test_control_moves_freely(hand: Open) -> None:
    h = hand(placed(row(), one=(3, 5)))
    start = h.at("free")
    press(h, start)
    for by in (10, 100, 235):
        move(h, start - QPoint(by, 201), CONTROL)
    release(h, start - QPoint(235, 201), CONTROL)
    assert h.flow.layout.nodes[NodeId("free")] == Point(5, 199)


def test_a_guide_shows_what_a_node_is_in_line_with(hand: Open) -> None:
    h = hand(row())
    hold(h, h.at("free"), h.at("free") + QPoint(-240, -200))
    x = round(h.view.board.camera.to_widget(0, 0)[0])
    picture = h.view.grab().toImage()
    action = h.view.board.style.color("accent.action")
    top, bottom = h.view.board.scene.rect(NodeId("one")).bottom, h.view.board.scene.rect(NodeId("free")).y
    line = [picture.pixelColor(x, y) for y in range(h.point(0, top).y() + 9, h.point(0, bottom).y() - 9)]
    assert line
    assert {one.name() for one in line} == {action.name()}
    h.key(Qt.Key.Key_Escape)


def test_a_node_dragged_well_out_of_a_loop_is_offered_to_be_taken_out(hand: Open) -> None:
    h = hand(notes_flow())
    before = h.flow
    hold(h, h.at("critic"), h.at("critic") + QPoint(100, 700))
    assert "Rounds" in getattr(h.view.gesture, "reason", "")
    release(h, h.at("critic"))
    sheet = h.view.furniture.offer
    assert sheet.isVisible()
    assert "“Critic” still runs in “Rounds”" in sheet.sentence.text()
    QTest.keyClick(sheet.take, Qt.Key.Key_Return)
    assert not sheet.isVisible()
    assert not {one for one in h.wires if "critic" in one}
    assert "writer.reply -> accepted.value" in h.wires
    assert h.undo_steps == ["Detach Critic"]
    h.doc.history.undo()
    assert h.flow == before


def test_an_offer_that_is_left_changes_nothing(hand: Open) -> None:
    h = hand(notes_flow())
    stroke(h, h.at("critic"), h.at("critic") + QPoint(100, 700))
    sheet = h.view.furniture.offer
    QTest.keyClick(sheet.take, Qt.Key.Key_Escape)
    assert not sheet.isVisible()
    assert h.undo_steps == ["Move Critic"]
    assert "critic" in h.view.board.scene.areas[NodeId("rounds")].region.body


def test_a_free_node_put_into_a_loop_is_offered_to_run_there(hand: Open) -> None:
    before = notes_flow()
    free = placed(flow({**before.nodes, "shout": "text.upper"}, *(str(one) for one in before.wires)))
    h = hand(placed(free, **{str(k): (p.x, p.y) for k, p in before.layout.nodes.items()}, shout=(320, 560)))
    area = h.view.board.scene.areas[NodeId("rounds")].rect
    stroke(h, h.at("shout"), h.point(area.x + 220, area.y + 260))
    sheet = h.view.furniture.offer
    assert "does not run in it" in sheet.sentence.text()
    QTest.mouseClick(sheet.take, Qt.MouseButton.LeftButton)
    assert "rounds.value -> shout.text" in h.wires
    assert "shout.text -> rounds.also[0]" in h.wires
    assert "shout" in h.view.board.scene.areas[NodeId("rounds")].region.body


def test_a_collapsed_loop_is_a_node_that_nothing_is_put_into(hand: Open) -> None:
    before = notes_flow()
    free = placed(flow({**before.nodes, "shout": "text.upper"}, *(str(one) for one in before.wires)))
    h = hand(placed(free, **{str(k): (p.x, p.y) for k, p in before.layout.nodes.items()}, shout=(320, 560)))
    h.doc.history.do(collapse(h.flow, [NodeId("rounds")]))
    area = h.view.board.scene.areas[NodeId("rounds")].rect
    stroke(h, h.at("shout", 120, 18), h.point(area.x + 112, area.y + 18))
    assert h.undo_steps[-1] == "Move shout"
    assert not h.view.furniture.offer.isVisible()


def test_a_node_dragged_onto_a_wire_of_a_loop_runs_in_it_and_alt_takes_it_out_again(hand: Open) -> None:
    before = notes_flow()
    free = placed(flow({**before.nodes, "shout": "text.upper"}, *(str(one) for one in before.wires)))
    h = hand(placed(free, **{str(k): (p.x, p.y) for k, p in before.layout.nodes.items()}, shout=(320, 660)))
    row_of = next(i for i, one in enumerate(h.flow.wires) if str(one) == "writer.reply -> critic.prompt")
    stroke(h, *onto(h, "shout", row_of))
    assert "shout" in h.view.board.scene.areas[NodeId("rounds")].region.body
    stroke(h, h.at("shout"), h.at("shout") + QPoint(0, 600), ALT)
    assert "shout" not in h.view.board.scene.areas[NodeId("rounds")].region.body
    assert "writer.reply -> critic.prompt" in h.wires
    assert len(h.undo_steps) == 2
