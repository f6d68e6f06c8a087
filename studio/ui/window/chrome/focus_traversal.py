"""Going from the canvas to the docks and back with the keyboard: on the canvas, Tab means something else."""

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QApplication, QWidget

from studio.app.commands import Command
from studio.ui.window.docks.dock_strips import DockStrips
from studio.ui.window.docks.docks import Docks
from studio.ui.window.roles import HasFront, has_flow
from studio.ui.window.tabs.flow_tabs import FlowTabs

translate = QCoreApplication.translate


class Window(HasFront, Protocol):
    """What this asks of the window."""

    @property
    def docks(self) -> Docks:
        """The places around the canvas."""
        ...

    @property
    def tabs(self) -> FlowTabs:
        """The open documents."""
        ...

    @property
    def strips(self) -> DockStrips:
        """The bars that name them."""
        ...


def dock_commands(docks: Docks) -> list[Command[Window]]:
    """To the canvas, and to each dock, also where another one hides it."""

    def goes(name: str) -> Callable[[Window], None]:
        return lambda window: go_to(window, name)

    return [
        Command(
            "panel.canvas",
            translate("actions", "Go to the canvas"),
            "panels",
            go_to_canvas,
            "Ctrl+0",
            has_flow,
        ),
        Command(
            "panel.comparison",
            translate("actions", "Go to the comparison"),
            "panels",
            go_to_comparison,
            "",
            has_flow,
            translate("actions", "Show two runs side by side, in the canvas's place"),
        ),
        *(
            Command(
                f"panel.{one.name}",
                translate("actions", "Go to {0}").format(one.title),
                "panels",
                goes(one.name),
                one.key,
                has_flow,
                translate("actions", "Show this panel and focus it"),
                frozenset({"ghost"} if one.name == "tree" else ()),
            )
            for one in docks.records
        ),
    ]


def go_to(window: Window, name: str) -> None:
    """Bring a dock to the front of those that share its place, and give it the keyboard."""
    dock = window.docks[name]
    dock.bring_up()
    first = _first_in(dock.pages)
    if _takes_keys(first):
        first.setFocus(Qt.FocusReason.ShortcutFocusReason)


def go_to_canvas(window: Window) -> None:
    """Give the keyboard to the flow in front."""
    if window.front is not None:
        window.tabs.show_flow(window.front)
        canvas = window.front.work.canvas
        canvas.keys.lead = True  # also where it has the keyboard already
        canvas.setFocus(Qt.FocusReason.ShortcutFocusReason)
        canvas.update()


def go_to_comparison(window: Window) -> None:
    """Show the comparison of the flow in front in the canvas's place."""
    if window.front is not None:
        window.tabs.show_document(window.front, "comparison")


def go_round(window: Window, by: int) -> None:
    """Give the keyboard to the next place that is seen: canvas, then each dock in the window's order."""
    places = _places(window)
    if not places:
        return
    focused = QApplication.focusWidget()
    here = next((row for row, place in enumerate(places) if _is_in(focused, place)), -1 if by > 0 else 0)
    target = places[(here + by) % len(places)]
    first = _first_in(target)
    first.setFocus(Qt.FocusReason.TabFocusReason if by > 0 else Qt.FocusReason.BacktabFocusReason)


def _places(window: Window) -> list[QWidget]:
    """The documents that are seen and what docks show, as far as it takes the keyboard anywhere."""
    shown = [side.shown for side in window.tabs.sides]
    documents = [one.page.document for one in shown if one is not None]
    seen = [dock.pages for dock in window.docks.all if not dock.visibleRegion().isEmpty()]
    places = (*documents, *seen, *window.strips.strips.values())
    return [place for place in places if place.isVisible() and _takes_keys(_first_in(place))]


def _first_in(place: QWidget) -> QWidget:
    """What a panel names for it, else the first widget that takes the keyboard, else the place itself."""
    if _takes_keys(place):
        return place
    inside = (_named(one) for one in place.findChildren(QWidget))
    return next((one for one in inside if _takes_keys(one) and one.isVisible()), place)


def _named(widget: QWidget) -> QWidget:
    return widget.focusProxy() or widget  # pyright: ignore[reportUnnecessaryComparison]


def _takes_keys(widget: QWidget) -> bool:
    return widget.isEnabled() and bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)


def _is_in(widget: QWidget | None, place: QWidget) -> bool:
    return widget is not None and (widget is place or place.isAncestorOf(widget))
