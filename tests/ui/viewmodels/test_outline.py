"""The flow as a tree of rows."""

import pytest

from studio.flow.records import Flow, Frame, Layout
from studio.ids import NodeId, PortName
from studio.ui.canvas.board import Board
from studio.ui.canvas.scene.keyboard import Stand
from studio.ui.canvas.style import Style
from studio.ui.theme.fonts import load_fonts
from studio.ui.viewmodels.flow.outline import Outline, Row
from tests.flow.builders import flow, node
from tests.ui.builders import a_theme
from tests.ui.canvas.builders import chain, document, grid_flow, notes_flow

pytestmark = pytest.mark.usefixtures("qapp")


def outline(of: Flow, wanted: str = "") -> Outline:
    load_fonts()
    doc = document(of)
    board = Board(doc, Style(a_theme("dark")))
    return Outline(of, doc.library, board.scene.spots, lambda one: of.nodes[one].kind, wanted)


def drawn(tree: Outline, row: Row | None = None, depth: int = 0) -> list[str]:
    """The nodes' rows, two blanks further in for each level."""
    found: list[str] = []
    for child in tree.children(row or tree.root):
        if child.kind in {"node", "frame", "note"}:
            found.append("  " * depth + tree.title(child))
            found += drawn(tree, child, depth + 1)
    return found


def test_nodes_stand_in_the_order_in_which_they_run_with_bodies_within_and_lenders_beneath() -> None:
    assert drawn(outline(notes_flow())) == [
        "Question",
        "Rounds",
        "  Writer",
        "    Text search",
        "    Notes",
        "  Critic",
        "  Accepted?",
        "Answer",
    ]


def test_a_port_has_its_wires_beneath_it_from_both_sides() -> None:
    tree = outline(chain())
    found = [
        [tree.title(one) for one in tree.children(port)]
        for stand in (
            Stand(NodeId("question"), PortName("value"), is_output=True),
            Stand(NodeId("upper"), PortName("text")),
        )
        if (port := tree.row_of(stand)) is not None
    ]
    assert found == [["to Shout, text"], ["from Question, value"]]


def test_typing_narrows_to_what_is_called_so_and_what_it_stands_in() -> None:
    assert drawn(outline(notes_flow(), "critic")) == ["Rounds", "  Critic"]
    assert drawn(outline(notes_flow(), "MEMORY notes")) == ["Rounds", "  Writer", "    Notes"]
    assert drawn(outline(notes_flow(), "nobody")) == []


def test_every_place_on_the_canvas_has_its_row() -> None:
    of = notes_flow()
    tree = outline(of)
    for wire in of.wires:
        for socket, is_output in ((wire.source, True), (wire.target, False)):
            stand = Stand(socket.node, socket.port, is_output, wire)
            row = tree.row_of(stand)
            assert row is not None
            assert row.stand == stand


def test_rows_know_their_place_beneath_their_parent() -> None:
    tree = outline(notes_flow())
    waiting = [tree.root]
    while waiting:
        row = waiting.pop()
        for place, child in enumerate(tree.children(row)):
            assert (child.parent, child.place) == (row, place)
            waiting.append(child)


def test_nodes_that_wait_for_each_other_are_listed_all_the_same() -> None:
    of = flow(
        {"a": "text.upper", "b": "text.upper", "c": node("text.upper", title="Last")},
        "a.text -> b.text",
        "b.text -> a.text",
    )
    assert set(drawn(outline(of))) == {"a", "b", "Last"}


def test_frames_come_after_the_nodes() -> None:
    of = chain()
    framed = Flow(
        of.name, "", of.nodes, of.wires, (), Layout(of.layout.nodes, {"f": Frame("Loud", 0, 0, 200, 200)})
    )
    assert drawn(outline(framed)) == ["Question", "Shout", "Writer", "Loud"]
    assert drawn(outline(framed, "loud")) == ["Loud"]


def test_rows_of_ports_are_made_only_where_they_are_opened() -> None:
    tree = outline(grid_flow(400))
    assert all(row.children is None for row in tree.children(tree.root))
