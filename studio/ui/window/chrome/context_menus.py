"""The menus that open where somebody points: on the canvas and its ports, on a listed run, on a tab."""

from collections.abc import Callable, Sequence
from typing import Protocol

from PySide6.QtCore import QObject, QPoint
from PySide6.QtWidgets import QMenu, QWidget

from studio.ids import RunId
from studio.ui.canvas.commands.command import Place
from studio.ui.panels.runs.panel import RunsPanel
from studio.ui.popup_menus import pop_up
from studio.ui.window.chrome.canvas_menu import canvas_menu
from studio.ui.window.chrome.menus import Menus
from studio.ui.window.chrome.runs_menu import runs_menu
from studio.ui.window.roles import HasApp, HasFront


class Window(HasApp, HasFront, Protocol):
    """What this asks of the window."""

    @property
    def menus(self) -> Menus:
        """The actions of all commands."""
        ...

    @property
    def runs(self) -> RunsPanel:
        """The runs of the project in front."""
        ...


class ContextMenus(QObject):
    """Makes each of them anew when it is asked for; `check_script` and `save_bundle` act on a listed run.

    `of_tabs` names the commands that a tab offers.
    """

    def __init__(
        self,
        window: Window,
        check_script: Callable[[RunId], None],
        save_bundle: Callable[[RunId], None],
        of_tabs: Sequence[str],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._window, self._parent, self._of_tabs = window, parent, of_tabs
        self._check_script, self._save_bundle = check_script, save_bundle

    def open_on_canvas(self, hit: Place, at: QPoint) -> None:
        """Offer what fits what was hit."""
        menu = canvas_menu(self._window.app.commands, self._window.menus, hit, self._parent)
        front = self._window.front
        if hit == "node" and front is not None:
            front.breakpoints.add_to_node(menu)
        pop_up(menu, at)

    def open_on_port(self, place: str, is_output: bool, at: QPoint) -> None:  # noqa: FBT001  # a slot
        """Offer what can be done at a port, `node.port`."""
        front = self._window.front
        if front is None:
            return
        menu = front.breakpoints.port_menu(place, self._parent, is_output=is_output)
        if is_output:
            front.pins.add_to(menu, place)
        front.origins.add_to(menu, place, is_output=is_output)
        pop_up(menu, at)

    def open_on_run(self, run: str, at: QPoint) -> None:
        """Offer what can be done with a listed run."""
        pop_up(self.make_runs_menu(run), at)

    def open_on_tab(self, at: QPoint) -> None:
        """Offer what can be done with the tab in front."""
        pop_up(self.make_tab_menu(), at)

    def make_runs_menu(self, run: str) -> QMenu:
        """Make the menu of a listed run; with an empty name, of none."""
        runs, front = self._window.runs, self._window.front
        found = runs.summary(RunId(run))
        if front is None or found is None:
            menu = QMenu(self._parent)
        else:
            menu = runs_menu(found, front, runs.pair, self._check_script, self._save_bundle, self._parent)
        menu.addSeparator()
        menu.addAction(self._window.menus.action("file.trace"))
        return menu

    def make_tab_menu(self) -> QMenu:
        """Make the menu of the tab in front."""
        menu = QMenu(self._parent)
        actions = (self._window.menus.action(name) for name in self._of_tabs)
        menu.addActions([one for one in actions if one.isEnabled()])
        return menu
