"""All wires of an output in one hand."""

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt

from studio.flow.records import Flow
from tests.flow.builders import flow
from tests.ui.canvas.builders import placed
from tests.ui.canvas.conftest import Hand
from tests.ui.canvas.strokes import SHIFT, hold, stroke

Open = Callable[[Flow], Hand]


def fork() -> Flow:
    return placed(
        flow(
            {
                "a": "text.text",
                "b": "text.text",
                "n": "value.picture",
                "up": "text.upper",
                "join": "text.join",
            },
            "a.text -> up.text",
            "a.text -> join.parts[3]",
        ),
        a=(0, 0),
        b=(0, 220),
        n=(0, 440),
        up=(500, 0),
        join=(500, 220),
    )


def test_shift_drag_takes_all_wires_of_an_output_to_another_in_one_step(hand: Open) -> None:
    h = hand(fork())
    before = h.flow
    stroke(h, h.port("a.text", is_output=True), h.port("b.text", is_output=True), SHIFT)
    assert h.wires == ["b.text -> join.parts[3]", "b.text -> up.text"]
    assert h.undo_steps == ["Take 2 wires to b"]
    h.doc.history.undo()
    assert h.flow == before


def test_dropped_on_nothing_they_go_and_dropped_back_they_stay(hand: Open) -> None:
    h = hand(fork())
    stroke(h, h.port("a.text", is_output=True), h.port("a.text", is_output=True) + QPoint(9, 4), SHIFT)
    assert len(h.wires) == 2
    assert h.undo_steps == []
    stroke(h, h.port("a.text", is_output=True), h.point(330, 640), SHIFT)
    assert h.wires == []


def test_an_output_that_one_of_them_does_not_take_is_refused_with_the_reason(hand: Open) -> None:
    h = hand(fork())
    reasons: list[str] = []
    h.view.refused.connect(reasons.append)
    stroke(h, h.port("a.text", is_output=True), h.port("n.image", is_output=True), SHIFT)
    assert reasons == ["`image` does not fit `text[]`."]
    assert len(h.wires) == 2


def test_escape_leaves_them_and_without_shift_a_new_wire_is_drawn(hand: Open) -> None:
    h = hand(fork())
    hold(h, h.port("a.text", is_output=True), h.point(330, 640), SHIFT)
    h.key(Qt.Key.Key_Escape)
    assert len(h.wires) == 2
    stroke(h, h.port("b.text", is_output=True), h.port("join.parts"))
    assert "b.text -> join.parts[4]" in h.wires
