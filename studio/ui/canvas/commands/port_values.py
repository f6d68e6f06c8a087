"""Typing values at ports, and mending what is marked."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.ids import NodeId
from studio.ui.canvas.commands.command import Command

if TYPE_CHECKING:
    from studio.ui.canvas.commands.desk import Desk

translate = QCoreApplication.translate


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
        Command(
            "type_value",
            translate("actions", "Type a value at a port"),
            "edit",
            type_value,
            "V",
            can=lambda desk: only_node(desk) is not None,
            help=translate("actions", "At the first unwired port; Tab moves to the next"),
            offered_on=frozenset({"node"}),
            begins=True,
        ),
        Command(
            "show_remedies",
            translate("actions", "Show problems"),
            "edit",
            show_remedies,
            "Alt+Return",
            can=has_problem,
            help=translate("actions", "With buttons that fix them"),
            offered_on=frozenset({"node", "wire"}),
            words=translate("actions", "errors fix check validate warnings"),
        ),
    )
