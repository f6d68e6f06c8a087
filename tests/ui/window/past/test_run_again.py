"""Runs again from a step that is edited before anything is bought, by mouse and keys."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.app.reuse.fork_plan import ForkPlan
from studio.flow.edits import remove
from studio.ids import NodeId, StepId
from studio.ui.panels.inspector.value_field import HeldField
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from studio.ui.window.past.fork_edits import TakeOverSheet
from studio.ui.window.past.run_again import RunAgainSheet
from tests.ui.window.live_runs import LONG, finish, live_of

pytestmark = pytest.mark.shared_window

WRITER = NodeId("writer")


def sheet_of(qtbot: QtBot, flow: OpenFlow) -> RunAgainSheet:
    qtbot.waitUntil(lambda: bool(flow.work.canvas.findChildren(RunAgainSheet)), timeout=LONG)
    (sheet,) = flow.work.canvas.findChildren(RunAgainSheet)
    qtbot.waitUntil(lambda: "reused" in sheet.plan.text(), timeout=LONG)
    return sheet


def field_of(sheet: RunAgainSheet, name: str) -> HeldField:
    return next(field for _, field in sheet.fields if field.name == name)


def test_an_input_is_edited_before_the_run_again_and_it_is_said_what_that_buys(
    qtbot: QtBot, window: MainWindow, small: OpenFlow
) -> None:
    first = live_of(small)
    small.work.session.selection.select([WRITER])
    window.app.commands.run("run.from_here")
    sheet = sheet_of(qtbot, small)
    assert sheet.plan.text() == "1 step runs again, 0 are reused, it costs nothing."
    field_of(sheet, "prompt").texts[0].setPlainText("How?")
    qtbot.waitUntil(lambda: "it costs at most" in sheet.plan.text(), timeout=LONG)
    assert sheet.changes.text() == "Set “writer.prompt” to “How?”."
    qtbot.keyClick(sheet, Qt.Key.Key_Return)
    finish(qtbot, small)
    again = live_of(small)
    assert again is not first
    assert again.state.outputs["answer"].data == "You asked: How?"
    assert window.runs.summary(again.run) is not None
    row = next(row for row in window.runs.list.rows if row.key == again.run)
    assert row.depth == 1
    assert "Set `writer.prompt` to “How?”." in row.tip


def test_settings_are_edited_for_one_run_and_then_taken_into_the_flow(
    qtbot: QtBot, window: MainWindow, small: OpenFlow
) -> None:
    session = small.work.session
    session.selection.select([WRITER])
    window.app.commands.run("run.from_here")
    sheet = sheet_of(qtbot, small)
    assert sheet.settings is not None
    sheet.settings.settings["instructions"].edited.emit("Be brief.")
    qtbot.waitUntil(lambda: "instructions" in sheet.changes.text(), timeout=LONG)
    sheet.run_button.click()
    finish(qtbot, small)
    request = live_of(small).state.steps[StepId("writer#chat.1")].request
    assert request is not None
    assert request["messages"][0]["content"] == "Be brief."
    assert "instructions" not in session.flow.nodes[WRITER].settings
    window.app.commands.run("run.take_over")
    qtbot.waitUntil(lambda: bool(small.work.canvas.findChildren(TakeOverSheet)), timeout=LONG)
    (offer,) = small.work.canvas.findChildren(TakeOverSheet)
    assert [box.text() for box in offer.boxes] == ["“Writer” was edited"]
    offer.boxes[0].setChecked(False)
    assert not offer.take_button.isEnabled()
    offer.boxes[0].setChecked(True)
    offer.take_button.click()
    assert session.flow.nodes[WRITER].settings["instructions"] == "Be brief."
    session.history.undo()
    assert "instructions" not in session.flow.nodes[WRITER].settings


def test_a_run_again_that_begins_in_an_earlier_round_says_so_in_its_title(
    qtbot: QtBot, window: MainWindow, small: OpenFlow
) -> None:
    small.work.session.selection.select([WRITER])
    window.app.commands.run("run.from_here")
    sheet = sheet_of(qtbot, small)
    step = sheet._step
    assert step is not None
    sheet._step = replace(step, id=StepId("rounds.2/writer"))
    steps = (StepId("rounds.1/writer"), StepId("rounds.2/writer"))
    sheet._tell(ForkPlan(steps, edited=steps[:1]))
    assert sheet.windowTitle().endswith("round 1")
    assert "every round" in sheet.plan.text()
    assert "edited by hand while paused is not kept" in sheet.plan.text()
    sheet.reject()


def test_what_does_not_fit_is_said_and_nothing_is_run(
    qtbot: QtBot, window: MainWindow, small: OpenFlow
) -> None:
    small.work.session.selection.show_step(StepId("writer#chat.1"), WRITER)
    window.app.commands.run("run.from_here")
    sheet = sheet_of(qtbot, small)
    messages = field_of(sheet, "messages")
    messages.texts[-1].setPlainText("")
    assert not sheet.run_button.isEnabled()
    assert sheet.plan.text() == sheet.refusal != ""
    messages.texts[-1].setPlainText("How?")
    assert sheet.run_button.isEnabled()
    sheet.reject()


def test_what_cannot_run_is_neither_run_again_nor_held(
    qtbot: QtBot, window: MainWindow, small: OpenFlow
) -> None:
    session = small.work.session
    session.history.do(remove(session.flow, [NodeId("question")]))
    session.selection.select([WRITER])
    window.app.commands.run("run.from_here")
    (sheet,) = small.work.canvas.findChildren(RunAgainSheet)
    qtbot.waitUntil(lambda: "cannot run" in sheet.plan.text(), timeout=LONG)
    assert not sheet.run_button.isEnabled()
    assert not sheet.held_button.isEnabled()
    sheet.reject()
