"""Frames around nodes, and notes beside them."""

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

from studio.flow.change import Change
from studio.flow.edits import boxes
from studio.flow.records import FRAME_COLORS, Frame, Note
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.commands.command import Command, Place, has_things
from studio.ui.canvas.scene.box_places import TITLE, Key, around_all
from studio.ui.canvas.things import node_places, select_boxes, selected_things
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.canvas.board import Board
    from studio.ui.canvas.commands.desk import Desk

in_arrange = Menu("arrange")
in_edit = Menu("edit")

MARGIN = 24
"""Scene units between a frame and what it is put around."""
NOTE_SIZE = (224, 112)


def frame(desk: "Desk") -> None:
    """Put a frame around what is selected, select it and ask for its title."""
    board = desk.board
    around = _extent_of_selection(board)
    if around is None:
        return
    left, top = round(around.x - MARGIN), round(around.y - MARGIN - TITLE)
    size = round(around.width + 2 * MARGIN), round(around.height + 2 * MARGIN + TITLE)
    name, change = boxes.add_frame(board.flow, Frame("", left, top, *size))
    board.document.history.do(change)
    _open(board, Key("frame", name))


def note(desk: "Desk") -> None:
    """Put a note where the pointer is, select it and ask for its text."""
    board = desk.board
    x, y = desk.pointed_at()
    at = round(x / 8) * 8, round(y / 8) * 8
    name, change = boxes.add_note(board.flow, Note("", *at, *NOTE_SIZE))
    board.document.history.do(change)
    _open(board, Key("note", name))


def write(desk: "Desk") -> None:
    """Edit the selected node's or frame's title, or note's text."""
    board = desk.board
    node = board.document.selection.now.only_node
    if node is not None:
        desk.sight.reveal(node)
        board.keyboard.title_asked.tell(node)
    else:
        board.box_opened.tell(board.chosen[0])


def recolor(desk: "Desk") -> None:
    """Give the selected frames the next colour."""
    board, frames = desk.board, desk.board.flow.layout.frames
    names = [key.name for key in board.chosen if key.kind == "frame"]
    have = frames[names[0]].color
    place = FRAME_COLORS.index(have) if have in FRAME_COLORS else 0
    color = FRAME_COLORS[(place + 1) % len(FRAME_COLORS)]
    change = Change("Colour frame")
    for name in names:
        one = frames[name]
        colored = Frame(one.title, one.x, one.y, one.width, one.height, color, one.holds)
        change = change.then(boxes.set_frame(board.flow, name, colored))
    board.document.history.do(change)


def select_contents(desk: "Desk") -> None:
    """Select what stands in the selected frames instead of them."""
    board = desk.board
    places = node_places(board)
    names = [key.name for key in board.chosen if key.kind == "frame"]
    found = reduce(
        boxes.Things.united, (board.scene.standing.inside(name, places) for name in names), boxes.Things()
    )
    board.select(found.nodes, (), found.frames, found.notes)


def _extent_of_selection(board: "Board") -> Rect | None:
    things = selected_things(board)
    rects = [board.scene.rect(node) for node in things.nodes]
    keys = [Key("frame", name) for name in things.frames] + [Key("note", name) for name in things.notes]
    standing = board.scene.standing
    return around_all([*rects, *(rect for key in keys if (rect := standing.rect(key)) is not None)])


def _open(board: "Board", key: Key) -> None:
    select_boxes(board, [key])
    board.box_opened.tell(key)


def _has_frame(desk: "Desk") -> bool:
    return any(key.kind == "frame" for key in desk.board.chosen)


def _has_one_title(desk: "Desk") -> bool:
    now = desk.board.document.selection.now
    return now.only_node is not None or (len(desk.board.chosen) == 1 and not now.nodes)


def commands() -> Sequence[Command]:
    """Frame, note, write, colour, contents."""
    on_things = frozenset[Place]({"node", "frame", "note"})
    on_frame = frozenset[Place]({"frame"})
    return (
        in_arrange(
            "frame",
            "Frame the selection",
            frame,
            "Ctrl+G",
            has_things,
            words="group box comment",
            on=on_things,
            begins=True,
        ),
        in_edit("note", "Add a note", note, "N", words="comment sticky text", on={"nothing"}),
        in_edit("write", "Edit the title or note", write, "F2", _has_one_title, on={"node", "frame", "note"}),
        in_arrange("recolor", "Next colour for the frame", recolor, "K", _has_frame, on=on_frame),
        in_arrange(
            "contents", "Select the nodes in the frame", select_contents, "Shift+G", _has_frame, on=on_frame
        ),
    )
