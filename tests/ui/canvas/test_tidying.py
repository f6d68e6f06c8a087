"""L tidies the selection, Shift+L everything; once is enough."""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

from PySide6.QtCore import Qt

from studio.flow.records import Flow, Frame, Point
from studio.ids import NodeId
from studio.ui.canvas.scene.box_places import Key
from studio.ui.canvas.scene.wires import points_on
from tests.flow.builders import flow, wire
from tests.ui.canvas.builders import chain, grid_flow, notes_flow, placed
from tests.ui.canvas.conftest import Hand

Open = Callable[[Flow], Hand]
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def overlaps(hand: Hand) -> list[tuple[str, str]]:
    """The cards that lie on one another."""
    scene = hand.view.board.scene
    cards = [node for node in scene.ids if scene.has_card[scene.row[node]]]
    return [
        pair for pair in combinations(cards, 2) if scene.rect(pair[0]).grown(-1).meets(scene.rect(pair[1]))
    ]


def test_the_whole_flow_is_tidied_once_and_stays(hand: Open) -> None:
    one = hand(placed(notes_flow(), writer=(900, 900), critic=(880, 880)))
    one.key(Qt.Key.Key_L, SHIFT)
    assert one.undo_steps == ["Tidy flow"]
    assert not overlaps(one)
    once = one.flow
    one.key(Qt.Key.Key_L, SHIFT)
    assert one.flow == once
    assert one.undo_steps == ["Tidy flow"]
    one.doc.history.undo()
    assert one.flow.layout.nodes[NodeId("writer")] == Point(900, 900)


def test_only_the_selection_is_tidied_and_keeps_its_corner(hand: Open) -> None:
    one = hand(placed(chain(), question=(40, 300), upper=(300, 90), writer=(1000, 700)))
    one.click(one.at("question"))
    one.click(one.at("upper"), SHIFT)
    one.key(Qt.Key.Key_L)
    places = one.flow.layout.nodes
    assert places[NodeId("writer")] == Point(1000, 700)
    assert min(places[NodeId(node)].x for node in ("question", "upper")) == 40
    assert min(places[NodeId(node)].y for node in ("question", "upper")) == 90
    assert one.undo_steps == ["Tidy selection"]


def test_a_selected_frame_is_tidied_with_what_is_in_it(hand: Open) -> None:
    flow = placed(chain(), question=(40, 120), upper=(90, 160), writer=(1200, 40))
    frame = Frame("", 16, 0, 600, 500)
    one = hand(replace(flow, layout=replace(flow.layout, frames={"frame": frame})))
    one.doc.selection.select(frames=["frame"])
    one.key(Qt.Key.Key_L)
    assert not overlaps(one)
    rects = one.view.board.scene.standing.rects()[Key("frame", "frame")]
    for node in ("question", "upper"):
        card = one.view.board.scene.rect(NodeId(node))
        assert rects.contains(card.x, card.y)
        assert rects.contains(card.right, card.bottom)
    assert one.flow.layout.nodes[NodeId("writer")] == Point(1200, 40)


def test_a_collapsed_loop_is_tidied_as_the_node_that_it_is(hand: Open) -> None:
    one = hand(notes_flow())
    one.key(Qt.Key.Key_L, SHIFT)
    wide = one.view.board.scene.rect(NodeId("answer")).x - one.view.board.scene.rect(NodeId("question")).x
    area = one.view.board.scene.areas[NodeId("rounds")]
    one.click(one.point(area.rect.x + 40, area.rect.y + 10))
    one.key(Qt.Key.Key_C)
    one.key(Qt.Key.Key_Escape)
    one.key(Qt.Key.Key_L, SHIFT)
    narrow = one.view.board.scene.rect(NodeId("answer")).x - one.view.board.scene.rect(NodeId("question")).x
    assert narrow < wide - 200
    once = one.flow
    one.key(Qt.Key.Key_L, SHIFT)
    assert one.flow == once


def test_bends_of_what_is_tidied_go_and_undo_brings_them_back(hand: Open) -> None:
    flow = placed(chain(), question=(40, 300), upper=(300, 90), writer=(1000, 700))
    bends = {str(wire("question.value -> upper.text")): (Point(100, 900),)}
    before = replace(flow, layout=replace(flow.layout, bends=bends))
    one = hand(before)
    one.key(Qt.Key.Key_L, SHIFT)
    assert not one.flow.layout.bends
    one.doc.history.undo()
    assert one.flow == before


def test_a_large_flow_is_tidied_while_one_waits(hand: Open) -> None:
    one = hand(grid_flow(400))
    one.key(Qt.Key.Key_L, SHIFT)
    assert one.undo_steps == ["Tidy flow"]
    assert not overlaps(one)


def beneath(hand: Hand) -> set[tuple[str, str]]:
    """The wires that run beneath cards at which they do not end, with these cards."""
    scene = hand.view.board.scene
    found: set[tuple[str, str]] = set()
    for one in scene.wires:
        on = points_on(scene.curves[scene.pieces(scene.wire_row[one])], 24).reshape(-1, 2).tolist()
        for node in scene.ids:
            rect = scene.rect(node).grown(-4)
            if scene.has_card[scene.row[node]] and node not in {one.source.node, one.target.node}:
                found |= {(str(one), node) for x, y in on if rect.contains(x, y)}
    return found


def skipping() -> Flow:
    """A chain whose first node also feeds the last, past a tall one and out of a loop's title."""
    some = flow(
        {"a": "text.text", "b": "text.upper", "c": "text.upper", "d": "text.pair", "e": "text.pair"},
        "a.text -> b.text",
        "b.text -> c.text",
        "a.text -> d.one",
        "c.text -> d.two",
        "b.text -> e.one",
        "d.text -> e.two",
    )
    return placed(some, a=(0, 0), b=(40, 20), c=(80, 40), d=(120, 60), e=(160, 80))


def test_wires_are_led_past_the_cards_beneath_which_they_would_run(hand: Open) -> None:
    for some in (skipping(), notes_flow()):
        one = hand(some)
        one.key(Qt.Key.Key_L, SHIFT)
        assert beneath(one) == set()
        assert one.undo_steps == ["Tidy flow"]
        once = one.flow
        one.key(Qt.Key.Key_L, SHIFT)
        assert one.flow == once
        one.doc.history.undo()
        assert one.flow == some


def test_what_stands_behind_a_loop_leaves_room_for_the_words_at_its_ports(hand: Open) -> None:
    one = hand(notes_flow())
    one.key(Qt.Key.Key_L, SHIFT)
    area = one.view.board.scene.areas[NodeId("rounds")]
    assert one.view.board.scene.rect(NodeId("answer")).x - area.rect.right >= 80
