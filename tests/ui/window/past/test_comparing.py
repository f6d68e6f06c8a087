"""Any two runs compared beside the canvas, by mouse and keys."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from studio.flow import edits
from studio.ids import NodeId
from studio.ui.window.main_window import MainWindow
from tests.app.flows import SCRIPT, chain
from tests.app.written_projects import write_project
from tests.ui.window.live_runs import LONG, finish, live_of
from tests.ui.window.past.test_earlier_runs import choose

pytestmark = pytest.mark.shared_window

WRITER = NodeId("writer")


def test_two_runs_that_are_selected_are_compared_and_one_works_beside_them(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    window.documents.open(write_project(tmp_path / "small", flow=chain(default="Why?"), script=SCRIPT))
    flow = window.front
    assert flow is not None
    runs = []
    for instructions in ("Be kind.", "Be brief."):
        change = edits.set_setting(flow.work.session.flow, WRITER, "instructions", instructions)
        flow.work.session.history.do(change)
        window.app.commands.run("run.run")
        finish(qtbot, flow)
        runs.append(live_of(flow).run)
    qtbot.waitUntil(lambda: len(window.runs.list.rows) == 2, timeout=LONG)
    assert not window.app.commands["run.compare_selected"].is_enabled()
    window.runs.list.selectAll()
    assert window.runs.pair == tuple(runs)
    choose(window.context_menus.make_runs_menu(runs[0]), "Compare these two runs")
    panel = flow.work.comparison
    qtbot.waitUntil(lambda: panel.runs is not None, timeout=LONG)
    assert panel.isVisible()
    assert not flow.work.canvas.isVisible(), "it has the canvas's place"
    assert [run.run for run in panel.runs or ()] == runs
    assert [row.key for row in panel.list.rows] == ["writer", "writer#chat.1"]
    assert "kind" in panel.text.toPlainText()
    assert panel.list.current_key() == "writer#chat.1", "what was said differs first"
    window.app.commands.run("run.next_difference")
    assert flow.work.session.selection.now.step == "writer"
    assert flow.work.canvas.board.cards.shown.differing == {"writer": True}
    assert flow.work.timeline.view.picture().differing == {"writer": False, "writer#chat.1": True}
    panel.show_buttons[0].click()
    shown = flow.work.shown
    qtbot.waitUntil(lambda: shown.run is not None and shown.run.run == runs[0], timeout=LONG)
    assert panel.runs is not None, "the comparison stays beside the canvas"
    assert flow.work.canvas.board.cards.shown.differing == {"writer": True}
    panel.close_button.click()
    assert flow.work.canvas.isVisible()
    assert flow.work.canvas.board.cards.shown.differing == {}
    assert not window.app.commands["run.next_difference"].is_enabled()
    window.app.commands.run("run.leave")
    window.app.commands.run("run.compare")
    qtbot.waitUntil(lambda: panel.runs is not None, timeout=LONG)
    assert [run.run for run in panel.runs or ()] == runs


def test_a_run_that_goes_on_is_compared_once_more_when_it_is_over(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    window.documents.open(write_project(tmp_path / "small", flow=chain(default="Why?"), script=SCRIPT))
    flow = window.front
    assert flow is not None
    window.app.commands.run("run.run")
    finish(qtbot, flow)
    flow.work.session.breakpoints.set("writer", state=True)
    window.app.commands.run("run.run")
    qtbot.waitUntil(lambda: flow.controls.is_held, timeout=LONG)
    window.app.commands.run("run.compare")
    panel = flow.work.comparison
    qtbot.waitUntil(lambda: panel.runs is not None, timeout=LONG)
    assert "differ" in panel.summary.text()
    window.app.commands.run("run.continue")
    finish(qtbot, flow)
    qtbot.waitUntil(lambda: panel.summary.text() == "Both did the same.", timeout=LONG)
