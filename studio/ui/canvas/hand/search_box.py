"""A field over a list, laid over the canvas: typing narrows, arrows lead, Enter takes, Escape closes."""

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QKeyEvent, QPalette
from PySide6.QtWidgets import QFrame, QLineEdit, QListView, QWidget

from studio.ui.canvas.style import Role, Style
from studio.ui.layouts import column_layout

EDGE = 8
"""Widget points that stay free between the box and the canvas's edges."""
_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Tab: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_Backtab: -1}
_KEYS = {*_STEPS, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape}
"""Keys that mean the list while the field is open, whatever the window's shortcuts are."""
_COLORS = (
    (QPalette.ColorRole.Base, "surface.panel"),
    (QPalette.ColorRole.Window, "surface.panel"),
    (QPalette.ColorRole.Text, "text.strong"),
    (QPalette.ColorRole.WindowText, "text.muted"),
    (QPalette.ColorRole.PlaceholderText, "text.muted"),
    (QPalette.ColorRole.Highlight, "surface.selection"),
    (QPalette.ColorRole.HighlightedText, "text.strong"),
)


class SearchBox(QFrame):
    """Field, list, and where they stand; what is listed and what Enter does, its kinds say."""

    def __init__(self, canvas: QWidget, hint: str) -> None:
        super().__init__(canvas)
        self.canvas = self.back = canvas
        """What it lies over, and what gets the keyboard back."""
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(hint)
        self.field.setFrame(False)
        self.field.textChanged.connect(self.search)
        self.field.installEventFilter(self)
        self._list: QListView | None = None
        self.hide()

    def search(self, typed: str) -> None:
        """List what fits."""
        raise NotImplementedError

    def choose(self) -> None:
        """Take what is pointed at in the list."""
        raise NotImplementedError

    def fill(self, found: QListView, name: str, *rows: QWidget) -> None:
        """Lay out the rows, `found` among them, which becomes the list; the keyboard stays in the field."""
        found.setFrameShape(QFrame.Shape.NoFrame)
        found.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        found.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        found.setAccessibleName(name)
        found.clicked.connect(self.choose)
        self._list = found
        layout = column_layout(self, EDGE, 6)
        for row in rows:
            layout.addWidget(row)

    def wear(self, style: Style, *parts: QWidget) -> None:
        """Give itself and its parts the colours of a theme."""
        colors = self.palette()
        for role, name in _COLORS:
            colors.setColor(role, style.color(name))
        for widget in (self, self.field, *parts):
            widget.setPalette(colors)
        self.field.setFont(style.fonts[Role.TITLE])

    def show_near(self, at: QPoint, width: int) -> None:
        """Open with its upper left corner at a widget point, or as near as there is room."""
        self.setFixedWidth(width)
        self.adjustSize()
        room = self.canvas.rect().adjusted(EDGE, EDGE, -EDGE, -EDGE)
        x = max(room.left(), min(at.x(), room.right() - self.width()))
        y = max(room.top(), min(at.y(), room.bottom() - self.height()))
        self.move(x, y)
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def dismiss(self) -> None:
        """Close without taking anything, and give the keyboard back."""
        self.hide()
        self.back.setFocus(Qt.FocusReason.OtherFocusReason)

    def point_at(self, row: int) -> None:
        """Point at a row of the list."""
        if self._list is not None:
            self._list.setCurrentIndex(self._list.model().index(row, 0))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keys of the field that mean the list, and the field losing the keyboard."""
        if isinstance(event, QKeyEvent) and event.key() in _KEYS:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self._take_key(Qt.Key(event.key()))
                return True
        if event.type() == QEvent.Type.FocusOut and self.isVisible():
            self.hide()
        return super().eventFilter(watched, event)

    def _take_key(self, key: Qt.Key) -> None:
        rows = self._list.model().rowCount() if self._list is not None else 0
        if key in _STEPS:
            if self._list is not None and rows:
                self.point_at((self._list.currentIndex().row() + _STEPS[key]) % rows)
        elif key == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            self.choose()
