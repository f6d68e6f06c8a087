"""The theme as the canvas uses it: colours by dotted name, fonts by role, text measured and elided."""

from collections.abc import Callable
from enum import StrEnum
from functools import lru_cache

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF

from studio.ui.theme.fonts import font
from studio.ui.theme.tokens import Theme


class Role(StrEnum):
    """What a text on the canvas is."""

    TITLE = "title"
    BODY = "body"
    LABEL = "label"
    SMALL = "small"
    PILL = "pill"


_SIZES = {
    Role.TITLE: "body",
    Role.BODY: "label",
    Role.LABEL: "label",
    Role.SMALL: "small",
    Role.PILL: "small",
}
_STRONG = {Role.TITLE, Role.PILL}


class Style:
    """Colours, fonts and metrics under one theme. A new theme is a new style."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self._colors: dict[tuple[str, float], QColor] = {}
        self.fonts = {role: _font(theme, role) for role in Role}
        self.metrics = {role: QFontMetricsF(font) for role, font in self.fonts.items()}
        self.measure: Callable[[str], float] = lru_cache(4096)(self._label_width)
        self.is_dark = theme.is_dark

    def color(self, name: str, alpha: float = 1.0) -> QColor:
        """A colour of the theme, more or less transparent."""
        key = (name, alpha)
        found = self._colors.get(key)
        if found is None:
            found = QColor(self.theme.color(name))
            found.setAlphaF(found.alphaF() * alpha)
            self._colors[key] = found
        return found

    def mixed(self, name: str, into: str, share: float) -> QColor:
        """`share` of one colour painted over another: opaque, whatever lies beneath."""
        over, under = self.color(name), self.color(into)
        return QColor.fromRgbF(
            over.redF() * share + under.redF() * (1 - share),
            over.greenF() * share + under.greenF() * (1 - share),
            over.blueF() * share + under.blueF() * (1 - share),
        )

    def shadow(self, share: float) -> QColor:
        """The colour of one of the sheets that make up a shadow."""
        return self.color("shadow.color", self.theme.number("shadow.opacity") * share)

    def elided(self, text: str, role: Role, width: float) -> str:
        """`text` cut to a width, with an ellipsis where something was cut."""
        return self.metrics[role].elidedText(text, Qt.TextElideMode.ElideRight, max(width, 0))

    def wrapped(self, text: str, role: Role, width: float, lines: int, *, tail: bool = False) -> tuple[str, ...]:
        """Break `text` into at most `lines` lines; `tail` shows its end, as for text that streams in."""
        metrics = self.metrics[role]
        if tail and len(text) > 1200:
            text = text[-1200:]
        rows: list[str] = []
        for paragraph in text[:4000].splitlines():
            row = ""
            for word in paragraph.split():
                longer = f"{row} {word}" if row else word
                if row and metrics.horizontalAdvance(longer) > width:
                    rows.append(row)
                    row = word
                else:
                    row = longer
            if row:
                rows.append(row)
            if not tail and len(rows) > lines:
                break
        if tail:
            rows = rows[-lines:]
        elif len(rows) > lines:
            rows = [*rows[: lines - 1], f"{rows[lines - 1]} {rows[lines]}"]
        return tuple(self.elided(row, role, width) for row in rows)

    def _label_width(self, text: str) -> float:
        return self.metrics[Role.LABEL].horizontalAdvance(text)


def _font(theme: Theme, role: Role) -> QFont:
    made = font(theme, _SIZES[role], strong=role in _STRONG)
    made.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return made
