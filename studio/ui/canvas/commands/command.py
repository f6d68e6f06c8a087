"""Commands of the canvas: what they are offered on, and what they ask before they can be done."""

from typing import TYPE_CHECKING, Literal, TypeAlias

from studio.app.commands import Command as AnyCommand

if TYPE_CHECKING:
    from studio.ui.canvas.commands.desk import Desk

Place: TypeAlias = Literal["node", "wire", "frame", "note", "ghost", "nothing"]
"""What a right-click can hit."""

Command: TypeAlias = AnyCommand["Desk"]
"""A command of the canvas, which hears its keys while it has the keyboard."""

CANVAS = "canvas."
"""Registries call the canvas's commands so, with their ids behind it."""


def has_nodes(desk: "Desk") -> bool:
    """Whether a node is selected."""
    return bool(desk.board.selected)


def has_things(desk: "Desk") -> bool:
    """Whether a node, frame or note is selected."""
    now = desk.board.document.selection.now
    return bool(desk.board.selected or now.frames or now.notes)


def has_selection(desk: "Desk") -> bool:
    """Whether anything is selected."""
    return not desk.board.document.selection.now.is_empty
