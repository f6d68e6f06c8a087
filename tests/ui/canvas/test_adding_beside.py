"""Tab beside a selected node joins the new node to it; an empty canvas is offered what a flow begins with."""

from collections.abc import Callable

from PySide6.QtCore import Qt

from studio.flow.records import Flow
from studio.ids import NodeId
from tests.flow.builders import flow
from tests.ui.canvas.builders import chain, placed
from tests.ui.canvas.conftest import Hand

Open = Callable[[Flow], Hand]


def add(h: Hand, beside: str, kind: str) -> str:
    """Select a node, press Tab, choose a kind; gives what was added."""
    h.doc.selection.select([NodeId(beside)])
    before = set(h.flow.nodes)
    h.key(Qt.Key.Key_Tab)
    palette = h.view.adding.palette
    assert palette.isVisible()
    palette.search(kind)
    palette.choose()
    (name,) = set(h.flow.nodes) - before
    return str(name)


def test_the_new_node_takes_what_the_selected_one_gives(hand: Open) -> None:
    h = hand(chain())
    name = add(h, "writer", "Flow output")
    assert f"writer.reply -> {name}.value" in h.wires
    scene = h.view.board.scene
    assert scene.rect(NodeId(name)).x > scene.rect(NodeId("writer")).right
    assert len(h.undo_steps) == 1
    h.doc.history.undo()
    assert set(h.flow.nodes) == {"question", "upper", "writer"}


def test_what_gives_something_only_is_wired_from_the_left(hand: Open) -> None:
    h = hand(placed(flow({"writer": "llm.agent"}), writer=(400, 0)))
    name = add(h, "writer", "Flow input")
    assert h.wires == [f"{name}.value -> writer.prompt"]
    scene = h.view.board.scene
    assert scene.rect(NodeId(name)).right < scene.rect(NodeId("writer")).x


def test_what_lends_is_wired_from_below(hand: Open) -> None:
    h = hand(placed(flow({"writer": "llm.agent"}), writer=(0, 0)))
    name = add(h, "writer", "Files")
    assert h.wires == [f"{name}.tool -> writer.tools[0]"]
    scene = h.view.board.scene
    assert scene.rect(NodeId(name)).y > scene.rect(NodeId("writer")).bottom


def test_a_node_that_fits_nowhere_is_added_all_the_same(hand: Open) -> None:
    h = hand(placed(flow({"end": "io.flow_output"}), end=(0, 0)))
    add(h, "end", "Files")
    assert h.wires == []


def test_an_empty_canvas_offers_first_what_a_flow_begins_with(hand: Open) -> None:
    h = hand(Flow())
    palette = h.view.adding.palette
    palette.recent.use("text.join")
    h.key(Qt.Key.Key_Tab)
    titles = [look.title for look in palette.offered]
    assert titles[:4] == ["Flow input", "Agent", "Flow output", "Join text"]
    palette.choose()
    h.doc.selection.select()
    h.key(Qt.Key.Key_Tab)
    assert palette.offered[0].title == "Flow input", "what was used last"
    assert palette.offered[1].title == "Join text"
