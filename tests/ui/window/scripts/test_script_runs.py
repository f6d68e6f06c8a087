"""The run of a script, opened in the window from what the script told."""

import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from studio import places
from studio.app.projects.copies import copy_project
from studio.app.scripts.flow_export import export_flow
from studio.flow.files.codec import dumps
from studio.ids import NodeId, StepId
from studio.store.reader import RunStore
from studio.trace.fold.state import RunStatus
from studio.ui.window.main_window import MainWindow
from tests.app.old_traces import FLOW, TRACE, project_of
from tests.app.scripts.test_script_traces import OTHER, traced
from tests.script.commands import run_script
from tests.ui.window.live_runs import LONG

pytestmark = pytest.mark.shared_window


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """What an old script told."""
    return Path(shutil.copy(TRACE, tmp_path / "trace.jsonl"))


@pytest.fixture
def opened(window: MainWindow, tmp_path: Path) -> MainWindow:
    """The window with the flow of the trace in front."""
    window.documents.open(project_of(FLOW, tmp_path).root)
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
    assert state.steps[StepId("each.1/save")].outputs["file"].data
    board = opened.front.work.canvas.board
    qtbot.waitUntil(lambda: NodeId("save") in board.cards.shown.states)
    (row,) = opened.runs.list.rows
    assert row.is_current
    assert "from a Python script" in row.detail
    assert "The run of the Python script is shown." in opened.notices.text


def test_a_trace_is_dropped_onto_the_window(qtbot: QtBot, opened: MainWindow, trace: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(trace))])
    none, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    opened.dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, left, none))
    wait_for_run(qtbot, opened)
    assert len(opened.runs.list.rows) == 1


def test_the_menu_of_the_runs_opens_traces_also_where_there_is_no_run(opened: MainWindow) -> None:
    (entry,) = [one for one in opened.context_menus.make_runs_menu("").actions() if not one.isSeparator()]
    entry.trigger()
    assert [one.windowTitle() for one in opened.findChildren(QFileDialog)] == ["Open a Python script's trace"]


def test_the_trace_of_a_script_on_the_engine_opens_without_its_flow(
    qtbot: QtBot, opened: MainWindow, tmp_path: Path
) -> None:
    opened.script_runs.open(traced(tmp_path / "away"))
    wait_for_run(qtbot, opened)
    assert opened.front is not None
    state = opened.front.view.state
    assert state is not None
    assert StepId("rounds.2/writer") in state.steps


def test_a_flow_that_is_not_found_can_be_chosen(
    qtbot: QtBot, window: MainWindow, trace: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "another"
    folder.mkdir()
    window.documents.open(project_of(OTHER, folder).root)
    window.script_runs.open(trace)
    qtbot.waitUntil(lambda: "No flow of the project" in window.notices.text, timeout=LONG)
    assert "--flow" not in window.notices.text
    project_of(FLOW, tmp_path)
    button = next(one for one in window.notices.findChildren(QPushButton) if "Choose" in one.text())
    button.click()
    choose_file(window, tmp_path / "flow.json")
    wait_for_run(qtbot, window)


def test_a_file_that_is_no_trace_is_told_in_words(qtbot: QtBot, opened: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text("nothing")
    opened.script_runs.open(tmp_path / "x.jsonl")
    qtbot.waitUntil(lambda: "is not a trace of a script" in opened.notices.text, timeout=LONG)
    assert not opened.runs.list.rows


@pytest.fixture
def ran(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> MainWindow:
    """The example whose script has run in its folder, that run shown."""
    project = copy_project(places.projects() / "field_notes", tmp_path)
    script = project.root / "answer.py"
    assert run_script(script, export_flow(project.main_flow), "--chat", "scripted") == 0
    window.documents.open(project.root)
    assert window.front is not None
    (run,) = RunStore(project.private).runs()
    window.front.controls.show_old(run.run)
    wait_for_run(qtbot, window)
    return window


def test_a_script_s_run_is_shown_on_the_canvas_of_its_flow(qtbot: QtBot, ran: MainWindow) -> None:
    assert ran.front is not None
    states = ran.front.work.canvas.board.cards.shown.states
    qtbot.waitUntil(lambda: NodeId("answer") in states, timeout=LONG)
    assert {one for one, state in states.items() if state.status == "in_python"} == {"accepted"}
    assert {one for one, state in states.items() if state.status == "done"} == {
        *("question", "rounds", "writer", "critic", "revision", "save", "answer", "text_search")
    }
    assert states[NodeId("question")].text == "Which birds were seen in the morning?"
    assert any("the run of a Python script" in one.text() for one in ran.runs.findChildren(QLabel))


def test_a_script_s_run_is_told_by_the_titles_of_the_nodes(qtbot: QtBot, ran: MainWindow) -> None:
    front = ran.front
    assert front is not None
    front.work.session.selection.select([NodeId("writer")])
    qtbot.waitUntil(lambda: front.work.messages.title.startswith("Writer"), timeout=LONG)


def test_to_execute_a_script_again_is_left_to_a_terminal(ran: MainWindow) -> None:
    assert ran.front is not None
    ran.app.commands.run("run.replay")
    assert "a run of the script “answer.py”" in ran.notices.text
    (copy,) = ran.notices.buttons
    copy.click()
    command = QGuiApplication.clipboard().text()
    shown = ran.front.work.shown.run
    assert shown is not None
    assert command.startswith(f"stepwire replay {shown.run} --project ")


def test_a_script_s_run_goes_on_in_a_fork_of_the_drawn_flow(qtbot: QtBot, ran: MainWindow) -> None:
    front = ran.front
    assert front is not None
    front.work.session.selection.select([NodeId("critic")])
    before = front.work.shown.run
    ran.app.commands.run("run.held_here")
    qtbot.waitUntil(lambda: front.controls.is_held, timeout=LONG)
    run = front.work.shown.run
    assert run is not None
    assert before is not None
    assert run.state.forked_from is not None
    assert run.state.forked_from.run == before.run
    assert list(run.state.held_steps) == ["rounds.2/critic"]
    front.controls.stop()
    qtbot.waitUntil(lambda: front.controls.live is None, timeout=LONG)


def test_a_trace_opens_on_the_flow_that_its_script_was_exported_from(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    project = copy_project(places.projects() / "field_notes", tmp_path)
    other = project.root / "other.json"
    other.write_text(dumps(OTHER), "utf-8")
    away = tmp_path / "away"
    trace = tmp_path / "trace.jsonl"
    shutil.copytree(project.root, away)
    text = export_flow(project.main_flow)
    assert run_script(away / "answer.py", text, "--chat", "scripted", "--trace", str(trace)) == 0
    window.documents.open(other)
    window.script_runs.open(trace)
    wait_for_run(qtbot, window)
    assert window.session is not None
    assert window.session.path == project.main_flow
