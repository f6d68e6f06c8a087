"""What a screen reader finds on the canvas, asked as it asks: through Qt's accessibility interfaces."""

import gc
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QAccessible, QAccessibleEvent, QAccessibleInterface
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.flow import edits
from studio.flow.checks.problem import Problem
from studio.flow.edits import boxes
from studio.flow.records import Flow, Frame, Note, Point
from studio.ids import NodeId, PortName
from studio.ui.canvas.accessible.canvas import AccessibleCanvas
from studio.ui.canvas.accessible.factory import make_canvas_accessible
from studio.ui.canvas.document import NodeState
from studio.ui.canvas.scene.keyboard import Stand
from studio.ui.canvas.view import CanvasView
from tests.ui.builders import a_theme
from tests.ui.canvas.builders import chain, document, grid_flow, notes_flow
from tests.ui.canvas.conftest import Hand

Open = Callable[[Flow], Hand]
Text, Role, Event = QAccessible.Text, QAccessible.Role, QAccessible.Event


@pytest.fixture(scope="module", autouse=True)
def _factory() -> None:
    make_canvas_accessible()


@pytest.fixture(autouse=True)
def _active(qapp: QApplication) -> Iterator[None]:
    del qapp
    QAccessible.setActive(True)
    yield
    QAccessible.setActive(False)


def reader(h: Hand) -> AccessibleCanvas:
    found = QAccessible.queryAccessibleInterface(h.view)
    assert isinstance(found, AccessibleCanvas)
    return found


def children(of: QAccessibleInterface) -> list[QAccessibleInterface]:
    return [child for row in range(of.childCount()) if (child := of.child(row)) is not None]


def name(of: QAccessibleInterface) -> str:
    return of.text(Text.Name)


def under(of: QAccessibleInterface, *names: str) -> QAccessibleInterface:
    """The part that is reached by these names."""
    for one in names:
        of = next(child for child in children(of) if name(child) == one)
    return of


def act(of: QAccessibleInterface, action: str) -> None:
    of.actionInterface().doAction(action)


def test_a_reader_walks_from_the_canvas_to_nodes_ports_and_wires(hand: Open) -> None:
    canvas = reader(hand(chain()))
    nodes = [child for child in children(canvas) if child.role() == Role.Grouping]
    assert [name(one) for one in nodes] == ["Question", "Shout", "Writer"]
    ports = children(nodes[1])
    assert [(name(one), one.text(Text.Description)) for one in ports[:2]] == [
        ("text", "input, text, from Question, value"),
        ("text", "output, text, not wired"),
    ]
    assert [name(one) for one in children(ports[0])] == ["from Question, value"]
    assert {one.role() for one in ports} == {Role.Button}
    assert children(ports[0])[0].role() == Role.Link


def test_every_part_knows_its_way_back_and_its_place_among_its_like(hand: Open) -> None:
    canvas = reader(hand(notes_flow()))
    waiting, seen = [canvas], 0
    while waiting:
        part = waiting.pop()
        for row, child in enumerate(children(part)):
            if child.object() is not None:
                continue
            assert child.parent() is part
            assert part.indexOfChild(child) == row
            assert child.isValid()
            waiting.append(child)
            seen += 1
    assert seen > 40


def test_what_stands_in_a_loop_is_found_in_the_loop(hand: Open) -> None:
    canvas = reader(hand(notes_flow()))
    inside = [name(one) for one in children(under(canvas, "Rounds")) if one.role() == Role.Grouping]
    assert set(inside) == {"Accepted?", "Critic", "Writer"}
    top = [name(one) for one in children(canvas) if one.role() == Role.Grouping]
    assert set(top) == {"Question", "Rounds", "Text search", "Notes", "Answer"}


def test_a_node_says_its_kind_its_state_and_its_breakpoint(hand: Open) -> None:
    h = hand(chain())
    h.view.show_run({NodeId("writer"): NodeState("held", "Three species", round="round 2")})
    h.view.set_breakpoints({"writer": "on"})
    h.view.show_problems([Problem("missing-input", "error", "It lacks a prompt.", NodeId("writer"))])
    writer = under(reader(h), "Writer")
    said = writer.text(Text.Description)
    assert said == "Agent, paused, round 2, breakpoint, problem: It lacks a prompt."
    assert writer.text(Text.Value) == "Three species"


def test_states_say_what_is_selected_focused_at_work_and_muted(hand: Open) -> None:
    h = hand(chain())
    assert QTest.qWaitForWindowActive(h.view)
    flow = h.flow
    muted = flow.nodes[NodeId("question")].run.model_copy(update={"state": "muted"})
    h.doc.history.do(edits.set_run(flow, NodeId("question"), muted))
    h.view.show_run({NodeId("writer"): NodeState("running")})
    h.doc.selection.select([NodeId("upper")])
    canvas = reader(h)
    states = {title: under(canvas, title).state() for title in ("Question", "Shout", "Writer")}
    assert [states[one].selected for one in states] == [False, True, False]
    assert [states[one].focused for one in states] == [False, True, False]
    assert [states[one].busy for one in states] == [False, False, True]
    assert [states[one].disabled for one in states] == [True, False, False]
    assert name(canvas.focusChild()) == "Shout"


def test_parts_are_where_they_are_seen(hand: Open) -> None:
    h = hand(chain())
    canvas = reader(h)
    port = under(canvas, "Writer", "prompt")
    assert port.rect().contains(h.view.mapToGlobal(h.port("writer.prompt")))
    at = h.view.mapToGlobal(h.at("upper"))
    found = canvas.childAt(at.x(), at.y())
    assert found is not None
    assert name(found) == "Shout"
    h.view.board.camera = h.view.board.camera.panned(-3000, 0)
    assert port.state().offscreen


def test_pressing_a_node_opens_it_and_a_port_offers_what_it_can_be_wired_to(hand: Open) -> None:
    h = hand(chain())
    opened: list[str] = []
    h.view.request_open.connect(opened.append)
    canvas = reader(h)
    act(under(canvas, "Shout"), "Press")
    assert opened == ["upper"]
    outputs = [one for one in children(under(canvas, "Shout")) if "output" in one.text(Text.Description)]
    act(outputs[0], "Press")
    assert h.view.linking.palette.isVisible()
    QTest.keyClick(h.view.linking.palette.field, "\r")
    assert "upper.text -> writer.prompt" in h.wires


def test_a_wire_leads_to_its_other_end_and_can_be_taken_away(hand: Open) -> None:
    h = hand(chain())
    wire = under(reader(h), "Question", "value", "to Shout, text")
    act(wire, "Press")
    assert h.view.board.keyboard.at(h.view.board.scene) == Stand(NodeId("upper"), PortName("text"))
    act(wire, "Disconnect")
    assert h.wires == []
    assert [one.partition(" ")[0] for one in h.undo_steps] == ["Disconnect"]
    assert not wire.isValid()
    h.doc.history.undo()
    assert wire.isValid()


def test_a_reader_can_rename_a_node(hand: Open) -> None:
    h = hand(chain())
    under(reader(h), "Shout").setText(Text.Name, "Whisper")
    assert h.flow.nodes[NodeId("upper")].title == "Whisper"
    assert len(h.undo_steps) == 1


def test_frames_and_notes_are_found_after_the_nodes(hand: Open) -> None:
    of = chain()
    layout = of.layout
    boxes = {"frame": Frame("Loud", 300, 0, 260, 400)}, {"note": Note("To be checked", 0, 300, 100, 60)}
    flow = Flow(of.name, "", of.nodes, of.wires, (), type(layout)(layout.nodes, *boxes))
    found = [(name(one), one.text(Text.Description)) for one in children(reader(hand(flow)))][3:5]
    assert found == [("Loud", "frame around 1 nodes"), ("To be checked", "note")]


def test_news_of_keyboard_selection_and_edits_are_told(hand: Open, qtbot: QtBot) -> None:
    h = hand(chain())
    assert QTest.qWaitForWindowActive(h.view)
    canvas = reader(h)
    told: list[tuple[Event, str]] = []

    def hear(event: QAccessibleEvent) -> None:
        told.append((event.type(), name(event.accessibleInterface())))

    canvas.news.tell = hear
    h.doc.selection.select([NodeId("upper")])
    h.view.board.keyboard.go(Stand(NodeId("upper"), PortName("text")))
    h.doc.history.do(edits.set_title(h.flow, NodeId("upper"), "Whisper"))
    added, change = edits.add_node(h.flow, "text.upper", "Late", Point(0, 400))
    h.doc.history.do(change)
    h.view.update_nodes({NodeId("upper"): NodeState("running")})
    qtbot.waitUntil(lambda: told[-1][0] == Event.DescriptionChanged)
    assert added == "late"
    assert told == [
        (Event.SelectionAdd, "Shout"),
        (Event.Focus, "Shout"),
        (Event.Focus, "text"),
        (Event.NameChanged, "Whisper"),
        (Event.ObjectCreated, "Late"),
        (Event.DescriptionChanged, "Whisper"),
    ]


def test_a_large_flow_costs_a_reader_only_what_it_asks_for(hand: Open) -> None:
    h = hand(grid_flow(2_500))
    canvas = reader(h)
    assert len(canvas.tree.made) == 0
    assert name(under(canvas.tree.node(NodeId("n7")), "text")) == "text"
    assert len(canvas.tree.made) < 12


@pytest.mark.slow  # it collects garbage again and again, which takes the longer the more a worker holds
def test_canvases_come_and_go_while_a_reader_listens(hand: Open) -> None:
    for _ in range(5):
        view = CanvasView(document(chain()), a_theme("dark"))
        canvas = QAccessible.queryAccessibleInterface(view)
        QAccessible.updateAccessibility(QAccessibleEvent(under(canvas, "Shout", "text"), Event.Focus))
        view.close()
        view.deleteLater()
        QApplication.sendPostedEvents(view, QEvent.Type.DeferredDelete)
        del canvas, view
        gc.collect()
    assert name(under(reader(hand(chain())), "Shout")) == "Shout"


def test_a_collapsed_loop_hides_its_body_from_readers_too(hand: Open) -> None:
    h = hand(notes_flow())
    rounds = under(reader(h), "Rounds")
    writer = under(rounds, "Writer")
    assert rounds.state().expanded
    act(rounds, "Toggle")
    assert rounds.state().collapsed
    assert "Writer" not in [name(one) for one in children(rounds)]
    assert not writer.isValid()
    h.doc.history.undo()
    assert writer.isValid()


def test_frames_and_notes_can_be_selected_by_a_reader(hand: Open) -> None:
    h = hand(chain())
    _, change = boxes.add_frame(h.flow, Frame("Loud", 300, 0, 260, 400))
    h.doc.history.do(change)
    frame = under(reader(h), "Loud")
    act(frame, "SetFocus")
    assert frame.state().selected
    assert h.doc.selection.now.frames


def test_what_a_collapsed_frame_hides_is_hidden_from_readers_too(hand: Open) -> None:
    flow = chain()
    frames = {"f": Frame("Work", 0, 0, 640, 400), "g": Frame("Inner", 10, 20, 280, 300)}
    notes = {"n": Note("Why", 20, 300, 160, 60)}
    h = hand(replace(flow, layout=replace(flow.layout, frames=frames, notes=notes)))
    root = reader(h)
    bent = h.flow.wires[0]
    wires = under(root, "Question", "value").child(0)
    assert wires is not None
    assert wires.isValid()
    assert under(root, "Work").text(Text.Description) == "frame around 2 nodes"
    h.doc.selection.select([], [bent])
    held = boxes.Things(frozenset({NodeId("question"), NodeId("upper")}), frozenset({"g"}), frozenset({"n"}))
    h.doc.history.do(boxes.collapse_frame(h.flow, "f", held))
    assert [name(one) for one in children(root)][:2] == ["Writer", "Work"]
    assert not {"Inner", "Why"} & {name(one) for one in children(root)}
    bar = under(root, "Work")
    assert bar.text(Text.Description) == "collapsed frame that hides 2 nodes"
    assert bar.rect().height() == round(boxes.BAR[1])
    assert not wires.isValid()
    assert wires.rect().isEmpty()
    assert h.view.board.keyboard.at(h.view.board.scene) is None
