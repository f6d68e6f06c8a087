"""What holds for every test of the window."""

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QGuiApplication


@pytest.fixture(scope="session", autouse=True)
def emptied_clipboard() -> Iterator[None]:
    """Leave nothing on the clipboard: without a display, Qt lets go of it only after Python has ended."""
    yield
    if isinstance(QGuiApplication.instance(), QGuiApplication):
        QGuiApplication.clipboard().clear()
