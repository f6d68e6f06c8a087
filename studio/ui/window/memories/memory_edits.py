"""What a person does to the memories of a project: edits, forgets, takes in and out, mends, and undoes."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog

from studio.app.memories.project_memories import ProjectMemories
from studio.errors import StepwireError
from studio.sdk.items import Item
from studio.ui.dialogs import Wanted, file_dialog
from studio.ui.panels.memories.item_sheet import ItemSheet
from studio.ui.panels.widgets.notice import NoticeBar, Remedy
from studio.ui.slots import of_text
from studio.ui.viewmodels.memories.memory_rows import MemoryRow
from studio.ui.window.background import Aside
from studio.ui.window.workspace import Workspace

MEMORY_MATTER = "memory"
"""The key of notices about memories."""
SUFFIX = "jsonl"


class MemoryEdits(QObject):
    """Does what is asked in the panel of an open flow, beside the window; all but mending can be undone."""

    changed = Signal()
    """Files are others now."""
    written = Signal(str, str)
    """The memory in which somebody wrote an item, and the id of that."""

    def __init__(self, workspace: Workspace, project: ProjectMemories, notices: NoticeBar) -> None:
        super().__init__(workspace)
        self._work, self._project, self._notices = workspace, project, notices
        self._aside = Aside(self)

    def act(self, name: str, row: MemoryRow, item: Item | None, items: Sequence[Item]) -> None:
        """Do something to the memory of a row, of which an item is chosen and these are shown."""
        match name:
            case "add":
                self._edit(row, None)
            case "edit":
                self._edit(row, item)
            case "remove" if item is not None:
                said = self.tr("The item has been deleted.")
                self._change(row, lambda: self._project.remove(row.name, [item.id]), said)
            case "clear":
                said = self.tr("All items of “{name}” have been deleted.").format(name=row.name)
                self._change(row, lambda: self._project.clear(row.name), said)
            case "undo":
                self._notices.settle(MEMORY_MATTER)
                self._change(row, lambda: self._project.undo(row.name))
            case "import":
                self._ask_import(row)
            case "export":
                self._ask_export(row, items)
            case "mend":
                said = self.tr("“{name}” is repaired; the damaged file is kept beside it.").format(
                    name=row.name
                )
                self._change(row, lambda: self._project.mend(row.name), said, can_undo=False)
            case "take":
                self._take(row)
            case _:
                pass

    def tell(self, error: Exception) -> None:
        """Say what went wrong."""
        self._notices.say(str(error), tone="held", key=MEMORY_MATTER)

    def _edit(self, row: MemoryRow, item: Item | None) -> None:
        sheet = ItemSheet(self._work.look, row.kind, item, self._work.canvas.window())

        def keep() -> None:
            try:
                made = sheet.item()
            except (StepwireError, ValueError) as error:
                self.tell(error)
                return
            self.written.emit(row.name, made.id)
            before = item.id if item is not None else ""
            self._change(row, lambda: self._project.put(row.name, [made], instead_of=before))

        sheet.accepted.connect(keep)
        sheet.finished.connect(sheet.deleteLater)
        sheet.open()

    def _ask_import(self, row: MemoryRow) -> None:
        dialog = self._dialog(self.tr("Import items"), "", Wanted.FILE)
        said = self.tr("The items have been imported.")
        dialog.fileSelected.connect(
            of_text(
                lambda path: self._change(row, lambda: self._project.import_from(row.name, Path(path)), said)
            )
        )
        dialog.open()

    def _ask_export(self, row: MemoryRow, items: Sequence[Item]) -> None:
        dialog = self._dialog(self.tr("Export items"), f"{row.name}.{SUFFIX}", Wanted.NEW_FILE)
        dialog.setDefaultSuffix(SUFFIX)
        dialog.fileSelected.connect(of_text(lambda path: self.export(items, Path(path))))
        dialog.open()

    def export(self, items: Sequence[Item], path: Path) -> None:
        """Write items as JSON lines."""

        def take(found: int | Exception) -> None:
            if isinstance(found, Exception):
                self.tell(found)
            else:
                said = self.tr("{count} items were exported to {path}.")
                self._work.told.emit(said.format(count=found, path=path))

        self._aside.begin(lambda: self._project.export_to(items, path), take)

    def _dialog(self, title: str, name: str, wanted: Wanted) -> QFileDialog:
        folder = self._work.session.project.root
        dialog = file_dialog(self._work.canvas.window(), title, folder / name, wanted)
        dialog.setNameFilter(self.tr("JSON lines (*.jsonl)"))
        return dialog

    def _take(self, row: MemoryRow) -> None:
        state = self._work.shown.live_state
        if state is not None:
            said = self.tr("This run's memory is saved to the project.")
            self._change(row, lambda: self._project.take(state, row.name), said)

    def _change(
        self, row: MemoryRow, act: Callable[[], object], said: str = "", *, can_undo: bool = True
    ) -> None:
        """Change a memory; what was done can be undone, as long as nothing else has happened to it."""

        def work() -> int:
            act()
            return self._project.find(row.name).version

        def take(found: int | Exception) -> None:
            self.changed.emit()
            if isinstance(found, Exception):
                self.tell(found)
            elif said:
                undo = Remedy(self.tr("Undo"), lambda: self._undo(row, found))
                self._notices.say(said, undo if can_undo else None, tone="skipped", key=MEMORY_MATTER)

        self._aside.begin(work, take)

    def _undo(self, row: MemoryRow, version: int) -> None:
        self._change(row, lambda: self._project.undo(row.name, version))
