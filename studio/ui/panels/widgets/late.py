"""The place of a panel that is made when it is first seen."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from studio.ui.layouts import column_layout


class LatePlace(QWidget):
    """Holds the panel once there is one, and the keyboard for it until then."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = column_layout(self, 0)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def hold(self, panel: QWidget) -> None:
        """Show the panel here."""
        was_awaited = self.window().focusWidget() is self
        self._rows.addWidget(panel)
        panel.show()
        self.setFocusProxy(panel)
        if was_awaited:
            panel.setFocus(Qt.FocusReason.ShortcutFocusReason)
