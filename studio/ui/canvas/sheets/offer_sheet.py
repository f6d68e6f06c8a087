"""The small sheet on which the canvas offers an edit: Enter takes it, anything else goes on without."""

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QPushButton, QWidget

from studio.ui.canvas.board import Board
from studio.ui.canvas.scene.offer import Offer
from studio.ui.canvas.style import Role
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout

WIDTH = 300
GAP = 10
_TAKES = {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space}
_STAYS = {Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt}

_RETURNING = {Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason}


class OfferSheet(QFrame):
    """Shows one offer near what it is about, until it is taken, left, or no longer true."""

    def __init__(self, canvas: QWidget, board: Board) -> None:
        super().__init__(canvas)
        self._canvas, self._board = canvas, board
        self._offer: Offer | None = None
        self.sentence = text_label("", self, wraps=True)
        self.take = QPushButton(self)
        self.other = QPushButton(self)
        self.leave = QPushButton(self.tr("Leave it"), self)
        self.take.clicked.connect(self._take)
        self.other.clicked.connect(self._take_other)
        self.leave.clicked.connect(self.dismiss)
        buttons = QHBoxLayout()
        for button in (self.take, self.other, self.leave):
            buttons.addWidget(button)
        buttons.addStretch(1)
        rows = column_layout(self, (12, 10, 12, 10))
        rows.addWidget(self.sentence)
        rows.addLayout(buttons)
        self.hide()
        for button in (self.take, self.other, self.leave):
            button.installEventFilter(self)
        board.offered_way.subscribe(self.show_offer)
        end = board.document.history.on_change(self._follow)
        canvas.destroyed.connect(lambda: end())  # noqa: PLW0108 - the document outlives its canvas

    def show_offer(self, offer: Offer) -> None:
        """Show an offer, its button ready for Enter."""
        self._offer = offer
        style = self._board.style
        colors = self.palette()
        colors.setColor(QPalette.ColorRole.WindowText, style.color("text.strong"))
        self.sentence.setPalette(colors)
        self.sentence.setFont(style.fonts[Role.BODY])
        self.sentence.setText(offer.sentence)
        self.take.setText(offer.choice)
        self.setAccessibleName(offer.sentence)
        self.other.setVisible(offer.other is not None)
        self.other.setText(offer.other[0] if offer.other is not None else "")
        shown = [one for one in (self.take, self.other, self.leave) if not one.isHidden()]
        width = max(WIDTH, sum(one.sizeHint().width() + 8 for one in shown) + 32)
        self.setFixedSize(width, self._height(width))
        at, room = QPointF(*self._board.camera.to_widget(*offer.at)), self._canvas.rect()
        x = max(8, min(round(at.x()), room.right() - self.width() - 8))
        y = max(8, min(round(at.y()) + GAP, room.bottom() - self.height() - 8))
        self.move(x, y)
        self.show()
        self.raise_()
        self.take.setFocus(Qt.FocusReason.PopupFocusReason)

    def _height(self, width: int) -> int:
        """As high as all lines of the sentence need: by itself a layout goes by fewer."""
        rows = self.layout()
        assert rows is not None  # noqa: S101  # it was given one at first
        rows.activate()
        return rows.totalHeightForWidth(width)

    def dismiss(self) -> None:
        """Go on without."""
        if not self.isVisible():
            return
        had_keyboard = self.isAncestorOf(QApplication.focusWidget() or self._canvas)
        self._offer = None
        self.hide()
        if had_keyboard:
            self._canvas.setFocus(Qt.FocusReason.OtherFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Go when the hand goes on elsewhere; let keys that are not for the sheet reach the canvas."""
        if not self.isVisible():
            return False
        if event.type() == QEvent.Type.FocusOut:
            is_leaving = isinstance(event, QFocusEvent) and event.reason() not in _RETURNING
            if is_leaving and QApplication.focusWidget() not in {self.take, self.other, self.leave}:
                self._offer = None
                self.hide()
            return False
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        if event.key() in _TAKES and isinstance(watched, QPushButton):
            watched.click()
            return True
        if event.key() in _STAYS:
            return False
        self.dismiss()
        if event.key() != Qt.Key.Key_Escape:
            QApplication.sendEvent(self._canvas, event)
        return True

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the raised ground."""
        del event
        style = self._board.style
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(style.color("accent.action"), 1))
        painter.setBrush(style.color("surface.panel"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        painter.end()

    def _take(self) -> None:
        offer = self._offer
        self.dismiss()
        if offer is not None:
            offer.act()

    def _take_other(self) -> None:
        offer = self._offer
        self.dismiss()
        if offer is not None and offer.other is not None:
            offer.other[1]()

    def _follow(self, _change: object) -> None:
        if self._offer is not None:
            self.dismiss()
