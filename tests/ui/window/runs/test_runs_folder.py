"""Runs of other processes are listed as they begin and end, whether or not there were runs before."""

import json
from pathlib import Path

from pytestqt.qtbot import QtBot

from studio.app.runs.followed_runs import RunsElsewhere
from studio.app.runs.live_runs import LiveRuns
from studio.ids import RunId
from studio.store.reader import RunStore
from studio.store.summary import RunSummary
from studio.trace.fold.state import RunStatus
from studio.ui.window.runs.attached_runs import SETTLING, RunsFolder, runs_elsewhere
from tests.trusted import HERE


def test_the_first_run_of_a_project_is_noticed_and_the_next(qtbot: QtBot, tmp_path: Path) -> None:
    from PySide6.QtCore import QObject

    parent = QObject()
    folder = RunsFolder(parent)
    folder.watch(tmp_path / ".stepwire")
    for name in ("first", "second"):
        with qtbot.waitSignal(folder.changed):
            path = RunStore(tmp_path / ".stepwire").new_run_path(RunId(name))
            path.write_text(json.dumps(name), "utf-8")
        folder.watch(tmp_path / ".stepwire")


def test_reading_a_run_that_goes_on_is_no_news_of_it(qtbot: QtBot, tmp_path: Path) -> None:
    from PySide6.QtCore import QObject

    parent, private = QObject(), tmp_path / ".stepwire"
    path = RunStore(private).new_run_path(RunId("going"))
    path.write_text("{}", "utf-8")
    folder = RunsFolder(parent)
    folder.watch(private)
    told: list[int] = []
    folder.changed.connect(lambda: told.append(1))
    path.chmod(0o600)  # as SQLite does with the files of a database that it opens
    qtbot.wait(SETTLING * 2)
    assert not told
    with qtbot.waitSignal(folder.changed):
        path.with_name("next.db").write_text("{}", "utf-8")


def test_only_what_goes_on_in_another_process_is_said_to() -> None:
    runs = LiveRuns(environ=HERE)
    listed = [RunSummary(RunId("there"), status=RunStatus.RUNNING), RunSummary(RunId("over"))]
    listed[1] = RunSummary(RunId("over"), status=RunStatus.FINISHED)
    assert isinstance(runs.elsewhere, RunsElsewhere)
    assert runs_elsewhere(listed, runs) == {"there": "in another process"}
    runs.close()
