"""Going from the canvas to the docks and back with the keyboard: on the canvas, Tab means something else."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

if TYPE_CHECKING:
    from studio.ui.window.main_window import MainWindow


def go_round(window: "MainWindow", by: int) -> None:
    """Give the keyboard to the next place that is seen: canvas, then each dock in the window's order."""
    places = _places(window)
    if not places:
        return
    focused = QApplication.focusWidget()
    here = next((row for row, place in enumerate(places) if _is_in(focused, place)), -1 if by > 0 else 0)
    target = places[(here + by) % len(places)]
    first = _first_in(target)
    first.setFocus(Qt.FocusReason.TabFocusReason if by > 0 else Qt.FocusReason.BacktabFocusReason)


def _places(window: "MainWindow") -> list[QWidget]:
    """The canvas and what docks show, as far as it is seen and takes the keyboard anywhere."""
    canvas: list[QWidget] = [window.front.work.canvas] if window.front is not None else []
    seen = [dock.pages for dock in window.docks.all if not dock.visibleRegion().isEmpty()]
    return [place for place in (*canvas, *seen) if place.isVisible() and _takes_keys(_first_in(place))]


def _first_in(place: QWidget) -> QWidget:
    """The first widget of a place that takes the keyboard; the place itself where there is none."""
    if _takes_keys(place):
        return place
    inside = place.findChildren(QWidget)
    return next((one for one in inside if _takes_keys(one) and one.isVisible()), place)


def _takes_keys(widget: QWidget) -> bool:
    return widget.isEnabled() and bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)


def _is_in(widget: QWidget | None, place: QWidget) -> bool:
    return widget is not None and (widget is place or place.isAncestorOf(widget))
