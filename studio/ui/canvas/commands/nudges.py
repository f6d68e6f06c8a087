"""Moving what is selected with the keyboard, on the grid; keys pressed one after the other are one step."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.ui.canvas.commands.command import Command
from studio.ui.canvas.things import move_things, selected_things

if TYPE_CHECKING:
    from studio.ui.canvas.commands.desk import Desk

translate = QCoreApplication.translate

STEP, LEAP = 8, 64
"""Scene units that a key moves, and with Shift."""


def nudge(dx: int, dy: int, desk: "Desk") -> None:
    """Move the selected nodes with what stands in their areas, frames and notes."""
    board = desk.board
    change = move_things(board, selected_things(board), dx, dy)
    if change.is_empty:
        return
    is_on = board.keyboard.is_nudging(board.flow)
    board.document.history.do(change.labelled(translate("actions", "Move with keys")), merge=is_on)
    board.keyboard.nudged(board.flow)
    for node in sorted(board.selected)[:1]:
        desk.sight.reveal(node)


def can_nudge(desk: "Desk") -> bool:
    """Whether something that has a place is selected."""
    now = desk.board.document.selection.now
    return bool(desk.board.selected or now.frames or now.notes)


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
