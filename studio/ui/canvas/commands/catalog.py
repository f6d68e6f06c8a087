"""Every command of the canvas, in the order of the menus."""

from studio.ui.canvas.commands import (
    answering,
    aligning,
    arranging,
    bending,
    clipboard,
    collapsing,
    framing,
    inserting,
    joining,
    looking_back,
    ordering,
    nudging,
    removing,
    seeing,
    selecting,
    switching,
    walking,
)
from studio.ui.canvas.commands.command import Command

ROOMS = (framing, clipboard, removing, selecting, walking, inserting, joining, bending, ordering, switching, collapsing, looking_back, answering, arranging, aligning, nudging, seeing)


def all_commands() -> list[Command]:
    """The commands of all rooms; call it when translations are installed."""
    return [command for room in ROOMS for command in room.commands()]
