"""Every command of the canvas, in the order of the menus."""

from studio.ui.canvas.commands import (
    arrangement,
    arrow_keys,
    bends,
    bridges,
    clipboard,
    collapse,
    deletion,
    frames,
    insertion,
    lineup,
    looking_back,
    nudges,
    paste,
    port_values,
    selection,
    switches,
    wire_order,
    zoom,
)
from studio.ui.canvas.commands.command import Command

ROOMS = (
    frames,
    clipboard,
    paste,
    deletion,
    selection,
    arrow_keys,
    insertion,
    bridges,
    wire_order,
    bends,
    switches,
    collapse,
    looking_back,
    port_values,
    arrangement,
    lineup,
    nudges,
    zoom,
)


def all_commands() -> list[Command]:
    """The commands of all rooms; call it when translations are installed."""
    return [command for room in ROOMS for command in room.commands()]
