"""Adding nodes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from studio.flow.records import Wire
from studio.ui.canvas.commands.command import Command
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.canvas.commands.desk import Desk

in_edit = Menu("edit")


def add(desk: "Desk") -> None:
    """Search for a node to add, at the pointer; joined with the one wire or node that is selected."""
    wire, node = _only_wire(desk), desk.board.document.selection.now.only_node
    if wire is not None:
        desk.adding.search_for_wire(wire)
    elif node is not None and node in desk.board.scene.row:
        desk.adding.search_beside(node)
    else:
        desk.adding.search()


def insert(desk: "Desk") -> None:
    """Search for a node through which the selected wire is to lead."""
    wire = _only_wire(desk)
    if wire is not None:
        desk.adding.search_for_wire(wire)


def commands() -> Sequence[Command]:
    """Add a node."""
    return (
        in_edit(
            "add", "Add a node…", add, "Tab", words="new insert create node", on={"nothing"}, begins=True
        ),
        in_edit(
            "insert",
            "Insert a node on the wire…",
            insert,
            can=lambda desk: _only_wire(desk) is not None,
            on={"wire"},
        ),
    )


def _only_wire(desk: "Desk") -> Wire | None:
    now = desk.board.document.selection.now
    if now.nodes or len(now.wires) != 1:
        return None
    wire = next(iter(now.wires))
    return wire if wire in desk.board.scene.wire_row else None
