"""Looking nearer, farther, and at what matters."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.ui.canvas.commands.command import Command, Place

if TYPE_CHECKING:
    from studio.ui.canvas.commands.desk import Desk

translate = QCoreApplication.translate


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
        Command(
            "fit",
            translate("actions", "Show the whole flow"),
            "view",
            fit,
            "Home",
            offered_on=everywhere,
            begins=True,
            words=translate("actions", "home zoom all centre"),
        ),
        Command(
            "fit_selection",
            translate("actions", "Show the selection"),
            "view",
            fit_selection,
            "F",
            offered_on=frozenset({"node"}),
        ),
        Command(
            "zoom_in",
            translate("actions", "Zoom in"),
            "view",
            lambda desk: desk.sight.zoom_in(),
            "Ctrl++",
            also=("Ctrl+=",),
            is_wide=True,
        ),
        Command(
            "zoom_out",
            translate("actions", "Zoom out"),
            "view",
            lambda desk: desk.sight.zoom_out(),
            "Ctrl+-",
            is_wide=True,
        ),
    )
