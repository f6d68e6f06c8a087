"""The end of a dialog: Cancel, and the button that does what the dialog is for."""

from collections.abc import Callable

from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton

from studio.ui.buttons import push_button


class DialogEnd(QHBoxLayout):
    """Buttons at the right, in the order in which Tab goes; Enter presses `button`, which is the last."""

    def __init__(self, dialog: QDialog, words: str, do: Callable[[], object], *between: QPushButton) -> None:
        super().__init__()
        self.addStretch(1)
        cancel = push_button(self.tr("Cancel"), dialog, dialog.reject)
        for button in (cancel, *between):
            button.setAutoDefault(False)
            self.addWidget(button)
        self.button = QPushButton(words, dialog)
        self.button.setProperty("primary", True)
        self.button.setDefault(True)
        self.button.clicked.connect(do)
        self.addWidget(self.button)
