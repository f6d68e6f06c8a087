"""Looking nearer, farther, and at what matters."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from studio.ui.canvas.commands.command import Command, Place
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.canvas.commands.desk import Desk

in_view = Menu("view")


def fit(desk: "Desk") -> None:
    """Look at the whole flow."""
    desk.sight.fit()


def fit_selection(desk: "Desk") -> None:
    """Look at what is selected, or at everything."""
    desk.sight.fit(desk.board.selected or None)


def commands() -> Sequence[Command]:
    """Frame all, frame the selection, zoom."""
    everywhere = frozenset[Place]({"node", "nothing"})
    return (
        in_view(
            "fit",
            "Show the whole flow",
            fit,
            "Home",
            words="home zoom all centre",
            on=everywhere,
            begins=True,
        ),
        in_view("fit_selection", "Show the selection", fit_selection, "F", on={"node"}),
        in_view(
            "zoom_in", "Zoom in", lambda desk: desk.sight.zoom_in(), "Ctrl++", also=("Ctrl+=",), is_wide=True
        ),
        in_view("zoom_out", "Zoom out", lambda desk: desk.sight.zoom_out(), "Ctrl+-", is_wide=True),
    )
