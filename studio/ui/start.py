"""Starts the window; the home of qasync."""

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from studio.app.compose import compose
from studio.process_tree import is_alive
from studio.ui.plain_imports import import_plainly

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from studio.ui.window.main_window import MainWindow


def main(
    path: Path | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    config: Path | None = None,
    argv: Sequence[str] = (),
) -> int:
    """Open the window on a project, a flow, or the welcome page, and give the exit code when it is closed."""
    import qasync
    from PySide6.QtWidgets import QApplication

    import_plainly()
    from studio.ui.ahead import AfterPaint
    from studio.ui.canvas.accessible.factory import make_canvas_accessible
    from studio.ui.interruption import Interruption
    from studio.ui.window.chrome.appearance import Appearance
    from studio.ui.window.main_window import MainWindow

    qt = QApplication.instance() or QApplication([sys.argv[0], *argv])
    assert isinstance(qt, QApplication)  # noqa: S101  # nothing else makes one
    qt.setApplicationName("stepwire")
    qt.setApplicationDisplayName("Stepwire")
    qt.setDesktopFileName("stepwire")
    make_canvas_accessible()
    app = compose(os.environ if environ is None else environ, config)
    loop = qasync.QEventLoop(qt)
    asyncio.set_event_loop(loop)
    try:
        window = MainWindow(app, Appearance(qt, app.settings))
        was_killed = is_gone(app.settings.window_process)
        wanted = flows_at_start(path, app.settings.open_flows, was_killed=was_killed)
        app.settings.window_process = os.getpid()
        window.pages.setVisible(not wanted)  # no welcome for a moment
        AfterPaint(window, partial(open_flows, window, wanted))
        window.show()
        interruption = Interruption(window)
        with loop:
            loop.run_until_complete(_closed(qt))  # pyright: ignore[reportUnknownMemberType]
        interruption.close()
        app.settings.window_process = 0
    finally:
        app.close()
    return 0


def flows_at_start(path: Path | None, before: Sequence[Path], *, was_killed: bool = False) -> list[Path]:
    """What to open: what was open `before`; with a path that, and of a project its flows that were open.

    After a window that `was_killed`, all that was open comes back, with the path in front.
    """
    if path is None:
        return list(before)
    root = path.expanduser().resolve()
    return [
        *dict.fromkeys(one for one in before if was_killed or (root.is_dir() and one.is_relative_to(root))),
        path,
    ]


def is_gone(process: int) -> bool:
    """Whether a process, of which the settings say that its window is open, has ended all the same."""
    return process > 0 and process != os.getpid() and not is_alive(process)


def open_flows(window: "MainWindow", paths: Sequence[Path]) -> None:
    """Open what was asked for once the window stands, so that what is wrong with it is said there."""
    from PySide6.QtCore import QTimer

    from studio.ui.ahead import Ahead

    def open_all() -> None:
        window.pages.show()
        for path in paths:
            window.documents.open(path)
        window.keeper.arrange_documents()
        Ahead(window.app.registry, window)

    QTimer.singleShot(0, window, open_all)


async def _closed(qt: "QApplication") -> None:
    """Wait for the last window to close."""
    closed = asyncio.Event()
    qt.lastWindowClosed.connect(closed.set)
    await closed.wait()
