"""Tells screen readers what happens on a canvas; made with the canvas's tree, so only where one listens."""

from collections.abc import Callable, Collection

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleEvent
from PySide6.QtWidgets import QWidget

from studio.app.documents.selection import Selected
from studio.flow.change import Change
from studio.ids import NodeId
from studio.ui.canvas.accessible.part import Part
from studio.ui.canvas.accessible.tree import PartTree

FEW = 16
"""Parts whose selection, coming or going is told one by one; more are told as a change of the whole."""

Tell = Callable[[QAccessibleEvent], None]


class News(QObject):
    """Hears the selection, the keyboard and the flow, and passes on what changed."""

    def __init__(self, canvas: QWidget, tree: PartTree, tell: Tell = QAccessible.updateAccessibility) -> None:
        super().__init__(canvas)
        self._canvas, self._tree, self.tell = canvas, tree, tell
        board = tree.desk.board
        self._selected = board.document.selection.now
        self._focused: Part | None = None
        self._endings = [
            board.document.selection.on_change(self._hear_selection),
            board.keyboard.moved.subscribe(self._hear_focus),
            board.document.history.on_change(self._hear_change),
            board.refused.subscribe(self._say),
            board.told_anew.subscribe(self._hear_run),
        ]
        canvas.installEventFilter(self)
        canvas.destroyed.connect(self.close)

    def close(self) -> None:
        """Stop listening."""
        for end in self._endings:
            end()
        self._endings.clear()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """With the canvas, what stands there gets the keyboard."""
        if event.type() == QEvent.Type.FocusIn:
            self._focused = None
            self._hear_focus()
        return super().eventFilter(watched, event)

    def _hear_focus(self) -> None:
        board = self._tree.desk.board
        stand = board.keyboard.at(board.scene)
        part = self._tree.at(stand) if stand is not None else None
        if part is not None and part is not self._focused and self._canvas.hasFocus():
            self._tell(part, QAccessible.Event.Focus)
        self._focused = part

    def _hear_selection(self, now: Selected) -> None:
        before, self._selected = self._selected, now
        rows = self._tree.desk.board.scene.row
        lost = [self._tree.node(node) for node in before.nodes - now.nodes if node in rows]
        won = [self._tree.node(node) for node in now.nodes - before.nodes if node in rows]
        if len(lost) + len(won) > FEW:
            self._tell(None, QAccessible.Event.SelectionWithin)
        else:
            for part in lost:
                self._tell(part, QAccessible.Event.SelectionRemove)
            for part in won:
                self._tell(part, QAccessible.Event.SelectionAdd)
        self._hear_focus()

    def _hear_change(self, change: Change) -> None:
        made = {part for part in self._tree.made if part.exists()}
        nodes = [node for node in change.nodes if node in self._tree.desk.board.scene.row]
        fresh = [node for node in nodes if change.nodes[node][0] is None]
        is_less = any(after is None for _, after in change.nodes.values())
        if is_less or change.added or change.removed or len(fresh) > FEW:
            self._tell(None, QAccessible.Event.ObjectReorder)
        for node in fresh[:FEW]:
            self._tell(self._tree.node(node), QAccessible.Event.ObjectCreated)
        for node in nodes:
            before, after = change.nodes[node]
            part = self._tree.node(node) if len(nodes) <= FEW else None
            if part is not None and part in made and before is not None and after is not None:
                what = QAccessible.Event.DescriptionChanged
                self._tell(part, QAccessible.Event.NameChanged if before.title != after.title else what)

    def _hear_run(self, nodes: Collection[NodeId]) -> None:
        """Only where the keyboard stands: nobody can listen to a whole flow at work."""
        board = self._tree.desk.board
        stand = board.keyboard.at(board.scene)
        if stand is not None and stand.node in nodes:
            self._tell(self._tree.node(stand.node), QAccessible.Event.DescriptionChanged)

    def _say(self, sentence: str) -> None:
        self.tell(QAccessibleAnnouncementEvent(self._canvas, sentence))

    def _tell(self, part: Part | None, what: QAccessible.Event) -> None:
        event = QAccessibleEvent(self._canvas, what) if part is None else QAccessibleEvent(part, what)
        self.tell(event)
