"""Choosing what the next command is about."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication

from studio.ui.canvas.commands.command import Command, has_nodes
from studio.ui.canvas.commands.desk import Desk
from studio.ui.canvas.steering import neighbour

translate = QCoreApplication.translate


def select_all(desk: Desk) -> None:
    """Select every node."""
    desk.board.select(desk.board.scene.ids)


def step(way: str, desk: Desk) -> None:
    """Select the next node along the wires (left, right), or the one above or below."""
    board, scene = desk.board, desk.board.scene
    here = board.document.selection.now.only_node
    if here is None or here not in scene.row:
        found = min(scene.ids, key=lambda node: (scene.rect(node).x, scene.rect(node).y), default=None)
    else:
        found = neighbour(scene, here, way)
    if found is not None:
        board.select([found])
        desk.sight.reveal(found)


def open_selected(desk: Desk) -> None:
    """Ask for the selected node to be opened."""
    node = desk.board.document.selection.now.only_node
    if node is not None:
        desk.board.opened.tell(node)


def commands() -> Sequence[Command]:
    """Select all, the four ways, open."""
    return (
        Command(
            "all",
            translate("actions", "Select all"),
            "edit",
            select_all,
            "Ctrl+A",
            offered_on=frozenset({"nothing"}),
        ),
        Command(
            "open",
            translate("actions", "Open the selected node"),
            "edit",
            open_selected,
            "Return",
            has_nodes,
            also=("Enter",),
        ),
        Command("left", translate("actions", "Select the node before"), None, partial(step, "left"), "Left"),
        Command(
            "right", translate("actions", "Select the node behind"), None, partial(step, "right"), "Right"
        ),
        Command("up", translate("actions", "Select the node above"), None, partial(step, "up"), "Up"),
        Command("down", translate("actions", "Select the node below"), None, partial(step, "down"), "Down"),
    )
