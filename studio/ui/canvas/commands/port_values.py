"""Typing values at ports, and mending what is marked."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from studio.ids import NodeId
from studio.ui.canvas.commands.command import Command
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.canvas.commands.desk import Desk

in_edit = Menu("edit")


def only_node(desk: "Desk") -> NodeId | None:
    """The one selected node."""
    nodes = desk.board.selected
    return next(iter(nodes)) if len(nodes) == 1 else None


def type_value(desk: "Desk") -> None:
    """Type a value at the port where the keyboard stands, else at the node's first unwired one."""
    node, stand = only_node(desk), desk.board.keyboard.at(desk.board.scene)
    if stand is not None and stand.port is not None and not stand.is_output and stand.wire is None:
        desk.board.typing_asked.tell(stand.node, stand.port)
    elif node is not None:
        desk.board.typing_asked.tell(node, None)


def show_remedies(desk: "Desk") -> None:
    """Show the problems of the selected node or wire."""
    board = desk.board
    found, now = board.cards.shown.found, board.document.selection.now
    marked = [*(node for node in sorted(board.selected) if node in found.nodes)]
    wires = [wire for wire in now.wires if wire in found.wires]
    for one in (*marked, *wires)[:1]:
        board.remedies_asked.tell(one)


def has_problem(desk: "Desk") -> bool:
    """Whether anything selected is marked."""
    board = desk.board
    found, now = board.cards.shown.found, board.document.selection.now
    return bool(board.selected & found.nodes.keys() or now.wires & found.wires.keys())


def commands() -> Sequence[Command]:
    """Type a value, show remedies."""
    return (
        in_edit(
            "type_value",
            "Type a value at a port",
            type_value,
            "V",
            lambda desk: only_node(desk) is not None,
            "At the first unwired port; Tab moves to the next",
            on={"node"},
            begins=True,
        ),
        in_edit(
            "show_remedies",
            "Show problems",
            show_remedies,
            "Alt+Return",
            has_problem,
            "With buttons that fix them",
            words="errors fix check validate warnings",
            on={"node", "wire"},
        ),
    )
