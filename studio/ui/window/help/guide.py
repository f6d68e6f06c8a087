"""The guide: its pages in a list, and the chosen one beside it, with links from page to page."""

from pathlib import Path

from PySide6.QtCore import QSize, Qt, QUrl, Signal
from PySide6.QtGui import QImage, QResizeEvent, QTextBlockFormat, QTextCursor, QTextDocument, QTextFormat
from PySide6.QtWidgets import QDialog, QHBoxLayout, QListWidget, QListWidgetItem, QWidget

from studio.places import resources
from studio.ui.look import Look
from studio.ui.panels.result.rendered_text import RenderedText
from studio.ui.viewmodels.help.guide_pages import guide_folder, guide_pages

_FILE = Qt.ItemDataRole.UserRole


class GuideText(RenderedText):
    """A page of the guide; of pictures it shows the studio's own, as wide as there is room."""

    page_asked = Signal(str)
    """The name of the file of the page to show."""

    def __init__(self, look: Look, folder: Path, parent: QWidget) -> None:
        super().__init__(look, "", parent, grows=False)
        self._folder = folder
        self._width = 0
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)

    def show_page(self, name: str) -> None:
        """Show a page from its beginning; `name` is one of `guide_pages`."""
        self._width = self._room()
        self.show_markdown((self._folder / name).read_text("utf-8"))
        self.moveCursor(QTextCursor.MoveOperation.Start)
        self.verticalScrollBar().setValue(0)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Give a screenshot of the studio; nothing else is loaded."""
        shots = (resources() / "screenshots").resolve()
        path = (self._folder / QUrl(name).path()).resolve()
        if kind != QTextDocument.ResourceType.ImageResource.value or path.parent != shots:
            return None
        image = QImage(str(path))
        if image.isNull():
            return None
        ratio = self.devicePixelRatioF()
        wide = min(image.width(), round(max(self._width, 1) * ratio))
        image = image.scaledToWidth(wide, Qt.TransformationMode.SmoothTransformation)
        image.setDevicePixelRatio(ratio)
        return image

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the pictures to another width, at the same place of the page."""
        super().resizeEvent(event)
        if self._source and self._room() != self._width:
            bar = self.verticalScrollBar()
            part = bar.value() / max(1, bar.maximum())
            self._width = self._room()
            self._render()
            self.moveCursor(QTextCursor.MoveOperation.Start)
            bar.setValue(round(part * bar.maximum()))

    def _render(self) -> None:
        super()._render()
        block = self.document().begin().next()
        while block.isValid():
            made, spaced = block.blockFormat(), QTextBlockFormat()
            if made.headingLevel():
                spaced.setTopMargin(self._look.length("space.large"))
            elif made.objectIndex() < 0 and not made.hasProperty(QTextFormat.Property.BlockCodeFence):
                spaced.setBottomMargin(self._look.length("space.small"))
            QTextCursor(block).mergeBlockFormat(spaced)
            block = block.next()

    def _room(self) -> int:
        return self.viewport().width() - 2 * round(self.document().documentMargin())

    def _follow(self, link: QUrl) -> None:
        if not link.scheme() and link.path().endswith(".md"):
            self.page_asked.emit(link.path())
        else:
            super()._follow(link)


class GuideWindow(QDialog):
    """The list leads, the page follows; a link in a page leads to another one."""

    def __init__(self, look: Look, folder: Path, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Guide"))
        self.setModal(False)
        self.list = QListWidget(self)
        self.list.setAccessibleName(self.tr("Pages of the guide"))
        wide = look.length("space.wide")
        self.list.setFixedWidth(wide * 9)
        self.page = GuideText(look, folder, self)
        for name, title in guide_pages(folder).items():
            item = QListWidgetItem(title, self.list)
            item.setData(_FILE, name)
        row = QHBoxLayout(self)
        row.setContentsMargins(*(look.length("space.large"),) * 4)
        row.setSpacing(look.length("space.large"))
        row.addWidget(self.list)
        row.addWidget(self.page, 1)
        self.list.currentItemChanged.connect(self._show)
        self.page.page_asked.connect(self.go_to)
        self.list.setCurrentRow(0)
        self.list.setFocus()

    def sizeHint(self) -> QSize:
        """Room for lines of a hundred characters."""
        return QSize(1040, 760)

    @property
    def shown(self) -> str:
        """The name of the file of the page that is shown."""
        return self.list.currentItem().data(_FILE)

    def go_to(self, name: str) -> None:
        """Show the page of a file; one that is not listed changes nothing."""
        for row in range(self.list.count()):
            if self.list.item(row).data(_FILE) == name:
                self.list.setCurrentRow(row)

    def _show(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.page.setAccessibleName(item.text())
            self.page.show_page(item.data(_FILE))


def show_guide(look: Look, window: QWidget, page: str = "") -> GuideWindow:
    """Open the guide beside a window, once; at a page, where its file is named."""
    guide = window.findChild(GuideWindow) or GuideWindow(look, guide_folder(), window)
    guide.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    guide.go_to(page)
    guide.show()
    guide.activateWindow()
    return guide
