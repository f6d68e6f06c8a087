"""Windows for tests, and a window made ready for the next test."""

import gc
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QCursor, QMouseEvent
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QWidget
from pytestqt.qtbot import QtBot

from studio.app.compose import compose
from studio.ui.window.chrome.appearance import Appearance
from studio.ui.window.main_window import MainWindow
from tests.forked_hosts import forked_host

LONG = 30_000
AWAY = QPoint(20_000, 20_000)
"""Where the pointer is on no window."""


@contextmanager
def a_window(
    qapp: QApplication, root: Path, environ: Mapping[str, str] | None = None
) -> Iterator[MainWindow]:
    """Give a window whose settings are in a folder, in the look of its first start."""
    gc.collect()  # or what earlier tests left is restyled along with this one
    delete_now()
    before = qapp.styleSheet(), qapp.font(), qapp.palette()
    environ = dict(os.environ) if environ is None else environ
    app = compose(environ, root / "config", is_warmed=False, spawn=forked_host)
    app.settings.theme = "dark"
    app.settings.keep_first_steps(is_open=False, done=())
    made = MainWindow(app, Appearance(qapp, app.settings, root))
    made.resize(1400, 900)
    QCursor.setPos(AWAY)  # a pointer on the canvas keeps all around it where it is
    made.show()
    yield made
    made.leave()
    app.close()
    made.deleteLater()
    made.appearance.deleteLater()  # it belongs to the application, and all that it restyles to it
    delete_now()
    if qapp.styleSheet() != before[0]:  # that of a window which stays, or none
        qapp.setStyleSheet(before[0])
    if qapp.font() != before[1]:
        qapp.setFont(before[1])
    if qapp.palette() != before[2]:
        qapp.setPalette(before[2])


def clear(qtbot: QtBot, window: MainWindow) -> None:
    """Take away what a test opened, ran and moved, so that the next one finds what a first one does."""
    for session in tuple(window.app.sessions):
        debugger = window.app.debugger(session)
        session.breakpoints.clear()
        debugger.cancel_all()
        qtbot.waitUntil(lambda debugger=debugger: not debugger.runs, timeout=LONG)
    for above in (*window.findChildren(QDialog), *window.findChildren(QMenu)):
        if above.isWindow():
            above.close()
        if isinstance(above, QDialog):
            above.deleteLater()
    window.palette_box.hide()
    window.find_replace.bar.leave()
    for flow in tuple(window.tabs.flows):
        session = flow.work.session
        session.discard()
        window.drop(session)
    window.notices.clear()
    window.app.settings._values.clear()
    window.app.settings.theme = "dark"
    window.first_steps.steps.close()
    window.keeper.kept_docks = ""
    window.resize(1400, 900)
    delete_now()


def delete_now() -> None:
    """Delete what is to be deleted later: without a loop of events, nothing else does."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def point_at(widget: QWidget) -> None:
    """Move the pointer on a widget, as a hand does; where the screen's pointer is stays as it was."""
    none = Qt.MouseButton.NoButton
    for at in (QPointF(5, 5), QPointF(6, 6)):
        there = QPointF(widget.mapToGlobal(at))
        moved = QMouseEvent(QEvent.Type.MouseMove, at, there, none, none, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(widget, moved)
