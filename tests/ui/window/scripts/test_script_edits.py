"""Edits of an exported script are shown in the window, and go into the flow as one edit."""

import shutil
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from studio import places
from studio.app.documents.session import Session
from studio.export.versions import version_of
from studio.flow import edits
from studio.ids import NodeId
from studio.ui.window.main_window import MainWindow
from studio.ui.window.scripts.script_sheet import ScriptSheet
from tests.app.written_scripts import CHAPTERS, NOTES
from tests.ui.window.live_runs import LONG

pytestmark = pytest.mark.shared_window

CRITIC, ROUNDS = NodeId("critic"), NodeId("rounds")


@pytest.fixture
def session(window: MainWindow, project: Path) -> Session:
    """The flow of the field notes, in front."""
    window.documents.open(project)
    assert window.session is not None
    return window.session


def written(session: Session, *edited: tuple[str, str]) -> Path:
    """The script of the flow as it is exported, with texts in it replaced."""
    script = NOTES.script.replace("8e150c163e9b", version_of(session.flow))
    for old, new in edited:
        assert old in script
        script = script.replace(old, new)
    path = session.project.root / "answer.py"
    path.write_text(script, "utf-8")
    return path


def shown(qtbot: QtBot, window: MainWindow) -> ScriptSheet:
    def is_open() -> bool:
        return any(one.isVisible() for one in window.findChildren(ScriptSheet))

    qtbot.waitUntil(is_open, timeout=LONG)
    return next(one for one in window.findChildren(ScriptSheet) if one.isVisible())


def instructions(session: Session) -> str:
    return str(session.flow.nodes[CRITIC].settings["instructions"])


def test_an_edited_text_is_applied_as_one_edit_that_can_be_undone(
    qtbot: QtBot, window: MainWindow, session: Session
) -> None:
    path = written(session, ("You are strict.", "You are lenient."), ("MOST = 4", "MOST = 6"))
    window.app.commands.run("file.apply_script")
    dialog = next(one for one in window.findChildren(QFileDialog) if one.isVisible())
    dialog.fileSelected.emit(str(path))
    dialog.close()
    sheet = shown(qtbot, window)
    assert [box.text() for box in sheet.boxes] == ["Max. rounds of “Rounds”", "Instructions of “Critic”"]
    assert sheet.differences[0].toPlainText().split("\n") == ["- 4", "+ 6"]
    assert "+ You are lenient." in sheet.differences[1].toPlainText()
    before = session.history.position
    sheet.apply_button.click()
    assert instructions(session).startswith("You are lenient.")
    assert session.flow.nodes[ROUNDS].settings["max_rounds"] == 6
    assert session.history.position == before + 1
    window.acts.undo()
    assert instructions(session).startswith("You are strict.")


def test_what_is_not_ticked_stays(qtbot: QtBot, window: MainWindow, session: Session) -> None:
    window.script_editing.open(
        written(session, ("You are strict.", "You are lenient."), ("MOST = 4", "MOST = 6"))
    )
    sheet = shown(qtbot, window)
    sheet.boxes[0].setChecked(False)
    sheet.apply_button.click()
    assert session.flow.nodes[ROUNDS].settings["max_rounds"] == 4
    assert instructions(session).startswith("You are lenient.")


def test_what_was_edited_in_the_flow_as_well_is_not_ticked(
    qtbot: QtBot, window: MainWindow, session: Session
) -> None:
    path = written(session, ("You are strict.", "You are lenient."), ("MOST = 4", "MOST = 6"))
    session.history.do(edits.set_setting(session.flow, ROUNDS, "max_rounds", 5))
    session.save()
    window.script_editing.open(path)
    sheet = shown(qtbot, window)
    assert [box.isChecked() for box in sheet.boxes] == [False, True]
    assert sheet.differences[0].toPlainText().split("\n") == ["- 5", "+ 6"]
    sheet.boxes[0].setChecked(True)
    sheet.apply_button.click()
    assert session.flow.nodes[ROUNDS].settings["max_rounds"] == 6


def test_what_cannot_be_applied_is_said_and_nothing_can_be_applied_then(
    qtbot: QtBot, window: MainWindow, session: Session
) -> None:
    window.script_editing.open(written(session, ('"save", result', '"store", result')))
    sheet = shown(qtbot, window)
    assert not sheet.boxes
    assert not sheet.apply_button.isEnabled()
    sheet.reject()


def test_wires_that_go_are_told_before(qtbot: QtBot, window: MainWindow, session: Session) -> None:
    path = written(session, ('    "Question: {{question}}\\n"\n', ""))
    window.script_editing.open(path)
    sheet = shown(qtbot, window)
    assert "Removes the wire “Question” value → “Critic” question." in sheet.then.text()
    sheet.boxes[0].setChecked(False)
    assert not sheet.then.isVisible()
    sheet.reject()


def test_a_called_flow_is_opened_for_its_edits(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    folder = tmp_path / "chapters"
    shutil.copytree(places.projects() / "chapters", folder, ignore=shutil.ignore_patterns(".stepwire", "out"))
    window.documents.open(folder)
    session = window.session
    assert session is not None
    versions = {"8e150c163e9b": session.flow, "8e150c163e9c": session.called_flows()["summary.json"]}
    script = CHAPTERS.script.replace("ROUNDS = 3", "ROUNDS = 2")
    for name, flow in versions.items():
        script = script.replace(name, version_of(flow))
    (folder / "answer.py").write_text(script, "utf-8")
    window.script_editing.open(folder / "answer.py")
    sheet = shown(qtbot, window)
    assert [box.text() for box in sheet.boxes] == ["Max. rounds of “Rounds” in summary.json"]
    sheet.apply_button.click()
    assert window.session is session
    (called,) = [one for one in window.app.sessions if one.name == "summary.json"]
    assert called.flow.nodes[ROUNDS].settings["max_rounds"] == 2
    assert called.is_modified


def test_a_file_that_is_no_script_is_told_in_words(
    qtbot: QtBot, window: MainWindow, session: Session
) -> None:
    path = session.project.root / "broken.py"
    path.write_text("def (")
    window.script_editing.open(path)
    qtbot.waitUntil(lambda: "Line 1 of the script is not Python" in window.notices.text, timeout=LONG)


@pytest.mark.usefixtures("session")
def test_the_script_panel_leads_there(window: MainWindow) -> None:
    assert window.front is not None
    window.front.work.script.apply_button.click()
    titles = [one.windowTitle() for one in window.findChildren(QFileDialog) if one.isVisible()]
    assert titles == ["Apply edits from a Python script"]
    for one in window.findChildren(QFileDialog):
        one.close()
