"""Earlier and later: where a wire's value stands in its list."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from studio.flow.edits import list_order
from studio.flow.records import Wire
from studio.ui.canvas.commands.command import Command
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.canvas.commands.desk import Desk

in_edit = Menu("edit")


def shift(by: int, desk: "Desk") -> None:
    """Let the selected wire's value come so many places later; negative, earlier."""
    board, wire = desk.board, _listed(desk)
    place = board.order_marks.place(wire) if wire is not None else None
    if wire is None or place is None:
        return
    change = list_order.put_at(board.flow, wire, max(0, place + by))
    after = list_order.moved(board.flow, wire, max(0, place + by))
    board.document.history.do(change)
    board.select([], [after])


def commands() -> Sequence[Command]:
    """Earlier, later."""

    def is_listed(desk: "Desk") -> bool:
        return _listed(desk) is not None

    return (
        in_edit("earlier", "Earlier in its list", partial(shift, -1), "Alt+PgUp", is_listed, on={"wire"}),
        in_edit("later", "Later in its list", partial(shift, 1), "Alt+PgDown", is_listed, on={"wire"}),
    )


def _listed(desk: "Desk") -> Wire | None:
    """The selected wire, where it is one of several into a list."""
    now = desk.board.document.selection.now
    wire = next(iter(now.wires)) if len(now.wires) == 1 and not now.nodes else None
    return wire if wire is not None and desk.board.order_marks.place(wire) is not None else None
