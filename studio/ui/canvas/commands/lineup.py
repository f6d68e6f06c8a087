"""Lining up what is selected, and spacing it evenly."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from PySide6.QtCore import QCoreApplication

from studio.flow.change import Change
from studio.flow.edits.boxes import Things
from studio.ids import NodeId
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.commands.command import Command
from studio.ui.canvas.scene.alignment import Moves, Way, align, distribute
from studio.ui.canvas.scene.box_places import Key
from studio.ui.canvas.things import move_things, node_places
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.canvas.board import Board
    from studio.ui.canvas.commands.desk import Desk

translate = QCoreApplication.translate
in_arrange = Menu("arrange")

Unit: TypeAlias = NodeId | Key
"""What is moved as one: a node, an area with its body, a frame with what stands in it, a note."""


def line_up(way: Way, desk: "Desk") -> None:
    """Bring an edge or the middles of what is selected into line."""
    units = _units(desk.board)
    rects = {unit: _rect(desk.board, unit) for unit in units}
    _move(desk.board, units, align(rects, way), translate("actions", "Align"))


def space(desk: "Desk", *, across: bool) -> None:
    """Leave the same gap between what is selected."""
    units = _units(desk.board)
    rects = {unit: _rect(desk.board, unit) for unit in units}
    _move(desk.board, units, distribute(rects, across=across), translate("actions", "Distribute"))


def _units(board: "Board") -> Mapping[Unit, Things]:
    """What is selected, each with all that moves along; what stands in another is none of its own."""
    places, standing = node_places(board), board.scene.standing
    units: dict[Unit, Things] = {}
    for key in (key for key in board.chosen if key in standing.rects()):
        held = standing.inside(key.name, places) if key.kind == "frame" else Things()
        own = (
            Things(frames=frozenset([key.name]))
            if key.kind == "frame"
            else Things(notes=frozenset([key.name]))
        )
        units[key] = Things(frozenset(board.scene.bodies(held.nodes))).united(held).united(own)
    for node in board.selected:
        units[node] = Things(frozenset(board.scene.bodies([node])))
    return {
        unit: things
        for unit, things in units.items()
        if not any(_holds(other, unit) for key, other in units.items() if key != unit)
    }


def _holds(things: Things, unit: Unit) -> bool:
    if not isinstance(unit, Key):
        return unit in things.nodes
    return unit.name in (things.frames if unit.kind == "frame" else things.notes)


def _rect(board: "Board", unit: Unit) -> Rect:
    if isinstance(unit, Key):
        return board.scene.standing.rects()[unit]
    return board.scene.rect(unit)


def _move(board: "Board", units: Mapping[Unit, Things], moves: Moves[Unit], label: str) -> None:
    change = Change(label)
    for unit, (dx, dy) in moves.items():
        change = change.then(move_things(board, units[unit], dx, dy))
    board.document.history.do(change)


def _has(least: int, desk: "Desk") -> bool:
    return len(desk.board.selected) + len(desk.board.chosen) >= least


def commands() -> Sequence[Command]:
    """Six ways to align, two to distribute."""
    ways: tuple[tuple[Way, str, str], ...] = (
        ("left", translate("actions", "Align left edges"), "Shift+A"),
        ("centre", translate("actions", "Align centres in a column"), "Shift+X"),
        ("right", translate("actions", "Align right edges"), "Shift+D"),
        ("top", translate("actions", "Align upper edges"), "Shift+W"),
        ("middle", translate("actions", "Align middles in a row"), "Shift+Y"),
        ("bottom", translate("actions", "Align lower edges"), "Shift+S"),
    )
    return (
        *(
            Command(
                f"align_{way}",
                title,
                "arrange",
                partial(line_up, way),
                key,
                partial(_has, 2),
                begins=way == "left",
            )
            for way, title, key in ways
        ),
        in_arrange(
            "space_across", "Distribute across", partial(space, across=True), "Shift+H", partial(_has, 3)
        ),
        in_arrange(
            "space_down", "Distribute down", partial(space, across=False), "Shift+V", partial(_has, 3)
        ),
    )
