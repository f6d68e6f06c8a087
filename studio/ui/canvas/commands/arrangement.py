"""Putting nodes into order."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from studio.flow.change import Change
from studio.flow.edits.wire_bends import bends_of, lead
from studio.flow.layout.arrange import arrange
from studio.ids import NodeId
from studio.ui.canvas.commands.command import Command
from studio.ui.canvas.things import selected_things
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.canvas.board import Board
    from studio.ui.canvas.commands.desk import Desk

in_arrange = Menu("arrange")


def tidy(desk: "Desk") -> None:
    """Tidy what is selected with all that stands in it, or without a selection everything."""
    board = desk.board
    things = selected_things(board)
    sizes = {node: _size(board, node) for node in board.scene.ids}
    flow, library = board.flow, board.document.library
    if things.nodes:
        change = arrange(flow, library, things.nodes, sizes, things.frames)
        board.document.history.do(_led(board, change, things.nodes))
    else:
        board.document.history.do(_led(board, arrange(flow, library, None, sizes), flow.nodes))


def tidy_all(desk: "Desk") -> None:
    """Tidy the whole flow."""
    desk.board.select()
    tidy(desk)


def _led(board: "Board", change: Change, nodes: Collection[NodeId]) -> Change:
    """Lead wires among these nodes past the cards beneath which they would run in the tidied flow."""
    from studio.ui.canvas.scene.lanes import ways_past

    flow = change.applied_to(board.flow)
    among = [wire for wire in flow.wires if wire.source.node in nodes and wire.target.node in nodes]
    bent = {wire: points for wire in flow.wires if (points := bends_of(flow, wire))}
    ways = ways_past(board.scene, {node: flow.layout.nodes[node] for node in nodes}, among, bent)
    return change.then(lead(flow, ways)).labelled(change.label) if ways else change


def _size(board: "Board", node: NodeId) -> tuple[int, int]:
    """The room of a node's card, seen or not; open areas have none but for what stands in them."""
    scene = board.scene
    area = scene.area_of(node)
    if area is None:
        box = scene.boxes[scene.row[node]]
        return round(box.width), round(box.height)
    is_empty = not area.region.body and area.node == node
    if is_empty or (area.region.is_folded and area.node == node):
        return round(area.rect.width), round(area.rect.height)
    return 0, 0


def commands() -> Sequence[Command]:
    """Tidy the selection, tidy all."""
    return (
        in_arrange("tidy", "Tidy the selection", tidy, "L", words="layout arrange align clean", on={"node"}),
        in_arrange(
            "tidy_all",
            "Tidy the whole flow",
            tidy_all,
            "Shift+L",
            words="layout arrange align clean auto",
            on={"nothing"},
        ),
    )
