"""The menus, made of the actions; their shortcuts work wherever the keyboard is."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from studio.app.actions import Action, Actions
from studio.ui.canvas.commands.catalog import all_commands
from studio.ui.window.actions.canvas import CANVAS

BREAKS = {
    *("file.save", "file.export", "file.close", "edit.go", "flow.subflow", "view.next_flow"),
    *(
        "view.search",
        "view.script",
        "view.theme_system",
        "run.hold",
        "run.next_run",
        "run.to_here",
        "run.breakpoint",
        "run.from_here",
        "run.case",
        "help.about",
    ),
}
"""Actions before which a menu draws a line, beside the commands of the canvas that say so themselves."""


class Menus(QMenuBar):
    """One menu for each group of actions."""

    def __init__(self, actions: Actions, window: QWidget) -> None:
        super().__init__(window)
        self._actions = actions
        self._made: dict[str, QAction] = {}
        self.groups: dict[str, QMenu] = {}
        breaks = BREAKS | {f"{CANVAS}{command.name}" for command in all_commands() if command.begins}
        for action in actions:
            menu = self.groups.get(action.group)
            if menu is None:
                menu = self.groups[action.group] = self.addMenu(f"&{action.group}")
                menu.aboutToShow.connect(self.refresh)
            if action.id in breaks and menu.actions():
                menu.addSeparator()
            made = self._make(action)
            menu.addAction(made)
            window.addAction(made)
        actions.on_change(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show which actions are possible."""
        for action in self._actions:
            made = self._made.get(action.id)
            if made is not None:
                made.setEnabled(action.is_enabled())

    def action(self, name: str) -> QAction:
        """The menu entry of an action."""
        return self._made[name]

    def put_into(self, group: str, inner: str) -> QMenu:
        """Make the menu of one group the last one within another; gives it back, with a line at its end."""
        menu = self.groups[inner]
        self.removeAction(menu.menuAction())
        self.groups[group].addSeparator()
        self.groups[group].addMenu(menu)
        menu.addSeparator()
        return menu

    def add_recent(
        self, menu: QMenu, before: QAction, paths: Callable[[], list[Path]], act: Callable[[Path], None]
    ) -> None:
        """Put a menu of paths before an entry; it is filled whenever it is opened."""
        recent = QMenu(self.tr("Open recent"), menu)
        menu.insertMenu(before, recent)

        def fill() -> None:
            recent.clear()
            for path in paths():
                recent.addAction(path.name, lambda path=path: act(path)).setToolTip(str(path))
            recent.setEnabled(bool(recent.actions()))

        recent.setToolTipsVisible(True)
        recent.aboutToShow.connect(fill)
        menu.aboutToShow.connect(fill)
        fill()

    def _make(self, action: Action) -> QAction:
        made = QAction(action.title, self)
        if action.id.startswith(CANVAS):
            made.setText(
                f"{action.title}\t{QKeySequence(action.shortcut).toString(QKeySequence.SequenceFormat.NativeText)}"
            )
        elif action.shortcut:
            made.setShortcut(QKeySequence(action.shortcut))
        if action.help:
            made.setToolTip(action.help)
        made.triggered.connect(lambda: self._actions.run(action.id))
        self._made[action.id] = made
        return made
