"""The canvas for screen readers: one widget to Qt, with nodes, ports and wires as its children."""

from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget

from studio.ui.canvas.accessible.news import News
from studio.ui.canvas.accessible.tree import PartTree
from studio.ui.canvas.view import CanvasView


class AccessibleCanvas(QAccessibleWidget):
    """What `QAccessible` knows of a canvas: its parts first, then widgets that are open above it."""

    def __init__(self, canvas: CanvasView) -> None:
        super().__init__(canvas, QAccessible.Role.Canvas, canvas.accessibleName())
        self._canvas = canvas
        self.tree = PartTree(canvas, canvas.desk, lambda: self)
        self.news = News(canvas, self.tree)

    def childCount(self) -> int:
        """Nodes that stand in no area, areas, frames, notes; and open widgets."""
        return len(self.tree.top()) + super().childCount()

    def child(self, index: int) -> QAccessibleInterface | None:  # pyright: ignore[reportIncompatibleMethodOverride]  # null is allowed
        """One of them."""
        top = self.tree.top()
        return top[index] if 0 <= index < len(top) else super().child(index - len(top))

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        """Which of them this is; -1 for none."""
        top = self.tree.top()
        found = next((row for row, part in enumerate(top) if part is child), -1)
        if found >= 0:
            return found
        inner = super().indexOfChild(child)
        return inner + len(top) if inner >= 0 else -1

    def childAt(self, x: int, y: int) -> QAccessibleInterface | None:  # pyright: ignore[reportIncompatibleMethodOverride]  # null is allowed
        """What is at a point of the screen: an open widget, else the innermost part."""
        above = super().childAt(x, y)
        if above is not None:  # pyright: ignore[reportUnnecessaryComparison]  # Qt gives none
            return above
        for part in reversed(self.tree.top()):
            if part.rect().contains(x, y):
                return part.childAt(x, y) or part
        return None

    def focusChild(self) -> QAccessibleInterface | None:  # pyright: ignore[reportIncompatibleMethodOverride]  # null is allowed
        """Where the keyboard stands."""
        board = self._canvas.board
        stand = board.keyboard.at(board.scene)
        if stand is not None and self._canvas.hasFocus():
            return self.tree.at(stand)
        return super().focusChild()
