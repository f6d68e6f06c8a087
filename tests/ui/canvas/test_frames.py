"""Frames and notes, with real mouse and keys: what comes out in the flow, and one undo step each."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit

from studio.flow.edits.boxes import add_frame
from studio.flow.records import Flow, Frame, Note
from studio.ids import NodeId
from studio.ui.canvas.camera import Camera
from studio.ui.canvas.scene.box_places import Key
from studio.ui.canvas.things import node_places
from tests.ui.canvas.builders import chain, notes_flow
from tests.ui.canvas.conftest import Hand

Open = Callable[[Flow], Hand]
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def framed() -> Flow:
    """The chain, its first two nodes in a frame, and a note beneath."""
    flow = chain()
    frames = {"frame": Frame("First", 16, 0, 540, 280)}
    notes = {"note": Note("**Why** so", 640, 320, 200, 96)}
    return replace(flow, layout=replace(flow.layout, frames=frames, notes=notes))


def title(hand: Hand, name: str = "frame") -> QPoint:
    rect = hand.view.board.scene.standing.rects()[Key("frame", name)]
    return hand.point(rect.x + 100, rect.y + 14)


def paper(hand: Hand) -> QPoint:
    rect = hand.view.board.scene.standing.rects()[Key("note", "note")]
    return hand.point(rect.x + 60, rect.y + 50)


def place(hand: Hand, node: str) -> tuple[int, int]:
    point = hand.flow.layout.nodes[NodeId(node)]
    return point.x, point.y


def test_control_g_puts_a_frame_around_the_selection_and_asks_for_its_title(hand: Open) -> None:
    one = hand(chain())
    one.click(one.at("question"))
    one.click(one.at("upper"), SHIFT)
    one.key(Qt.Key.Key_G, CONTROL)
    ((name, frame),) = one.flow.layout.frames.items()
    assert one.doc.selection.now.frames == {name}
    assert one.view.board.scene.standing.inside(name, node_places(one.view.board)).nodes == {
        "question",
        "upper",
    }
    assert frame.title == ""
    editor = one.view.writing.editor
    assert isinstance(editor, QLineEdit)
    QTest.keyClicks(editor, "Asking")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    assert one.flow.layout.frames[name].title == "Asking"
    assert one.undo_steps == ["Add frame", "Rename frame"]
    assert one.view.focusWidget() is one.view


def test_a_frame_dragged_by_its_title_takes_what_stands_in_it_along(hand: Open) -> None:
    one = hand(framed())
    one.drag(title(one), title(one) + QPoint(80, 40))
    frame = one.flow.layout.frames["frame"]
    assert (frame.x, frame.y) == (96, 40)
    assert (place(one, "question"), place(one, "upper")) == ((120, 80), (400, 80))
    assert place(one, "writer") == (600, 40)
    assert len(one.undo_steps) == 1
    one.doc.history.undo()
    assert one.flow == framed()


def test_the_inside_of_a_frame_is_canvas(hand: Open) -> None:
    one = hand(framed())
    one.drag(one.point(24, 250), one.point(560, 60))
    assert one.selected == {"question", "upper"}
    assert not one.doc.selection.now.frames
    assert not one.undo_steps


def test_a_cancelled_drag_leaves_frame_and_nodes_where_they_were(hand: Open) -> None:
    one = hand(framed())
    one.press(title(one))
    one.move(title(one) + QPoint(100, 0))
    one.move(title(one) + QPoint(120, 0))
    one.key(Qt.Key.Key_Escape)
    assert one.flow == framed()
    assert not one.undo_steps
    assert not one.view.board.scene.standing.held


@pytest.mark.parametrize(
    ("grab", "by", "box"),
    [
        ((556, 140), (80, 5), (16, 0, 624, 280)),
        ((16, 140), (-40, 5), (-24, 0, 580, 280)),
        ((300, 280), (5, 64), (16, 0, 540, 344)),
        ((556, 280), (-2000, -2000), (16, 0, 120, 64)),
    ],
)
def test_the_edges_of_a_frame_are_pulled(
    hand: Open, grab: tuple[int, int], by: tuple[int, int], box: tuple[int, int, int, int]
) -> None:
    one = hand(framed())
    one.drag(one.point(*grab), one.point(*grab) + QPoint(*by))
    frame = one.flow.layout.frames["frame"]
    assert (frame.x, frame.y, frame.width, frame.height) == box
    assert one.undo_steps == ["Resize frame"]
    assert place(one, "question") == (40, 40)


def test_a_title_is_written_after_a_double_click_and_escape_drops_it(hand: Open) -> None:
    one = hand(framed())
    for key, expected in ((Qt.Key.Key_Escape, "First"), (Qt.Key.Key_Return, "Second")):
        QTest.mouseDClick(one.view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, title(one))
        editor = one.view.writing.editor
        assert isinstance(editor, QLineEdit)
        assert editor.text() == "First"
        QTest.keyClicks(editor, "Second")
        QTest.keyClick(editor, key)
        assert one.view.writing.editor is None
        assert one.flow.layout.frames["frame"].title == expected
    assert one.undo_steps == ["Rename frame"]


def test_f2_writes_in_the_selected_note_and_control_enter_keeps_it(hand: Open) -> None:
    one = hand(framed())
    one.click(paper(one))
    assert one.doc.selection.now.notes == {"note"}
    one.key(Qt.Key.Key_F2)
    editor = one.view.writing.editor
    assert isinstance(editor, QPlainTextEdit)
    editor.selectAll()
    QTest.keyClicks(editor, "One")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    QTest.keyClicks(editor, "two")
    QTest.keyClick(editor, Qt.Key.Key_Return, CONTROL)
    assert one.flow.layout.notes["note"].text == "One\ntwo"
    assert one.undo_steps == ["Write note"]


def test_a_click_elsewhere_keeps_what_was_written(hand: Open) -> None:
    one = hand(framed())
    assert QTest.qWaitForWindowActive(one.view)
    one.click(paper(one))
    one.key(Qt.Key.Key_F2)
    editor = one.view.writing.editor
    assert isinstance(editor, QPlainTextEdit)
    editor.setPlainText("Kept")
    one.click(one.point(-20, 500))
    assert one.flow.layout.notes["note"].text == "Kept"


def test_n_adds_a_note_at_the_pointer(hand: Open) -> None:
    one = hand(chain())
    one.key(Qt.Key.Key_N)
    assert isinstance(one.view.writing.editor, QPlainTextEdit)
    assert one.undo_steps == ["Add note"]
    assert one.flow.layout.notes.keys() == one.doc.selection.now.notes


def test_a_note_is_dragged_and_pulled_larger(hand: Open) -> None:
    one = hand(framed())
    one.drag(paper(one), paper(one) + QPoint(40, 0))
    one.drag(one.point(880, 416), one.point(960, 480))
    note = one.flow.layout.notes["note"]
    assert (note.x, note.y, note.width, note.height) == (680, 320, 280, 160)
    assert one.undo_steps == ["Move note", "Resize note"]


def test_nodes_and_notes_that_are_selected_together_move_together(hand: Open) -> None:
    one = hand(framed())
    one.click(one.at("writer"))
    one.click(paper(one), SHIFT)
    one.drag(one.at("writer"), one.at("writer") + QPoint(80, 80))
    assert place(one, "writer") == (680, 120)
    assert (one.flow.layout.notes["note"].x, one.flow.layout.notes["note"].y) == (720, 400)
    assert len(one.undo_steps) == 1


def test_a_rubber_band_takes_notes_it_touches_and_frames_it_goes_around(hand: Open) -> None:
    one = hand(framed())
    one.view.board.camera = Camera(0.5, 100, 100)
    one.drag(one.point(-60, -60), one.point(700, 340))
    now = one.doc.selection.now
    assert (now.frames, now.notes) == ({"frame"}, {"note"})


def test_delete_takes_frames_and_notes_and_leaves_the_nodes(hand: Open) -> None:
    one = hand(framed())
    one.click(title(one))
    one.click(paper(one), SHIFT)
    one.key(Qt.Key.Key_Delete)
    assert not one.flow.layout.frames
    assert not one.flow.layout.notes
    assert len(one.flow.nodes) == 3
    assert one.undo_steps == ["Delete a frame and a note"]


def test_a_copied_frame_brings_its_nodes_and_their_wires(hand: Open) -> None:
    one = hand(framed())
    one.click(title(one))
    one.key(Qt.Key.Key_C, CONTROL)
    assert '"frame": {"title": "First"' in QGuiApplication.clipboard().text()
    one.key(Qt.Key.Key_V, CONTROL)
    assert len(one.flow.nodes) == 5
    assert "question_2.value -> upper_2.text" in one.wires
    assert len(one.flow.layout.frames) == 2
    assert one.doc.selection.now.frames == {"frame_2"}
    assert len(one.undo_steps) == 1


def test_cut_and_paste_of_a_note_alone_is_two_steps(hand: Open) -> None:
    one = hand(framed())
    one.click(paper(one))
    one.key(Qt.Key.Key_X, CONTROL)
    assert not one.flow.layout.notes
    one.key(Qt.Key.Key_V, CONTROL)
    assert [note.text for note in one.flow.layout.notes.values()] == ["**Why** so"]
    assert one.undo_steps == ["Cut a note", "Paste note"]


def test_duplicates_of_frame_and_nodes_stand_beside_them(hand: Open) -> None:
    one = hand(framed())
    one.click(title(one))
    one.key(Qt.Key.Key_D, CONTROL)
    assert (one.flow.layout.frames["frame_2"].x, one.flow.layout.frames["frame_2"].y) == (48, 32)
    assert place(one, "upper_2") == (352, 72)


def test_a_frame_around_a_loop_moves_the_loop_with_its_body(hand: Open) -> None:
    flow = notes_flow()
    rect = Frame("All", 160, -60, 800, 720)
    one = hand(replace(flow, layout=replace(flow.layout, frames={"frame": rect})))
    one.drag(title(one), title(one) + QPoint(40, 0))
    for node in ("writer", "critic", "accepted", "search"):
        assert place(one, node)[0] == flow.layout.nodes[NodeId(node)].x + 40, node
    assert place(one, "question") == (0, 64)


def test_k_gives_a_frame_the_next_colour_and_shift_g_selects_what_is_in_it(hand: Open) -> None:
    one = hand(framed())
    one.click(title(one))
    one.key(Qt.Key.Key_K)
    assert one.flow.layout.frames["frame"].color == "blue"
    one.key(Qt.Key.Key_G, SHIFT)
    assert one.selected == {"question", "upper"}
    assert not one.doc.selection.now.frames


def test_escape_unselects_frames(hand: Open) -> None:
    one = hand(framed())
    one.click(title(one))
    one.key(Qt.Key.Key_Escape)
    assert one.doc.selection.now.is_empty


@pytest.mark.parametrize("scale", [0.1, 0.3, 0.5, 1.0, 1.4])
def test_frames_lie_behind_nodes_and_are_drawn_at_every_zoom(hand: Open, scale: float) -> None:
    one = hand(framed())
    view = one.view
    view.board.camera = Camera(scale, 100, 100)
    view.board.redrawn.tell()
    image = view.grab().toImage()

    def color(x: float, y: float) -> str:
        return image.pixelColor(QPointF(*view.board.camera.to_widget(x, y)).toPoint()).name()

    assert color(60, 60) != color(284, 200)
    assert color(284, 200) == view.board.style.color("area.frame").name()
    assert color(740, 390) == view.board.style.color("note.paper").name()


def test_a_note_at_the_edge_is_written_within_sight(hand: Open) -> None:
    one = hand(framed())
    one.view.board.camera = Camera(1.0, 500, 450)
    one.doc.selection.select(notes=["note"])
    one.key(Qt.Key.Key_F2)
    editor = one.view.writing.editor
    assert editor is not None
    assert one.view.rect().contains(editor.geometry())


def test_a_note_shows_small_markdown_and_nothing_from_elsewhere(hand: Open) -> None:
    plain, marked, hostile = (
        replace(framed(), layout=replace(framed().layout, notes={"note": Note(text, 640, 320, 200, 96)}))
        for text in ("Why so", "**Why** so", "<b>Why</b> ![so](file:///etc/hostname)")
    )
    pictures = [hand(flow).view.grab().toImage() for flow in (plain, marked, hostile)]
    assert pictures[0] != pictures[1]
    assert pictures[1] != pictures[2]


def test_a_frame_that_is_pulled_shows_what_stands_in_it(hand: Open) -> None:
    one = hand(framed())
    rect = one.view.board.scene.standing.rects()[Key("frame", "frame")]
    card = one.view.board.scene.rect(NodeId("question"))
    across = [one.point(card.x + dx, card.y + 40) for dx in range(-12, 30, 3)]
    before = one.view.grab().toImage()
    assert len({before.pixel(at) for at in across}) > 1, "the edge of a card differs from the ground"
    corner = one.point(rect.right, rect.bottom)
    one.press(corner)
    one.move(corner + QPoint(40, 40))
    shown = one.view.grab().toImage()
    assert len({shown.pixel(at) for at in across}) > 1
    one.release(corner + QPoint(40, 40))
    assert one.undo_steps == ["Resize frame"]


def test_a_frame_that_undo_takes_out_of_the_hand_is_let_go(hand: Open) -> None:
    h = hand(chain())
    name, change = add_frame(h.flow, Frame("", 0, 300, 300, 200))
    h.doc.history.do(change)
    edge = h.point(300, 400)
    h.press(edge)
    assert h.doc.history.undo() is not None
    assert h.view.gesture is None
    h.move(edge + QPoint(40, 0))
    h.release(edge + QPoint(40, 0))
    assert name not in h.flow.layout.frames
    assert not h.undo_steps
