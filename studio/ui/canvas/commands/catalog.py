"""Every command of the canvas, in the order of the menus."""

from studio.ui.canvas.commands import (
    arranging,
    clipboard,
    framing,
    inserting,
    removing,
    seeing,
    selecting,
    switching,
)
from studio.ui.canvas.commands.command import Command

ROOMS = (framing, clipboard, removing, selecting, inserting, switching, arranging, seeing)


def all_commands() -> list[Command]:
    """The commands of all rooms; call it when translations are installed."""
    return [command for room in ROOMS for command in room.commands()]
