"""Strokes over empty canvas: rubber bands with keys held, and the cut across wires."""

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt

from studio.flow.records import Flow
from tests.flow.builders import flow
from tests.ui.canvas.builders import chain, notes_flow, placed
from tests.ui.canvas.conftest import Hand
from tests.ui.canvas.strokes import ALT, CONTROL, SHIFT, hold, stroke

Open = Callable[[Flow], Hand]


def fan() -> Flow:
    """One node that leads to three."""
    ends = {f"end{place}": "text.upper" for place in range(3)}
    wires = [f"one.text -> {end}.text" for end in ends]
    return placed(
        flow({"one": "text.upper", **ends}, *wires),
        one=(0, 200),
        end0=(600, 0),
        end1=(600, 200),
        end2=(600, 400),
    )


def test_a_control_drag_across_wires_cuts_them_in_one_step(hand: Open) -> None:
    h = hand(fan())
    before = h.flow
    stroke(h, h.point(400, 40), h.point(400, 350), CONTROL)
    assert h.wires == ["one.text -> end2.text"]
    assert h.undo_steps == ["Disconnect 2 wires"]
    h.doc.history.undo()
    assert h.flow == before


def test_a_quick_stroke_of_two_points_cuts_as_well(hand: Open) -> None:
    h = hand(fan())
    h.view.activateWindow()
    stroke(h, h.point(420, -30), h.point(380, 700), CONTROL)
    assert h.wires == []


def test_wires_to_be_cut_are_marked_and_escape_spares_them(hand: Open) -> None:
    h = hand(fan())
    middle = h.middle(h.flow.wires[1])
    still = h.view.grab().toImage().pixelColor(middle)
    hold(h, middle + QPoint(30, -60), middle + QPoint(30, 60), CONTROL)
    marked = h.view.grab().toImage().pixelColor(middle)
    assert marked.name() != still.name()
    assert marked.red() > marked.blue()
    h.key(Qt.Key.Key_Escape)
    assert len(h.wires) == 3
    assert h.undo_steps == []


def test_a_stroke_inside_an_area_cuts_too(hand: Open) -> None:
    h = hand(notes_flow())
    wire = next(one for one in h.flow.wires if str(one) == "critic.verdict -> accepted.value")
    ends = h.port("critic.verdict", is_output=True), h.port("accepted.value")
    out = ends[0] + QPoint(18, 0)
    stroke(h, out + QPoint(0, -16), out + QPoint(0, 16), CONTROL)
    assert wire not in h.flow.wires


def test_shift_adds_what_the_band_touches(hand: Open) -> None:
    h = hand(chain())
    h.click(h.at("question"))
    stroke(h, h.at("writer", -30, 200), h.at("writer", 40, 60), SHIFT)
    assert h.selected == {"question", "writer"}


def test_alt_and_control_with_shift_take_away_what_the_band_touches(hand: Open) -> None:
    for keys in (ALT, CONTROL | SHIFT):
        h = hand(chain())
        h.key(Qt.Key.Key_A, CONTROL)
        stroke(h, h.at("writer", -30, 200), h.at("writer", 40, 60), keys)
        assert h.selected == {"question", "upper"}
        assert h.undo_steps == []


def test_without_a_key_the_band_replaces_and_escape_brings_the_selection_back(hand: Open) -> None:
    h = hand(chain())
    h.click(h.at("question"))
    hold(h, h.at("writer", -30, 200), h.at("writer", 40, 60))
    assert h.selected == {"writer"}
    h.key(Qt.Key.Key_Escape)
    assert h.selected == {"question"}
