"""A file of the project: a text to read or copy, a page rendered without what it would load, a picture."""

from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QWidget,
)

from studio.ui.buttons import push_button
from studio.ui.editors.code_text import CodeText
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.result.rendered_text import RenderedText
from studio.ui.panels.widgets.picture import Picture
from studio.ui.slots import of_flag
from studio.ui.window.window_size import open_at

PAGES = frozenset({".html", ".htm"})
"""Endings of files that are rendered; their source is one click away."""


class Preview(QDialog):
    """Shows a text, highlighted; one of a page rendered, a `picture` instead of any text."""

    def __init__(
        self,
        look: Look,
        title: str,
        about: str,
        text: str,
        language: str,
        parent: QWidget,
        picture: Picture | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        wide, large = look.length("space.wide"), look.length("space.large")
        open_at(self, QSize(wide * 36, wide * 28))
        heading = QLabel(title, self)
        heading.setProperty("type", "heading")
        said = text_label(about, self, tone="muted", wraps=True, is_plain=True)
        self.text = CodeText(look, title, text, language, self)
        self.source_button = QPushButton(self.tr("Source"), self)
        self.source_button.setCheckable(True)
        self.pages = self._pages(look, title, text, picture)
        buttons = QHBoxLayout()
        self.copy_button = push_button(
            self.tr("Copy"), self, lambda: QGuiApplication.clipboard().setText(self.text.toPlainText())
        )
        close = push_button(self.tr("Close"), self, self.close)
        self.copy_button.setVisible(picture is None)
        buttons.addWidget(self.copy_button)
        buttons.addWidget(self.source_button)
        buttons.addStretch(1)
        buttons.addWidget(close)
        rows = column_layout(self, large, look.length("space.normal"))
        rows.addWidget(heading)
        rows.addWidget(said)
        rows.addWidget(self.pages, 1)
        rows.addLayout(buttons)

    def _pages(self, look: Look, title: str, text: str, picture: Picture | None) -> QStackedWidget:
        """The text, and before it what is seen of it at first."""
        pages = QStackedWidget(self)
        pages.addWidget(self.text)
        is_page = picture is None and Path(title).suffix.casefold() in PAGES
        self.source_button.setVisible(is_page)
        if picture is not None:
            area = QScrollArea(self)
            area.setWidget(picture)
            area.setAlignment(Qt.AlignmentFlag.AlignCenter)
            pages.addWidget(area)
        elif is_page:
            page = RenderedText(look, title, self, grows=False)
            page.show_html(text)
            pages.addWidget(page)
            self.source_button.toggled.connect(of_flag(lambda is_text: pages.setCurrentIndex(not is_text)))
        pages.setCurrentIndex(pages.count() - 1)
        return pages


def language_of(path: Path) -> str:
    """Pygments' name for what a file holds, by its ending; plain text where it is unknown."""
    known = {
        ".json": "json",
        ".py": "python",
        ".yaml": "yaml",
        ".yml": "yaml",
        ".toml": "toml",
        ".md": "markdown",
        ".html": "html",
        ".htm": "html",
    }
    return known.get(path.suffix.casefold(), "text")
