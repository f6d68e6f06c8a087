import json
import os
import time
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from studio.app.compose import compose
from studio.export.forms.signature import is_as_exported
from studio.flow import edits
from studio.flow.files.codec import dumps
from studio.ids import NodeId, StepId
from studio.trace.fold.state import RunStatus
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from tests.ui.window.live_runs import LONG, live_of
from tests.ui.window.windows import delete_now

CRITIC = NodeId("critic")


def run_into_breakpoint(window: MainWindow, flow: OpenFlow) -> None:
    """Run the flow with a breakpoint at its critic."""
    flow.work.session.selection.select([CRITIC])
    window.app.commands.run("canvas.breakpoint")
    window.app.commands.run("run.run")


@pytest.mark.shared_window
def test_the_example_runs_and_every_panel_shows_it(qtbot: QtBot, window: MainWindow, flow: OpenFlow) -> None:
    window.app.commands.run("run.run")
    qtbot.waitUntil(lambda: live_of(flow).is_over, timeout=LONG)
    assert live_of(flow).status is RunStatus.FINISHED
    shown = flow.work.canvas.board.cards
    qtbot.waitUntil(lambda: CRITIC in shown.shown.states and shown.shown.states[CRITIC].status == "done")
    qtbot.waitUntil(lambda: "tokens" in window.top_bar._tokens.text())
    assert any(lane.title == "Writer" and lane.rows[0].bars for lane in flow.work.timeline.view._lanes)
    assert flow.work.messages.bubbles
    assert [row.key for row in window.runs.list.rows] == [live_of(flow).run]


@pytest.mark.shared_window
def test_a_held_draft_is_edited_and_the_edit_is_read(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    run_into_breakpoint(window, flow)
    box = flow.work.inspector.held
    qtbot.waitUntil(lambda: box.step is not None, timeout=LONG)
    assert flow.work.session.selection.now.only_node == CRITIC
    held = box.step
    assert held is not None
    prompt = next(field for field in box.fields if field.name == "prompt")
    prompt.text.setPlainText("A heron stood by the pond. [pond.txt:1]")
    window.app.commands.run("run.continue")
    qtbot.waitUntil(lambda: live_of(flow).state.steps[held].status.is_final, timeout=LONG)
    step = live_of(flow).state.steps[StepId(held)]
    assert step.edited
    assert step.inputs["prompt"].data == "A heron stood by the pond. [pond.txt:1]"
    window.app.commands.run("run.stop")
    qtbot.waitUntil(lambda: live_of(flow).is_over, timeout=LONG)


@pytest.mark.shared_window
def test_what_was_shown_for_being_held_follows_the_run_again_when_it_goes_on(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    run_into_breakpoint(window, flow)
    qtbot.waitUntil(lambda: flow.work.session.selection.now.step is not None, timeout=LONG)
    flow.work.session.breakpoints.set("critic", state=None)
    window.app.commands.run("run.continue")
    qtbot.waitUntil(lambda: live_of(flow).is_over, timeout=LONG)
    assert flow.work.session.selection.now.step is None
    assert flow.work.session.selection.now.only_node == CRITIC
    assert "round 2" in flow.work.canvas.board.cards.shown.state(CRITIC).round


@pytest.mark.shared_window
def test_an_edit_that_does_not_fit_is_said_and_nothing_goes_on(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    run_into_breakpoint(window, flow)
    box = flow.work.inspector.held
    qtbot.waitUntil(lambda: box.step is not None, timeout=LONG)
    window.app.commands.run("run.into")
    qtbot.waitUntil(lambda: "#" in str(box.step), timeout=LONG)
    (messages,) = box.fields
    for message in messages.fields:
        messages.ordered.remove(message)
    window.app.commands.run("run.continue")
    window.app.commands.run("run.step")
    assert "does not fit" in window.notices.text
    assert flow.controls.is_held
    box.back_button.click()
    window.app.commands.run("run.continue")
    assert "does not fit" not in window.notices.text
    window.app.commands.run("run.stop")
    qtbot.waitUntil(lambda: live_of(flow).is_over, timeout=LONG)


@pytest.mark.shared_window
def test_stepping_without_a_run_holds_at_the_first_step(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    window.app.commands.run("run.step")
    qtbot.waitUntil(lambda: flow.controls.is_held, timeout=LONG)
    qtbot.waitUntil(lambda: live_of(flow).run in [row.key for row in window.runs.list.rows], timeout=LONG)
    assert flow.work.inspector.start.run_button.isEnabled(), "another one may begin beside it"
    first = list(live_of(flow).state.held_steps)
    window.app.commands.run("run.step")
    qtbot.waitUntil(
        lambda: bool(live_of(flow).state.held_steps) and list(live_of(flow).state.held_steps) != first,
        timeout=LONG,
    )
    window.app.commands.run("run.stop")
    qtbot.waitUntil(lambda: live_of(flow).is_over, timeout=LONG)


def test_a_host_that_dies_leaves_the_window_and_an_interrupted_run(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    flow.work.session.breakpoints.set("critic", state=True)
    window.app.commands.run("run.run")
    qtbot.waitUntil(lambda: flow.controls.is_held, timeout=LONG)
    qtbot.waitUntil(lambda: window.runs.list.rows[0].detail.startswith("paused"), timeout=3000)
    run = live_of(flow)
    assert run._kill is not None
    run._kill()
    qtbot.waitUntil(lambda: run.is_over, timeout=LONG)
    qtbot.waitUntil(lambda: "interrupted" in window.notices.text, timeout=LONG)
    assert run.status is RunStatus.INTERRUPTED
    assert window.isVisible()
    qtbot.waitUntil(lambda: window.runs.list.rows[0].detail.startswith("interrupted"), timeout=LONG)


@pytest.mark.shared_window
def test_an_old_run_is_shown_through_the_same_panels(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    window.app.commands.run("run.run")
    qtbot.waitUntil(lambda: live_of(flow).is_over, timeout=LONG)
    first = live_of(flow)
    window.app.commands.run("run.run")
    qtbot.waitUntil(lambda: live_of(flow).is_over and live_of(flow) is not first, timeout=LONG)
    window.runs.chosen.emit(first.run)
    qtbot.waitUntil(lambda: live_of(flow).run == first.run and live_of(flow).is_over, timeout=LONG)
    qtbot.waitUntil(lambda: CRITIC in flow.work.canvas.board.cards.shown.states, timeout=LONG)
    assert window.acts.shows_old_run()
    window.app.commands.run("run.leave")
    assert not window.acts.shows_old_run()


@pytest.mark.shared_window
def test_a_problem_stops_the_run_and_says_where(window: MainWindow, flow: OpenFlow) -> None:
    session = flow.work.session
    session.history.do(edits.set_setting(session.flow, CRITIC, "turns", 0))
    window.app.commands.run("run.run")
    assert flow.work.shown.run is None
    assert "cannot start" in window.notices.text
    window.notices.buttons[-1].click()
    assert session.selection.now.only_node == CRITIC


@pytest.mark.shared_window
def test_undo_of_everything_gives_the_first_flow_back_byte_for_byte(
    window: MainWindow, flow: OpenFlow
) -> None:
    session = flow.work.session
    before = dumps(session.flow)
    window.library.chosen.emit("llm.chat")
    window.library.chosen.emit("control.loop")
    assert len(session.flow.nodes) == len(json.loads(before)["nodes"]) + 2
    while window.acts.can_undo():
        window.app.commands.run("edit.undo")
    assert dumps(session.flow) == before


@pytest.mark.usefixtures("flow")
def test_every_menu_fits_into_a_small_window(window: MainWindow) -> None:
    heights = {title: menu.sizeHint().height() for title, menu in window.menus.groups.items()}
    assert {title: height for title, height in heights.items() if height > 720} == {}
    assert {name for name in window.app.commands.submenus if name not in window.app.commands} == set()


def test_every_action_has_a_menu_entry_and_the_palette_finds_it(window: MainWindow) -> None:
    in_menus = [one for one in window.app.commands if one.menu]
    assert len(in_menus) > 100
    for action in in_menus:
        assert window.menus.action(action.id).text().startswith(action.title)
        if action.is_enabled() and action.id != "view.palette":
            assert action.id in [entry.row.key for entry in window.acts.find_actions(action.title)]


@pytest.mark.shared_window
@pytest.mark.parametrize(
    ("words", "command"),
    [("search", "flow.find"), ("full screen", "view.canvas_alone"), ("split right", "view.beside")],
)
def test_the_palette_knows_commands_by_words_of_other_tools(
    window: MainWindow, flow: OpenFlow, words: str, command: str
) -> None:
    window.tabs.add_document(flow, "script")
    assert command in [entry.row.key for entry in window.acts.find_actions(words)]


@pytest.mark.shared_window
def test_the_palette_goes_to_a_node(qtbot: QtBot, window: MainWindow, flow: OpenFlow) -> None:
    window.app.commands.run("edit.go")
    qtbot.keyClicks(window.palette_box.field, "crit")
    qtbot.keyClick(window.palette_box.field, Qt.Key.Key_Return)
    assert flow.work.session.selection.now.only_node == CRITIC
    assert not window.palette_box.isVisible()


@pytest.mark.shared_window
@pytest.mark.usefixtures("flow")
def test_every_theme_can_be_chosen_while_the_window_stands(window: MainWindow) -> None:
    for name in ("light", "high_contrast", "dark"):
        window.app.commands.run(f"view.theme_{name}")
        assert window.look.theme.name == name


@pytest.mark.shared_window
@pytest.mark.usefixtures("flow")
def test_a_theme_chosen_when_flows_were_closed_asks_nothing_of_their_panels(window: MainWindow) -> None:
    window.app.commands.run("file.close")
    delete_now()
    window.app.commands.run("view.theme_light")
    assert window.look.theme.name == "light"


def test_closing_asks_before_edits_are_lost_that_could_not_be_kept(
    qtbot: QtBot, window: MainWindow, project: Path
) -> None:
    (project / ".stepwire").write_text("nothing can be kept in here")
    window.documents.open(project)
    window.library.chosen.emit("llm.chat")
    window.close()
    assert window.isVisible()
    box = window.findChild(QMessageBox)
    assert box is not None
    assert box.icon() is QMessageBox.Icon.NoIcon
    assert box.button(QMessageBox.StandardButton.Save).property("primary")
    assert not box.button(QMessageBox.StandardButton.Discard).property("primary")
    box.button(QMessageBox.StandardButton.Discard).click()
    qtbot.waitUntil(lambda: not window.isVisible())


@pytest.mark.usefixtures("flow")
def test_closing_asks_nothing_where_undo_brings_edits_back(window: MainWindow) -> None:
    window.library.chosen.emit("llm.chat")
    window.close()
    assert not window.isVisible()


@pytest.mark.shared_window
def test_saving_writes_the_file_and_takes_the_dot_away(window: MainWindow, flow: OpenFlow) -> None:
    window.library.chosen.emit("llm.chat")
    window._refresh()
    assert window.top_bar._flow.text().endswith("•")
    window.app.commands.run("file.save")
    window._refresh()
    assert flow.work.session.path.read_text("utf-8") == dumps(flow.work.session.flow)
    assert not window.top_bar._flow.text().endswith("•")


@pytest.mark.shared_window
@pytest.mark.usefixtures("flow")
def test_dialogs_are_opened_and_never_waited_for(window: MainWindow) -> None:
    began = time.monotonic()
    window.app.commands.run("file.open")
    assert time.monotonic() - began < 5
    dialog = window.findChild(QFileDialog)
    assert dialog is not None
    dialog.reject()


@pytest.mark.shared_window
def test_a_broken_file_is_a_notice(window: MainWindow, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"format": "stepwire.flow"', "utf-8")
    window.documents.open(broken)
    assert window.front is None
    assert "broken.json" in window.notices.text


def test_the_welcome_page_offers_the_examples_and_what_was_opened(window: MainWindow, project: Path) -> None:
    assert window.pages.currentWidget() is window.welcome
    assert {card.accessibleName() for card in window.welcome.cards} >= {"field_notes"}
    window.documents.open(project)
    assert window.front is not None
    window.app.commands.run("file.close")
    assert window.pages.currentWidget() is window.welcome
    assert [row.key for row in window.welcome.recent.rows] == [str(project.resolve())]


def test_docks_that_move_together_are_looked_at_once(window: MainWindow) -> None:
    QApplication.processEvents()
    arranged: list[bool] = []
    window.docks.arranged.connect(lambda: arranged.append(True))
    window.docks.arrange()
    window.docks.hide()
    QApplication.processEvents()
    assert arranged == [True]


def test_docks_stand_where_they_were_left(
    qtbot: QtBot, tmp_path: Path, window: MainWindow, flow: OpenFlow
) -> None:
    window.docks["messages"].close()
    window.close()
    assert window.app.settings.window_state
    again = MainWindow(compose(dict(os.environ), tmp_path / "config", is_warmed=False), window.appearance)
    qtbot.addWidget(again)
    again.documents.open(flow.work.session.project.root)
    with qtbot.waitExposed(again):
        again.show()
    assert again.docks["messages"].isHidden()
    again.close()
    again.app.close()


@pytest.mark.shared_window
def test_the_script_is_shown_before_it_is_saved(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow, tmp_path: Path
) -> None:
    window.app.commands.run("view.script")
    panel = flow.work.script
    qtbot.waitUntil(lambda: panel.script is not None, timeout=LONG)
    script = panel.script
    assert script is not None
    compile(script, "exported", "exec")
    panel.copy_button.click()
    assert QApplication.clipboard().text() == script
    panel.save_button.click()
    dialog = window.findChild(QFileDialog)
    assert dialog is not None
    dialog.fileSelected.emit(str(tmp_path / "script.py"))
    dialog.close()
    saved = tmp_path / "script.py"
    qtbot.waitUntil(saved.exists, timeout=LONG)
    qtbot.waitUntil(lambda: window.notices.text.startswith("Saved to"), timeout=LONG)
    written = saved.read_text("utf-8")
    assert is_as_exported(written)
    assert written.endswith(script.partition('"""\n')[2]), "it is what was shown, below another head"
    assert (tmp_path / "stepwire_kit").is_dir()


def test_the_script_has_the_place_of_the_canvas_and_gives_it_back(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    canvas, panel, bar = flow.work.canvas, flow.work.script, window.tabs.bar
    room = canvas.size()
    window.app.commands.run("view.script")
    qtbot.waitUntil(panel.code.hasFocus, timeout=LONG)
    qtbot.waitUntil(lambda: panel.width() == room.width())
    assert not canvas.isVisible()
    assert [bar.tabText(tab) for tab in range(bar.count())] == [
        flow.work.session.flow.name,
        f"Script: {flow.work.session.flow.name}",
    ]
    window.app.commands.run("panel.canvas")
    assert canvas.isVisible()
    assert bar.count() == 2, "it stays open"
    window.app.commands.run("view.next_flow")
    assert panel.isVisible()
    window.app.commands.run("view.script")
    assert canvas.isVisible(), "from there, the same key takes it away"
    assert bar.count() == 1


@pytest.mark.shared_window
def test_the_flow_becomes_a_package_in_a_folder_of_its_name(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow, tmp_path: Path
) -> None:
    def export() -> None:
        window.app.commands.run("file.package")
        dialog = window.findChildren(QFileDialog)[-1]
        dialog.fileSelected.emit(str(tmp_path))
        assert "Writing" in window.notices.text, "the window does not wait for it"
        dialog.close()
        qtbot.waitUntil(lambda: "Writing" not in window.notices.text, timeout=LONG)

    folder = tmp_path / "answer-a-question-from-notes"
    export()
    export()
    assert flow.work.session.flow.name in (folder / "pyproject.toml").read_text("utf-8")
    assert (folder / "answer_a_question_from_notes" / "script.py").exists()
    assert str(folder) in window.notices.text
    (folder / "pyproject.toml").write_text("mine")
    export()
    assert "was left unchanged. Choose another place." in window.notices.text
    assert "“-o”" not in window.notices.text, "that is said to who types a command"
    window.notices.buttons[0].click()
    assert window.findChildren(QFileDialog)[-1].isVisible()
    window.findChildren(QFileDialog)[-1].close()
    assert (folder / "pyproject.toml").read_text("utf-8") == "mine"
