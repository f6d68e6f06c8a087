"""Markdown and HTML, rendered as high as they are long; nothing is loaded, and nothing is executed."""

import re

from PySide6.QtCore import QEvent, QSize, Qt, QUrl
from PySide6.QtGui import (
    QDesktopServices,
    QResizeEvent,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QWheelEvent,
)
from PySide6.QtWidgets import QTextBrowser, QWidget

from studio.ui.look import Look

WEB = frozenset({"http", "https"})
"""Links of these schemes are opened, in the browser and by a click; others do nothing."""


class RenderedText(QTextBrowser):
    """Shows a text that others wrote. Pictures and styles that it names stay away, wherever they lie."""

    def __init__(
        self,
        look: Look,
        name: str,
        parent: QWidget | None = None,
        *,
        grows: bool = True,
        apart: str = "space.tight",
    ) -> None:
        """Be as high as the text, or else (not `grows`) scroll; `apart` is the room below paragraphs."""
        super().__init__(parent)
        self._look, self._grows, self._apart = look, grows, apart
        self._source, self._is_html = "", False
        self.setAccessibleName(name)
        self.setProperty("plain", True)
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.setOpenLinks(False)
        self.anchorClicked.connect(self._follow)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.document().setDocumentMargin(0)
        if grows:
            self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        look.changed.connect(self._render)

    def show_markdown(self, text: str) -> None:
        """Render Markdown; HTML within it stands there as text."""
        self._source, self._is_html = text, False
        self._render()

    def show_html(self, text: str) -> None:
        """Render HTML; of scripts, frames and forms nothing is left."""
        self._source, self._is_html = text, True
        self._render()

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Load nothing: what a text names, it does not get."""
        return None

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The panel scrolls, where this is as high as it is long."""
        if self._grows:
            event.ignore()
        else:
            super().wheelEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width breaks lines elsewhere."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the font that the stylesheet gives."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.StyleChange}:
            self._fit()

    def sizeHint(self) -> QSize:
        """As wide as its place makes it."""
        return QSize(super().sizeHint().width(), self.maximumHeight() if self._grows else 240)

    def _render(self) -> None:
        self.document().setDefaultStyleSheet(f"a {{ color: {self._look.color('accent.action').name()}; }}")
        if self._is_html:
            self.setHtml(_HEAD_ONLY.sub("", self._source))
        else:
            self.document().setMarkdown(self._source, _MARKDOWN)
        self.document().setIndentWidth(self._look.length("space.large"))
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        spaced = QTextBlockFormat()
        spaced.setBottomMargin(self._look.length(self._apart))
        cursor.mergeBlockFormat(spaced)
        self._fit()

    def _fit(self) -> None:
        if not self._grows:
            return
        document = self.document()
        width = self.viewport().width()
        if document.textWidth() != width:
            document.setTextWidth(width)
        bar = self.horizontalScrollBar()
        below = bar.sizeHint().height() if document.idealWidth() > width else 0
        frame = self.contentsMargins()
        self.setFixedHeight(round(document.size().height()) + below + frame.top() + frame.bottom() + 1)

    def _follow(self, link: QUrl) -> None:
        if link.scheme() in WEB:
            QDesktopServices.openUrl(link)


_HEAD_ONLY = re.compile(r"<(?:link|meta|base)\b[^>]*>", re.IGNORECASE)
"""Qt takes all that comes after one of these for a part of it, where it is not closed."""

_MARKDOWN = QTextDocument.MarkdownFeature(
    QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML
)
