"""The fields of one breakpoint in the place of the list, with the way back to it."""

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QScrollArea, QToolButton, QWidget

from studio.app.documents.breakpoints import Breakpoint
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout, row_layout
from studio.ui.look import Look
from studio.ui.panels.debugger.breakpoint_form import BreakpointForm
from studio.ui.panels.debugger.breakpoint_rows import BreakRow
from studio.ui.viewmodels.words.breakpoint_advice import Advice

Keep = Callable[[Breakpoint, str], None]
"""Keeps a breakpoint in the place of that with this key."""


class BreakpointPage(QWidget):
    """Enter, Escape and the arrow go back to the list; Escape alone without what was typed last."""

    left = Signal()
    remove_asked = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.form: BreakpointForm | None = None
        self.key = ("", "")
        """The flow and key of the row whose fields are shown."""
        self.back = QToolButton(self)
        self.back.setProperty("plain", True)
        self.back.setToolTip(self.tr("Back to all breakpoints (Esc)"))
        self.back.setAccessibleName(self.back.toolTip())
        self.back.clicked.connect(self.leave)
        self._title = text_label("", self, "strong")
        head = row_layout(margins=0)
        head.addWidget(self.back)
        head.addWidget(self._title, 1)
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        rows = column_layout(self, 0, look.length("space.tight"))
        rows.addLayout(head)
        rows.addWidget(self._area, 1)
        look.changed.connect(self._draw)
        self._draw()

    @property
    def is_shown(self) -> bool:
        """Whether there are fields of a breakpoint."""
        return self.form is not None

    def open(self, row: BreakRow, advice: Advice, keep: Keep) -> None:
        """Show the fields of a row's breakpoint."""
        self.key = row.key
        form = self.form = BreakpointForm(self._look, row.breakpoint, advice, self)
        small = self._look.length("space.small")
        form.layout().setContentsMargins(small, 0, small, small)  # type: ignore[union-attr]  # pyright: ignore[reportOptionalMemberAccess]
        self._title.setText(row.title)

        def take(one: Breakpoint) -> None:
            before, self.key = self.key[1], (self.key[0], one.key)
            keep(one, before)

        form.kept.connect(take)
        form.entered.connect(self.leave)
        form.removed.connect(self.remove_asked)
        self._area.setWidget(form)

    def focus_first(self) -> None:
        """Put the keyboard into the fields."""
        if self.form is not None:
            self.form.focus_first()

    def leave(self) -> None:
        """Go back; what stands here and is right is kept."""
        if self.form is not None:
            self.form.keep()
        self.drop()

    def drop(self) -> None:
        """Go back, for what stands here is gone."""
        form, self.form = self.form, None
        if form is not None:
            form.blockSignals(True)
            self._area.takeWidget()
            form.deleteLater()
            self.left.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape goes back, and keeps nothing more."""
        if event.key() == Qt.Key.Key_Escape:
            self.drop()
            return
        super().keyPressEvent(event)

    def _draw(self) -> None:
        self.back.setIcon(self._look.icon("chevron_left", "text.muted"))
