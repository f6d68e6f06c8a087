"""A question waits after its flow was closed, is shown when the project is opened again, and is answered."""

import shutil
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from studio.trace.fold.state import RunStatus
from studio.ui.panels.forms.approval import ApprovalCard
from studio.ui.window.main_window import MainWindow
from tests.app.approvals import approving
from tests.app.flows import SCRIPT
from tests.app.written_projects import write_project

LONG = 20_000

pytestmark = pytest.mark.shared_window


def asking(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> Path:
    """Run a flow that asks for an approval, until it asks; gives its project."""
    project = write_project(tmp_path / "trial", flow=approving(), script=SCRIPT)
    window.documents.open(project)
    assert window.front is not None
    window.app.commands.run("run.run")
    work = window.front.work
    qtbot.waitUntil(lambda: bool(work.questions.forms), timeout=LONG)
    return project


def leave(qtbot: QtBot, window: MainWindow) -> None:
    """Close the flow in front while it waits."""
    assert window.front is not None
    work = window.front.work
    live = work.shown.run
    assert live is not None
    window.drop(work.session)
    qtbot.waitUntil(lambda: live.is_over, timeout=LONG)


def test_an_approval_outlives_its_flow_s_window_and_goes_on_from_there(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    project = asking(qtbot, window, tmp_path)
    assert window.front is not None
    assert window.front.controls.stopped_by_closing == [], "what only waits loses nothing"
    leave(qtbot, window)

    window.documents.open(project)
    assert window.front is not None
    panel = window.front.work.questions
    qtbot.waitUntil(lambda: panel.count == 1, timeout=LONG)
    assert window.docks["questions"].windowTitle() == "Questions 1"
    (card,) = panel.stored.values()
    assert isinstance(card, ApprovalCard)
    card.approve.click()
    shown = window.front.work.shown
    qtbot.waitUntil(lambda: shown.run is not None and shown.run.status is RunStatus.FINISHED, timeout=LONG)
    assert shown.run is not None
    assert shown.run.state.outputs["sent"].data == "You asked: Why?"
    qtbot.waitUntil(lambda: panel.count == 0, timeout=LONG)


def test_a_run_whose_chat_profile_is_gone_says_so_when_its_question_is_answered(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    project = asking(qtbot, window, tmp_path)
    leave(qtbot, window)
    shutil.rmtree(project / "scripts")

    window.documents.open(project)
    assert window.front is not None
    panel = window.front.work.questions
    qtbot.waitUntil(lambda: panel.count == 1, timeout=LONG)
    (card,) = panel.stored.values()
    assert isinstance(card, ApprovalCard)
    card.approve.click()
    qtbot.waitUntil(
        lambda: "gives scripted answers, and the project has none" in window.notices.text, timeout=LONG
    )


def test_two_runs_of_a_window_that_wait_are_both_listed_and_each_gets_its_answer(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    project = write_project(tmp_path / "trial", flow=approving(), script=SCRIPT)
    window.documents.open(project)
    assert window.front is not None
    work, own = window.front.work, window.front.controls.own
    panel = work.questions
    window.app.commands.run("run.run")
    first = own.last
    assert first is not None
    qtbot.waitUntil(lambda: panel.count == 1, timeout=LONG)
    window.app.commands.run("run.run")
    second = own.last
    assert second is not None
    qtbot.waitUntil(lambda: panel.count == 2, timeout=LONG)
    qtbot.waitUntil(lambda: window.docks["questions"].windowTitle() == "Questions 2", timeout=LONG)
    assert {row.detail.partition(" · ")[0] for row in window.runs.list.rows} == {"waiting for you"}
    ((run, _), aside) = next(iter(panel.aside.items()))
    assert run == first.run

    window.docks["timeline"].bring_up()
    aside.shows_run.click()
    qtbot.waitUntil(lambda: work.shown.run is first and aside in panel.forms.values(), timeout=LONG)
    qtbot.waitUntil(lambda: not window.docks["questions"].visibleRegion().isEmpty(), timeout=LONG)
    (other,) = panel.aside.values()
    assert isinstance(other, ApprovalCard)
    other.approve.click()
    qtbot.waitUntil(lambda: second.status is RunStatus.FINISHED, timeout=LONG)
    assert (first.status, list(panel.forms.values())) == (RunStatus.RUNNING, [aside])
    assert isinstance(aside, ApprovalCard)
    aside.approve.click()
    qtbot.waitUntil(lambda: first.status is RunStatus.FINISHED, timeout=LONG)
    qtbot.waitUntil(lambda: panel.count == 0, timeout=LONG)
