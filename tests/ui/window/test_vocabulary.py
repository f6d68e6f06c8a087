"""What the window offers says the words of the field."""

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget

from studio.ui.window.main_window import MainWindow
from tests.vocabulary import offences


@pytest.mark.shared_window
def test_commands_menus_and_panels_say_the_words_of_the_field(window: MainWindow) -> None:
    assert offences(_said(window)) == []


def _said(window: MainWindow) -> Iterator[tuple[str, str]]:
    for offer in window.app.commands:
        yield offer.id, offer.title
        yield offer.id, offer.command.help
    for dock in window.findChildren(QDockWidget):
        yield dock.objectName(), dock.windowTitle()
    for action in window.menus.findChildren(QAction):
        yield "menu", action.text()
        yield "menu", action.toolTip()
