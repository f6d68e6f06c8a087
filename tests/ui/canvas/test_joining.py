"""Nodes put into wires from the palette, what was used last, and deleting without a gap."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QMimeData, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio.flow.records import Flow, Frame, Note
from studio.ids import NodeId
from studio.ui.canvas.hand.new_nodes import KIND_MIME
from studio.ui.canvas.hand.recent import MOST, RecentKinds
from tests.flow.builders import flow
from tests.ui.canvas.builders import chain, notes_flow, placed
from tests.ui.canvas.conftest import Hand
from tests.ui.canvas.strokes import ALT, CONTROL

Open = Callable[[Flow], Hand]


def row() -> Flow:
    return placed(
        flow(
            {"one": "text.upper", "two": "text.upper", "three": "text.upper"},
            "one.text -> two.text",
            "two.text -> three.text",
        ),
        one=(0, 0),
        two=(600, 0),
        three=(1200, 0),
    )


def test_tab_with_a_wire_selected_inserts_on_it_in_one_step(hand: Open) -> None:
    h = hand(row())
    before = h.flow
    h.click(h.middle(h.flow.wires[0]))
    h.key(Qt.Key.Key_Tab)
    box = h.view.adding.palette
    kinds = {look.kind for look in box.offered}
    assert {"text.upper", "llm.agent", "control.loop"} <= kinds
    assert not {"text.text", "io.flow_output", "value.square"} & kinds
    QTest.keyClicks(box.field, "agent")
    QTest.keyClick(box.field, Qt.Key.Key_Return)
    assert h.wires == ["agent.reply -> two.text", "one.text -> agent.prompt", "two.text -> three.text"]
    assert h.undo_steps == ["Insert Agent"]
    assert h.selected == {"agent"}
    rects = [h.view.board.scene.rect(NodeId(node)) for node in ("one", "agent", "two")]
    assert rects[0].right < rects[1].x
    assert rects[1].right < rects[2].x
    h.doc.history.undo()
    assert h.flow == before


def test_the_wires_menu_inserts_on_the_wire_that_was_hit(hand: Open) -> None:
    h = hand(row())
    command = h.view.commands["insert"]
    assert "wire" in command.offered_on
    assert not command.can(h.view.desk)
    h.click(h.middle(h.flow.wires[1]))
    assert command.can(h.view.desk)
    h.view.run("insert")
    QTest.keyClicks(h.view.adding.palette.field, "upper")
    QTest.keyClick(h.view.adding.palette.field, Qt.Key.Key_Return)
    assert "two.text -> upper_case.text" in h.wires


def test_what_was_added_last_is_offered_first(hand: Open) -> None:
    h = hand(chain())
    for typed in ("branch", "number"):
        h.key(Qt.Key.Key_Tab)
        QTest.keyClicks(h.view.adding.palette.field, typed)
        QTest.keyClick(h.view.adding.palette.field, Qt.Key.Key_Return)
    h.view.board.select()
    h.key(Qt.Key.Key_Tab)
    assert [look.kind for look in h.view.adding.palette.offered][:2] == ["value.number", "control.branch"]
    assert len(h.view.adding.palette.offered) == len(h.doc.looks)


def test_recent_kinds_are_kept_where_the_window_keeps_them() -> None:
    kept: list[list[str]] = [["a", "b"]]
    recent = RecentKinds(lambda: kept[-1], lambda names: kept.append(list(names)))
    recent.use("b")
    assert kept[-1] == ["b", "a"]
    for name in "cdefghijk":
        recent.use(name)
    assert len(kept[-1]) == MOST
    assert kept[-1][0] == "k"


def test_delete_and_join_leaves_no_gap_in_one_step(hand: Open) -> None:
    h = hand(row())
    before = h.flow
    h.click(h.at("two"))
    h.key(Qt.Key.Key_Delete, CONTROL)
    assert h.wires == ["one.text -> three.text"]
    assert NodeId("two") not in h.flow.nodes
    assert h.undo_steps == ["Delete two and join"]
    h.doc.history.undo()
    assert h.flow == before


def test_plain_delete_leaves_the_gap(hand: Open) -> None:
    h = hand(row())
    h.click(h.at("two"))
    h.key(Qt.Key.Key_Delete)
    assert h.wires == []


def test_alt_delete_takes_a_node_out_of_its_wires_and_keeps_it(hand: Open) -> None:
    h = hand(row())
    h.click(h.at("two"))
    h.key(Qt.Key.Key_Delete, ALT)
    assert h.wires == ["one.text -> three.text"]
    assert NodeId("two") in h.flow.nodes


def test_a_kind_dropped_into_a_loop_is_offered_to_run_there(hand: Open) -> None:
    h = hand(notes_flow())
    area = h.view.board.scene.areas[NodeId("rounds")].rect
    h.view.adding.search(h.point(area.x + 200, area.y + 330))
    QTest.keyClicks(h.view.adding.palette.field, "upper")
    QTest.keyClick(h.view.adding.palette.field, Qt.Key.Key_Return)
    sheet = h.view.furniture.offer
    assert sheet.isVisible()
    QTest.keyClick(sheet.take, Qt.Key.Key_Return)
    assert "rounds.value -> upper_case.text" in h.wires


def test_a_kind_dropped_from_the_library_on_a_wire_is_put_into_it_where_it_fits(hand: Open) -> None:
    for kind, is_put in (("text.upper", True), ("value.square", False)):
        h = hand(row())
        at = h.middle(h.flow.wires[0])
        data = QMimeData()
        data.setData(KIND_MIME, kind.encode())
        how = Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        QApplication.sendEvent(h.view, QDragEnterEvent(at, *how))
        QApplication.sendEvent(h.view, QDropEvent(QPointF(at), *how))
        assert len(h.flow.nodes) == 4
        assert ("one.text -> two.text" not in h.wires) == is_put
        assert len(h.undo_steps) == 1


def test_delete_and_join_takes_selected_frames_and_notes_along(hand: Open) -> None:
    flow = row()
    layout = replace(
        flow.layout, frames={"f": Frame("", 600, 300, 300, 200)}, notes={"n": Note("", 0, 300, 99, 50)}
    )
    h = hand(replace(flow, layout=layout))
    before = h.flow
    h.view.board.select([NodeId("two")], (), ["f"], ["n"])
    h.key(Qt.Key.Key_Delete, CONTROL)
    assert h.wires == ["one.text -> three.text"]
    assert not h.flow.layout.frames
    assert not h.flow.layout.notes
    assert len(h.undo_steps) == 1
    h.doc.history.undo()
    assert h.flow == before
