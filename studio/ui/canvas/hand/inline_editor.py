"""Writing the title of a node or frame, or a note's text, where it stands on the canvas."""

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QFont, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from studio.flow import edits
from studio.flow.edits import boxes
from studio.flow.records import Frame, Note, title_of
from studio.ids import NodeId
from studio.ui.canvas.board import Board
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.scene.box_places import TITLE, Key
from studio.ui.canvas.scene.geometry import HEADER, WIDTH
from studio.ui.canvas.sight import View, widget_rect
from studio.ui.canvas.style import Role

LEAST_WIDTH = 160
LEAST_HEIGHT = 64
GAP = 4
"""Between an editor and the canvas's edge, beyond which it never lies."""
_ENDS = {Qt.Key.Key_Return, Qt.Key.Key_Enter}


class Writing(QObject):
    """One editor over the canvas: Enter (in notes Ctrl+Enter) or a click elsewhere keeps, Escape drops."""

    def __init__(self, canvas: QWidget, board: Board) -> None:
        super().__init__(canvas)
        self._canvas, self._board = canvas, board
        self._key: Key | NodeId | None = None
        self.editor: QLineEdit | QPlainTextEdit | None = None
        """What is being written in; None while nothing is."""
        board.box_opened.subscribe(self.open)
        board.keyboard.title_asked.subscribe(self.open_title)

    def open(self, key: Key) -> None:
        """Write in a frame's title or a note."""
        self.keep()
        board, box = self._board, self._board.scene.standing.box(key)
        rect = board.scene.standing.rect(key)
        if box is None or rect is None:
            return
        place = self._place(rect)
        if isinstance(box, Frame):
            editor: QLineEdit | QPlainTextEdit = self._line(box.title, self.tr("Title of the frame"))
            height = max(editor.sizeHint().height(), round(TITLE * board.camera.scale))
            place = QRect(place.left(), place.top(), max(place.width(), LEAST_WIDTH), height)
        else:
            pages = QPlainTextEdit(box.text, self._canvas)
            pages.setPlaceholderText(self.tr("Write a note; `#` begins a heading, `-` a list, `**` bold"))
            pages.setAccessibleName(self.tr("Text of the note"))
            pages.setTabChangesFocus(True)
            editor = pages
            size = max(place.width(), LEAST_WIDTH), max(place.height(), LEAST_HEIGHT)
            place = QRect(place.left(), place.top(), *size)
        self._begin(editor, place, key)

    def open_title(self, node: NodeId) -> None:
        """Write in a node's title."""
        self.keep()
        board = self._board
        if node not in board.scene.row:
            return
        editor, place = (
            self._line(title_of(board.flow, node), self.tr("Title of the node")),
            self._place(board.scene.rect(node)),
        )
        height = max(editor.sizeHint().height(), round(HEADER * board.camera.scale))
        width = max(min(place.width(), round(WIDTH * board.camera.scale)), LEAST_WIDTH)
        self._begin(editor, QRect(place.left(), place.top(), width, height), node)

    def _line(self, text: str, about: str) -> QLineEdit:
        line = QLineEdit(text, self._canvas)
        line.setPlaceholderText(about)
        line.setAccessibleName(about)
        line.selectAll()
        return line

    def _place(self, rect: Rect) -> QRect:
        canvas, board = self._canvas, self._board
        return widget_rect(rect, View(board.camera, canvas.width(), canvas.height(), board.ratio)).toRect()

    def _begin(self, editor: QLineEdit | QPlainTextEdit, place: QRect, key: Key | NodeId) -> None:
        """Lay an editor over what it writes, inside the canvas, and give it the keyboard."""
        canvas = self._canvas
        editor.setFont(self._font(Role.TITLE if isinstance(editor, QLineEdit) else Role.BODY))
        place.moveRight(min(place.right(), canvas.width() - GAP))
        place.moveBottom(min(place.bottom(), canvas.height() - GAP))
        editor.setGeometry(place)
        editor.installEventFilter(self)
        self.editor, self._key = editor, key
        editor.show()
        editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def keep(self) -> None:
        """Take what was written into the flow: one step, none where nothing was changed."""
        editor, key = self._close()
        if editor is None or key is None:
            return
        board = self._board
        if not isinstance(key, Key):
            title = editor.text().strip() if isinstance(editor, QLineEdit) else ""
            if title and key in board.flow.nodes and title != title_of(board.flow, key):
                board.do(lambda: edits.set_title(board.flow, key, title))
            return
        box = board.scene.standing.box(key)
        if isinstance(box, Frame) and isinstance(editor, QLineEdit):
            frame = Frame(editor.text(), box.x, box.y, box.width, box.height, box.color, box.holds)
            board.do(lambda: boxes.set_frame(board.flow, key.name, frame, "Rename frame"))
        elif isinstance(box, Note) and isinstance(editor, QPlainTextEdit):
            note = Note(editor.toPlainText(), box.x, box.y, box.width, box.height)
            board.do(lambda: boxes.set_note(board.flow, key.name, note, "Write note"))

    def drop(self) -> None:
        """Leave everything as it was."""
        self._close()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """End with Enter, Escape, or when the keyboard goes elsewhere."""
        if watched is not self.editor:
            return super().eventFilter(watched, event)
        if event.type() == QEvent.Type.FocusOut:
            self.keep()
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            is_line = isinstance(self.editor, QLineEdit)
            has_control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            if event.key() == Qt.Key.Key_Escape:
                self.drop()
                self._canvas.setFocus(Qt.FocusReason.OtherFocusReason)
                return True
            if event.key() in _ENDS and (is_line or has_control):
                self.keep()
                self._canvas.setFocus(Qt.FocusReason.OtherFocusReason)
                return True
        return super().eventFilter(watched, event)

    def _close(self) -> tuple[QLineEdit | QPlainTextEdit | None, Key | NodeId | None]:
        editor, key = self.editor, self._key
        self.editor = self._key = None
        if editor is not None:
            editor.removeEventFilter(self)
            editor.hide()
            editor.deleteLater()
        return editor, key

    def _font(self, role: Role) -> QFont:
        """The font of what is replaced, as large as the camera shows it, and never too small to read."""
        font = QFont(self._board.style.fonts[role])
        if font.pixelSize() > 0:
            font.setPixelSize(max(font.pixelSize(), round(font.pixelSize() * self._board.camera.scale)))
        else:
            font.setPointSizeF(font.pointSizeF() * max(1.0, self._board.camera.scale))
        return font
