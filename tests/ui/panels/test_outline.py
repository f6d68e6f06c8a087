"""The outline: what it shows of the canvas, and what can be done in it without one."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from studio.flow import edits
from studio.flow.checks.problem import Problem
from studio.flow.records import Flow, Point
from studio.ids import NodeId, PortName
from studio.ui.canvas.document import NodeState
from studio.ui.canvas.scene.keyboard import Stand
from studio.ui.canvas.view import CanvasView
from studio.ui.panels.outline import OutlinePanel
from studio.ui.theme.fonts import load_fonts
from studio.ui.viewmodels.flow.outline import Row
from tests.ui.builders import a_look, a_theme
from tests.ui.canvas.builders import Document, chain, document, notes_flow

CONTROL, ALT, SHIFT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ShiftModifier,
)
Key = Qt.Key


class Reader:
    """Uses an outline beside its canvas with the keyboard."""

    def __init__(self, around: QWidget, panel: OutlinePanel, view: CanvasView, doc: Document) -> None:
        self.around, self.panel, self.view, self.doc = around, panel, view, doc

    @property
    def flow(self) -> Flow:
        return self.doc.history.flow

    @property
    def wires(self) -> list[str]:
        return [str(wire) for wire in self.flow.wires]

    @property
    def selected(self) -> set[str]:
        return {str(node) for node in self.doc.selection.now.nodes}

    @property
    def current(self) -> str:
        row = self.panel.model.row_at(self.panel.tree.currentIndex())
        return self.title(row) if row is not None else ""

    @property
    def chosen(self) -> list[str]:
        return sorted(self.title(row) for row in self.panel.chosen_rows())

    @property
    def seen(self) -> list[str]:
        """The rows that are open, from above."""
        tree, found = self.panel.tree, list[str]()
        index = self.panel.model.index(0, 0)
        while index.isValid():
            row = self.panel.model.row_at(index)
            assert row is not None
            found.append(self.title(row))
            index = tree.indexBelow(index)
        return found

    def title(self, row: Row) -> str:
        assert self.panel.model.outline is not None
        return self.panel.model.outline.title(row)

    def go(self, node: str, port: str = "", *, is_output: bool = False) -> None:
        """Stand on a row, as arrows would."""
        assert self.panel.model.outline is not None
        stand = Stand(NodeId(node), PortName(port) if port else None, is_output)
        row = self.panel.model.outline.row_of(stand)
        assert row is not None
        self.panel.tree.setCurrentIndex(self.panel.model.index_of(row))

    def key(self, key: Qt.Key, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(self.panel.tree, key, keys)


Open = Callable[[Flow], Reader]


@pytest.fixture
def outline(qtbot: QtBot) -> Open:
    def opened(of: Flow) -> Reader:
        load_fonts()
        doc = document(of)
        around = QWidget()
        view = CanvasView(doc, a_theme("dark"), around)
        panel = OutlinePanel(a_look(), view, around)
        row = QHBoxLayout(around)
        row.addWidget(view, 2)
        row.addWidget(panel, 1)
        qtbot.addWidget(around)
        around.resize(1200, 800)
        around.show()
        qtbot.waitExposed(around)
        assert QTest.qWaitForWindowActive(around)
        panel.tree.setFocus()
        return Reader(around, panel, view, doc)

    return opened


def test_what_is_selected_on_the_canvas_is_selected_in_the_outline(outline: Open) -> None:
    r = outline(notes_flow())
    r.doc.selection.select([NodeId("critic")])
    assert (r.chosen, r.current) == (["Critic"], "Critic")
    r.doc.selection.select([NodeId("critic"), NodeId("answer")])
    assert r.chosen == ["Answer", "Critic"]
    r.view.board.keyboard.go_and_select(Stand(NodeId("accepted"), PortName("no"), is_output=True))
    assert r.current == "no"
    r.doc.selection.select([], [r.flow.wires[0]])
    assert r.current.startswith("to ")


def test_what_is_selected_in_the_outline_is_selected_on_the_canvas(outline: Open) -> None:
    r = outline(notes_flow())
    r.go("question")
    r.key(Key.Key_Down)
    assert (r.current, r.selected) == ("Rounds", {"rounds"})
    r.go("question")
    r.key(Key.Key_Down, SHIFT)
    assert r.selected == {"question", "rounds"}
    r.go("critic", "prompt")
    assert r.view.board.keyboard.at(r.view.board.scene) == Stand(NodeId("critic"), PortName("prompt"))


def test_right_opens_a_node_on_its_ports_and_a_port_on_its_wires(outline: Open) -> None:
    r = outline(chain())
    assert r.seen == ["Question", "Shout", "Writer"]
    r.go("upper")
    for key in (Key.Key_Right, Key.Key_Down, Key.Key_Right, Key.Key_Down):
        r.key(key)
    assert r.current == "from Question, value"
    assert {str(wire) for wire in r.doc.selection.now.wires} == {"question.value -> upper.text"}


def test_enter_on_a_wire_goes_to_its_other_end(outline: Open) -> None:
    r = outline(chain())
    r.view.board.keyboard.go_and_select(Stand(NodeId("upper"), PortName("text"), False, r.flow.wires[0]))
    assert r.current == "from Question, value"
    r.key(Key.Key_Return)
    assert r.view.board.keyboard.at(r.view.board.scene) == Stand(NodeId("question"), PortName("value"), True)
    assert r.current == "value"


def test_enter_on_a_node_opens_it(outline: Open) -> None:
    r = outline(chain())
    opened: list[str] = []
    r.view.request_open.connect(opened.append)
    r.go("upper")
    r.key(Key.Key_Return)
    assert opened == ["upper"]


def test_typing_in_the_field_narrows_the_rows_and_escape_widens_them(outline: Open) -> None:
    r = outline(notes_flow())
    r.key(Key.Key_Slash)
    assert r.panel.window().focusWidget() is r.panel.field
    QTest.keyClicks(r.panel.field, "critic")
    assert r.seen == ["Rounds", "Ports", "Critic"]
    QTest.keyClick(r.panel.field, Key.Key_Escape)
    assert "Answer" in r.seen


def test_f2_renames_a_node_in_one_step(outline: Open, qtbot: QtBot) -> None:
    r = outline(chain())
    r.go("upper")
    r.key(Key.Key_F2)
    field = r.panel.tree.findChild(QLineEdit)
    assert field is not None
    field.selectAll()
    QTest.keyClicks(field, "Whisper")
    QTest.keyClick(field, Key.Key_Return)
    qtbot.waitUntil(lambda: r.flow.nodes[NodeId("upper")].title == "Whisper")
    assert len(r.doc.history.undo_labels) == 1
    assert "Whisper" in r.seen


def test_delete_removes_nodes_wires_and_what_ends_at_a_port(outline: Open) -> None:
    r = outline(chain())
    r.go("upper", "text")
    r.key(Key.Key_Delete)
    assert r.wires == []
    r.doc.history.undo()
    r.go("upper")
    r.key(Key.Key_Delete)
    assert set(r.flow.nodes) == {"question", "writer"}
    assert r.seen == ["Question", "Writer"]


def test_mute_bypass_and_breakpoint_have_the_same_keys(outline: Open) -> None:
    r = outline(chain())
    asked: list[str] = []
    r.view.breakpoint_toggled.connect(asked.append)
    r.go("upper")
    r.key(Key.Key_M)
    assert r.flow.nodes[NodeId("upper")].run.state == "muted"
    r.key(Key.Key_B)
    assert r.flow.nodes[NodeId("upper")].run.state == "bypassed"
    r.key(Key.Key_F9)
    assert asked == ["upper"]
    r.view.board.condition_asked.subscribe(asked.append)
    r.key(Key.Key_F9, Qt.KeyboardModifier.ShiftModifier)
    assert asked == ["upper", "upper"]
    assert r.current == "Shout"


def test_w_connects_from_a_row_and_the_keyboard_comes_back(outline: Open) -> None:
    r = outline(chain())
    r.go("upper", "text", is_output=True)
    r.key(Key.Key_W)
    box = r.view.linking.palette
    QTest.keyClicks(box.field, "writer prompt")
    QTest.keyClick(box.field, Key.Key_Return)
    assert "upper.text -> writer.prompt" in r.wires
    assert r.panel.window().focusWidget() is r.panel.tree


def test_alt_arrows_move_the_node_of_a_row(outline: Open) -> None:
    r = outline(chain())
    r.go("upper")
    r.key(Key.Key_Right, ALT)
    r.key(Key.Key_Down, ALT)
    assert r.flow.layout.nodes[NodeId("upper")] == Point(328, 48)
    assert len(r.doc.history.undo_labels) == 1


def test_a_node_can_be_added_from_the_outline_and_is_its_current_row(outline: Open) -> None:
    r = outline(chain())
    r.key(Key.Key_Insert)
    QTest.keyClicks(r.view.adding.palette.field, "join")
    QTest.keyClick(r.view.adding.palette.field, Key.Key_Return)
    assert r.current == "Join text"


def test_rows_say_problems_breakpoints_and_what_a_run_does(outline: Open) -> None:
    r = outline(chain())
    r.view.show_problems([Problem("missing-input", "error", "It lacks a prompt.", NodeId("writer"))])
    r.view.set_breakpoints({"writer": "on", "writer.prompt": "condition"})
    r.view.show_run({NodeId("writer"): NodeState("held", round="round 2")})
    r.go("writer")
    said = r.panel.tree.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole)
    assert said == "Writer, Agent, paused, round 2, breakpoint, problem: It lacks a prompt."
    r.go("writer", "prompt")
    said = r.panel.tree.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole)
    assert said.endswith("not wired, breakpoint with a condition")


def test_what_stood_open_stays_open_when_the_flow_is_edited(outline: Open) -> None:
    r = outline(notes_flow())
    r.go("rounds")
    r.key(Key.Key_Left)
    closed = r.seen
    assert "Critic" not in closed
    r.doc.history.do(edits.set_title(r.flow, NodeId("answer"), "Reply"))
    assert r.seen == [one.replace("Answer", "Reply") for one in closed]
    r.doc.selection.select([NodeId("critic")])
    assert "Critic" in r.seen


def test_the_menu_of_a_row_is_that_of_the_canvas(outline: Open) -> None:
    r = outline(chain())
    nodes: list[str] = []
    ports: list[str] = []
    r.view.menu_asked.connect(lambda hit, _: nodes.append(hit))
    r.view.port_menu_asked.connect(lambda place, *_: ports.append(place))
    for stand in (("upper",), ("upper", "text")):
        r.go(*stand)
        event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(0, 0), QPoint(0, 0))
        QApplication.sendEvent(r.panel.tree, event)
    assert (nodes, ports) == (["node"], ["upper.text"])


def test_a_screen_reader_reads_the_rows(outline: Open) -> None:
    r = outline(chain())
    QAccessible.setActive(True)
    found = QAccessible.queryAccessibleInterface(r.panel.tree)
    names = [found.child(place).text(QAccessible.Text.Name) for place in range(found.childCount())]
    QAccessible.setActive(False)
    assert any(name.startswith("Shout, Upper case") for name in names)


def test_a_new_title_is_read_without_making_the_rows_anew(outline: Open) -> None:
    r = outline(chain())
    made = r.panel.model.outline
    r.doc.history.do(edits.set_title(r.flow, NodeId("upper"), "Whisper"))
    assert r.seen == ["Question", "Whisper", "Writer"]
    assert r.panel.model.outline is made


def test_an_outline_that_nobody_looks_at_makes_no_rows(outline: Open) -> None:
    r = outline(chain())
    hidden = OutlinePanel(a_look(), r.view, r.around)
    r.doc.history.do(edits.set_title(r.flow, NodeId("upper"), "Whisper"))
    assert hidden.model.outline is None
    hidden.show()
    assert hidden.model.outline is not None
    hidden.close_canvas()
