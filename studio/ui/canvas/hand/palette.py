"""The search palette: type a few letters, press Enter, and the node stands where the pointer was."""

from collections.abc import Collection, Sequence

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from studio.flow.records import Socket, Wire
from studio.ui.canvas.document import CanvasDocument, KindLook
from studio.ui.canvas.hand.fuzzy import ranked
from studio.ui.canvas.hand.recent import RecentKinds
from studio.ui.canvas.style import Role, Style

WIDTH = 320
ROW = 30
MOST_ROWS = 9
_LOOK = Qt.ItemDataRole.UserRole + 1
_KEYS = {
    *(Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Up, Qt.Key.Key_Down),
    *(Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape),
}
"""Keys that mean the list while the field is open, whatever the window's shortcuts are."""


class KindPalette(QFrame):
    """A field, the kinds that fit, and a line that says what the chosen one does."""

    chosen = Signal(str)

    def __init__(self, document: CanvasDocument, style: Style, parent: QWidget) -> None:
        super().__init__(parent)
        self._document = document
        self._canvas = parent
        self._offered: Sequence[KindLook] = ()
        self.recent = RecentKinds()
        """What is offered first."""
        self.scene_point = (0.0, 0.0)
        """Where the node is to stand."""
        self.end: tuple[Socket, bool] | Wire | None = None
        """The wire that waits for the node: a loose one's fixed end and whether that is an output, or a whole
        wire that is to lead through it."""
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(self.tr("Add a node"))
        self.field.setAccessibleName(self.tr("Add a node"))
        self.field.setFrame(False)
        self.field.textChanged.connect(self._search)
        self.field.installEventFilter(self)
        self.found = QListView(self)
        self.found.setFrameShape(QFrame.Shape.NoFrame)
        self.found.setModel(QStandardItemModel(self.found))
        self.found.setUniformItemSizes(True)
        self.found.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.found.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.found.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.found.setAccessibleName(self.tr("Kinds of nodes"))
        self.found.clicked.connect(self._choose)
        self.found.selectionModel().currentChanged.connect(self._describe)
        self.line = QLabel(self)
        self.line.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(6)
        for widget in (self.field, self.found, self.line):
            layout.addWidget(widget)
        self.restyle(style)

    def restyle(self, style: Style) -> None:
        """Wear another theme."""
        self._style = style
        self.found.setItemDelegate(_Row(style, self.found))
        colors = self.palette()
        for role, name in (
            (QPalette.ColorRole.Base, "surface.panel"),
            (QPalette.ColorRole.Window, "surface.panel"),
            (QPalette.ColorRole.Text, "text.strong"),
            (QPalette.ColorRole.WindowText, "text.muted"),
            (QPalette.ColorRole.PlaceholderText, "text.muted"),
        ):
            colors.setColor(role, style.color(name))
        for widget in (self, self.field, self.found, self.line):
            widget.setPalette(colors)
        self.field.setFont(style.fonts[Role.TITLE])
        self.line.setFont(style.fonts[Role.BODY])
        self.update()

    def open_at(
        self,
        at: QPoint,
        scene_point: tuple[float, float],
        kinds: Collection[str] | None = None,
        end: tuple[Socket, bool] | Wire | None = None,
    ) -> None:
        """Show the palette at a widget point with the cursor in its field; `kinds` narrows what it offers."""
        self.scene_point, self.end = scene_point, end
        fitting = (look for look in self._document.kinds() if kinds is None or look.kind in kinds)
        self._offered = self.recent.sorted(fitting)
        self.field.clear()
        self._search("")
        self._place(at)
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def dismiss(self) -> None:
        """Close without adding anything."""
        self.hide()
        self._canvas.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def offered(self) -> list[KindLook]:
        """The kinds in the list, best first."""
        listed = self.found.model()
        return [listed.index(row, 0).data(_LOOK) for row in range(listed.rowCount())]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keys of the field that mean the list, and the field losing the keyboard."""
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and self._take_key(event.key())
        ):
            return True
        if event.type() == QEvent.Type.FocusOut and self.isVisible():
            self.hide()
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the raised ground and the hairline under the field."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._style.color("surface.edge"), 1))
        painter.setBrush(self._style.color("surface.panel"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.setPen(self._style.color("surface.line"))
        for y in (self.field.geometry().bottom() + 3, self.line.geometry().top() - 3):
            painter.drawLine(1, y, self.width() - 2, y)
        painter.end()

    # ---------------------------------------------------------------- inside

    def _take_key(self, key: int) -> bool:
        rows = self.found.model().rowCount()
        row = self.found.currentIndex().row()
        if key in {Qt.Key.Key_Down, Qt.Key.Key_Tab} and rows:
            self._point_at((row + 1) % rows)
        elif key in {Qt.Key.Key_Up, Qt.Key.Key_Backtab} and rows:
            self._point_at((row - 1) % rows)
        elif key in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self._choose()
        elif key == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            return False
        return True

    def _search(self, typed: str) -> None:
        listed = self.found.model()
        assert isinstance(listed, QStandardItemModel)  # noqa: S101 - set above
        listed.clear()
        for look in ranked(self._offered, typed):
            item = QStandardItem(look.title)
            item.setData(look, _LOOK)
            item.setEditable(False)
            listed.appendRow(item)
        self._point_at(0)
        self._describe()

    def _point_at(self, row: int) -> None:
        self.found.setCurrentIndex(self.found.model().index(row, 0))

    def _describe(self) -> None:
        look = self.found.currentIndex().data(_LOOK)
        if isinstance(look, KindLook):
            self.line.setText(look.summary or look.kind)
        elif self._offered:
            self.line.setText(self.tr("Nothing is called that. Escape closes."))
        else:
            self.line.setText(self.tr("No kind of node fits this wire."))

    def _choose(self) -> None:
        look = self.found.currentIndex().data(_LOOK)
        if not isinstance(look, KindLook):
            return
        self.hide()
        self.recent.use(look.kind)
        self.chosen.emit(look.kind)

    def _place(self, at: QPoint) -> None:
        rows = min(MOST_ROWS, max(1, len(self._offered)))
        self.found.setFixedHeight(rows * ROW)
        self.line.setFixedHeight(36)
        self.setFixedWidth(WIDTH)
        self.adjustSize()
        room = self._canvas.rect().adjusted(8, 8, -8, -8)
        x = max(room.left(), min(at.x() - 24, room.right() - self.width()))
        y = max(room.top(), min(at.y() - 20, room.bottom() - self.height()))
        self.move(x, y)


class _Row(QStyledItemDelegate):
    """A kind: the mark of its category, its title, and the category's name at the right."""

    def __init__(self, style: Style, parent: QObject) -> None:
        super().__init__(parent)
        self._style = style

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """One row of the palette."""
        del option, index
        return QSize(WIDTH - 20, ROW)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw one kind."""
        look = index.data(_LOOK)
        if not isinstance(look, KindLook):
            return
        style = self._style
        place = QRectF(option.rect)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType]
        is_current = bool(option.state & QStyle.StateFlag.State_Selected)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        if is_current:
            painter.setBrush(style.color("surface.selection"))
            painter.drawRoundedRect(place.adjusted(0, 1, 0, -1), 5, 5)
        painter.setBrush(style.color(style.category(look.category)))
        middle = place.center().y()
        painter.drawRoundedRect(QRectF(place.left() + 10, middle - 5, 10, 10), 3, 3)
        self._text(painter, place.adjusted(30, 0, -80, 0), look.title, Role.BODY, style.color("text.strong"))
        self._text(
            painter,
            place.adjusted(0, 0, -10, 0),
            look.category,
            Role.SMALL,
            style.color("text.muted"),
            right=True,
        )
        painter.restore()

    def _text(
        self, painter: QPainter, place: QRectF, text: str, role: Role, color: QColor, *, right: bool = False
    ) -> None:
        painter.setFont(self._style.fonts[role])
        painter.setPen(color)
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(
            place, side | Qt.AlignmentFlag.AlignVCenter, self._style.elided(text, role, place.width())
        )
