"""What can be done on the canvas without a mouse, and the flow that comes of it."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from studio.flow.edits import boxes
from studio.flow.records import Flow, Point
from studio.ids import NodeId, PortName
from studio.ui.canvas.scene.keyboard import Stand
from tests.ui.canvas.builders import chain, notes_flow
from tests.ui.canvas.conftest import Hand

Open = Callable[[Flow], Hand]
ALT = Qt.KeyboardModifier.AltModifier
CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
RIGHT, LEFT, UP, DOWN = Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_Down


def select(h: Hand, *nodes: str) -> None:
    h.doc.selection.select([NodeId(node) for node in nodes])


def stands(h: Hand) -> str:
    """Where the keyboard stands, in short: `node`, `node.port`, or the wire."""
    stand = h.view.board.keyboard.at(h.view.board.scene)
    if stand is None:
        return ""
    return str(stand.wire or stand.socket or stand.node)


def test_alt_arrows_move_the_selection_on_the_grid_and_a_series_is_one_undo_step(hand: Open) -> None:
    h = hand(chain())
    before = h.flow
    select(h, "upper", "writer")
    for key in (RIGHT, RIGHT, DOWN):
        h.key(key, ALT)
    places = h.flow.layout.nodes
    assert (places[NodeId("upper")], places[NodeId("writer")]) == (Point(336, 48), Point(616, 48))
    assert len(h.undo_steps) == 1
    h.doc.history.undo()
    assert h.flow == before


def test_a_series_of_moves_ends_where_something_else_is_done(hand: Open) -> None:
    h = hand(chain())
    select(h, "upper")
    h.key(RIGHT, ALT)
    select(h, "writer")
    h.key(RIGHT, ALT)
    assert len(h.undo_steps) == 2
    select(h, "upper")
    h.key(RIGHT, ALT | SHIFT)
    assert h.flow.layout.nodes[NodeId("upper")] == Point(320 + 8 + 64, 40)
    assert len(h.undo_steps) == 3


def test_moving_a_loop_by_keys_moves_what_stands_in_it(hand: Open) -> None:
    h = hand(notes_flow())
    select(h, "rounds")
    h.key(DOWN, ALT)
    assert h.flow.layout.nodes[NodeId("writer")] == Point(320, 72)
    assert h.flow.layout.nodes[NodeId("answer")] == Point(984, 64)


def test_p_walks_from_a_node_to_its_ports_and_back(hand: Open) -> None:
    h = hand(chain())
    select(h, "upper")
    walked = []
    for key in (Qt.Key.Key_P, LEFT, Qt.Key.Key_P):
        h.key(key)
        walked.append(stands(h))
    assert walked == ["upper.text", "upper.text", "upper"]
    assert h.selected == {"upper"}


def test_arrows_walk_along_a_wire_from_port_to_port(hand: Open) -> None:
    h = hand(chain())
    select(h, "question")
    walked = []
    for key in (Qt.Key.Key_P, RIGHT, RIGHT, LEFT):
        h.key(key)
        walked.append(stands(h))
    wire = "question.value -> upper.text"
    assert walked == ["question.value", wire, "upper.text", wire]
    assert {str(one) for one in h.doc.selection.now.wires} == {wire}


def test_up_and_down_choose_among_the_wires_of_a_port(hand: Open) -> None:
    h = hand(notes_flow())
    h.view.board.keyboard.go_and_select(Stand(NodeId("accepted"), PortName("no"), is_output=True))
    h.key(RIGHT)
    assert stands(h) == "accepted.no -> rounds.again"
    h.key(DOWN)
    assert stands(h) == "accepted.no -> rounds.again"


def test_up_and_down_walk_the_ports_of_one_side(hand: Open) -> None:
    h = hand(notes_flow())
    h.view.board.keyboard.go_and_select(Stand(NodeId("writer"), PortName("prompt"), is_output=False))
    h.key(DOWN)
    assert stands(h) == "writer.tools"
    h.key(LEFT)
    h.key(LEFT)
    assert stands(h) == "search.tool"


def test_w_lists_what_fits_and_enter_connects_in_one_step(hand: Open) -> None:
    h = hand(chain())
    select(h, "upper")
    h.key(Qt.Key.Key_W)
    box = h.view.linking.palette
    assert box.isVisible()
    assert box.offered[0].text == "Writer: prompt"
    QTest.keyClicks(box.field, "wri pro")
    QTest.keyClick(box.field, Qt.Key.Key_Return)
    assert h.wires == ["question.value -> upper.text", "upper.text -> writer.prompt"]
    assert h.undo_steps == ["Connect Shout to Writer"]
    assert h.view.window().focusWidget() is h.view
    assert stands(h) == "upper.text"


def test_escape_leaves_the_list_of_ports_and_nothing_is_wired(hand: Open) -> None:
    h = hand(chain())
    select(h, "upper")
    h.key(Qt.Key.Key_W)
    QTest.keyClick(h.view.linking.palette.field, Qt.Key.Key_Escape)
    assert not h.view.linking.palette.isVisible()
    assert h.flow == chain()
    assert h.view.window().focusWidget() is h.view


def test_what_would_be_refused_is_not_offered(hand: Open) -> None:
    h = hand(chain())
    h.view.board.keyboard.go_and_select(Stand(NodeId("writer"), PortName("tools"), is_output=False))
    h.key(Qt.Key.Key_W)
    assert [one.text for one in h.view.linking.palette.offered] == ["A new node…"]


def test_a_new_node_can_be_added_at_a_port_and_comes_wired(hand: Open) -> None:
    h = hand(chain())
    select(h, "writer")
    h.key(Qt.Key.Key_W)
    box = h.view.linking.palette
    QTest.keyClicks(box.field, "new node")
    QTest.keyClick(box.field, Qt.Key.Key_Return)
    QTest.keyClicks(h.view.adding.palette.field, "output")
    QTest.keyClick(h.view.adding.palette.field, Qt.Key.Key_Return)
    assert "writer.reply -> flow_output.value" in h.wires
    assert len(h.undo_steps) == 1


def test_delete_at_a_port_takes_its_wires_and_leaves_the_node(hand: Open) -> None:
    h = hand(chain())
    h.view.board.keyboard.go_and_select(Stand(NodeId("upper"), PortName("text"), is_output=False))
    h.key(Qt.Key.Key_Delete)
    assert h.wires == []
    assert set(h.flow.nodes) == {"question", "upper", "writer"}


def test_delete_on_a_wire_that_was_walked_to_takes_that_wire(hand: Open) -> None:
    h = hand(chain())
    select(h, "question")
    for key in (Qt.Key.Key_P, RIGHT, Qt.Key.Key_Delete):
        h.key(key)
    assert h.wires == []
    assert h.undo_steps == ["Delete 1 wire"]


def test_shift_arrows_add_to_the_selection(hand: Open) -> None:
    h = hand(chain())
    select(h, "question")
    h.key(RIGHT, SHIFT)
    assert h.selected == {"question", "upper"}
    h.key(RIGHT, SHIFT)
    assert h.selected == {"question", "upper", "writer"}


def test_control_arrows_pass_nodes_and_control_space_selects_them(hand: Open) -> None:
    h = hand(chain())
    select(h, "question")
    h.key(RIGHT, CONTROL)
    h.key(RIGHT, CONTROL)
    assert h.selected == {"question"}
    assert stands(h) == "writer"
    h.key(Qt.Key.Key_Space, CONTROL)
    assert h.selected == {"question", "writer"}
    h.key(Qt.Key.Key_Space, CONTROL)
    assert h.selected == {"question"}
    assert h.undo_steps == []


def test_the_menu_key_at_a_port_opens_the_menu_of_that_port_and_there(hand: Open) -> None:
    h = hand(chain())
    asked: list[tuple[str, bool, QPoint]] = []
    h.view.port_menu_asked.connect(lambda *of: asked.append(of))
    h.view.board.keyboard.go_and_select(Stand(NodeId("upper"), PortName("text"), is_output=False))
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(0, 0), QPoint(0, 0))
    QApplication.sendEvent(h.view, event)
    assert asked == [("upper.text", False, h.view.mapToGlobal(h.port("upper.text")))]


@pytest.mark.parametrize(("key", "dx", "dy"), [(LEFT, 80, 0), (RIGHT, -80, 0), (UP, 0, 80), (DOWN, 0, -80)])
def test_control_shift_arrows_move_the_paper(hand: Open, key: Qt.Key, dx: int, dy: int) -> None:
    h = hand(chain())
    before = h.view.board.camera
    h.key(key, CONTROL | SHIFT)
    after = h.view.board.camera
    assert (after.x - before.x, after.y - before.y) == (dx, dy)
    assert h.flow == chain()


def test_the_port_where_the_keyboard_stands_is_marked_and_named(hand: Open) -> None:
    h = hand(chain())
    assert QTest.qWaitForWindowActive(h.view)
    select(h, "upper")
    before = h.view.grab().toImage()
    h.key(Qt.Key.Key_P)
    after = h.view.grab().toImage()
    at = h.port("upper.text", is_output=True)
    assert before.pixelColor(at.x() + 9, at.y()) != after.pixelColor(at.x() + 9, at.y())
    assert before.pixelColor(at.x() + 24, at.y()) != after.pixelColor(at.x() + 24, at.y())


def test_a_click_takes_the_keyboard_from_a_port_to_what_was_clicked(hand: Open) -> None:
    h = hand(chain())
    select(h, "upper")
    h.key(Qt.Key.Key_P)
    h.click(h.at("upper"))
    assert stands(h) == "upper"
    h.key(Qt.Key.Key_Delete)
    assert set(h.flow.nodes) == {"question", "writer"}


def test_enter_at_a_port_types_its_value_or_offers_wires(hand: Open) -> None:
    h = hand(chain())
    asked: list[tuple[str, str | None]] = []
    h.view.board.typing_asked.subscribe(lambda node, port: asked.append((node, port)))
    h.view.board.keyboard.go_and_select(Stand(NodeId("writer"), PortName("prompt")))
    h.key(Qt.Key.Key_Return)
    assert asked == [("writer", "prompt")]
    h.view.setFocus()
    h.view.board.keyboard.go_and_select(Stand(NodeId("upper"), PortName("text"), is_output=True))
    h.key(Qt.Key.Key_Return)
    assert h.view.linking.palette.isVisible()


def test_arrows_pass_over_what_is_collapsed_away(hand: Open) -> None:
    h = hand(notes_flow())
    h.doc.history.do(boxes.collapse(h.flow, [NodeId("rounds")]))
    select(h, "question")
    walked = []
    for _ in range(3):
        h.key(RIGHT)
        walked.append(stands(h))
    assert walked[:2] == ["rounds", "answer"]


def test_escape_goes_from_wire_to_port_to_node_and_then_selects_nothing(hand: Open) -> None:
    h = hand(chain())
    select(h, "question")
    for key in (Qt.Key.Key_P, RIGHT):
        h.key(key)
    walked = []
    for _ in range(4):
        walked.append(stands(h))
        h.key(Qt.Key.Key_Escape)
    assert walked == ["question.value -> upper.text", "question.value", "question", ""]


def test_a_node_added_with_keys_hides_no_other_and_is_seen(hand: Open) -> None:
    h = hand(chain())
    board, before = h.view.board, {*h.flow.nodes}
    h.view.reveal(NodeId("upper"))
    for _ in range(3):
        h.key(Qt.Key.Key_Tab)
        QTest.keyClick(h.view.adding.palette.field, Qt.Key.Key_Return)
        (made,) = h.selected
        rect = board.scene.rect(NodeId(made))
        assert not [one for one in before if board.scene.rect(NodeId(one)).meets(rect)]
        seen = board.camera.seen(h.view.width(), h.view.height())
        assert (seen.x <= rect.x, rect.right <= seen.right) == (True, True)
        assert (seen.y <= rect.y, rect.bottom <= seen.bottom) == (True, True)
        before.add(NodeId(made))


def test_f2_writes_a_nodes_title_where_it_stands_in_one_step(hand: Open) -> None:
    h = hand(chain())
    select(h, "upper")
    h.key(Qt.Key.Key_F2)
    editor = h.view.writing.editor
    assert isinstance(editor, QLineEdit)
    QTest.keyClicks(editor, "Mute B or L")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    assert h.flow.nodes[NodeId("upper")].title == "Mute B or L"
    assert len(h.undo_steps) == 1
    h.key(Qt.Key.Key_F2)
    QTest.keyClick(h.view.writing.editor, Qt.Key.Key_Escape)
    assert len(h.undo_steps) == 1
