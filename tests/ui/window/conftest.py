"""A window on a copy of the example."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio import places
from studio.app.compose import compose
from studio.ui.window.appearance import Appearance
from studio.ui.window.main_window import MainWindow
from studio.ui.window.tabs import OpenFlow


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "field_notes"
    shutil.copytree(
        places.projects() / "field_notes", folder, ignore=shutil.ignore_patterns(".stepwire", "out")
    )
    return folder


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    # Nothing else deletes the windows of earlier tests, which would be restyled along with this one.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    before = qapp.font(), qapp.palette()
    app = compose(dict(os.environ), tmp_path / "config")
    app.settings.theme = "dark"
    made = MainWindow(app, Appearance(qapp, app.settings, tmp_path))
    qtbot.addWidget(made)
    made.resize(1400, 900)
    made.show()
    yield made
    made.leave()
    app.close()
    qapp.setStyleSheet("")
    qapp.setFont(before[0])
    qapp.setPalette(before[1])


@pytest.fixture
def flow(window: MainWindow, project: Path) -> OpenFlow:
    window.documents.open(project)
    assert window.front is not None
    return window.front
