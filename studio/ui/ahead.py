"""Loads what a first flow and a first run need, a little at a time, once the window stands and nobody waits.

The window is shown with a third of the studio's modules. Whoever opens a flow before the rest is there has it
loaded then; nothing depends on what is done here.
"""

import importlib
from collections.abc import Callable, Iterator

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget

from studio.sdk.registry import Registry
from studio.ui.later import later

QUIET = 20
"""Milliseconds between two pieces: whoever clicks or types meanwhile comes first."""
UNSEEN = 2_000
"""Milliseconds after which a window counts as painted, though nothing of it is seen."""
ROOMS = (
    "numpy",
    "studio.flow.edits",
    "studio.building_blocks.teams.transcript",
    "studio.runtime.calls.context",
    "studio.runtime.run",
    "studio.store.run_files.writer",
    "studio.host.recorded_run",
    "studio.workspace.chats",
    "studio.workspace.runs",
    "studio.app.runs.debugger",
    "studio.app.reuse.fork_plan",
    "studio.app.reuse.cases",
    "studio.app.experiments.case_runs",
    "studio.ui.viewmodels.run.shown_run",
    "studio.ui.viewmodels.run.node_states",
    "studio.ui.editors.make",
    "studio.ui.canvas.scene.scene",
    "studio.ui.canvas.board",
    "studio.ui.canvas.hand.mouse",
    "studio.ui.canvas.view",
    "studio.ui.panels.inspector",
    "studio.ui.panels.messages",
    "studio.ui.panels.timeline",
    "studio.ui.panels.debugger",
    "studio.ui.panels.cases",
    "studio.ui.panels.memories",
    "studio.ui.panels.script",
    "studio.ui.panels.first_steps",
    "studio.ui.window.workspace",
    "studio.ui.window.runs.run_controls",
    "studio.ui.window.open_flow",
    "studio.ui.window.models.chat_profiles",
)
"""What an open flow imports, from below, so that no piece is long."""


class Ahead(QObject):
    """Loads all pieces, one after the other, and then does nothing more."""

    def __init__(self, registry: Registry, parent: QObject) -> None:
        super().__init__(parent)
        self._pieces = _pieces(registry)
        self._next = QTimer(self, interval=QUIET)
        self._next.timeout.connect(self._load)
        self._next.start()

    @property
    def is_done(self) -> bool:
        """Whether all is loaded."""
        return not self._next.isActive()

    def _load(self) -> None:
        if next(self._pieces, None) is None:
            self._next.stop()


def _pieces(registry: Registry) -> Iterator[bool]:
    for name in ROOMS:
        importlib.import_module(name)
        yield True
    kinds = iter(registry)
    while [one for one, _ in zip(kinds, range(4), strict=False)]:
        yield True


class AfterPaint(QObject):
    """Does something once a window has been painted for the first time."""

    def __init__(self, window: QWidget, act: Callable[[], None]) -> None:
        super().__init__(window)
        self._act: Callable[[], None] | None = act
        self._window = window
        window.installEventFilter(self)
        later(self, self._do, UNSEEN)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """See the first picture."""
        if event.type() == QEvent.Type.Paint:
            self._window.removeEventFilter(self)
            later(self, self._do)
        return super().eventFilter(watched, event)

    def _do(self) -> None:
        act, self._act = self._act, None
        if act is not None:
            act()
