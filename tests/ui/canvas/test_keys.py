"""What keys do on the canvas, and the flow that comes of it."""

from collections.abc import Callable

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio.flow.files.codec import loads
from studio.flow.records import Flow, Point
from studio.ids import NodeId
from studio.ui.canvas.hand.new_nodes import KIND_MIME
from tests.ui.canvas.builders import chain, notes_flow, placed
from tests.ui.canvas.conftest import Hand

Open = Callable[[Flow], Hand]
CONTROL = Qt.KeyboardModifier.ControlModifier


def test_delete_removes_nodes_with_their_wires_in_one_step(hand: Open) -> None:
    h = hand(chain())
    h.click(h.at("upper"))
    h.key(Qt.Key.Key_Delete)
    assert set(h.flow.nodes) == {"question", "writer"}
    assert h.wires == []
    h.doc.history.undo()
    assert h.flow == chain()


def test_control_a_selects_every_node(hand: Open) -> None:
    h = hand(chain())
    h.key(Qt.Key.Key_A, CONTROL)
    assert h.selected == {"question", "upper", "writer"}


def test_what_is_copied_is_a_flow_as_text(hand: Open) -> None:
    h = hand(chain())
    h.key(Qt.Key.Key_A, CONTROL)
    h.key(Qt.Key.Key_C, CONTROL)
    copied = loads(QGuiApplication.clipboard().text()).flow
    assert set(copied.nodes) == {"question", "upper", "writer"}
    assert [str(wire) for wire in copied.wires] == ["question.value -> upper.text"]


def test_pasting_adds_nodes_with_their_wires_as_one_step_and_selects_them(hand: Open) -> None:
    h = hand(chain())
    h.key(Qt.Key.Key_A, CONTROL)
    h.key(Qt.Key.Key_C, CONTROL)
    h.key(Qt.Key.Key_V, CONTROL)
    assert len(h.flow.nodes) == 6
    assert "question_2.value -> upper_2.text" in h.wires
    assert h.selected == {"question_2", "upper_2", "writer_2"}
    assert len(h.undo_steps) == 1


def test_pasting_what_is_no_flow_changes_nothing_and_says_so(hand: Open) -> None:
    h = hand(chain())
    told: list[str] = []
    h.view.told.connect(told.append)
    QGuiApplication.clipboard().setText("a shopping list")
    h.key(Qt.Key.Key_V, CONTROL)
    assert h.flow == chain()
    assert told == ["There are no nodes on the clipboard."]


def test_cut_and_paste_gives_the_node_back(hand: Open) -> None:
    h = hand(chain())
    h.click(h.at("writer"))
    h.key(Qt.Key.Key_X, CONTROL)
    assert set(h.flow.nodes) == {"question", "upper"}
    h.key(Qt.Key.Key_V, CONTROL)
    assert h.flow.nodes[NodeId("writer")] == chain().nodes[NodeId("writer")]


def test_duplicate_puts_a_copy_beside_the_original(hand: Open) -> None:
    h = hand(chain())
    h.click(h.at("writer"))
    h.key(Qt.Key.Key_D, CONTROL)
    assert h.flow.layout.nodes[NodeId("writer_2")] == Point(632, 72)


def test_copying_a_loop_takes_its_body_along(hand: Open) -> None:
    h = hand(notes_flow())
    h.doc.selection.select([NodeId("rounds")])
    h.key(Qt.Key.Key_D, CONTROL)
    assert {"rounds_2", "writer_2", "critic_2", "accepted_2"} <= set(h.flow.nodes)
    assert "accepted_2.no -> rounds_2.again" in h.wires


def test_m_mutes_and_unmutes_and_b_bypasses(hand: Open) -> None:
    h = hand(chain())
    h.click(h.at("upper"))
    h.key(Qt.Key.Key_M)
    assert h.flow.nodes[NodeId("upper")].run.state == "muted"
    h.key(Qt.Key.Key_B)
    assert h.flow.nodes[NodeId("upper")].run.state == "bypassed"
    h.key(Qt.Key.Key_B)
    assert h.flow.nodes[NodeId("upper")].run.state == ""
    assert h.undo_steps == ["Mute Shout", "Bypass Shout", "Restore Shout"]


def test_f9_asks_for_a_breakpoint_on_the_selected_node(hand: Open) -> None:
    h = hand(chain())
    asked: list[str] = []
    h.view.breakpoint_toggled.connect(asked.append)
    h.click(h.at("upper"))
    h.key(Qt.Key.Key_F9)
    assert asked == ["upper"]
    assert h.undo_steps == []


def test_arrows_move_the_selection_along_the_wires(hand: Open) -> None:
    h = hand(notes_flow())
    h.doc.selection.select([NodeId("writer")])
    walked: list[set[str]] = []
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Left):
        h.key(key)
        walked.append(h.selected)
    assert walked == [{"critic"}, {"accepted"}, {"critic"}]


def test_enter_and_double_click_ask_to_open_a_node(hand: Open) -> None:
    h = hand(chain())
    asked: list[str] = []
    h.view.request_open.connect(asked.append)
    h.click(h.at("upper"))
    h.key(Qt.Key.Key_Return)
    QTest.mouseDClick(h.view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, h.at("writer"))
    assert asked == ["upper", "writer"]


def test_home_shows_the_whole_flow_and_f_the_selection(hand: Open) -> None:
    h = hand(notes_flow())
    h.key(Qt.Key.Key_Home)
    seen = h.view.board.camera.seen(h.view.width(), h.view.height())
    everything = h.view.board.scene.extent()
    assert everything is not None
    assert seen.contains(everything.x, everything.y)
    assert seen.contains(everything.right, everything.bottom)
    h.doc.selection.select([NodeId("answer")])
    h.key(Qt.Key.Key_F)
    seen, answer = h.view.board.camera.seen(1200, 800), h.view.board.scene.rect(NodeId("answer"))
    assert abs(seen.x + seen.width / 2 - answer.x - answer.width / 2) < 2


def test_tab_finds_a_node_by_a_few_letters_and_adds_it(hand: Open) -> None:
    h = hand(Flow())
    h.key(Qt.Key.Key_Tab)
    box = h.view.adding.palette
    assert box.isVisible()
    QTest.keyClicks(box.field, "agn")
    QTest.keyClick(box.field, Qt.Key.Key_Return)
    assert [node.kind for node in h.flow.nodes.values()] == ["llm.agent"]
    assert not box.isVisible()
    assert h.view.window().focusWidget() is h.view
    assert h.undo_steps == ["Add Agent"]


def test_escape_closes_the_palette_and_gives_the_keyboard_back(hand: Open) -> None:
    h = hand(Flow())
    h.key(Qt.Key.Key_Space)
    assert h.view.adding.palette.isVisible()
    QTest.keyClick(h.view.adding.palette.field, Qt.Key.Key_Escape)
    assert not h.view.adding.palette.isVisible()
    assert h.view.window().focusWidget() is h.view
    assert h.flow == Flow()


def test_arrows_choose_among_what_the_palette_found(hand: Open) -> None:
    h = hand(Flow())
    QTest.mouseDClick(h.view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(300, 300))
    box = h.view.adding.palette
    second = box.offered[1].kind
    QTest.keyClick(box.field, Qt.Key.Key_Down)
    QTest.keyClick(box.field, Qt.Key.Key_Return)
    assert [node.kind for node in h.flow.nodes.values()] == [second]


def test_a_kind_dropped_from_the_library_stands_under_the_pointer(hand: Open) -> None:
    h = hand(Flow())
    data = QMimeData()
    data.setData(KIND_MIME, b"llm.agent")
    at = QPointF(500, 300)
    actions, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(at.toPoint(), actions, data, button, none)
    QApplication.sendEvent(h.view, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(h.view, QDropEvent(at, actions, data, button, none))
    assert h.selected == {"agent"}
    assert h.view.board.scene.rect(NodeId("agent")).contains(*h.view.board.camera.to_scene(500, 300))


def test_l_tidies_so_that_no_card_lies_on_another(hand: Open) -> None:
    heap = notes_flow()
    h = hand(placed(heap, **dict.fromkeys(heap.nodes, (10, 10))))
    h.key(Qt.Key.Key_L)
    scene = h.view.board.scene
    rects = [scene.rect(node) for node in scene.ids if scene.area_of(node) is None]
    assert not any(
        one.grown(-1).meets(other.grown(-1)) for place, one in enumerate(rects) for other in rects[:place]
    )
    assert h.undo_steps == ["Tidy flow"]


def test_tab_in_the_palette_goes_down_its_list_even_where_the_window_has_it_as_a_shortcut(hand: Open) -> None:
    h = hand(Flow())
    taken: list[int] = []
    QShortcut(QKeySequence(Qt.Key.Key_Tab), h.view.window(), lambda: taken.append(1))
    h.view.adding.search(QPoint(200, 200))
    QTest.keyClick(h.view.adding.palette.field, Qt.Key.Key_Tab)
    QTest.keyClick(h.view.adding.palette.field, Qt.Key.Key_Return)
    assert taken == []
    assert [node.kind for node in h.flow.nodes.values()] == [h.view.adding.palette.offered[1].kind]
