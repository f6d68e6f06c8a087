"""Every key of the window and the canvas on one page, made of the commands, to read and to change."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import (
    QDialog,
    QHeaderView,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from studio.app.commands import Commands
from studio.ui.canvas.hand.strokes import strokes
from studio.ui.look import Look
from studio.ui.window.help.key_choice import KeyChoice, native

translate = QCoreApplication.translate
COMMAND = Qt.ItemDataRole.UserRole
"""Under this, a row has the id of its command."""


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One thing that keys do, in Qt's portable notation."""

    group: str
    title: str
    keys: tuple[str, ...] = ()
    stroke: str = ""
    """What a hand does instead, in words."""
    command: str = ""
    """The command whose keys these are; those of no command cannot be changed."""


def key_rows(commands: Commands) -> list[KeyRow]:
    """Every command with its keys, by where they can be pressed, and the other keys of panels."""
    on_canvas = translate("keys", "On the canvas and in the outline")
    rows = [
        KeyRow(on_canvas if one.is_local else commands.menu_title(one), one.title, one.keys, command=one.id)
        for one in commands
    ]
    outline = translate("keys", "In the outline")
    return [
        *rows,
        KeyRow(on_canvas, translate("keys", "Cancel, or deselect"), ("Esc",)),
        KeyRow(
            on_canvas,
            translate("keys", "Pan with the mouse while pressed; on its own, add a node"),
            ("Space",),
        ),
        KeyRow(outline, translate("keys", "Expand or collapse a row"), ("Right", "Left")),
        KeyRow(outline, translate("keys", "Rename"), ("F2",)),
        KeyRow(outline, translate("keys", "Add a node"), ("Ins",)),
        KeyRow(outline, translate("keys", "Filter the rows"), ("/",)),
        *_timeline_rows(),
    ]


def _timeline_rows() -> list[KeyRow]:
    timeline = translate("keys", "In the timeline")
    return [
        KeyRow(timeline, translate("keys", "Move from bar to bar"), ("Left", "Right")),
        KeyRow(timeline, translate("keys", "Move from lane to lane"), ("Up", "Down")),
        KeyRow(timeline, translate("keys", "Show the step of a bar everywhere"), ("Return",)),
        KeyRow(timeline, translate("keys", "Select part of the run"), ("Shift+Left", "Shift+Right")),
        KeyRow(
            timeline,
            translate("keys", "Show the run one event earlier or later"),
            ("Ctrl+Left", "Ctrl+Right"),
        ),
        KeyRow(timeline, translate("keys", "Show the run as it is now"), ("End", "Esc")),
        KeyRow(timeline, translate("keys", "Pan"), ("Alt+Left", "Alt+Right")),
        KeyRow(timeline, translate("keys", "Zoom"), ("+", "-")),
        KeyRow(timeline, translate("keys", "Show the whole run"), ("Home", "F")),
    ]


class KeyboardPage(QDialog):
    """A list to read and to search; the keys of a chosen command can be changed below it."""

    def __init__(self, look: Look, commands: Commands, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Keyboard"))
        self._commands = commands
        self._rows: Sequence[KeyRow] = ()
        self._shown: list[tuple[str, str]] = []
        self._items: dict[str, QTreeWidgetItem] = {}
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(self.tr("Search commands"))
        self.field.setAccessibleName(self.tr("Search keys and commands"))
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self._fill)
        self.list = QTreeWidget(self)
        self.list.setColumnCount(2)
        self.list.setHeaderLabels([self.tr("Command"), self.tr("Keys")])
        self.list.setAccessibleName(self.tr("Keyboard shortcuts"))
        self.list.setSelectionBehavior(QTreeWidget.SelectionBehavior.SelectRows)
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.list.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.list.header().setStretchLastSection(False)
        page = QVBoxLayout(self)
        page.setContentsMargins(*(look.length("space.large"),) * 4)
        page.addWidget(self.field)
        page.addWidget(self.list, 1)
        self.keys = KeyChoice(look, commands, self)
        page.addWidget(self.keys)
        self.list.itemSelectionChanged.connect(self._choose)
        self.list.itemActivated.connect(self._edit)
        self.keys.left.connect(self.list.setFocus)
        end = commands.keys.on_change(self._read)
        self.destroyed.connect(end)
        wide = look.length("space.wide")
        self.resize(wide * 36, wide * 28)
        self._strong = look.font("body", strong=True)
        self._read()
        self._choose()

    @property
    def shown(self) -> list[tuple[str, str]]:
        """What is listed: each title with its keys."""
        return self._shown

    def show_command(self, command: str) -> None:
        """Choose the row of a command."""
        item = self._items.get(command)
        if item is not None:
            self.list.setCurrentItem(item)

    def _read(self) -> None:
        """List what keys do now; the chosen row stays chosen."""
        chosen = self.keys.command
        self._rows = [*key_rows(self._commands), *stroke_rows()]
        self._fill()
        self.show_command(chosen)
        self.keys.show_command(chosen)

    def _edit(self) -> None:
        self.keys.edit.setFocus()

    def _choose(self) -> None:
        chosen = self.list.selectedItems()
        self.keys.show_command(str(chosen[0].data(0, COMMAND) or "") if chosen else "")

    def _fill(self) -> None:
        words = self.field.text().casefold().split()
        before = self.list.blockSignals(True)  # the chosen command stays chosen
        self.list.clear()
        self._shown, self._items = [], {}
        groups: dict[str, QTreeWidgetItem] = {}
        for row in self._rows:
            keys = [native(key) for key in row.keys] or [row.stroke]
            said = f"{row.group} {row.title} {' '.join(keys)}".casefold()
            if not all(word in said for word in words):
                continue
            group = groups.get(row.group)
            if group is None:
                group = groups[row.group] = QTreeWidgetItem(self.list, [row.group])
                group.setFont(0, self._strong)
                group.setFirstColumnSpanned(True)
            self._shown.append((row.title, self.tr(" or ").join(keys)))
            item = QTreeWidgetItem(group, [*self._shown[-1]])
            item.setData(0, COMMAND, row.command)
            self._items[row.command] = item
        self.list.expandAll()
        self.list.blockSignals(before)


def stroke_rows() -> list[KeyRow]:
    """What mouse and fingers do on the canvas."""
    group = translate("keys", "Mouse and touch, on the canvas")
    return [KeyRow(group, title, stroke=stroke) for title, stroke in strokes()]


def show_keyboard(look: Look, commands: Commands, window: QWidget) -> KeyboardPage:
    """Open the page over a window."""
    page = KeyboardPage(look, commands, window)
    page.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    page.open()
    return page
