"""Colours in code, JSON and prompts; the home of Pygments."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import TypeAlias

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name  # pyright: ignore[reportUnknownVariableType]
from pygments.token import Comment, Error, Keyword, Name, Number, Operator, Punctuation, String
from pygments.token import _TokenType as Kind  # pyright: ignore[reportPrivateUsage]  # it has no other name
from pygments.util import ClassNotFound
from PySide6.QtGui import QFont, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from studio.ui.look import Look

Span: TypeAlias = tuple[int, int, str]
"""Where a colour begins, how far it reaches, and its name."""

PLACEHOLDER = re.compile(r"\{\{.*?\}\}|\{%.*?%\}")
LARGEST = 60_000
"""Longer texts are shown without colours: lexing them would hold the window up."""

COLORS: Mapping[Kind, str] = {
    Comment: "text.muted",
    Keyword: "port.message",
    Keyword.Constant: "port.flag",
    Name.Function: "port.text",
    Name.Class: "port.text",
    Name.Tag: "port.text",
    Name.Builtin: "port.file",
    Name.Decorator: "port.tool",
    Number: "port.number",
    String: "port.agent",
    Operator: "text.muted",
    Punctuation: "text.muted",
    Error: "text.normal",
}
"""What kinds of token are drawn in; a kind that is not here takes its parent's."""


@lru_cache(maxsize=16)
def lexer_for(language: str) -> Lexer | None:
    """The lexer of a language by Pygments' name for it; None where it knows none."""
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def color_name(token: Kind | None) -> str:
    """The theme's colour for a kind of token; empty where it is drawn as plain text."""
    while token is not None:
        if token in COLORS:
            return COLORS[token]
        token = token.parent
    return ""


def spans(text: str, language: str) -> Iterator[tuple[int, int, str]]:
    """Where colours begin, how far they reach, and their names, in order."""
    if len(text) <= LARGEST:
        yield from _all_spans(text, language)


def colored_lines(text: str, language: str) -> list[list[Span]]:
    """The same line by line, counted as Qt counts; a long text takes its time, so ask on another thread."""
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    found: list[list[Span]] = [[] for _ in lines]
    for begin, length, name in _all_spans(text, language):
        row, at = bisect_right(starts, begin) - 1, begin
        for piece in text[begin : begin + length].split("\n"):
            if piece:
                found[row].append((_width(text[starts[row] : at]), _width(piece), name))
            at += len(piece) + 1
            row += 1
    return found


def _width(text: str) -> int:
    """How many places Qt counts."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _all_spans(text: str, language: str) -> Iterator[Span]:
    lexer = lexer_for(language)
    if lexer is None:
        return
    place = 0
    for token, piece in lexer.get_tokens(text):
        name = color_name(token)
        if name:
            yield place, len(piece), name
        place += len(piece)


class CodeHighlighter(QSyntaxHighlighter):
    """Colours a whole document in a language that Pygments knows."""

    def __init__(self, document: QTextDocument, look: Look, language: str) -> None:
        super().__init__(document)
        self._look = look
        self._language = language
        self._seen = ""
        self._spans: list[tuple[int, int, str]] = []
        look.changed.connect(self.rehighlight)

    def highlightBlock(self, text: str) -> None:
        """Colour one line; a line that ends inside a string is told to the next by its state."""
        whole = self.document().toPlainText()
        if whole != self._seen:
            self._seen = whole
            self._spans = list(spans(whole, self._language))
        start = self.currentBlock().position()
        end = start + len(text)
        state = 0
        for begin, length, name in self._spans:
            if begin >= end:
                break
            if begin + length <= start:
                continue
            self.setFormat(
                max(begin - start, 0),
                min(begin + length, end) - max(begin, start),
                _colored(self._look, name),
            )
            if begin + length > end:
                state = hash(name) & 0xFFFF
        self.setCurrentBlockState(state)


class LineHighlighter(QSyntaxHighlighter):
    """Colours a document whose colours were looked up before, by `colored_lines`."""

    def __init__(self, document: QTextDocument, look: Look) -> None:
        super().__init__(document)
        self._look = look
        self._lines: Sequence[Sequence[Span]] = ()
        self._forms: dict[str, QTextCharFormat] = {}
        look.changed.connect(self._recolor)

    def take_colors(self, lines: Sequence[Sequence[Span]]) -> None:
        """Know other colours: lines that are written from now on have them, others once `recolor` says so."""
        self._lines = lines

    def recolor(self, row: int) -> None:
        """Colour a line anew that was not written."""
        self.rehighlightBlock(self.document().findBlockByNumber(row))

    def highlightBlock(self, text: str) -> None:
        """Colour one line."""
        del text
        row = self.currentBlock().blockNumber()
        for begin, length, name in self._lines[row] if row < len(self._lines) else ():
            form = self._forms.get(name)
            if form is None:
                form = self._forms[name] = _colored(self._look, name)
            self.setFormat(begin, length, form)

    def _recolor(self) -> None:
        self._forms.clear()
        self.rehighlight()


class PlaceholderHighlighter(QSyntaxHighlighter):
    """Marks what a template fills in: `{{question}}` and `{% if … %}`."""

    def __init__(self, document: QTextDocument, look: Look) -> None:
        super().__init__(document)
        self._look = look
        look.changed.connect(self.rehighlight)

    def highlightBlock(self, text: str) -> None:
        """Colour the placeholders of one line."""
        marked = _colored(self._look, "port.text", strong=True)
        for found in PLACEHOLDER.finditer(text):
            self.setFormat(found.start(), found.end() - found.start(), marked)


def _colored(look: Look, name: str, *, strong: bool = False) -> QTextCharFormat:
    form = QTextCharFormat()
    form.setForeground(look.color(name))
    if strong:
        form.setFontWeight(QFont.Weight.DemiBold)
    return form
