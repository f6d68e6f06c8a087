"""Collapsing nodes, areas and frames, and unfolding them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from studio.errors import EditRefusedError
from studio.flow.change import Change
from studio.flow.edits import boxes
from studio.ui.canvas.commands.command import Command, Place
from studio.ui.canvas.things import node_places
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.canvas.commands.desk import Desk

in_edit = Menu("edit")


def collapse(desk: "Desk") -> None:
    """Collapse what is selected, or where all of it is collapsed, unfold it: one step."""
    board = desk.board
    flow, places = board.flow, node_places(board)
    names = [key.name for key in board.chosen if key.kind == "frame"]
    unfolds = (
        all(flow.layout.frames[name].holds for name in names) and board.selected <= flow.layout.collapsed
    )
    nodes = board.selected if unfolds else board.selected - flow.layout.collapsed
    changes = [boxes.collapse(flow, nodes)] if nodes else []
    try:
        for name in names:
            held = board.scene.standing.inside(name, places)
            if unfolds:
                changes.append(boxes.unfold_frame(flow, name))
            elif not flow.layout.frames[name].holds:
                changes.append(boxes.collapse_frame(flow, name, held))
    except EditRefusedError as error:
        board.refused.tell(error.message)
        return
    if changes:
        change = Change(changes[0].label)
        for one in changes:
            change = change.then(one)
        board.document.history.do(change)


def _can(desk: "Desk") -> bool:
    return bool(desk.board.selected) or any(key.kind == "frame" for key in desk.board.chosen)


def commands() -> Sequence[Command]:
    """Collapse."""
    return (
        in_edit(
            "collapse",
            "Collapse or expand",
            collapse,
            "C",
            _can,
            words="fold minimise expand",
            on=frozenset[Place]({"node", "frame"}),
        ),
    )
