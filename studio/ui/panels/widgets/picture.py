"""A picture in a panel: as wide as there is room for, never larger than it is."""

from collections.abc import Sequence
from typing import Protocol, cast

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt
from PySide6.QtGui import QImageReader, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.trace.conversations.messages import Seen

WIDEST, HIGHEST = 480, 320
MOST = 8
"""Pictures of one value that are shown."""


class FindsImages(Protocol):
    """Where the bytes of pictures come from."""

    def sent(self, sha256: str) -> bytes | None:
        """Give a picture that a run has sent."""
        ...

    def named(self, text: str) -> bytes | None:
        """Give the picture that a text names."""
        ...


class NoImages:
    """Finds nothing; implements `FindsImages`."""

    def sent(self, sha256: str) -> bytes | None:
        """Give nothing."""
        del sha256

    def named(self, text: str) -> bytes | None:
        """Give nothing."""
        del text


class Picture(QWidget):
    """Draws a picture; its name is what a screen reader says and what a tooltip shows."""

    def __init__(self, name: str, pixmap: QPixmap, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pixmap = pixmap
        self.setAccessibleName(name)
        self.setToolTip(name)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def sizeHint(self) -> QSize:
        """As large as the picture is."""
        return self._pixmap.deviceIndependentSize().toSize()

    def hasHeightForWidth(self) -> bool:
        """It keeps its proportions."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The height at a width; wider than it is, it does not grow."""
        size = self.sizeHint()
        return max(1, round(size.height() * min(1.0, width / max(size.width(), 1))))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw it at the left."""
        size = self.sizeHint().scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
        size = size.boundedTo(self.sizeHint())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawPixmap(0, 0, size.width(), size.height(), self._pixmap)
        painter.end()


def picture_of(name: str, data: bytes | None, parent: QWidget | None = None) -> Picture | None:
    """Make a picture of a file's bytes, read no larger than it is shown; None where they are no picture."""
    if data is None:
        return None
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    reader.setAutoTransform(True)
    size = reader.size()
    if size.isValid() and (size.width() > WIDEST or size.height() > HIGHEST):
        reader.setScaledSize(size.scaled(WIDEST, HIGHEST, Qt.AspectRatioMode.KeepAspectRatio))
    image = reader.read()
    return None if image.isNull() else Picture(name, QPixmap.fromImage(image), parent)


def pictures_of(seen: Sequence[Seen], images: FindsImages, parent: QWidget) -> list[Picture]:
    """Make the pictures of a message; those that are gone are left out."""
    made = (picture_of(one.path, images.sent(one.sha256), parent) for one in seen[:MOST])
    return [one for one in made if one is not None]


def pictures_in(data: object, images: FindsImages, parent: QWidget) -> list[Picture]:
    """Make the pictures that a value names or holds: paths of the project, messages with pictures."""
    found: list[Picture] = []
    waiting: list[object] = [data]
    while waiting and len(found) < MOST:
        one = waiting.pop(0)
        if isinstance(one, str):
            made = picture_of(one, images.named(one), parent)
            found += [made] if made is not None else []
        elif isinstance(one, dict) and (seen := cast("dict[str, object]", one)).get("images"):
            found += pictures_of(Seen.of(seen["images"]), images, parent)
        elif isinstance(one, list):
            waiting += cast("list[object]", one)[:100]
    return found[:MOST]
