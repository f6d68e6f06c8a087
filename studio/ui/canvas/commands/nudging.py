"""Moving what is selected with the keyboard, on the grid; keys pressed one after the other are one step."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication

from studio.flow import boxes, edits
from studio.flow.change import Change
from studio.flow.records import Point
from studio.ui.canvas.board import Board
from studio.ui.canvas.commands.command import Command
from studio.ui.canvas.commands.desk import Desk

translate = QCoreApplication.translate

STEP, LEAP = 8, 64
"""Scene units that a key moves, and with Shift."""


def nudge(dx: int, dy: int, desk: Desk) -> None:
    """Move the selected nodes with what stands in their areas, frames and notes."""
    board = desk.board
    change = _moved(board, dx, dy)
    if change.is_empty:
        return
    is_on = board.keyboard.is_nudging(board.flow)
    board.document.history.do(change.labelled(translate("actions", "Move with keys")), merge=is_on)
    board.keyboard.nudged(board.flow)
    for node in sorted(board.selected)[:1]:
        desk.sight.reveal(node)


def can_nudge(desk: Desk) -> bool:
    """Whether something that has a place is selected."""
    now = desk.board.document.selection.now
    return bool(desk.board.selected or now.frames or now.notes)


def _moved(board: Board, dx: int, dy: int) -> Change:
    scene, now = board.scene, board.document.selection.now
    rects = {
        node: (rect.x, rect.y, rect.width, rect.height)
        for node in (scene.ids if now.frames else ())
        for rect in (scene.rect(node),)
    }
    things = boxes.Things(frozenset(board.selected), now.frames, now.notes)
    for frame in now.frames & board.flow.layout.frames.keys():
        things = things.united(boxes.standing_in(board.flow, frame, rects))
    nodes = scene.bodies(things.nodes)
    homes = {node: scene.home[scene.row[node]].tolist() for node in nodes}
    places = {node: Point(round(x) + dx, round(y) + dy) for node, (x, y) in homes.items()}
    moved = edits.move(board.flow, places).then(boxes.shift(board.flow, things, dx, dy))
    for wire in board.flow.wires:
        points = board.flow.layout.bends.get(str(wire)) if board.flow.layout.bends else None
        if points and wire.source.node in nodes and wire.target.node in nodes:
            moved = moved.then(
                edits.bend(board.flow, wire, [Point(point.x + dx, point.y + dy) for point in points])
            )
    return moved


def commands() -> Sequence[Command]:
    """The four ways, by a step or by a leap."""
    ways = (
        ("left", "Left", -1, 0, translate("actions", "Move left"), translate("actions", "Move far left")),
        ("right", "Right", 1, 0, translate("actions", "Move right"), translate("actions", "Move far right")),
        ("up", "Up", 0, -1, translate("actions", "Move up"), translate("actions", "Move far up")),
        ("down", "Down", 0, 1, translate("actions", "Move down"), translate("actions", "Move far down")),
    )
    return tuple(
        Command(f"{name}_{way}", title, None, partial(nudge, dx * by, dy * by), f"{keys}+{key}", can_nudge)
        for way, key, dx, dy, near, far in ways
        for name, title, by, keys in (("move", near, STEP, "Alt"), ("leap", far, LEAP, "Alt+Shift"))
    )
