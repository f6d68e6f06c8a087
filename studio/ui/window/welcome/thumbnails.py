"""Pictures of flows on the welcome page, kept from start to start: to draw one loads all of the canvas."""

import contextlib
import hashlib
from pathlib import Path

import platformdirs
from PySide6.QtCore import QBuffer, QSize
from PySide6.QtGui import QImage, QImageWriter

from studio import __version__
from studio.flow.files import codec
from studio.flow.records import Flow
from studio.sdk.registry import Registry
from studio.ui.theme.tokens import Theme
from studio.workspace.whole_file import write_whole

MARK = "Of"
"""The text in a kept picture that says what it is a picture of."""


class Thumbnails:
    """Gives pictures of flows, and draws what is not kept or was another flow, theme or size then."""

    def __init__(self, registry: Registry, folder: Path | None = None) -> None:
        """Make them; they are kept in `folder`, which is the user's own unless given."""
        self._registry = registry
        cache = platformdirs.user_cache_path("stepwire", appauthor=False)
        self._folder = folder or cache / "thumbnails"

    def picture(self, name: str, flow: Flow, theme: Theme, size: QSize) -> QImage:
        """Give a picture of just that size; it is kept by the name of the project and of the theme."""
        file = self._folder / f"{name}-{theme.name}.png"
        what = _what(flow, theme, size)
        kept = QImage(str(file))
        if kept.text(MARK) == what:
            return kept
        image = self.drawn(flow, theme, size)
        image.setText(MARK, what)
        with contextlib.suppress(OSError):  # it is drawn again the next time
            self._folder.mkdir(parents=True, exist_ok=True)
            write_whole(file, _png(image), is_synced=False)
        return image

    def drawn(self, flow: Flow, theme: Theme, size: QSize) -> QImage:
        """Draw a flow."""
        from studio.ui.canvas.drawing.picture import thumbnail_of
        from studio.ui.viewmodels.flow.canvas_document import SessionDocument

        return thumbnail_of(SessionDocument.of_flow(flow, self._registry), theme, size)


def _what(flow: Flow, theme: Theme, size: QSize) -> str:
    """Tell pictures apart that would not look the same."""
    look = dict(theme.colors), dict(theme.numbers), dict(theme.words), size.toTuple()
    return hashlib.sha256(repr((__version__, codec.dumps(flow), *look)).encode()).hexdigest()


def _png(image: QImage) -> bytes:
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, b"png").write(image)
    return bytes(buffer.data().data())
