"""The run that a flow in the window shows, and its end."""

from pytestqt.qtbot import QtBot

from studio.app.runs.live_run import LiveRun
from studio.ui.window.open_flow import OpenFlow

LONG = 60_000


def live_of(flow: OpenFlow) -> LiveRun:
    run = flow.work.shown.run
    assert run is not None
    return run


def finish(qtbot: QtBot, flow: OpenFlow) -> LiveRun:
    """Wait until the shown run is over."""
    qtbot.waitUntil(lambda: live_of(flow).is_over and live_of(flow).status.is_final, timeout=LONG)
    return live_of(flow)
