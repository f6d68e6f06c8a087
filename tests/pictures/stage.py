"""A window on copies of projects in a scratch profile, driven as a hand would, and photographed."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QWidget

from studio import places
from studio.app.compose import compose
from studio.app.projects.copies import copy_project
from studio.ids import NodeId
from studio.trace.fold.state import RunStatus
from studio.ui.window.chrome.appearance import Appearance
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow

PATIENCE = 120
"""Seconds after which what is waited for does not come any more."""


class Stage:
    """What scenes do with the window; each is done when this returns."""

    def __init__(self, window: MainWindow, folder: Path) -> None:
        self.window, self._folder = window, folder
        self.dialog: QWidget | None = None
        """What is taken in the place of the whole window."""

    @property
    def flow(self) -> OpenFlow:
        """The flow in front."""
        front = self.window.front
        assert front is not None
        return front

    def open(self, name: str, *, is_ours: bool = True) -> OpenFlow:
        """Open a copy of a project, as if it was made here or came from elsewhere."""
        root = copy_project(places.projects() / name, self._folder).root
        if is_ours:
            self.window.app.trust.note_made_here(root)
        self.window.documents.open(root)
        self.rest(0.6)
        return self.flow

    def command(self, name: str) -> None:
        """Do what a menu's entry does."""
        assert self.window.app.commands[name].is_enabled(), name
        self.window.app.commands.run(name)
        self.rest(0.3)

    def run(self) -> None:
        """Run the flow to its end."""
        self.command("run.run")
        self.wait(
            lambda: self.flow.controls.live is None and self.status is not None and self.status.is_final
        )
        self.rest(1.0)

    def run_until_paused(self) -> None:
        """Run it until a breakpoint."""
        self.command("run.run")
        self.wait(lambda: self.flow.controls.is_held)
        self.rest(1.0)

    def select(self, *nodes: str) -> None:
        """Select nodes."""
        self.flow.work.session.selection.select([NodeId(one) for one in nodes])
        self.rest(0.4)

    def break_at(self, node: str, *, is_set: bool = True) -> None:
        """Set a breakpoint on a node, or take it away."""
        self.flow.work.session.breakpoints.set(node, state=True if is_set else None)
        self.rest(0.2)

    def type_into_paused(self, text: str) -> None:
        """Write into the first field of the paused step."""
        field = self.flow.work.inspector.held.findChildren(QPlainTextEdit)[0]
        field.setPlainText(text)
        self.rest(0.2)

    def show(self, dock: str) -> None:
        """Bring a panel up."""
        self.window.docks[dock].bring_up()
        self.rest(0.4)

    @property
    def status(self) -> RunStatus | None:
        """How the shown run stands."""
        state = self.flow.work.shown.live_state
        return state.status if state is not None else None

    def wait(self, until: Callable[[], bool]) -> None:
        """Let the window work until something is so."""
        ends = time.monotonic() + PATIENCE
        while not until():
            assert time.monotonic() < ends, "it does not come"
            self.rest(0.02)

    def rest(self, seconds: float) -> None:
        """Let the window work for so long."""
        ends = time.monotonic() + seconds
        while True:
            QApplication.processEvents()
            if time.monotonic() >= ends:
                return
            time.sleep(0.005)

    def picture(self) -> QImage:
        """What the window or its dialog shows, without the notices of what was done to come here."""
        for flow in self.window.tabs.flows:
            flow.notices.clear()
        QApplication.processEvents()
        return (self.dialog or self.window).grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


@contextmanager
def a_stage(qt: QApplication, folder: Path, theme: str, wide: int, high: int) -> Iterator[Stage]:
    """A window of that size and theme, whose settings and projects are in a folder."""
    app = compose(dict(os.environ), folder / "config", is_warmed=False)
    app.settings.theme = theme
    app.settings.keep_first_steps(is_open=False, done=())
    (folder / "cache").mkdir()
    window = MainWindow(app, Appearance(qt, app.settings, folder / "cache"))
    window.resize(wide, high)
    window.show()
    try:
        yield Stage(window, folder / "projects")
    finally:
        for flow in tuple(window.tabs.flows):
            flow.work.session.discard()
        window.leave()
        app.close()
        window.deleteLater()
        window.appearance.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
