"""A titled part of a panel, with buttons beside its title."""

from PySide6.QtWidgets import QWidget

from studio.ui.labels import text_label
from studio.ui.layouts import column_layout, row_layout
from studio.ui.look import Look


class Section(QWidget):
    """A small heading above one widget."""

    def __init__(
        self, look: Look, title: str, content: QWidget, *beside: QWidget, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        rows = column_layout(self, 0, look.length("space.tight"))
        self._head = QWidget(self)
        head = row_layout(self._head, (look.length("space.small"), 0, 0, 0))
        self._words, self._is_named, self._has_buttons = title, True, bool(beside)
        self._has_head = True
        self._title = text_label(title, self, "section")
        self._title.setMinimumHeight(look.length("size.control"))
        head.addWidget(self._title, 1)
        for widget in beside:
            head.addWidget(widget)
        rows.addWidget(self._head)
        rows.addWidget(content, 1)

    def set_title(self, title: str) -> None:
        """Change the heading."""
        self._words = title
        self._title.setText(title if self._is_named else "")

    def show_title(self, *, is_shown: bool) -> None:
        """Leave the heading out where a tab names the part already."""
        self._is_named = is_shown
        self.set_title(self._words)
        self._head.setVisible(self._has_head and (is_shown or self._has_buttons))

    def show_head(self, *, is_shown: bool) -> None:
        """Leave heading and buttons out while the content has a head of its own."""
        self._has_head = is_shown
        self.show_title(is_shown=self._is_named)
