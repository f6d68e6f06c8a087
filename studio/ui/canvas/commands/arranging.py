"""Putting nodes into order."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from studio.flow.arrange import arrange
from studio.ids import NodeId
from studio.ui.canvas.board import Board
from studio.ui.canvas.commands.command import Command
from studio.ui.canvas.commands.desk import Desk

translate = QCoreApplication.translate


def tidy(desk: Desk) -> None:
    """Tidy the selected nodes with what stands in their areas, or without a selection everything."""
    board = desk.board
    nodes = board.scene.bodies(board.selected)
    sizes = {node: _size(board, node) for node in board.scene.ids}
    board.document.history.do(arrange(board.flow, board.document.library, nodes or None, sizes))


def tidy_all(desk: Desk) -> None:
    """Tidy the whole flow."""
    desk.board.select()
    tidy(desk)


def _size(board: Board, node: NodeId) -> tuple[int, int]:
    """The room of a node's card; areas have none of their own, only what stands in them."""
    area = board.scene.area_of(node)
    if area is not None and (area.node != node or area.region.body):
        return 0, 0
    rect = board.scene.rect(node)
    return round(rect.width), round(rect.height)


def commands() -> Sequence[Command]:
    """Tidy the selection, tidy all."""
    return (
        Command(
            "tidy",
            translate("actions", "Tidy the selection"),
            "arrange",
            tidy,
            "L",
            offered_on=frozenset({"node"}),
        ),
        Command(
            "tidy_all",
            translate("actions", "Tidy the whole flow"),
            "arrange",
            tidy_all,
            "Shift+L",
            offered_on=frozenset({"nothing"}),
        ),
    )
