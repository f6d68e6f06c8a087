"""A step of a run becomes a case in the window, runs, fails once the flow gives something else, and goes."""

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.ids import NodeId, StepId
from studio.store.reader import RunStore
from studio.ui.window.cases.case_sheet import CaseSheet
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from tests.app.experiments.attending import HereLink
from tests.ui.window.live_runs import LONG
from tests.ui.window.scripts.test_script_runs import wait_for_run

pytestmark = pytest.mark.shared_window


@pytest.fixture(autouse=True)
def here(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cases are tried in this process."""
    monkeypatch.setattr(window.app, "attend", HereLink)


@pytest.fixture
def done(qtbot: QtBot, window: MainWindow, flow: OpenFlow) -> OpenFlow:
    """The example, after a run of it."""
    window.app.commands.run("run.run")
    wait_for_run(qtbot, window)
    return flow


def sheet(window: MainWindow) -> CaseSheet:
    return next(one for one in window.findChildren(CaseSheet) if one.isVisible())


def test_a_shown_step_becomes_a_case_and_runs_alone(qtbot: QtBot, window: MainWindow, done: OpenFlow) -> None:
    work = done.work
    work.show_step(StepId("rounds.1/revision"))
    window.app.commands.run("run.case")
    asked = sheet(window)
    asked.name.setText("asks for more")
    qtbot.mouseClick(asked.keep, Qt.MouseButton.LeftButton)
    panel = work.cases
    assert [row.title for row in panel.list.rows] == ["asks for more"]
    assert (work.session.project.root / "cases").is_dir()

    window.app.commands.run("run.cases")
    qtbot.waitUntil(lambda: not work.case_runs.is_busy, timeout=LONG)
    assert panel.list.rows[0].detail.startswith("as expected")
    listed = RunStore(work.session.project.private).runs()
    assert len(listed) == 2

    panel.list.setCurrentRow(0)
    panel.list.chosen.emit(panel.list.current_key())
    wait_for_run(qtbot, window)
    assert done.view.state is not None
    assert done.view.state.run == listed[0].run
    assert StepId("revision") in done.view.state.steps

    qtbot.keyClick(panel.list, Qt.Key.Key_Delete)
    assert not panel.list.rows
    window.notices.buttons[0].click()
    assert [row.title for row in panel.list.rows] == ["asks for more"]


def test_what_is_expected_otherwise_is_said(qtbot: QtBot, window: MainWindow, done: OpenFlow) -> None:
    work = done.work
    work.session.selection.select([NodeId("critic")])
    window.app.commands.run("run.case")
    asked = sheet(window)
    assert asked.height() <= asked.screen().availableSize().height()
    output = asked.outputs["data"]
    output.text.setPlainText("[1")
    assert not asked.keep.isEnabled()
    assert "not JSON" in asked.reason.text()
    output.text.setPlainText("[1]")
    asked.accept()
    qtbot.mouseClick(work.cases.run_all, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not work.case_runs.is_busy, timeout=LONG)
    assert "not [1]" in work.cases.list.rows[0].detail
    assert work.cases.list.rows[0].color == "state.failed"


def test_a_loop_is_refused_with_the_reason(window: MainWindow, done: OpenFlow) -> None:
    done.work.session.selection.select([NodeId("rounds")])
    window.app.commands.run("run.case")
    assert "nodes around it" in window.notices.text


def test_an_output_may_have_to_pass_a_check_with_settings_of_its_own(
    qtbot: QtBot, window: MainWindow, done: OpenFlow
) -> None:
    work = done.work
    work.show_step(StepId("rounds.1/revision"))
    window.app.commands.run("run.case")
    asked = sheet(window)
    output = asked.outputs["text"]
    output.how.setCurrentIndex(output.how.findData("check.expect"))
    assert output.check is not None
    assert not output.text.isVisibleTo(output)
    output.check.form["rule"].field.setPlainText("len(value) <")  # type: ignore[attr-defined]
    assert "Rule" in asked.reason.text()
    assert not asked.keep.isEnabled()
    output.how.setCurrentIndex(output.how.findData("check.guard"))
    output.check.form["forbidden"].field.setPlainText("[0-9")  # type: ignore[attr-defined]
    assert asked.reason.text().endswith("unterminated character set at position 0.")
    output.how.setCurrentIndex(output.how.findData("check.expect"))
    output.check.form["rule"].field.setPlainText("len(value) < 3")  # type: ignore[attr-defined]
    assert asked.keep.isEnabled()

    output.how.setCurrentIndex(output.how.findData("check.score"))
    assert output.text.isVisibleTo(output)
    ways = output.check.form["by"]
    assert output.check.form["ignore_case"].isVisibleTo(output)
    assert not output.check.form["places"].isVisibleTo(output)
    ways.field.setCurrentIndex(ways.field.findData("contains"))  # type: ignore[attr-defined]
    ways.edited.emit("contains")
    output.text.setPlainText('["e", "nothing like it"]')
    output.check.form["enough"].field.setText("0.5")  # type: ignore[attr-defined]
    output.check.form["enough"].field.textEdited.emit("0.5")  # type: ignore[attr-defined]
    qtbot.mouseClick(asked.keep, Qt.MouseButton.LeftButton)
    window.app.commands.run("run.cases")
    qtbot.waitUntil(lambda: not work.case_runs.is_busy, timeout=LONG)
    assert work.cases.list.rows[0].detail.startswith(
        'as expected; `text`: 0.50 · It has no "nothing like it".'
    )
