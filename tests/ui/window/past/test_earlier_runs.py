"""Runs that go back to earlier ones, from the window."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QInputDialog, QLabel, QMenu, QMessageBox
from pytestqt.qtbot import QtBot

from studio.flow import edits
from studio.ids import NodeId, PortName, RunId, StepId
from studio.past.fork_wishes import Setting
from studio.past.open_runs import AGAIN, HAPPENED
from studio.trace.events import BudgetReached
from studio.trace.fold.state import RunStatus
from studio.ui.panels.forms.doubts import DoubtsCard
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from studio.ui.window.past.run_again import RunAgainSheet
from tests.app.flows import SCRIPT, SLOW_SCRIPT, chain
from tests.app.reuse.test_going_back import saving
from tests.app.stored import cut_before
from tests.app.written_projects import write_flow, write_project
from tests.cli.test_resume import saving_at_once
from tests.documents import document
from tests.ui.window.live_runs import LONG, finish, live_of

WRITER = NodeId("writer")


@pytest.mark.shared_window
def test_a_shown_step_is_run_again_and_held_there_for_edits(
    qtbot: QtBot, window: MainWindow, small: OpenFlow
) -> None:
    first = live_of(small).run
    small.work.session.selection.select([WRITER])
    window.app.commands.run("run.held_here")
    qtbot.waitUntil(lambda: small.controls.is_held, timeout=LONG)
    assert list(live_of(small).state.held_steps) == ["writer"]
    box = small.work.inspector.held
    qtbot.waitUntil(lambda: box.step == "writer", timeout=LONG)
    prompt = next(field for field in box.fields if field.name == "prompt")
    prompt.text.setPlainText("How?")
    window.app.commands.run("run.continue")
    finish(qtbot, small)
    assert live_of(small).state.outputs["answer"].data == "You asked: How?"
    assert [(row.key, row.depth) for row in window.runs.list.rows] == [(first, 0), (live_of(small).run, 1)]


@pytest.mark.shared_window
def test_a_chat_is_asked_again_in_other_words(qtbot: QtBot, window: MainWindow, small: OpenFlow) -> None:
    chat = StepId("writer#chat.1")
    small.work.session.selection.show_step(chat, WRITER)
    window.app.commands.run("run.held_here")
    qtbot.waitUntil(lambda: small.controls.is_held, timeout=LONG)
    assert list(live_of(small).state.held_steps) == [chat]
    box = small.work.inspector.held
    qtbot.waitUntil(lambda: box.step == chat, timeout=LONG)
    (messages,) = box.fields
    messages.texts[-1].setPlainText("How?")
    window.app.commands.run("run.continue")
    finish(qtbot, small)
    assert live_of(small).state.outputs["answer"].data == "You asked: How?"


@pytest.mark.shared_window
def test_an_edited_flow_is_run_again_from_the_menu_of_a_run_and_the_two_are_compared(
    qtbot: QtBot, window: MainWindow, small: OpenFlow
) -> None:
    first = live_of(small).run
    answer = edits.set_setting(small.work.session.flow, WRITER, "instructions", "Be brief.")
    small.work.session.history.do(answer)
    choose(menu_of(window, first), "Run it again with the flow as it is now…")
    (sheet,) = small.work.canvas.findChildren(RunAgainSheet)
    qtbot.waitUntil(lambda: "it costs at most" in sheet.plan.text(), timeout=LONG)
    assert "instructions" in sheet.changes.text()
    sheet.run_button.click()
    finish(qtbot, small)
    assert live_of(small).run != first
    assert live_of(small).state.steps[StepId("writer#chat.1")].is_reused is False
    choose(menu_of(window, first), "Compare with the shown run")
    view = small.work.comparison
    qtbot.waitUntil(lambda: view.runs is not None, timeout=LONG)
    assert [row.key for row in view.list.rows] == ["writer", "writer#chat.1"]
    assert [row.title for row in view.list.rows] == ["Writer", "Writer: chat 1"]
    assert first not in view.summary.text(), "people know runs by the time"
    view.only_differing.setChecked(False)
    assert len(view.list.rows) == 4


@pytest.mark.shared_window
def test_a_replay_from_the_menu_asks_nobody(qtbot: QtBot, window: MainWindow, small: OpenFlow) -> None:
    first = live_of(small)
    choose(menu_of(window, first.run), "Replay it without calling any model")
    finish(qtbot, small)
    assert live_of(small) is not first
    assert live_of(small).state.tokens == 0
    assert live_of(small).state.outputs == first.state.outputs


@pytest.mark.shared_window
def test_the_script_is_checked_against_a_run_from_its_menu(
    qtbot: QtBot, window: MainWindow, small: OpenFlow
) -> None:
    run = live_of(small).run
    choose(menu_of(window, run), "Check the flow's Python script against this run")
    qtbot.waitUntil(lambda: "1 request and the end are identical" in window.notices.text, timeout=LONG)
    small.work.session.history.do(
        edits.set_setting(small.work.session.flow, WRITER, "instructions", "Be brief.")
    )
    choose(menu_of(window, run), "Check the flow's Python script against this run")
    qtbot.waitUntil(lambda: ": the script calls the model" in window.notices.text, timeout=LONG)
    assert "“Writer” (line " in window.notices.text
    assert "The run was made with another version of the flow" in window.notices.text
    (show,) = window.notices.buttons
    words = show.text()
    show.click()
    panel = small.work.script
    qtbot.waitUntil(lambda: "await " in panel.code.textCursor().block().text(), timeout=LONG)
    assert words == f"Show line {panel.code.textCursor().blockNumber() + 1}"
    assert small.work.session.selection.now.nodes == {WRITER}


@pytest.mark.shared_window
def test_a_side_effect_in_doubt_is_decided_by_a_person(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    flow = saving()
    nodes = flow["nodes"]
    assert isinstance(nodes, dict)
    nodes["question"]["settings"] = {"default": "Why?"}
    project = write_project(tmp_path / "saving", flow=flow, script=SCRIPT)
    window.documents.open(project)
    front = window.front
    assert front is not None
    window.app.commands.run("run.run")
    finish(qtbot, front)
    run = live_of(front).run
    cut_before(project / ".stepwire", "save", "step_finished")
    front.controls.earlier.go_on(run)
    card = doubts_card(qtbot, front, run)
    assert "may already have happened" in window.notices.text
    card.buttons[HAPPENED].click()
    qtbot.waitUntil(lambda: live_of(front).status is RunStatus.FINISHED, timeout=LONG)
    assert (project / "out.txt").read_text("utf-8") == "You asked: Why?\n"
    qtbot.waitUntil(lambda: front.work.questions.count == 0, timeout=LONG)


def doubts_card(qtbot: QtBot, flow: OpenFlow, run: RunId) -> DoubtsCard:
    """The question about what a run may have changed already, once it is there."""
    panel = flow.work.questions
    qtbot.waitUntil(lambda: any(place[0] == run for place in panel.stored), timeout=LONG)
    (card,) = (card for place, card in panel.stored.items() if place[0] == run)
    assert isinstance(card, DoubtsCard)
    return card


def test_a_fork_that_would_repeat_changes_asks_of_each_and_has_not_failed(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    project = write_project(tmp_path / "saving", flow=saving_at_once())
    window.documents.open(project)
    front = window.front
    assert front is not None
    window.app.commands.run("run.run")
    finish(qtbot, front)
    words = [Setting(StepId("words"), PortName("value"), ["x", "y", "z"])]
    runs, session = window.app.runs, front.work.session
    front.controls._launch(lambda: runs.go_back(session, live_of(front).run, "fork", values=words))
    finish(qtbot, front)
    card = doubts_card(qtbot, front, live_of(front).run)
    assert "The earlier run may have done “save" in window.notices.text
    assert window.docks["questions"].isVisible()
    assert window.top_bar._clock.text().startswith("waiting for you")
    assert window.runs.list.rows[1].color == "state.held"
    qtbot.waitUntil(lambda: front.work.canvas.board.cards.shown.state(NodeId("save")).status == "waiting")
    assert [title.text() for title in card.findChildren(QLabel) if title.text().startswith("save")] == [
        f"save, item {number}" for number in (1, 2, 3)
    ]
    card.choices[StepId("e.0/save")][HAPPENED].click()
    card.choices[StepId("e.1/save")][AGAIN].click()
    assert not card.go_on.isEnabled()
    card.buttons[HAPPENED].click()
    assert card.go_on.isEnabled()
    card.choices[StepId("e.1/save")][AGAIN].click()
    card.go_on.click()
    qtbot.waitUntil(lambda: live_of(front).status is RunStatus.FINISHED, timeout=LONG)
    assert sorted((project / "out.txt").read_text("utf-8").split()) == ["a", "b", "c", "y"]


@pytest.mark.shared_window
def test_a_limit_holds_the_run_until_it_is_raised(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    flow = chain(default="Why?")
    nodes = flow["nodes"]
    assert isinstance(nodes, dict)
    nodes["writer"]["run"] = {"limits": {"steps": 1}}
    project = write_project(tmp_path / "limited", flow=flow, script=SCRIPT, limits={"steps": 1})
    window.documents.open(project)
    front = window.front
    assert front is not None
    window.app.commands.run("run.run")
    qtbot.waitUntil(lambda: len(window.notices.buttons) == 3, timeout=LONG)
    assert "1 steps" in window.notices.text
    assert live_of(front).status is RunStatus.HELD
    actions = window.app.commands
    assert actions["run.continue"].is_enabled()
    assert not any(actions[f"run.{name}"].is_enabled() for name in ("step", "into", "out"))
    window.notices.buttons[0].click()
    qtbot.waitUntil(lambda: "2 steps" in window.notices.text, timeout=LONG)
    window.notices.buttons[1].click()
    (box,) = front.work.canvas.findChildren(QInputDialog)
    box.setDoubleValue(9)
    box.accept()
    finish(qtbot, front)
    assert live_of(front).status is RunStatus.FINISHED
    assert window.notices.text == ""


REFUSING = """
rules:
  - name: whatever is asked
    error: {status: 400, message: Not today}
"""
CALLING: dict[str, object] = document(
    "Calling",
    {
        "call": {"kind": "control.subflow", "title": "Ask it", "settings": {"flow": "inner.json"}},
        "out": {"kind": "io.flow_output", "title": "Out"},
    },
    "call.answer -> out.value",
)


@pytest.mark.shared_window
def test_a_step_that_fails_is_named_once(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    project = write_project(tmp_path / "refused", flow=chain(default="Why?"), script=REFUSING)
    window.documents.open(project)
    assert window.front is not None
    window.app.commands.run("run.run")
    finish(qtbot, window.front)
    title = window.notices.text.partition("“")[2].partition("”")[0]
    assert window.notices.text.count(title) == 1


@pytest.mark.shared_window
def test_what_fails_or_is_limited_in_a_called_flow_is_named_as_that_flow_does(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    inner = chain(default="Why?")
    nodes = inner["nodes"]
    assert isinstance(nodes, dict)
    nodes["writer"] |= {"title": "Fast writer", "run": {"limits": {"calls": 1}}}
    project = write_project(tmp_path / "calling", flow=CALLING, script=REFUSING)
    write_flow(project / "inner.json", inner)
    window.documents.open(project)
    front = window.front
    assert front is not None
    window.app.commands.run("run.run")
    finish(qtbot, front)
    assert window.notices.text.startswith("Fast writer, Ask it: ")
    reached = BudgetReached("calls", 1, 1, "inner.json:writer")
    assert "“Fast writer, Ask once” has reached" in front.controls.earlier.limit_words(reached)


@pytest.mark.shared_window
def test_an_old_run_says_when_the_flow_has_changed_since(
    qtbot: QtBot, window: MainWindow, small: OpenFlow
) -> None:
    first = live_of(small).run
    window.app.commands.run("run.run")
    finish(qtbot, small)
    small.controls.show_old(first)
    qtbot.waitUntil(lambda: live_of(small).run == first and live_of(small).status.is_final, timeout=LONG)
    qtbot.waitUntil(lambda: window.runs._said.text() == "You are viewing an old run.", timeout=LONG)
    small.work.session.history.do(
        edits.set_setting(small.work.session.flow, WRITER, "instructions", "Be brief.")
    )
    qtbot.waitUntil(lambda: "changed" in window.runs._said.text(), timeout=LONG)


def test_closing_the_window_during_a_run_asks_first(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    project = write_project(tmp_path / "slow", flow=chain(default="Why?"), script=SLOW_SCRIPT)
    window.documents.open(project)
    front = window.front
    assert front is not None
    window.app.commands.run("run.run")
    qtbot.waitUntil(lambda: StepId("writer") in live_of(front).state.steps, timeout=LONG)
    window.close()
    (box,) = window.findChildren(QMessageBox)
    assert window.isVisible()
    box.button(QMessageBox.StandardButton.Cancel).click()
    assert window.isVisible()
    assert not live_of(front).is_over
    window.close()
    box = window.findChildren(QMessageBox)[-1]
    box.buttons()[0].click()
    qtbot.waitUntil(lambda: not window.isVisible(), timeout=LONG)


def menu_of(window: MainWindow, run: RunId) -> QMenu:
    """The menu of a listed run, made and not opened: no popups without a screen."""
    return window.context_menus.make_runs_menu(run)


def choose(menu: QMenu, words: str) -> None:
    (action,) = (one for one in menu.actions() if one.text() == words)
    assert action.isEnabled()
    action.trigger()
