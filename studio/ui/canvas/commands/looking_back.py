"""What a run left behind: other rounds, values, and what is pinned of it."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from studio.ids import NodeId
from studio.ui.canvas.commands.command import Command, has_nodes
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.canvas.commands.desk import Desk

in_edit = Menu("edit")
in_view = Menu("view")


def show_neighbour(way: int, desk: "Desk") -> None:
    """Show the round before or after: that of the selected node, else of the first loop or map."""
    node = _stepped(desk)
    if node is not None:
        desk.board.step_asked.tell(node, way)


def show_value(desk: "Desk") -> None:
    """Show what passed last at the port or wire where the keyboard stands."""
    desk.board.value_asked.tell()


def toggle_pin(desk: "Desk") -> None:
    """Pin what the selected nodes gave; where all are pinned, let them be executed again."""
    desk.board.pin_asked.tell(desk.board.selected)


def edit_pin(desk: "Desk") -> None:
    """Ask for another value to pin to the selected node."""
    desk.board.pin_edit_asked.tell(min(desk.board.selected))


def _has_steps(way: int, desk: "Desk") -> bool:
    node = _stepped(desk)
    steps = desk.board.cards.shown.state(node).steps if node is not None else None
    return steps is not None and (steps.earlier if way < 0 else steps.later)


def _stepped(desk: "Desk") -> NodeId | None:
    shown, scene = desk.board.cards.shown, desk.board.scene
    nodes = sorted(desk.board.selected) or sorted(area.node for area in scene.areas.values())
    return next((node for node in nodes if shown.state(node).steps is not None), None)


def _has_one(desk: "Desk") -> bool:
    return len(desk.board.selected) == 1


def commands() -> Sequence[Command]:
    """Earlier and later rounds, pins."""
    return (
        in_view(
            "earlier_round",
            "Previous round",
            partial(show_neighbour, -1),
            ",",
            partial(_has_steps, -1),
            "Shows the whole body of the loop or map as it was then",
            begins=True,
        ),
        in_view("later_round", "Next round", partial(show_neighbour, 1), ".", partial(_has_steps, 1)),
        in_view(
            "value",
            "Show the value that passed here",
            show_value,
            "I",
            help="At the focused port or wire, in the shown run",
            words="inspect output result",
        ),
        in_edit(
            "pin",
            "Pin or unpin the output",
            toggle_pin,
            "Shift+P",
            has_nodes,
            "Runs started in this window use the pinned output and skip the node",
            words="freeze cache fix mock",
            on={"node"},
            begins=True,
        ),
        in_edit("edit_pin", "Pin another value…", edit_pin, can=_has_one, on={"node"}),
    )
