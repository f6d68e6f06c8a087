"""Every command of the canvas, in the order of the menus."""

from studio.ui.canvas.commands import (
    aligning,
    answering,
    arranging,
    bending,
    clipboard,
    collapsing,
    framing,
    inserting,
    joining,
    looking_back,
    nudging,
    ordering,
    pasting,
    removing,
    seeing,
    selecting,
    switching,
    walking,
)
from studio.ui.canvas.commands.command import Command

ROOMS = (
    framing,
    clipboard,
    pasting,
    removing,
    selecting,
    walking,
    inserting,
    joining,
    ordering,
    bending,
    switching,
    collapsing,
    looking_back,
    answering,
    arranging,
    aligning,
    nudging,
    seeing,
)


def all_commands() -> list[Command]:
    """The commands of all rooms; call it when translations are installed."""
    return [command for room in ROOMS for command in room.commands()]
