"""The bridge while runs go on or are read: frames follow one another, and nothing is put between them."""

import gc
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer

from studio.app.runs.live_runs import LiveRuns
from studio.app.runs.old_runs import READ_AT_ONCE
from studio.ids import RunId, StepId
from studio.store.reader import RunStore
from studio.store.run_files.writer import RunWriter
from studio.trace.events import Entry, LogWritten, RunFinished, RunStarted
from studio.ui.bridge import FRAME, IDLE, OLD_SELDOM, Bridge

pytestmark = pytest.mark.usefixtures("qapp")

RUN = RunId("20260102-030405-abcdef0")
NONE = StepId("")


def stored(root: Path) -> Path:
    """A run that is read in several frames."""
    events = [
        RunStarted("long", "{}"),
        *(LogWritten(str(one)) for one in range(READ_AT_ONCE * 2)),
        RunFinished(),
    ]
    writer = RunWriter(RunStore(root).new_run_path(RUN), lambda _: None)
    for number, event in enumerate(events, 1):
        writer.put(Entry(RUN, number, NONE, NONE, float(number), event))
    writer.close()
    return root


def test_an_old_run_is_read_at_full_speed_and_all_objects_are_let_alone_meanwhile(
    tmp_path: Path,
) -> None:
    runs = LiveRuns(is_warmed=False)
    bridge = Bridge(runs)
    timer, often = bridge.findChildren(QTimer)[0], gc.get_threshold()
    live = runs.open_old(stored(tmp_path), RUN)
    bridge.pump()
    assert live.is_read
    assert timer.interval() == FRAME
    assert gc.get_threshold() == (*often[:2], OLD_SELDOM)
    while runs.is_busy:
        bridge.pump()
    assert live.state.status.is_final
    assert not live.is_read
    assert (timer.interval(), gc.get_threshold()) == (IDLE, often)
    runs.close()


def test_a_window_that_goes_while_a_run_is_read_leaves_the_collector_as_it_was(
    tmp_path: Path,
) -> None:
    runs, often = LiveRuns(is_warmed=False), gc.get_threshold()
    bridge = Bridge(runs)
    runs.open_old(stored(tmp_path), RUN)
    bridge.pump()
    bridge.stop()
    assert gc.get_threshold() == often
    runs.close()
