"""What is done to the rows of the outline: opening, renaming, connecting, and what the canvas's keys do."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QLineEdit

from studio.flow import edits
from studio.flow.edits import boxes
from studio.flow.records import Frame
from studio.ui.canvas.scene.keyboard import Stand
from studio.ui.canvas.view import CanvasView
from studio.ui.panels.outline.model import OutlineModel
from studio.ui.panels.outline.tree import OutlineTree
from studio.ui.viewmodels.flow.outline import Row

OWN_KEYS = frozenset(
    {
        *(Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_PageUp),
        *(Qt.Key.Key_PageDown, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_F2, Qt.Key.Key_Escape),
        *(Qt.Key.Key_Backtab, Qt.Key.Key_Tab, Qt.Key.Key_Space, Qt.Key.Key_Asterisk, Qt.Key.Key_Plus),
    }
)
"""Keys that mean the tree, unless Alt is held; all others mean the canvas, where the same stands selected."""


class Acting:
    """Acts on the current row, through the canvas where that is selected as well."""

    def __init__(self, canvas: CanvasView, tree: OutlineTree, model: OutlineModel) -> None:
        self._canvas, self._board = canvas, canvas.board
        self._tree, self._model = tree, model

    @property
    def row(self) -> Row | None:
        """The current row."""
        return self._model.row_at(self._tree.currentIndex())

    def open(self) -> None:
        """Open a node; at a wire, go to its other end."""
        row = self.row
        if row is None or row.stand is None:
            return
        if row.kind == "wire" and row.stand.wire is not None:
            wire, is_output = row.stand.wire, row.stand.is_output
            far = wire.target if is_output else wire.source
            self._board.keyboard.go_and_select(Stand(far.node, far.port, not is_output))
        elif row.kind == "port":
            self._canvas.linking.open(row.stand, self._tree)
        elif row.kind == "node":
            self._board.opened.tell(row.stand.node)

    def rename(self, row: Row, title: str) -> None:
        """Give a node or frame another title, or a note another text."""
        board = self._board
        if row.kind == "node" and row.node is not None and title:
            node = row.node
            board.do(lambda: edits.set_title(board.flow, node, title))
        elif row.kind == "frame":
            frame: Frame = board.flow.layout.frames[row.box]
            titled = Frame(title, frame.x, frame.y, frame.width, frame.height, frame.color, frame.holds)
            board.do(lambda: boxes.set_frame(board.flow, row.box, titled, f"Rename frame to {title}"))
        elif row.kind == "note":
            note = board.flow.layout.notes[row.box]
            written = type(note)(title, note.x, note.y, note.width, note.height)
            board.do(lambda: boxes.set_note(board.flow, row.box, written, "Write note"))

    def press(self, event: QKeyEvent, field: QLineEdit) -> bool:
        """Do what a key means here, or on the canvas; tells whether it means anything but the tree's own."""
        key, keys = Qt.Key(event.key()), event.modifiers()
        is_alone = keys in {Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier}
        if self._tree.state() == QAbstractItemView.State.EditingState:
            return False
        if key in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and is_alone:
            self.open()
            return True
        if key == Qt.Key.Key_Slash and is_alone:
            field.setFocus()
            return True
        if key == Qt.Key.Key_W and is_alone and (row := self.row) is not None:
            if row.stand is not None:
                self._canvas.linking.open(row.stand, self._tree)
            return True
        if key in OWN_KEYS and not keys & Qt.KeyboardModifier.AltModifier:
            return False
        if key == Qt.Key.Key_Insert:
            self._canvas.run("add")
            return True
        return self._canvas.keys.do(event)

    def ask_menu(self, at: QPoint) -> None:
        """The same menus as on the canvas."""
        row, board = self.row, self._board
        if row is None or row.stand is None:
            return
        is_held = row.spot is not None and board.carries_values(row.stand.node, row.spot)
        if row.kind == "port" and is_held and row.stand.socket is not None:
            self._canvas.port_menu_asked.emit(str(row.stand.socket), row.stand.is_output, at)
        elif row.kind in {"node", "wire"}:
            self._canvas.menu_asked.emit(row.kind, at)
