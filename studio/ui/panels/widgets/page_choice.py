"""Which page of a panel is shown: a row of small buttons, for a panel that is itself behind a tab."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QWidget

from studio.ui.look import Look


class PageChoice(QWidget):
    """Has one button for each page; with the keyboard in it, the arrow keys go from page to page."""

    turned = Signal(int)
    """Another page is chosen."""

    def __init__(self, look: Look, name: str, titles: list[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._group = QButtonGroup(self)
        row = QHBoxLayout(self)
        side, small = look.length("space.normal"), look.length("space.tight")
        row.setContentsMargins(side, small, side, small)
        row.setSpacing(small)
        for number, title in enumerate(titles):
            button = QToolButton(self)
            button.setText(title)
            button.setCheckable(True)
            button.setChecked(number == 0)
            button.setProperty("plain", True)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            self._group.addButton(button, number)
            row.addWidget(button)
        row.addStretch(1)
        self._group.idToggled.connect(self._toggle)

    @property
    def page(self) -> int:
        """The page that is chosen."""
        return self._group.checkedId()

    def turn_to(self, page: int) -> None:
        """Choose a page."""
        self._group.button(page).setChecked(True)

    def _toggle(self, page: int, is_chosen: bool) -> None:  # noqa: FBT001  # a slot
        if is_chosen:
            self.turned.emit(page)
