"""The project as a tree: its flows first, then what else lies in its folder."""

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from studio.app.project import Project
from studio.ui.look import Look

HIDDEN = frozenset({"__pycache__", "project.json"})
MOST_FILES = 500
"""Files listed in one folder; a data folder may hold thousands."""


class ProjectFilesPanel(QWidget):
    """Shows the files of a project; opening a flow tells `flow_chosen`, any other file `file_chosen`."""

    flow_chosen = Signal(str)
    file_chosen = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._project: Project | None = None
        self.tree = QTreeWidget(self)
        self.tree.setHeaderHidden(True)
        self.tree.setIndentation(look.length("space.large"))
        self.tree.setAccessibleName(self.tr("Project files"))
        self.tree.itemActivated.connect(self._open)
        self.tree.itemExpanded.connect(self._fill)
        small = look.length("space.small")
        rows = QVBoxLayout(self)
        rows.setContentsMargins(small, small, small, 0)
        rows.addWidget(self.tree)
        look.changed.connect(self._draw)

    def show_project(self, project: Project, current: Path) -> None:
        """List a project's files, the open flow marked."""
        self._project, self._current = project, current
        self._draw()

    def _draw(self) -> None:
        self.tree.clear()
        project = self._project
        if project is None:
            return
        flows = set(project.flows)
        for flow in project.flows:
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
            for path in _entries(Path(item.data(0, Qt.ItemDataRole.UserRole))):
                self._item(item, path, path.name)

    def _open(self, item: QTreeWidgetItem) -> None:
        path = Path(item.data(0, Qt.ItemDataRole.UserRole))
        if self._project is not None and path in self._project.flows:
            self.flow_chosen.emit(str(path))
        elif path.is_file():
            self.file_chosen.emit(str(path))


def _entries(folder: Path) -> Iterator[Path]:
    """What lies in a folder, folders first, without what is hidden."""
    try:
        found = [
            path for path in folder.iterdir() if path.name not in HIDDEN and not path.name.startswith(".")
        ]
    except OSError:
        return
    yield from sorted(found, key=lambda path: (path.is_file(), path.name.casefold()))[:MOST_FILES]
