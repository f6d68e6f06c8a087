"""Buttons that do not fit on a line stand on the next, however often they change."""

from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from studio.ui.panels.widgets.button_rows import Wrapping


def test_what_grows_comes_or_goes_changes_how_many_lines_there_are(qtbot: QtBot) -> None:
    whole = QWidget()
    qtbot.addWidget(whole)
    lines = Wrapping(whole)
    one, other = QPushButton("One", whole), QPushButton("Other", whole)
    for button in (one, other):
        button.setFixedSize(100, 20)
        lines.addWidget(button)
    heights = [lines.heightForWidth(250)]
    other.setFixedSize(200, 20)
    heights.append(lines.heightForWidth(250))
    third = QPushButton("Third", whole)
    third.setFixedSize(200, 30)
    lines.addWidget(third)
    heights.append(lines.heightForWidth(250))
    lines.takeAt(2)
    heights.append(lines.heightForWidth(250))
    other.hide()
    whole.show()
    heights.append(lines.heightForWidth(250))
    assert heights == [20, 48, 86, 48, 20]
