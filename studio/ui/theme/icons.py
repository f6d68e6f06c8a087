"""Line icons in a theme's colours, drawn afresh for every size and pixel ratio."""

from functools import lru_cache

from PySide6.QtCore import QByteArray, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from studio import places
from studio.ui.theme.tokens import ThemeError

APP_ICON = "stepwire"
"""The studio's own mark, the one icon that keeps its colours."""


def icon_names() -> tuple[str, ...]:
    """The names of the icons that are there, sorted; a node category's is `category_llm`."""
    return tuple(sorted(file.stem for file in (places.resources() / "icons").glob("*.svg")))


@lru_cache(maxsize=256)
def icon_source(name: str, color: str) -> str:
    """The SVG text of an icon in the colour `#rrggbb`; raises `ThemeError` for an unknown name."""
    file = places.resources() / "icons" / f"{name}.svg"
    if not file.is_file():
        raise ThemeError(f"There is no icon `{name}`.", hint="They are the files of resources/icons.")
    return file.read_text("utf-8").replace("currentColor", color)


def icon(name: str, color: str, disabled: str = "") -> QIcon:
    """An icon in the colour `#rrggbb`, in `disabled` (if given) where its button is; crisp at any size."""
    return QIcon(_LineIcon(name, color, disabled or color))


def app_icon() -> QIcon:
    """The studio's mark, for windows and task bars."""
    return icon(APP_ICON, "")


class _LineIcon(QIconEngine):
    """Renders the SVG at the size asked for, so that no pixmap is scaled; many are never seen, nor read."""

    def __init__(self, name: str, color: str, disabled: str) -> None:
        super().__init__()
        self._names = (name, color, disabled)
        self._sources = (icon_source(name, color), icon_source(name, disabled))
        self._renderers: dict[str, QSvgRenderer] = {}

    def clone(self) -> QIconEngine:
        return _LineIcon(*self._names)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        del state
        side = min(rect.width(), rect.height())
        square = QRectF(0, 0, side, side)
        square.moveCenter(QRectF(rect).center())
        source = self._sources[mode is QIcon.Mode.Disabled]
        if source not in self._renderers:
            self._renderers[source] = QSvgRenderer(QByteArray(source.encode()))
        self._renderers[source].render(painter, square)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        return self.scaledPixmap(size, mode, state, 1.0)

    def scaledPixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State, scale: float) -> QPixmap:
        pixmap = QPixmap(QSize(round(size.width() * scale), round(size.height() * scale)))
        if pixmap.isNull():
            return pixmap  # a button in a place without room asks for it
        pixmap.setDevicePixelRatio(scale)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        painter.end()
        return pixmap
