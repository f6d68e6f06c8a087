"""Small sheets over the canvas that stand at something in the scene and go when the hand goes elsewhere."""

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QVBoxLayout, QWidget

from studio.ui.canvas.camera import Camera
from studio.ui.look import Look

GAP = 6
"""Widget points between a sheet and what it is about, and between it and the canvas's edges."""


class Sheet(QFrame):
    """A frame below a place in the scene; goes with the camera, and when Escape or the keyboard leaves it."""

    closed = Signal()

    def __init__(self, look: Look, place: QRectF, canvas: QWidget) -> None:
        super().__init__(canvas)
        self.look = look
        self._canvas, self._place = canvas, place
        self._camera: Camera | None = None
        self.setProperty("card", True)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.rows = QVBoxLayout(self)
        small = look.length("space.small")
        self.rows.setContentsMargins(small, small, small, small)
        self.rows.setSpacing(look.length("space.tight"))
        self._returns = True

    def open_sheet(self, camera: Camera) -> None:
        """Show it where it belongs, with the keyboard in it."""
        self.follow(camera)
        self.show()
        self.raise_()
        self.focus_first()
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._focus_moved)

    def focus_first(self) -> None:
        """Give the keyboard to what is wanted first."""
        self.setFocus(Qt.FocusReason.PopupFocusReason)

    def follow(self, camera: Camera) -> None:
        """Stand below the place as this camera sees it, or above where there is no room below."""
        size = (self.width(), self.height(), self._canvas.width(), self._canvas.height())
        self.adjustSize()
        if self.rows.hasHeightForWidth():  # adjusting goes by the width that sentences have on one line
            self.resize(self.width(), self.rows.totalHeightForWidth(self.width()))
        if camera == self._camera and size == (
            self.width(),
            self.height(),
            self._canvas.width(),
            self._canvas.height(),
        ):
            return
        self._camera = camera
        left, top = camera.to_widget(self._place.left(), self._place.top())
        bottom = camera.to_widget(0, self._place.bottom())[1]
        y = bottom + GAP
        if y + self.height() > self._canvas.height() - GAP:
            y = max(GAP, min(top - GAP - self.height(), self._canvas.height() - GAP - self.height()))
        x = max(GAP, min(left, self._canvas.width() - GAP - self.width()))
        self.move(QPoint(round(x), round(max(GAP, y))))

    def leave(self) -> None:
        """The keyboard went elsewhere: close. Subclasses keep first what is to be kept."""
        self._returns = False
        self.dismiss()

    def dismiss(self) -> None:
        """Close, and give the keyboard back to the canvas if it is still here."""
        if self.isHidden():
            return
        if self._returns:
            self._canvas.setFocus(Qt.FocusReason.OtherFocusReason)
        self.hide()
        self.closed.emit()
        self.close()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Escape closes, also from the fields that are in it."""
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.dismiss()
                return True
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys that nothing in it took end here: they are not for the canvas beneath."""
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        event.accept()

    def _focus_moved(self, _old: QWidget | None, now: QWidget | None) -> None:
        if self.isHidden() or now is None or now is self or self.isAncestorOf(now):
            return
        if now.window() is not self.window():
            return
        self.leave()
