"""The order of the wires into a list input: seen, dragged, and set with keys."""

import re
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, Qt

from studio.flow.records import Flow, Socket
from studio.ids import NodeId, PortName
from studio.ui.canvas.camera import Camera
from studio.ui.canvas.drawing.picture import MARGIN, picture_of, write_picture
from tests.flow.builders import flow
from tests.ui.builders import a_theme
from tests.ui.canvas.builders import placed
from tests.ui.canvas.conftest import Hand
from tests.ui.canvas.strokes import ALT, hold, stroke

Open = Callable[[Flow], Hand]
PARTS = Socket(NodeId("join"), PortName("parts"))


def parts() -> Flow:
    return placed(
        flow(
            {"a": "text.text", "b": "text.text", "c": "text.text", "d": "text.text", "join": "text.join"},
            "a.text -> join.parts[2]",
            "b.text -> join.parts[4]",
            "c.text -> join.parts[9]",
        ),
        a=(0, 0),
        b=(0, 180),
        c=(0, 360),
        d=(0, 540),
        join=(500, 180),
    )


def order(h: Hand) -> str:
    return "".join(mark.wire.source.node for mark in h.view.board.order_marks.of(PARTS))


def mark(h: Hand, source: str) -> QPoint:
    found = next(one for one in h.view.board.order_marks.of(PARTS) if one.wire.source.node == source)
    return h.point(found.x, found.y)


def test_wires_into_a_list_are_numbered_where_they_arrive(hand: Open) -> None:
    h = hand(parts())
    found = h.view.board.order_marks.of(PARTS)
    assert [(one.wire.source.node, one.place) for one in found] == [("a", 0), ("b", 1), ("c", 2)]
    picture = h.view.grab().toImage()
    raised = h.view.board.style.color("surface.raised").name()
    assert all(picture.pixelColor(mark(h, name) - QPoint(6, 0)).name() == raised for name in "abc")


def test_numbers_shrink_with_the_cards_seen_from_farther_away(hand: Open) -> None:
    h = hand(parts())
    raised = h.view.board.style.color("surface.raised").name()
    near = QPoint(7, 0)
    picture = h.view.grab().toImage()
    assert all(picture.pixelColor(mark(h, name) - near).name() == raised for name in "abc")
    h.view.looking.look(Camera(0.5, 20, 20))
    picture = h.view.grab().toImage()
    assert all(picture.pixelColor(mark(h, name) - near).name() != raised for name in "abc")


def test_a_number_dragged_onto_another_takes_its_place_in_one_step(hand: Open) -> None:
    h = hand(parts())
    before = h.flow
    hold(h, mark(h, "c"), mark(h, "a"))
    assert order(h) == "abc"
    assert [one.place for one in h.view.board.order_marks.of(PARTS)] == [1, 2, 0]
    h.release(mark(h, "a"))
    assert order(h) == "cab"
    assert len(h.undo_steps) == 1
    h.doc.history.undo()
    assert h.flow == before


def test_escape_leaves_the_order_as_it_was(hand: Open) -> None:
    h = hand(parts())
    hold(h, mark(h, "c"), mark(h, "a"))
    h.key(Qt.Key.Key_Escape)
    assert [one.place for one in h.view.board.order_marks.of(PARTS)] == [0, 1, 2]
    assert h.undo_steps == []


def test_a_new_wire_dropped_on_a_number_comes_before_it(hand: Open) -> None:
    h = hand(parts())
    stroke(h, h.port("d.text", is_output=True), mark(h, "b"))
    assert order(h) == "adbc"
    assert h.undo_steps == ["Connect d to join"]


def test_a_new_wire_dropped_on_the_port_comes_last(hand: Open) -> None:
    h = hand(parts())
    stroke(h, h.port("d.text", is_output=True), h.port("join.parts"))
    assert order(h) == "abcd"


def test_a_wire_taken_from_the_list_and_dropped_on_a_number_changes_its_place(hand: Open) -> None:
    h = hand(parts())
    stroke(h, h.port("join.parts"), mark(h, "a"))
    assert order(h) == "cab"
    assert len(h.undo_steps) == 1


def test_keys_bring_the_selected_wire_earlier_and_later(hand: Open) -> None:
    h = hand(parts())
    h.click(mark(h, "a"))
    h.key(Qt.Key.Key_PageDown, ALT)
    assert order(h) == "bac"
    h.key(Qt.Key.Key_PageDown, ALT)
    assert order(h) == "bca"
    h.key(Qt.Key.Key_PageUp, ALT)
    assert order(h) == "bac"
    assert len(h.undo_steps) == 3
    assert {one.source.node for one in h.doc.selection.now.wires} == {"a"}


def test_a_wire_that_is_alone_has_no_number_and_no_command(hand: Open) -> None:
    h = hand(
        placed(
            flow({"a": "text.text", "join": "text.join"}, "a.text -> join.parts[0]"), a=(0, 0), join=(400, 0)
        )
    )
    h.click(h.middle(h.flow.wires[0]))
    assert h.view.board.order_marks.of(PARTS) == []
    assert not h.view.commands["earlier"].can(h.view.desk)


def test_a_picture_shows_the_order(hand: Open, tmp_path: Path) -> None:
    h, theme = hand(parts()), a_theme("dark")
    write_picture(h.doc, theme, tmp_path / "flow.svg")
    written = (tmp_path / "flow.svg").read_text("utf-8")
    assert {"1", "2", "3"} <= set(re.findall(r">\s*(\d)\s*</text>", written))
    image, around = picture_of(h.doc, theme, ratio=1.0), h.view.board.scene.extent()
    assert around is not None
    raised = h.view.board.style.color("surface.raised").name()
    for one in h.view.board.order_marks.of(PARTS):
        at = round(one.x - around.x + MARGIN - 6), round(one.y - around.y + MARGIN)
        assert image.pixelColor(*at).name() == raised
