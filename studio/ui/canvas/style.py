"""The theme as the canvas uses it: colours by dotted name, fonts by role, text measured and elided."""

from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import lru_cache

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QTextDocument

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
_WORDS = 20_000
_RECENT = 2_000
"""Long streamed text is cut at multiples of so many letters, so that its lines break alike meanwhile."""


class Style:
    """Colours, fonts and metrics under one theme. A new theme is a new style."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self._colors: dict[tuple[str, float], QColor] = {}
        self.fonts = {role: _font(theme, role) for role in Role}
        self.metrics = {role: QFontMetricsF(font) for role, font in self.fonts.items()}
        self._widths: dict[Role, dict[str, float]] = {role: {} for role in Role}
        self.measure: Callable[[str], float] = lru_cache(4096)(self._label_width)
        self.is_dark = theme.is_dark
        self.papers: dict[tuple[str, float], QTextDocument] = {}
        """The texts of notes, laid out."""

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

    def struck(self, role: Role) -> QFont:
        """The font of a role with a line through it, for what was dropped."""
        font = QFont(self.fonts[role])
        font.setStrikeOut(True)
        return font

    def category(self, name: str) -> str:
        """The colour name of a category; kinds from elsewhere may name one that no theme has."""
        full = f"category.{name}"
        return full if full in self.theme.colors else "text.muted"

    def shadow(self, share: float) -> QColor:
        """The colour of one of the sheets that make up a shadow."""
        return self.color("shadow.color", self.theme.number("shadow.opacity") * share)

    def elided(self, text: str, role: Role, width: float) -> str:
        """`text` cut to a width, with an ellipsis where something was cut."""
        width = max(width, 0)
        most = int(width) + 2  # no letters are narrower than a unit; of a long value only these are laid out
        return self.metrics[role].elidedText(text[:most], Qt.TextElideMode.ElideRight, width)

    def wrapped(
        self, text: str, role: Role, width: float, lines: int, *, tail: bool = False
    ) -> tuple[str, ...]:
        """Break `text` into at most `lines` lines; `tail` shows its end, as for text that streams in."""
        rows: list[str] = []
        for row in self._rows(_recent(text) if tail else text, role, width):
            rows.append(row)
            if not tail and len(rows) > lines + 1:
                break
        if tail:
            rows = rows[-lines:]
        elif len(rows) > lines:
            last = " ".join(rows[lines - 1 : lines + 1])
            rows = [*rows[: lines - 1], f"{last}…" if len(rows) > lines + 1 else last]
        return tuple(self.elided(row, role, width) for row in rows)

    def indented(self, text: str, role: Role, first: float, width: float, lines: int) -> tuple[str, ...]:
        """Break a title into at most `lines` lines, of which the first has only `first` to itself."""
        metrics, rows, words = self.metrics[role], list[str](), text.split()
        while words and len(rows) < lines - 1:
            room, row = (width if rows else first), words.pop(0)
            while words and metrics.horizontalAdvance(f"{row} {words[0]}") <= room:
                row = f"{row} {words.pop(0)}"
            rows.append(self.elided(row, role, room))
        if words:
            rows.append(self.elided(" ".join(words), role, width if rows else first))
        return tuple(rows) or ("",)

    def _rows(self, text: str, role: Role, width: float) -> Iterator[str]:
        """Lines of whole words; widths of words are remembered, since streamed text comes again and again."""
        widths, metrics = self._widths[role], self.metrics[role]
        if len(widths) > _WORDS:
            widths.clear()
        space = metrics.horizontalAdvance(" ")
        for paragraph in text.splitlines():
            words: list[str] = []
            used = 0.0
            for word in paragraph.split():
                wide = widths.get(word)
                if wide is None:
                    wide = widths[word] = metrics.horizontalAdvance(word[:200])
                if words and used + space + wide > width:
                    yield " ".join(words)
                    words, used = [], 0.0
                used += wide + (space if words else 0)
                words.append(word)
            if words:
                yield " ".join(words)

    def _label_width(self, text: str) -> float:
        return self.metrics[Role.LABEL].horizontalAdvance(text)


def _font(theme: Theme, role: Role) -> QFont:
    made = font(theme, _SIZES[role], strong=role in _STRONG)
    made.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return made


def _recent(text: str) -> str:
    start = max(0, (len(text) - 400) // _RECENT * _RECENT)
    return text[start:]
