"""Frames and notes, as a screen reader walks them."""

from collections.abc import Sequence

from PySide6.QtGui import QAccessible

from studio.flow.records import Frame, Note
from studio.ui.canvas.accessible.part import Act, Part, Tree
from studio.ui.canvas.camera import Rect


class FramePart(Part):
    """A titled frame behind nodes."""

    def __init__(self, tree: Tree, frame: str) -> None:
        super().__init__(tree)
        self.frame = frame

    def _record(self) -> Frame | None:
        return self.flow.layout.frames.get(self.frame)

    def exists(self) -> bool:
        """Whether the flow has it."""
        return self._record() is not None

    def name(self) -> str:
        """Its title."""
        record = self._record()
        return record.title if record is not None else ""

    def description(self) -> str:
        """That it is a frame, and how many nodes stand in it."""
        record, scene = self._record(), self.board.scene
        if record is None:
            return ""
        box = Rect(record.x, record.y, record.width, record.height)
        rows: list[int] = scene.rows_in(box).tolist()
        inside = [row for row in rows if _holds(box, scene.rect(scene.ids[row]))]
        return self.tree.canvas.tr("frame around {0} nodes").format(len(inside))

    def place(self) -> Rect | None:
        """The frame."""
        record = self._record()
        return Rect(record.x, record.y, record.width, record.height) if record is not None else None

    def acts(self) -> Sequence[Act]:
        """Selecting it."""
        select = self.tree.desk.board.document.selection.select
        return (("SetFocus", self.tree.canvas.tr("Select"), lambda: select(frames=[self.frame])),)

    def mark(self, state: QAccessible.State) -> None:
        """Selected."""
        state.selected = self.frame in self.board.document.selection.now.frames


class NotePart(Part):
    """A text on the canvas."""

    role_of = QAccessible.Role.Note

    def __init__(self, tree: Tree, note: str) -> None:
        super().__init__(tree)
        self.note = note

    def _record(self) -> Note | None:
        return self.flow.layout.notes.get(self.note)

    def exists(self) -> bool:
        """Whether the flow has it."""
        return self._record() is not None

    def name(self) -> str:
        """Its text."""
        record = self._record()
        return record.text if record is not None else ""

    def description(self) -> str:
        """That it is a note."""
        return self.tree.canvas.tr("note")

    def place(self) -> Rect | None:
        """The note."""
        record = self._record()
        return Rect(record.x, record.y, record.width, record.height) if record is not None else None

    def acts(self) -> Sequence[Act]:
        """Selecting it."""
        select = self.tree.desk.board.document.selection.select
        return (("SetFocus", self.tree.canvas.tr("Select"), lambda: select(notes=[self.note])),)

    def mark(self, state: QAccessible.State) -> None:
        """Selected."""
        state.selected = self.note in self.board.document.selection.now.notes


def _holds(box: Rect, inner: Rect) -> bool:
    return box.contains(inner.x, inner.y) and box.contains(inner.right, inner.bottom)
