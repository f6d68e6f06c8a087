"""Flows are deleted, renamed and copied in the window, and Ctrl+Z takes back whatever came last."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog, QTreeWidgetItem
from pytestqt.qtbot import QtBot

from studio.errors import UsageError
from studio.flow.edits import describe, set_title
from studio.ids import NodeId
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from studio.workspace.project import FILE, Project
from tests.app.written_projects import write_flow

pytestmark = pytest.mark.shared_window

CALLER = {
    "format": "stepwire.flow",
    "version": 1,
    "name": "Caller",
    "nodes": {"call": {"kind": "control.subflow", "settings": {"flow": "part.json"}}},
}
PART = {"format": "stepwire.flow", "version": 1, "name": "Part", "nodes": {"text": {"kind": "text.text"}}}
TEXT = NodeId("text")


def _opened(window: MainWindow, project: Path) -> OpenFlow:
    """The project's flow `part`, in front; `caller` calls it."""
    write_flow(project / "part.json", PART)
    write_flow(project / "caller.json", CALLER)
    window.documents.open(project / "part.json")
    assert window.front is not None
    return window.front


def _row(window: MainWindow, name: str) -> QTreeWidgetItem:
    (found,) = window.files.tree.findItems(name, Qt.MatchFlag.MatchExactly)
    return found


def _choose(window: MainWindow, name: str) -> None:
    window.docks["files"].bring_up()
    window.files.tree.setCurrentItem(_row(window, name))


def _key(qtbot: QtBot, window: MainWindow, key: Qt.Key) -> None:
    qtbot.keyClick(window.files.tree, key)  # pyright: ignore[reportUnknownMemberType]


def test_a_deleted_flow_closes_and_undo_brings_it_back_with_its_unsaved_edits(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow, project: Path
) -> None:
    part = _opened(window, project)
    before = part.work.session.path.read_bytes()
    part.work.session.history.do(set_title(part.work.session.flow, TEXT, "Mine"))
    _choose(window, "part.json")
    _key(qtbot, window, Qt.Key.Key_Delete)
    assert not (project / "part.json").exists()
    assert window.tabs.flows == [flow]
    assert "caller.json" in window.notices.text
    assert not window.files.tree.findItems("part.json", Qt.MatchFlag.MatchExactly)
    window.app.commands.run("edit.undo")
    assert (project / "part.json").read_bytes() == before
    assert window.session is not None
    assert window.session.flow.nodes[TEXT].title == "Mine"
    assert "unsaved" in window.notices.text


@pytest.mark.usefixtures("flow")
def test_a_deed_that_was_undone_is_not_spoken_of_any_more(
    qtbot: QtBot, window: MainWindow, project: Path
) -> None:
    _opened(window, project)
    _choose(window, "part.json")
    _key(qtbot, window, Qt.Key.Key_Delete)
    assert "was deleted" in window.notices.text
    window.app.commands.run("edit.undo")
    assert "was deleted" not in window.notices.text
    assert "Undone" in window.notices.text


def test_undo_takes_back_edits_and_files_in_the_order_in_which_they_came(
    window: MainWindow, flow: OpenFlow, project: Path
) -> None:
    _opened(window, project)
    window.documents.open(project)
    history = flow.work.session.history
    critic = NodeId("critic")
    title = history.flow.nodes[critic].title
    history.do(set_title(history.flow, critic, "One"))
    window.flow_files.delete(project / "part.json")
    history.do(set_title(history.flow, critic, "Two"))
    window.app.commands.run("edit.undo")
    assert history.flow.nodes[critic].title == "One"
    assert not (project / "part.json").exists()
    window.app.commands.run("edit.undo")
    assert (project / "part.json").exists()
    window.documents.open(project)
    window.app.commands.run("edit.undo")
    assert history.flow.nodes[critic].title == title
    window.app.commands.run("edit.redo")
    assert history.flow.nodes[critic].title == "One"
    window.app.commands.run("edit.redo")
    assert not (project / "part.json").exists()
    window.app.commands.run("edit.redo")
    assert history.flow.nodes[critic].title == "Two"


def test_a_renamed_flow_stays_open_and_is_called_by_its_new_name(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow, project: Path
) -> None:
    del flow
    _opened(window, project)
    window.documents.open(project / "caller.json")
    caller = window.session
    assert caller is not None
    _choose(window, "part.json")
    _key(qtbot, window, Qt.Key.Key_F2)
    (dialog,) = window.findChildren(QInputDialog)
    dialog.setTextValue("digest")
    dialog.accept()
    assert (project / "digest.json").exists()
    assert window.session is not None
    assert window.session.path == project / "digest.json"
    assert caller.flow.nodes[NodeId("call")].settings == {"flow": "digest.json"}
    assert not caller.is_modified
    (undo,) = window.notices.buttons
    undo.click()
    assert (project / "part.json").exists()
    assert caller.flow.nodes[NodeId("call")].settings == {"flow": "part.json"}
    assert caller.history.steps == ()


def test_a_caller_with_unsaved_edits_keeps_a_flow_from_being_renamed(
    window: MainWindow, flow: OpenFlow, project: Path
) -> None:
    del flow
    _opened(window, project)
    window.documents.open(project / "caller.json")
    caller = window.session
    assert caller is not None
    caller.history.do(set_title(caller.flow, NodeId("call"), "Mine"))
    window.flow_files.rename(project / "part.json", "digest")
    assert "unsaved" in window.notices.text
    assert (project / "part.json").exists()


def test_a_copy_is_opened_beside_its_flow_as_it_is_edited(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow, project: Path
) -> None:
    del flow
    part = _opened(window, project)
    part.work.session.history.do(set_title(part.work.session.flow, TEXT, "Mine"))
    _choose(window, "part.json")
    qtbot.keyClick(  # pyright: ignore[reportUnknownMemberType]
        window.files.tree, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier
    )
    assert window.session is not None
    assert window.session.path == project / "part_copy.json"
    assert window.session.flow.nodes[TEXT].title == "Mine"


def test_a_variant_is_opened_says_of_what_and_is_saved_as_what_differs(
    window: MainWindow, flow: OpenFlow, project: Path
) -> None:
    window.app.commands.run("file.variant")
    session = window.session
    assert session is not None
    assert session.path == project / "flow_variant.json"
    assert session.flow.nodes == flow.work.session.flow.nodes
    assert window.front is not None
    assert "A variant of flow.json" in window.front.work.inspector.start._base.text()
    session.history.do(set_title(session.flow, next(iter(session.flow.nodes)), "Mine"))
    window.app.commands.run("file.save")
    assert '"title": "Mine"' in session.path.read_text("utf-8")
    assert '"wires"' not in session.path.read_text("utf-8")


def test_the_main_flow_says_why_it_is_not_deleted(window: MainWindow, flow: OpenFlow) -> None:
    window.app.commands.run("file.delete")
    assert flow.work.session.path.exists()
    assert "main flow" in window.notices.text


def test_the_menu_of_a_flow_offers_what_can_be_done_and_that_of_other_files_less(
    window: MainWindow, flow: OpenFlow, project: Path
) -> None:
    del flow
    _opened(window, project)
    (project / "notes.txt").write_text("Notes")
    window.files.refresh()

    def words(name: str) -> list[str]:
        return [act.text() for act in window.files.make_menu(_row(window, name)).actions() if act.text()]

    assert words("part.json") == ["Open", "Rename…", "Duplicate", "New variant", "Delete", "New flow"]
    assert words("notes.txt") == ["Open", "New flow"]


def test_deeds_are_listed_in_the_history_and_a_click_undoes_them(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow, project: Path
) -> None:
    _opened(window, project)
    window.documents.open(project)
    window.flow_files.delete(project / "part.json")
    window.app.commands.run("edit.history")
    files = flow.work.history.files
    qtbot.waitUntil(lambda: files.isVisible() and files.rows.rowCount() == 2)
    at = files.visualRect(files.rows.index(0)).center()
    qtbot.mouseClick(  # pyright: ignore[reportUnknownMemberType]
        files.viewport(), Qt.MouseButton.LeftButton, pos=at
    )
    assert (project / "part.json").exists()


def test_edited_chat_profiles_can_be_undone(window: MainWindow, flow: OpenFlow, project: Path) -> None:
    path = project / FILE
    before = path.read_text("utf-8")
    document = json.loads(before)
    document["chat"]["profiles"]["other"] = {"provider": "openai", "llm": "some"}
    path.write_text(json.dumps(document), "utf-8")
    window.flow_files.note_project_text(Project.open(project), before, "Edit chat profiles")
    window.app.take_profiles(Project.open(project))
    assert "other" in flow.work.session.project.profiles
    window.app.commands.run("edit.undo")
    assert path.read_text("utf-8") == before
    assert "other" not in flow.work.session.project.profiles


def test_a_new_flow_is_opened_and_undo_takes_it_away_while_it_is_untouched(
    window: MainWindow, flow: OpenFlow, project: Path
) -> None:
    window.flow_files.create(project / "first_draft.json")
    assert window.session is not None
    assert window.session.flow.name == "First draft"
    window.app.commands.run("edit.undo")
    assert not (project / "first_draft.json").exists()
    assert window.session is flow.work.session
    window.app.commands.run("edit.redo")
    assert window.session.path == project / "first_draft.json"
    with pytest.raises(UsageError, match="already"):
        window.flow_files.create(project / "first_draft.json")


def test_a_new_flow_is_drawn_before_it_is_named(window: MainWindow, flow: OpenFlow, project: Path) -> None:
    del flow
    window.app.commands.run("file.new")
    assert window.session is not None
    assert window.session.path == project / "new_flow.json"
    window.app.commands.run("file.new")
    assert window.session.path == project / "new_flow_2.json"


def test_without_a_project_a_new_flow_gets_one_of_its_own(window: MainWindow, tmp_path: Path) -> None:
    window.app.settings.own_folder = tmp_path / "own"
    assert window.session is None
    window.app.commands.run("file.new")
    session = window.session
    assert session is not None
    assert session.project.root == tmp_path / "own" / "New project"
    assert session.project.is_folder
    assert str(session.project.root) in window.notices.text


def test_a_new_project_is_asked_only_for_its_name(window: MainWindow, tmp_path: Path) -> None:
    window.app.settings.own_folder = tmp_path / "own"
    window.app.commands.run("file.new_project")
    (dialog,) = [one for one in window.findChildren(QInputDialog) if one.isVisible()]
    dialog.setTextValue("Pond life")
    dialog.accept()
    assert window.session is not None
    assert window.session.path == tmp_path / "own" / "Pond life" / "flow.json"
    assert window.session.flow.name == "Pond life"


def test_a_new_flow_that_was_saved_since_does_not_keep_older_edits_from_being_undone(
    window: MainWindow, flow: OpenFlow, project: Path
) -> None:
    history = flow.work.session.history
    critic = NodeId("critic")
    title = history.flow.nodes[critic].title
    history.do(set_title(history.flow, critic, "One"))
    window.flow_files.create(project / "draft.json")
    draft = window.session
    assert draft is not None
    draft.history.do(describe(draft.flow, "Mine", ""))
    draft.save()
    window.documents.open(project)
    window.app.commands.run("edit.undo")
    assert "changed since" in window.notices.text
    assert (project / "draft.json").exists()
    assert history.flow.nodes[critic].title == title
    window.app.commands.run("edit.redo")
    assert history.flow.nodes[critic].title == "One"


def test_undo_in_one_flow_does_not_take_another_new_flow_away(
    window: MainWindow, flow: OpenFlow, project: Path
) -> None:
    history = flow.work.session.history
    critic = NodeId("critic")
    title = history.flow.nodes[critic].title
    history.do(set_title(history.flow, critic, "One"))
    window.flow_files.create(project / "draft.json")
    draft = window.session
    assert draft is not None
    window.documents.open(project)
    window.app.commands.run("edit.undo")
    assert history.flow.nodes[critic].title == title
    assert (project / "draft.json").exists()
    window.app.commands.run("edit.undo")
    assert (project / "draft.json").exists()
    assert "New flow draft.json" in window.notices.text
    draft.history.do(describe(draft.flow, "Mine", ""))
    (undo,) = window.notices.buttons
    undo.click()
    assert "unsaved edits" in window.notices.text
    assert draft in window.app.sessions
    draft.history.jump(0)
    window.app.commands.run("edit.undo")
    (undo,) = window.notices.buttons
    undo.click()
    assert not (project / "draft.json").exists()
    assert window.app.sessions == [flow.work.session]
