"""The project as a tree: its flows first, to open, rename, copy and delete, then what else is there."""

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QMenu, QTreeWidget, QTreeWidgetItem, QWidget

from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.popup_menus import pop_up
from studio.workspace.project import Project, flow_files

HIDDEN = frozenset({"__pycache__", "project.json"})
MOST_FILES = 500
"""Files listed in one folder; a data folder may hold thousands."""
KEYS = {"rename": "F2", "duplicate": "Ctrl+D", "delete": "Del"}
"""What is done to the flow that is chosen."""


class _Tree(QTreeWidget):
    """Tells the keys that ask for something to be done to a row."""

    asked = Signal(str)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Hear the keys; all others walk the tree."""
        pressed = QKeySequence(event.keyCombination())
        act = next((name for name, key in KEYS.items() if QKeySequence(key) == pressed), "")
        if act:
            self.asked.emit(act)
        else:
            super().keyPressEvent(event)


class ProjectFilesPanel(QWidget):
    """Shows the files of a project; opening a flow tells `flow_chosen`, any other file `file_chosen`."""

    flow_chosen = Signal(str)
    file_chosen = Signal(str)
    act_asked = Signal(str, str)
    """What is to be done (`rename`, `duplicate`, `variant`, `delete`, `new`), and the flow's path."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._project: Project | None = None
        self._flows: frozenset[Path] = frozenset()
        self.tree = _Tree(self)
        self.tree.setHeaderHidden(True)
        self.tree.setIndentation(look.length("space.large"))
        self.tree.setAccessibleName(self.tr("Project files"))
        self.tree.itemActivated.connect(self._open)
        self.tree.itemExpanded.connect(self._fill)
        self.tree.asked.connect(self._ask)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(self._open_menu)
        small = look.length("space.small")
        rows = column_layout(self, (small, small, small, 0))
        rows.addWidget(self.tree)
        look.changed.connect(self._draw)

    def show_project(self, project: Project, current: Path) -> None:
        """List a project's files, the open flow marked."""
        self._project, self._current = project, current
        self._draw()

    def refresh(self) -> None:
        """Look at the files again."""
        self._draw()

    def make_menu(self, item: QTreeWidgetItem | None) -> QMenu:
        """Make what a right-click, or the menu key, offers on a row or beside them."""
        menu = QMenu(self)
        path = _path(item) if item is not None else None
        if item is not None and path is not None and path.is_file():
            menu.addAction(self.tr("Open"), lambda: self._open(item))
        if path in self._flows:
            menu.addSeparator()
            for act, words in (
                ("rename", self.tr("Rename…")),
                ("duplicate", self.tr("Duplicate")),
                ("variant", self.tr("New variant")),
                ("delete", self.tr("Delete")),
            ):
                menu.addAction(
                    words,
                    QKeySequence(KEYS.get(act, "")),
                    lambda act=act: self.act_asked.emit(act, str(path)),
                )
        menu.addSeparator()
        menu.addAction(self.tr("New flow"), lambda: self.act_asked.emit("new", ""))
        return menu

    def _open_menu(self, at: QPoint) -> None:
        menu = self.make_menu(self.tree.itemAt(at))
        pop_up(menu, self.tree.viewport().mapToGlobal(at))

    def _ask(self, act: str) -> None:
        item = self.tree.currentItem()
        path = _path(item) if item is not None else None  # pyright: ignore[reportUnnecessaryComparison]
        if path in self._flows:
            self.act_asked.emit(act, str(path))

    def _draw(self) -> None:
        self.tree.clear()
        project = self._project
        if project is None:
            return
        found = flow_files(project.root) if project.is_folder else [self._current]
        flows = self._flows = frozenset(found)
        for flow in found:
            item = self._item(self.tree.invisibleRootItem(), flow, project.name_of(flow), "timeline")
            if flow == self._current:
                item.setFont(0, self._look.font(strong=True))
        for path in _entries(project.root):
            if path not in flows:
                self._item(self.tree.invisibleRootItem(), path, path.name)

    def _item(self, parent: QTreeWidgetItem, path: Path, name: str, icon: str = "") -> QTreeWidgetItem:
        item = QTreeWidgetItem(parent, [name])
        item.setData(0, Qt.ItemDataRole.UserRole, str(path))
        item.setToolTip(0, str(path))
        is_folder = path.is_dir()
        icon = icon or ("folder" if is_folder else "file")
        item.setIcon(0, self._look.icon(icon, "accent.action" if icon == "timeline" else "text.muted"))
        if is_folder:
            item.setChildIndicatorPolicy(QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator)
        return item

    def _fill(self, item: QTreeWidgetItem) -> None:
        if item.childCount() == 0:
            for path in _entries(_path(item)):
                self._item(item, path, path.name)

    def _open(self, item: QTreeWidgetItem) -> None:
        path = _path(item)
        if path in self._flows:
            self.flow_chosen.emit(str(path))
        elif path.is_file():
            self.file_chosen.emit(str(path))


def _path(item: QTreeWidgetItem) -> Path:
    return Path(item.data(0, Qt.ItemDataRole.UserRole))


def _entries(folder: Path) -> Iterator[Path]:
    """What lies in a folder, folders first, without what is hidden."""
    try:
        found = [
            path for path in folder.iterdir() if path.name not in HIDDEN and not path.name.startswith(".")
        ]
    except OSError:
        return
    yield from sorted(found, key=lambda path: (path.is_file(), path.name.casefold()))[:MOST_FILES]
