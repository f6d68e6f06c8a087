"""Frames and notes, as a screen reader walks them."""

from collections.abc import Sequence

from PySide6.QtGui import QAccessible

from studio.flow.records import Frame, Note
from studio.ui.canvas.accessible.part import Act, Part, Tree
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.scene.box_places import Key
from studio.ui.canvas.things import node_places


class FramePart(Part):
    """A titled frame behind nodes."""

    def __init__(self, tree: Tree, frame: str) -> None:
        super().__init__(tree)
        self.frame = frame

    def _record(self) -> Frame | None:
        return self.flow.layout.frames.get(self.frame)

    def exists(self) -> bool:
        """Whether it is shown: the flow has it, and no collapsed frame hides it."""
        return self.place() is not None

    def name(self) -> str:
        """Its title."""
        record = self._record()
        return record.title if record is not None else ""

    def description(self) -> str:
        """That it is a frame, and how many nodes stand in it."""
        standing, places = self.board.scene.standing, node_places(self.board)
        record, count = self._record(), len(standing.inside(self.frame, places).nodes)
        tr = self.tree.canvas.tr
        if record is not None and record.holds:
            return tr("collapsed frame that hides {0} nodes").format(count)
        return tr("frame around {0} nodes").format(count)

    def place(self) -> Rect | None:
        """The frame, or its bar."""
        return self.board.scene.standing.rect(Key("frame", self.frame))

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
        """Whether it is shown: the flow has it, and no collapsed frame hides it."""
        return self.place() is not None

    def name(self) -> str:
        """Its text."""
        record = self._record()
        return record.text if record is not None else ""

    def description(self) -> str:
        """That it is a note."""
        return self.tree.canvas.tr("note")

    def place(self) -> Rect | None:
        """The note."""
        return self.board.scene.standing.rect(Key("note", self.note))

    def acts(self) -> Sequence[Act]:
        """Selecting it."""
        select = self.tree.desk.board.document.selection.select
        return (("SetFocus", self.tree.canvas.tr("Select"), lambda: select(notes=[self.note])),)

    def mark(self, state: QAccessible.State) -> None:
        """Selected."""
        state.selected = self.note in self.board.document.selection.now.notes
