"""C collapses nodes to title bars, loops and maps to nodes, frames to bars; C again unfolds them."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPoint, Qt

from studio.flow.edits import add_node
from studio.flow.records import Flow, Frame, Point, Wire
from studio.ids import NodeId
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.hits import Target
from studio.ui.canvas.scene.box_places import Key
from studio.ui.canvas.scene.geometry import HEADER
from tests.flow.builders import wire
from tests.ui.canvas.builders import chain, notes_flow
from tests.ui.canvas.conftest import Hand

Open = Callable[[Flow], Hand]
SHIFT = Qt.KeyboardModifier.ShiftModifier
ROUNDS = NodeId("rounds")
BODY = ("writer", "critic", "accepted")


def rect(hand: Hand, node: str) -> Rect:
    return hand.view.board.scene.rect(NodeId(node))


def is_drawn(hand: Hand, node: str) -> bool:
    scene = hand.view.board.scene
    return scene.row[NodeId(node)] in scene.rows_in(Rect(-9999, -9999, 99999, 99999)).tolist()


def drawn_wires(hand: Hand) -> set[Wire]:
    scene = hand.view.board.scene
    return {scene.wires[row] for row in scene.wire_rows_in(Rect(-9999, -9999, 99999, 99999)).tolist()}


def framed() -> Flow:
    flow = chain()
    frames = {"frame": Frame("First", 16, 0, 540, 280), "around": Frame("All", 0, -50, 900, 400)}
    return replace(flow, layout=replace(flow.layout, frames=frames))


def bar(hand: Hand, name: str = "frame") -> QPoint:
    place = hand.view.board.scene.standing.rects()[Key("frame", name)]
    return hand.point(place.x + 100, place.y + 14)


def test_c_leaves_a_node_its_title_and_its_ports(hand: Open) -> None:
    one = hand(chain())
    tall = rect(one, "writer").height
    one.click(one.at("writer"))
    one.key(Qt.Key.Key_C)
    assert rect(one, "writer").height == HEADER < tall
    ports = one.view.board.scene.spots(NodeId("writer"))
    assert len({(spot.x, spot.y) for spot in ports}) == len(ports)
    assert all(0 <= spot.y <= HEADER for spot in ports)
    assert one.flow.layout.collapsed == {"writer"}
    one.key(Qt.Key.Key_C)
    assert rect(one, "writer").height == tall
    assert one.undo_steps == ["Collapse Writer", "Expand Writer"]


def test_a_wire_is_drawn_to_a_collapsed_node(hand: Open) -> None:
    one = hand(chain())
    one.click(one.at("writer"))
    one.key(Qt.Key.Key_C)
    one.drag(one.port("upper.text", is_output=True), one.port("writer.prompt"))
    assert "upper.text -> writer.prompt" in one.wires


def test_several_are_collapsed_in_one_step_and_undo_unfolds_them(hand: Open) -> None:
    one = hand(chain())
    one.click(one.at("question"))
    one.click(one.at("upper"), SHIFT)
    one.key(Qt.Key.Key_C)
    assert one.undo_steps == ["Collapse 2 nodes"]
    one.doc.history.undo()
    assert one.flow == chain()
    assert rect(one, "upper").height > HEADER


def collapse_loop(hand: Hand) -> None:
    area = hand.view.board.scene.areas[ROUNDS]
    hand.click(hand.point(area.rect.x + 40, area.rect.y + 10))
    hand.key(Qt.Key.Key_C)


def test_a_collapsed_loop_is_a_node_with_the_ports_of_its_border(hand: Open) -> None:
    one = hand(notes_flow())
    before = rect(one, "rounds")
    collapse_loop(one)
    after = rect(one, "rounds")
    assert (after.x, after.y) == (before.x, before.y)
    assert after.width < before.width / 2
    assert not any(is_drawn(one, node) for node in (*BODY, "search", "notes"))
    assert is_drawn(one, "question")
    names = {(spot.port, spot.is_output) for spot in one.view.board.scene.spots(ROUNDS) if not spot.is_order}
    assert ("start", False) in names
    assert ("result", True) in names
    assert ("again", False) not in names
    assert drawn_wires(one) == {wire("question.value -> rounds.start"), wire("rounds.result -> answer.value")}


def test_nothing_of_a_collapsed_loop_is_hit(hand: Open) -> None:
    one = hand(notes_flow())
    writer = one.at("writer")
    collapse_loop(one)
    assert one.view.board.hit(writer.x(), writer.y() + 40).target is not Target.NODE
    inside = one.point(*(rect(one, "rounds").x + 60, rect(one, "rounds").bottom - 12))
    assert one.view.board.hit(inside.x(), inside.y()).target is Target.AREA_TITLE


def test_a_collapsed_loop_is_dragged_with_its_hidden_body_and_unfolds_there(hand: Open) -> None:
    one = hand(notes_flow())
    before = rect(one, "rounds")
    collapse_loop(one)
    start = one.point(before.x + 60, before.y + 10)
    one.drag(start, start + QPoint(80, 160))
    one.key(Qt.Key.Key_C)
    after = rect(one, "rounds")
    assert (round(after.x - before.x), round(after.y - before.y)) == (80, 160)
    assert (after.width, after.height) == (before.width, before.height)
    assert len(one.undo_steps) == 3


def test_wires_into_a_collapsed_body_end_at_its_edge(hand: Open) -> None:
    flow = notes_flow()
    extra = wire("question.value -> critic.prompt")
    wires = tuple(sorted((*flow.wires, extra), key=lambda each: each.sort_key))
    one = hand(replace(flow, wires=wires))
    collapse_loop(one)
    scene = one.view.board.scene
    end = scene.rows_of_wires.ends[scene.wire_row[extra]].tolist()
    hull = rect(one, "rounds")
    assert end[2] == hull.x
    assert hull.y <= end[3] <= hull.bottom
    assert extra in drawn_wires(one)


def test_a_collapsed_frame_is_a_bar_and_wires_end_at_it(hand: Open) -> None:
    one = hand(framed())
    one.click(bar(one))
    one.key(Qt.Key.Key_C)
    assert not is_drawn(one, "question")
    assert not is_drawn(one, "upper")
    assert is_drawn(one, "writer")
    assert drawn_wires(one) == set()
    place = one.view.board.scene.standing.rects()[Key("frame", "frame")]
    assert rect(one, "upper") == place
    assert one.undo_steps == ["Collapse frame"]
    one.key(Qt.Key.Key_C)
    assert one.flow == framed()
    assert is_drawn(one, "upper")


def test_what_is_put_where_a_collapsed_frame_was_stays_seen(hand: Open) -> None:
    one = hand(framed())
    one.click(bar(one))
    one.key(Qt.Key.Key_C)
    one.drag(one.at("writer"), one.at("writer") - QPoint(560, -80))
    assert is_drawn(one, "writer")
    assert one.flow.layout.frames["frame"].holds == ("question", "upper")


def test_a_collapsed_frame_is_dragged_with_what_it_hides(hand: Open) -> None:
    one = hand(framed())
    one.click(bar(one))
    one.key(Qt.Key.Key_C)
    one.drag(bar(one), bar(one) + QPoint(160, 80))
    assert one.flow.layout.nodes[NodeId("upper")].x == 320 + 160
    assert rect(one, "upper") == one.view.board.scene.standing.rects()[Key("frame", "frame")]
    assert len(one.undo_steps) == 2


def test_a_frame_with_a_loop_hides_the_loop_and_its_body(hand: Open) -> None:
    flow = notes_flow()
    one = hand(replace(flow, layout=replace(flow.layout, frames={"frame": Frame("", 160, -60, 800, 720)})))
    one.click(bar(one))
    one.key(Qt.Key.Key_C)
    assert not one.view.board.scene.areas
    assert not any(is_drawn(one, node) for node in BODY)
    assert drawn_wires(one) == {wire("question.value -> rounds.start"), wire("rounds.result -> answer.value")}


def test_an_empty_frame_says_why_it_is_not_collapsed(hand: Open) -> None:
    flow = chain()
    one = hand(replace(flow, layout=replace(flow.layout, frames={"frame": Frame("", 0, 300, 200, 200)})))
    told: list[str] = []
    one.view.refused.connect(told.append)
    one.click(bar(one))
    one.key(Qt.Key.Key_C)
    assert told == ["This frame has nothing to hide."]
    assert not one.undo_steps


def test_what_is_collapsed_is_drawn_at_once_and_without_wires_inside(hand: Open) -> None:
    one = hand(notes_flow())
    before = one.view.grab().toImage()
    collapse_loop(one)
    one.doc.selection.select()
    folded = one.view.grab().toImage()
    one.doc.history.undo()
    again = one.view.grab().toImage()
    assert folded != before
    assert again == before
    assert np.isfinite(one.view.board.scene.wire_bounds).all()


def test_c_unfolds_only_where_all_that_is_selected_is_collapsed(hand: Open) -> None:
    one = hand(framed())
    one.click(one.at("writer"))
    one.key(Qt.Key.Key_C)
    one.click(bar(one), SHIFT)
    one.key(Qt.Key.Key_C)
    assert one.flow.layout.collapsed == {"writer"}
    assert one.flow.layout.frames["frame"].holds
    one.key(Qt.Key.Key_C)
    assert not one.flow.layout.collapsed
    assert not one.flow.layout.frames["frame"].holds
    assert len(one.undo_steps) == 3


def test_a_node_that_is_named_like_one_deleted_behind_a_frame_is_seen(hand: Open) -> None:
    one = hand(framed())
    one.click(bar(one))
    one.key(Qt.Key.Key_C)
    one.view.board.select([NodeId("upper")])
    one.key(Qt.Key.Key_Delete)
    name, change = add_node(one.flow, "text.upper", "Upper", Point(40, 400))
    one.doc.history.do(change)
    assert name == "upper"
    assert is_drawn(one, name)


def test_what_is_hidden_and_still_selected_takes_no_part_in_aligning(hand: Open) -> None:
    one = hand(framed())
    one.click(bar(one, "around"))
    one.key(Qt.Key.Key_C)
    one.doc.history.undo()
    board = one.view.board
    board.select([NodeId("writer")], (), ["frame"])
    one.doc.history.redo()
    before = one.flow
    one.key(Qt.Key.Key_A, SHIFT)
    assert one.flow == before
