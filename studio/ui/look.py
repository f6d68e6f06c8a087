"""The theme in use, as Qt's colours and fonts; widgets that paint by themselves hear when it changes."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor, QFont, QIcon

from studio.ui.theme.fonts import font
from studio.ui.theme.icons import icon
from studio.ui.theme.tokens import Theme


class Look(QObject):
    """Holds the theme of the window; stylesheets reach ordinary widgets without it."""

    changed = Signal()

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    @property
    def theme(self) -> Theme:
        """The theme itself."""
        return self._theme

    def use(self, theme: Theme) -> None:
        """Change the theme; everything that paints by itself repaints."""
        self._theme = theme
        self.changed.emit()

    def color(self, name: str) -> QColor:
        """The colour called `state.held`."""
        return QColor(self._theme.color(name))

    def length(self, name: str) -> int:
        """The length called `space.small`, in whole pixels."""
        return self._theme.length(name)

    def category(self, kind: str) -> QColor:
        """The mark of a node kind's category; a neutral one where the theme knows none."""
        name = f"category.{kind.partition('.')[0]}"
        return self.color(name if name in self._theme.colors else "category.value")

    def font(self, size: str = "body", *, strong: bool = False, mono: bool = False) -> QFont:
        """A font of the type scale: `small label body heading title`."""
        return font(self._theme, size, strong=strong, mono=mono)

    def icon(self, name: str, color: str = "text.normal") -> QIcon:
        """The line icon called `name` in one of the theme's colours."""
        return icon(name, self._theme.color(color), self._theme.color("text.disabled"))
