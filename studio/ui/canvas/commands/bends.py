"""Leading wires around what lies between their ends."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from studio.flow.edits.wire_bends import bends_of, insert, straighten
from studio.flow.records import Point, Wire
from studio.ui.canvas.commands.command import Command
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.canvas.board import Board
    from studio.ui.canvas.commands.desk import Desk

in_arrange = Menu("arrange")
REACH = 24.0
"""Widget points around the pointer within which a wire is bent there; otherwise in its middle."""


def add_bend(board: "Board", wire: Wire, x: float, y: float) -> None:
    """Give a wire one more bend at a scene point, between those that it lies between; and select it."""
    from studio.ui.canvas.scene import wires as shapes

    scene = board.scene
    pieces = scene.pieces(scene.wire_row[wire])
    bends = scene.bends.home.get(wire, ())
    nearest = shapes.nearest(scene.curves[pieces], scene.curve_bounds[pieces], x, y, float("inf"))
    place = min(nearest or 0, len(bends))
    board.document.history.do(insert(board.flow, wire, place, Point(round(x), round(y))))
    board.select(bends=[(wire, place)])


def bend(desk: "Desk") -> None:
    """Bend the selected wire under the pointer, or in the middle of its longest piece."""
    from studio.ui.canvas.scene import wires as shapes

    board, scene = desk.board, desk.board.scene
    (wire,) = board.document.selection.now.wires
    pieces = scene.pieces(scene.wire_row[wire])
    x, y = desk.pointed_at()
    reach = REACH / board.camera.scale
    if shapes.nearest(scene.curves[pieces], scene.curve_bounds[pieces], x, y, reach) is None:
        on = shapes.points_on(scene.curves[pieces], 2)
        steps = abs(on[:, 2] - on[:, 0]).sum(axis=1)
        x, y = on[int(steps.argmax()), 1].tolist()
    add_bend(board, wire, x, y)


def straighten_wires(desk: "Desk") -> None:
    """Take all bends of the selected wires away."""
    board = desk.board
    wires = board.document.selection.now.wires
    going = [(wire, place) for wire in wires for place in range(len(bends_of(board.flow, wire)))]
    board.document.history.do(straighten(board.flow, going))


def commands() -> Sequence[Command]:
    """Bend a wire, straighten wires."""
    return (
        in_arrange(
            "bend",
            "Bend the wire",
            bend,
            can=_has_one_wire,
            help="Or double-click the wire; double-click a bend to remove it",
            on={"wire"},
            begins=True,
        ),
        in_arrange("straighten", "Straighten the wire", straighten_wires, can=_has_bends, on={"wire"}),
    )


def _has_one_wire(desk: "Desk") -> bool:
    return len(desk.board.document.selection.now.wires) == 1


def _has_bends(desk: "Desk") -> bool:
    board = desk.board
    return any(wire in board.scene.bends.home for wire in board.document.selection.now.wires)
