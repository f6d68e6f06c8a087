"""Ports that are neither wired nor needed stand in a drawer below the card, and are as real as the others."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible

from studio.flow.ports import Signature
from studio.flow.records import Flow
from studio.ids import NodeId, PortName
from studio.ui.canvas.accessible.tree import PartTree
from studio.ui.canvas.hits import Target
from studio.ui.canvas.scene.geometry import Spot
from tests.flow.builders import flow, node, port
from tests.ui.canvas.builders import EXTRA, placed
from tests.ui.canvas.conftest import Hand

Open = Callable[[Flow], Hand]
WRITER = NodeId("writer")


@pytest.fixture(autouse=True)
def kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent with more ports than most flows need, and a judge with two ways."""
    inputs = (port("prompt", "text"), port("history", "messages", required=False))
    outputs = (port("reply", "text"), port("messages", "messages"), port("ended", "text"))
    monkeypatch.setitem(EXTRA, "llm.agent", Signature(inputs, outputs))
    ways = tuple(port(name, "text", required=False) for name in ("passed", "failed"))
    judged = (*ways, port("reason", "text"))
    monkeypatch.setitem(EXTRA, "llm.critic", Signature((port("value", "text"),), judged))


def test_a_card_has_the_ports_that_are_wired_or_needed(hand: Open) -> None:
    h = hand(team())
    assert shown(h, "writer") == {"prompt", "reply"}
    assert shown(h, "reader") == {"prompt", "messages"}


def test_every_way_that_a_value_may_go_stands_on_the_card(hand: Open) -> None:
    h = hand(team())
    assert shown(h, "critic") == {"value", "passed", "failed"}


def test_titles_not_ports_set_the_height(hand: Open) -> None:
    h = hand(team())
    boxes = h.view.board.scene
    assert boxes.rect(WRITER).height == boxes.rect(NodeId("critic")).height - 22 - 27


@pytest.mark.parametrize("way", ["pointer", "keyboard", "click"])
def test_what_opens_the_drawer_moves_nothing(hand: Open, way: str) -> None:
    h = hand(team())
    board = h.view.board
    rects, curves = board.scene.rects.copy(), board.scene.curves.copy()
    assert board.unfolded() == []
    match way:
        case "pointer":
            hover(h, h.at("writer"))
        case "keyboard":
            h.doc.selection.select([NodeId("reader")])
            h.key(Qt.Key.Key_Left)
        case _:
            h.click(h.at("writer"))
    assert board.unfolded()[0] == WRITER
    assert np.array_equal(board.scene.rects, rects)
    assert np.array_equal(board.scene.curves, curves)


def test_a_port_in_a_closed_drawer_is_not_hit_and_in_an_open_one_it_is(hand: Open) -> None:
    h = hand(team())
    at = h.port("writer.messages", is_output=True)
    h.move(QPoint(1100, 700))
    assert h.view.board.hit(at.x(), at.y()).target is Target.NOTHING
    hover(h, h.at("writer"))
    assert h.view.board.hit(at.x(), at.y()).spot == spot(h, "messages")
    h.move(at)
    h.move(at + QPoint(-40, 0))
    assert h.view.board.hover.node == WRITER, "the drawer itself belongs to the card"


def test_the_drawer_shuts_when_the_hand_has_gone(hand: Open) -> None:
    h = hand(team())
    hover(h, h.at("writer"))
    h.move(QPoint(1100, 700))
    assert h.view.board.unfolded() == []


def test_a_wire_from_a_spare_port_brings_it_onto_the_card(hand: Open) -> None:
    h = hand(team())
    hover(h, h.at("writer"))
    start = h.port("writer.messages", is_output=True)
    h.move(start)
    h.press(start)
    end = h.at("reader", 60, 18)
    for share in (0.3, 0.6, 1.0):
        h.move(start + (end - start) * share)
    end = h.port("reader.history")
    h.move(end)
    h.release(end)
    assert "writer.messages -> reader.history" in h.wires
    assert shown(h, "writer") == {"prompt", "reply", "messages"}
    assert "history" in shown(h, "reader")


def test_an_open_drawer_is_drawn_and_a_closed_one_is_not(hand: Open) -> None:
    h = hand(team())
    at = h.port("writer.messages", is_output=True)
    ground = h.view.grab().toImage().pixelColor(at.x() - 30, at.y() + 30)
    hover(h, h.at("writer"))
    assert h.view.grab().toImage().pixelColor(at.x() - 30, at.y() + 30) != ground


def test_the_keyboard_walks_to_spare_ports_and_wires_them(hand: Open) -> None:
    h = hand(team())
    board = h.view.board
    h.doc.selection.select([WRITER])
    assert list(ports_walked(h)) == ["reply", "messages", "ended"]
    assert board.unfolded() == [WRITER]
    h.key(Qt.Key.Key_W)
    palette = h.view.linking.palette
    palette.search("Critic: value")
    palette.choose()
    assert "writer.ended -> critic.value" in h.wires


def test_screen_readers_find_spare_ports_where_the_drawer_shows_them(hand: Open) -> None:
    h = hand(team())
    tree = PartTree(h.view, h.view.desk, lambda: QAccessible.queryAccessibleInterface(h.view))
    part = tree.port(WRITER, PortName("messages"), is_output=True)
    assert part in tree.node(WRITER).inside()
    part.go()
    assert h.view.board.unfolded() == [WRITER]
    drawer, place = h.view.board.scene.drawer(WRITER), part.place()
    assert drawer is not None
    assert place is not None
    assert drawer.meets(place)


def test_a_value_typed_at_a_port_keeps_it_on_the_card(hand: Open) -> None:
    h = hand(placed(flow({"writer": node("llm.agent", inputs={"history": ["hello"]})}), writer=(0, 0)))
    assert "history" in shown(h, "writer")


def test_a_breakpoint_at_a_spare_port_keeps_the_drawer_open(hand: Open) -> None:
    h = hand(team())
    h.view.set_breakpoints({"writer.ended": "on"})
    assert h.view.board.unfolded() == [WRITER]


def test_dragging_a_node_shuts_its_drawer(hand: Open) -> None:
    h = hand(team())
    h.press(h.at("writer"))
    h.move(h.at("writer") + QPoint(30, 30))
    h.move(h.at("writer") + QPoint(60, 60))
    assert h.view.board.unfolded() == []
    h.release(h.at("writer") + QPoint(60, 60))


def test_a_collapsed_card_has_its_drawer_below_its_title(hand: Open) -> None:
    h = hand(team())
    h.doc.selection.select([WRITER])
    h.key(Qt.Key.Key_C)
    drawer = h.view.board.scene.drawer(WRITER)
    assert drawer is not None
    assert drawer.y == h.view.board.scene.rect(WRITER).bottom
    assert drawer.contains(drawer.x, h.view.board.scene.rect(WRITER).y + spot(h, "messages").y)


# ------------------------------------------------------------------------------------------- helpers


def team() -> Flow:
    return placed(
        flow(
            {
                "ask": node("text.text"),
                "writer": node("llm.agent", title="Writer"),
                "reader": node("llm.agent", title="Reader"),
                "critic": node("llm.critic", title="Critic"),
                "end": node("io.flow_output"),
            },
            "ask.text -> writer.prompt",
            "writer.reply -> reader.prompt",
            "reader.messages -> end.value",
        ),
        ask=(0, 0),
        writer=(280, 0),
        reader=(560, 0),
        critic=(280, 320),
        end=(840, 0),
    )


def hover(h: Hand, at: QPoint) -> None:
    """Come from elsewhere: to where the pointer is already, nothing moves."""
    h.move(at + QPoint(3, 3))
    h.move(at)


def shown(h: Hand, name: str) -> set[str]:
    spots = h.view.board.scene.spots(NodeId(name))
    return {str(one.port) for one in spots if not one.is_spare and not one.is_order}


def spot(h: Hand, port: str) -> Spot:
    found = h.view.board.scene.spot(WRITER, PortName(port), is_output=True)
    assert found is not None
    return found


def ports_walked(h: Hand) -> Iterator[str]:
    """Go to the node's first output, and down from there."""
    h.key(Qt.Key.Key_P)
    for way in (Qt.Key.Key_Down, Qt.Key.Key_Down, None):
        stand = h.view.board.keyboard.at(h.view.board.scene)
        if stand is not None and stand.port is not None:
            yield str(stand.port)
        if way is not None:
            h.key(way)
