"""Text that has more to say than its lines hold says so, and no line is cut through."""

import pytest
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication

from studio.ui.canvas.drawing.frames import whole_lines
from studio.ui.canvas.style import Role, Style
from studio.ui.theme.fonts import load_fonts
from tests.ui.builders import a_theme


@pytest.fixture
def style(qapp: QApplication) -> Style:
    assert qapp is not None
    load_fonts()
    return Style(a_theme("dark"))


def test_a_cut_that_falls_between_words_is_marked(style: Style) -> None:
    text = "You answer a question from notes.\nLook words up\nCite every claim.\nSay so."
    for lines in (1, 2, 3):
        rows = style.wrapped(text, Role.BODY, 400, lines)
        assert len(rows) == lines
        assert rows[-1].endswith("…") is (lines < 3)
    assert style.wrapped(text, Role.BODY, 400, 4)[-1] == "Say so."


def test_a_note_ends_with_a_whole_line(style: Style) -> None:
    paper = QTextDocument()
    paper.setDefaultFont(style.fonts[Role.BODY])
    paper.setPlainText("one\ntwo\nthree\nfour")
    height = paper.size().height()
    line = (height - 2 * paper.documentMargin()) / 4
    assert whole_lines(paper, height) == height
    assert whole_lines(paper, height - paper.documentMargin() - line / 2) == pytest.approx(
        paper.documentMargin() + 3 * line, abs=1
    )
    assert whole_lines(paper, 2) == 0
