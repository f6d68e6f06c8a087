"""What Ctrl+C in the terminal does to the window."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from studio.ui.interruption import Interruption
from studio.ui.window.main_window import MainWindow


@pytest.fixture(autouse=True)
def heard(window: MainWindow) -> Iterator[Interruption]:
    made = Interruption(window)
    yield made
    made.close()


def test_ctrl_c_closes_the_window(window: MainWindow, qtbot: QtBot) -> None:
    signal.raise_signal(signal.SIGINT)
    qtbot.waitUntil(lambda: not window.isVisible())


def test_ctrl_c_asks_before_changes_are_lost_and_a_second_one_leaves(
    window: MainWindow, project: Path, qtbot: QtBot
) -> None:
    (project / ".stepwire").write_text("nothing can be kept in here")
    window.documents.open(project)
    window.library.chosen.emit("llm.chat")
    signal.raise_signal(signal.SIGINT)
    qtbot.waitUntil(lambda: any(box.isVisible() for box in window.findChildren(QMessageBox)))
    assert window.isVisible()
    signal.raise_signal(signal.SIGINT)
    qtbot.waitUntil(lambda: not window.isVisible())
