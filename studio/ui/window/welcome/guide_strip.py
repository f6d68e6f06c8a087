"""Where to begin, on the welcome page: the first steps on the example, and the pages of the guide."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QPushButton, QWidget

from studio.places import MissingFileError
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.widgets.button_rows import Wrapping
from studio.ui.viewmodels.help.guide_pages import guide_folder, guide_pages

FOREMOST = ("canvas.md", "running.md", "debugging.md", "without-a-key.md", "models.md", "export.md")
"""The pages that are wanted first."""


class GuideStrip(QWidget):
    """A button for the first steps, and one for each page that is wanted first."""

    steps_asked = Signal()
    page_asked = Signal(str)
    """The file of the page; empty for the first."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        said = text_label(
            self.tr("Five steps on an example, without a key; and short pages to read."),
            self,
            tone="muted",
            wraps=True,
        )
        self._places = Wrapping(spacing=look.length("space.small"))
        self.pages: dict[str, QPushButton] = {}
        self.steps = self._button(self.tr("First steps"))
        self.steps.clicked.connect(self.steps_asked)
        rows = column_layout(self, 0, look.length("space.normal"))
        rows.addWidget(said)
        rows.addLayout(self._places)

    def showEvent(self, event: QShowEvent) -> None:
        """Read what the pages are called when they are first looked at."""
        super().showEvent(event)
        if self.pages:
            return
        try:
            titles = guide_pages(guide_folder())
        except (MissingFileError, OSError):
            return  # the guide itself says what is missing
        wanted = {name: titles[name] for name in FOREMOST if name in titles}
        for name, title in {**wanted, "": self.tr("All pages")}.items():
            button = self.pages[name] = self._button(title)
            button.setProperty("plain", True)
            button.clicked.connect(lambda _=False, name=name: self.page_asked.emit(name))

    def _button(self, words: str) -> QPushButton:
        button = QPushButton(words, self)
        self._places.addWidget(button)
        return button
