"""What holds for every test of the window."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QGuiApplication


@pytest.fixture(scope="session", autouse=True)
def emptied_clipboard() -> Iterator[None]:
    """Leave nothing on the clipboard: without a display, Qt lets go of it only after Python has ended."""
    yield
    if isinstance(QGuiApplication.instance(), QGuiApplication):
        QGuiApplication.clipboard().clear()


@pytest.fixture(autouse=True)
def deleted_widgets() -> Iterator[None]:
    """Delete what a test leaves to be deleted: without a loop of events, Qt keeps each canvas."""
    yield
    if QCoreApplication.instance() is not None:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
