"""The menus, made of the commands; their keys work wherever the keyboard is."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from studio.app.commands import Commands, Offer


class Menus(QMenuBar):
    """One menu for each of those that commands name."""

    def __init__(self, commands: Commands, window: QWidget) -> None:
        super().__init__(window)
        self._commands = commands
        self._made: dict[str, QAction] = {}
        self.groups: dict[str, QMenu] = {}
        for offer in commands:
            if not offer.menu:
                continue
            title = commands.menu_title(offer)
            menu = self.groups.get(title)
            if menu is None:
                menu = self.groups[title] = self.addMenu(f"&{title}")
                menu.aboutToShow.connect(self.refresh)
            inner = commands.submenus.get(offer.id)
            is_first = inner is None or self._known(menu, inner) is None
            if is_first and offer.command.begins and menu.actions():
                menu.addSeparator()
            if inner is not None:
                menu = self._known(menu, inner) or menu.addMenu(inner)
            made = self._make(offer)
            menu.addAction(made)
            window.addAction(made)
            if inner is not None:
                tips = [one.toolTip() != one.text() for one in menu.actions()]
                menu.setToolTipsVisible(all(tips))
        self._name_keys()
        commands.on_change(self.refresh)
        commands.keys.on_change(self._name_keys)
        self.refresh()

    def _known(self, menu: QMenu, title: str) -> QMenu | None:
        """The submenu of this title, which stands where the first of its commands would."""
        found = next((one.menu() for one in menu.actions() if one.menu() and one.text() == title), None)
        return found if isinstance(found, QMenu) else None

    def refresh(self) -> None:
        """Show which commands are possible."""
        for offer in self._commands:
            made = self._made.get(offer.id)
            if made is not None:
                made.setEnabled(offer.is_enabled())

    def action(self, name: str) -> QAction:
        """The menu entry of a command."""
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

    def _make(self, offer: Offer) -> QAction:
        made = QAction(offer.title, self)
        if offer.command.help:
            made.setToolTip(offer.command.help)
        made.triggered.connect(lambda: self._commands.run(offer.id))
        self._made[offer.id] = made
        return made

    def _name_keys(self) -> None:
        """Let each entry name its keys, and hear them, unless they are heard in one place only."""
        for name, made in self._made.items():
            offer = self._commands[name]
            if offer.is_local:
                key = QKeySequence(offer.shortcut).toString(QKeySequence.SequenceFormat.NativeText)
                made.setText(f"{offer.title}\t{key}")
            else:
                made.setShortcuts([QKeySequence(key) for key in offer.keys])
