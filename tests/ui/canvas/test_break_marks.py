"""Breakpoints on the canvas: how they look, and how hand and keyboard set them."""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import get_args

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QImage

from studio.flow.records import Flow, Node
from studio.ids import NodeId, PortName
from studio.ui.canvas.cards.words import break_words
from studio.ui.canvas.document import BreakpointMark
from studio.ui.canvas.hand.tips import tip_for
from studio.ui.canvas.scene.keyboard import Stand
from tests.flow.builders import flow
from tests.ui.canvas.builders import chain, placed
from tests.ui.canvas.conftest import Hand

Open = Callable[[Flow], Hand]
MARKS: tuple[BreakpointMark, ...] = get_args(BreakpointMark)


def shapes(h: Hand, at: QPoint) -> list[QImage]:
    """How each mark looks, in black and white."""
    found: list[QImage] = []
    for mark in MARKS:
        h.view.set_breakpoints({"writer": mark, "upper.text": mark})
        around = QRect(at - QPoint(12, 12), at + QPoint(12, 12))
        shot = h.view.grab(around).toImage().convertToFormat(QImage.Format.Format_Grayscale8)
        found.append(shot.convertToFormat(QImage.Format.Format_Mono, Qt.ImageConversionFlag.ThresholdDither))
    return found


@pytest.mark.parametrize("place", ["node", "port"])
def test_no_two_kinds_of_breakpoints_look_the_same_even_without_colours(hand: Open, place: str) -> None:
    h = hand(chain())
    seen = shapes(h, h.at("writer", 1.5, 1.5) if place == "node" else h.port("upper.text"))
    for one, other in combinations(range(len(MARKS)), 2):
        assert differing(seen[one], seen[other]) >= 6, f"{MARKS[one]} looks like {MARKS[other]}"


def differing(one: QImage, other: QImage) -> int:
    return sum(
        one.pixelColor(x, y) != other.pixelColor(x, y)
        for x in range(one.width())
        for y in range(one.height())
    )


def test_what_a_run_came_by_just_now_has_a_ring_and_then_none(hand: Open) -> None:
    h = hand(chain())
    h.view.set_breakpoints({"writer": "log", "upper.text": "on"})
    before = h.view.grab().toImage()
    h.view.ring(frozenset({"writer", "upper.text", "gone"}))
    struck = h.view.grab().toImage()
    for at in (h.at("writer", 1.5, 1.5), h.port("upper.text")):
        ring = at + QPoint(0, 10)
        assert struck.pixelColor(ring) != before.pixelColor(ring)
    h.view.ring(frozenset())
    assert h.view.grab().toImage() == before


@pytest.mark.parametrize("scale", [0.4, 0.2])
def test_from_far_breakpoints_and_what_they_hold_are_seen_as_well(hand: Open, scale: float) -> None:
    h = hand(chain())
    h.view.board.camera = replace(h.view.board.camera, scale=scale)
    bare = h.view.grab().toImage()
    h.view.set_breakpoints({"writer": "on"})
    marked = h.view.grab().toImage()
    h.view.ring(frozenset({"writer"}))
    at = h.at("writer", 1.5, 1.5)
    assert marked.pixelColor(at) == h.view.board.style.color("state.failed") != bare.pixelColor(at)
    assert h.view.grab().toImage().pixelColor(at + QPoint(0, 7)) != marked.pixelColor(at + QPoint(0, 7))


def test_a_click_at_a_port_asks_for_a_breakpoint_there(hand: Open) -> None:
    h = hand(chain())
    asked: list[str] = []
    h.view.breakpoint_toggled.connect(asked.append)
    h.click(h.port("question.value", is_output=True))
    h.click(h.port("upper.text"))
    assert asked == ["question.value", "upper.text"]
    assert h.flow == chain()


def test_a_click_where_a_value_can_be_typed_asks_for_that_until_there_is_a_breakpoint(hand: Open) -> None:
    h = hand(chain())
    asked: list[str] = []
    h.view.breakpoint_toggled.connect(asked.append)
    h.click(h.port("writer.prompt"))
    assert h.view.asking.sheet is not None
    assert asked == []
    h.view.asking.sheet.dismiss()
    h.view.set_breakpoints({"writer.prompt": "on"})
    h.click(h.port("writer.prompt"))
    assert h.view.asking.sheet is None
    assert asked == ["writer.prompt"]


def test_a_drag_from_a_port_sets_no_breakpoint(hand: Open) -> None:
    h = hand(chain())
    asked: list[str] = []
    h.view.breakpoint_toggled.connect(asked.append)
    h.drag(h.port("question.value", is_output=True), h.port("writer.prompt"))
    assert "question.value -> writer.prompt" in h.wires
    assert asked == []


def test_what_goes_into_a_loop_or_a_map_and_what_comes_out_can_be_held_at_its_border(hand: Open) -> None:
    nodes: dict[str, str | Node] = {
        "word": "io.flow_input",
        "rounds": "control.loop",
        "grow": "text.upper",
        "each": "control.for_each",
        "mark": "text.upper",
        "all": "control.collect",
        "out": "io.flow_output",
    }
    wires = (
        "word.value -> rounds.start",
        "rounds.value -> grow.text",
        "grow.text -> rounds.again",
        "rounds.result -> each.items",
        "each.item -> mark.text",
        "mark.text -> all.item",
        "all.items -> out.value",
    )
    h = hand(
        placed(
            flow(nodes, *wires),
            word=(40, 40),
            rounds=(320, 40),
            grow=(380, 80),
            each=(700, 40),
            mark=(780, 80),
            all=(1040, 80),
            out=(1200, 40),
        )
    )
    h.view.fit()
    asked: list[str] = []
    h.view.breakpoint_toggled.connect(asked.append)
    for socket, is_output in (
        ("rounds.start", False),
        ("rounds.value", True),
        ("rounds.again", False),
        ("rounds.result", True),
        ("each.items", False),
        ("each.item", True),
        ("all.item", False),
        ("all.items", True),
    ):
        h.click(h.port(socket, is_output=is_output))
    assert asked == ["rounds.start", "rounds.result", "each.items", "all.item", "all.items"]


def test_f9_means_the_port_at_which_the_keyboard_stands(hand: Open) -> None:
    h = hand(chain())
    asked: list[str] = []
    h.view.breakpoint_toggled.connect(asked.append)
    h.view.board.keyboard.go_and_select(Stand(NodeId("upper"), PortName("text")))
    h.key(Qt.Key.Key_F9)
    h.view.board.keyboard.go_and_select(Stand(NodeId("upper"), PortName("then"), is_output=True))
    h.key(Qt.Key.Key_F9)
    assert asked == ["upper.text", "upper"], "order carries no value that a run could be held at"


def test_shift_f9_asks_for_the_condition_of_what_is_selected(hand: Open) -> None:
    h = hand(chain())
    asked: list[str] = []
    h.view.board.condition_asked.subscribe(asked.append)
    h.click(h.at("writer"))
    h.key(Qt.Key.Key_F9, Qt.KeyboardModifier.ShiftModifier)
    assert asked == ["writer"]


def test_the_tip_of_a_port_and_of_a_node_tells_of_its_breakpoint(hand: Open) -> None:
    h = hand(chain())
    h.view.set_breakpoints({"writer": "on", "upper.text": "condition"}, {"upper.text": "when round > 2"})
    board = h.view.board
    at = h.port("upper.text")
    told = tip_for(board, board.hit(at.x(), at.y())).splitlines()
    assert told[-2:] == ["Breakpoint with a condition", "when round > 2"]
    at = h.at("writer")
    assert tip_for(board, board.hit(at.x(), at.y())) == "Breakpoint"


def test_every_mark_is_said_in_words_of_its_own() -> None:
    assert len({break_words(mark) for mark in MARKS}) == len(MARKS)
