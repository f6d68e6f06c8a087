"""The run of a script, opened in the window from what the script told."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from studio.ids import NodeId, StepId
from studio.trace.state import RunStatus
from studio.ui.window.main_window import MainWindow
from tests.app.test_script_traces import FLOWS, project_of
from tests.export.scripts import call, export
from tests.runtime.bench import flow_of
from tests.ui.window.test_window import LONG

pytestmark = pytest.mark.shared_window

MAP = flow_of(*FLOWS["files in a map"])


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """What the script of a map told."""
    export(MAP, tmp_path / "script.py")
    call(tmp_path / "script.py", [f"--trace={tmp_path / 'trace.jsonl'}"])
    return tmp_path / "trace.jsonl"


@pytest.fixture
def opened(window: MainWindow, tmp_path: Path) -> MainWindow:
    """The window with the flow of the map in front."""
    window.documents.open(project_of(MAP, tmp_path).root)
    return window


def choose_file(window: MainWindow, path: Path) -> None:
    dialog = next(one for one in window.findChildren(QFileDialog) if one.isVisible())
    dialog.fileSelected.emit(str(path))
    dialog.close()


def wait_for_run(qtbot: QtBot, window: MainWindow) -> None:
    def is_shown() -> bool:
        state = window.front.view.state if window.front is not None else None
        return state is not None and state.status.is_final

    qtbot.waitUntil(is_shown, timeout=LONG)


def test_a_script_s_run_is_opened_listed_and_shown(qtbot: QtBot, opened: MainWindow, trace: Path) -> None:
    opened.app.commands.run("file.trace")
    choose_file(opened, trace)
    wait_for_run(qtbot, opened)
    assert opened.front is not None
    state = opened.front.view.state
    assert state is not None
    assert state.status is RunStatus.FINISHED
    assert state.steps[StepId("each.2/note")].outputs["text"].data
    board = opened.front.work.canvas.board
    qtbot.waitUntil(lambda: NodeId("save") in board.cards.shown.states)
    (row,) = opened.runs.list.rows
    assert row.is_current
    assert "from a script" in row.detail
    assert "The script's run is shown." in opened.notices.text


def test_a_trace_is_dropped_onto_the_window(qtbot: QtBot, opened: MainWindow, trace: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(trace))])
    none, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    opened.dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, left, none))
    wait_for_run(qtbot, opened)
    assert len(opened.runs.list.rows) == 1


def test_the_menu_of_the_runs_opens_traces_also_where_there_is_no_run(opened: MainWindow) -> None:
    (entry,) = [one for one in opened.make_runs_menu("").actions() if not one.isSeparator()]
    entry.trigger()
    assert [one.windowTitle() for one in opened.findChildren(QFileDialog)] == ["Open a script trace"]


def test_where_a_script_leaves_its_flow_is_said(
    qtbot: QtBot, opened: MainWindow, trace: Path, tmp_path: Path
) -> None:
    script = tmp_path / "script.py"
    script.write_text(script.read_text().replace('"a", "b", "c"', '"a", "b", "c", "d"'))
    trace.unlink()
    call(script, [f"--trace={trace}"])
    opened.script_runs.open(trace)
    wait_for_run(qtbot, opened)
    assert "“each.3/save”" in opened.notices.text


def test_a_flow_that_is_not_found_can_be_chosen(
    qtbot: QtBot, window: MainWindow, trace: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "another"
    folder.mkdir()
    window.documents.open(project_of(flow_of(*FLOWS["a file in each round"]), folder).root)
    window.script_runs.open(trace)
    qtbot.waitUntil(lambda: "No flow of the project" in window.notices.text, timeout=LONG)
    assert "--flow" not in window.notices.text
    project_of(MAP, tmp_path)
    button = next(one for one in window.notices.findChildren(QPushButton) if "Choose" in one.text())
    button.click()
    choose_file(window, tmp_path / "flow.json")
    wait_for_run(qtbot, window)


def test_a_file_that_is_no_trace_is_told_in_words(qtbot: QtBot, opened: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text("nothing")
    opened.script_runs.open(tmp_path / "x.jsonl")
    qtbot.waitUntil(lambda: "is not a trace of a script" in opened.notices.text, timeout=LONG)
    assert not opened.runs.list.rows
