"""The gallery in the window: how one comes there, and what opening a copy does."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLabel

from studio import places
from studio.app.gallery.records import Exhibit
from studio.app.settings import Settings
from studio.flow import edits
from studio.ui.viewmodels.help.gallery_cards import cards_of
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from studio.ui.window.project.file_preview import Preview
from studio.ui.window.welcome.gallery_strip import GalleryStrip
from tests.ui.galleries import a_gallery

pytestmark = pytest.mark.shared_window


@pytest.fixture
def shown(window: MainWindow, tmp_path: Path) -> MainWindow:
    """A window with a gallery of its own in front."""
    window.app.settings.own_folder = tmp_path / "own"
    page = window.gallery.page
    page._cards = cards_of(a_gallery(tmp_path / "projects"))
    window.app.commands.run("help.gallery")
    page._filter()
    assert window.pages.currentWidget() is page
    return window


def test_the_welcome_page_leads_to_the_systems_of_a_mechanism_and_back(shown: MainWindow) -> None:
    page = shown.gallery.page
    page.left.emit()
    assert shown.pages.currentWidget() is shown.welcome
    page.mechanism.addItem("Memory (1)", "memory")
    shown.welcome.gallery.chosen.emit("memory")
    assert shown.pages.currentWidget() is page
    assert [card.title for card in page.model.cards] == ["Town"]
    page.mechanism.removeItem(page.mechanism.count() - 1)
    QTest.keyClick(page.search, Qt.Key.Key_Escape)
    assert shown.pages.currentWidget() is shown.welcome


def test_beside_an_open_flow_the_gallery_has_the_room_of_the_docks_and_leads_back(
    window: MainWindow, flow: OpenFlow
) -> None:
    assert window.docks["inspector"].isVisible()
    window.app.commands.run("help.gallery")
    assert not window.docks["inspector"].isVisible()
    assert window.gallery.page.back.text() == "Back to the flow"
    window.gallery.page.back.click()
    assert window.front is flow
    assert window.pages.currentWidget() is window.tabs
    assert window.docks["inspector"].isVisible()


def test_the_welcome_page_has_a_button_for_all_and_for_each_mechanism(shown: MainWindow) -> None:
    strip: GalleryStrip = shown.welcome.gallery
    asked: list[str] = []
    strip.chosen.connect(asked.append)
    for button in strip.buttons:
        button.click()
    assert strip.buttons[0].text() == "Open the gallery"
    assert asked[0] == ""
    assert len(asked) == len(set(asked)) == len(strip.buttons)


def first_exhibit(window: MainWindow) -> Exhibit:
    exhibit = window.gallery.page.model.cards[0].entry.exhibit
    assert exhibit is not None
    return exhibit


def dialog_of(window: MainWindow) -> QFileDialog:
    (dialog,) = [one for one in window.findChildren(QFileDialog) if one.isVisible()]
    return dialog


def test_a_copy_opens_at_once_in_the_folder_of_the_user_and_it_is_said_where(
    shown: MainWindow, tmp_path: Path
) -> None:
    shown.gallery.page.details.copy_button.click()
    assert not [one for one in shown.findChildren(QFileDialog) if one.isVisible()]
    assert shown.front is not None
    own = tmp_path / "own" / "debate"
    assert shown.front.work.session.path == own / "flow.json"
    assert shown.pages.currentWidget() is shown.tabs
    assert str(own) in shown.notices.text
    assert [one.text() for one in shown.notices.buttons] == ["Show the folder", "Move it…"]
    shown.gallery.open_copy(first_exhibit(shown))
    assert shown.session is not None
    assert shown.session.project.root == tmp_path / "own" / "debate-2"


def test_without_another_choice_copies_go_to_a_folder_at_home(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    assert settings.own_folder == Path.home() / "Stepwire"
    settings.own_folder = tmp_path / "mine"
    assert Settings(tmp_path).own_folder == tmp_path / "mine"


def test_a_copy_is_moved_with_all_it_has_and_so_are_those_to_come(shown: MainWindow, tmp_path: Path) -> None:
    shown.gallery.open_copy(first_exhibit(shown))
    (tmp_path / "own" / "debate" / "noted.txt").write_text("kept", "utf-8")
    shown.notices.buttons[1].click()
    dialog = dialog_of(shown)
    assert dialog.windowTitle() == "Move “debate” to"
    dialog.fileSelected.emit(str(tmp_path / "elsewhere"))
    moved = tmp_path / "elsewhere" / "debate"
    assert shown.session is not None
    assert shown.session.project.root == moved
    assert [str(one.work.session.path) for one in shown.tabs.flows] == [str(moved / "flow.json")]
    assert (moved / "noted.txt").read_text("utf-8") == "kept"
    assert not (tmp_path / "own" / "debate").exists()
    assert str(moved) in shown.notices.text
    assert shown.app.settings.own_folder == tmp_path / "elsewhere"


def test_a_project_with_unsaved_changes_stays_where_it_is(shown: MainWindow, tmp_path: Path) -> None:
    shown.gallery.open_copy(first_exhibit(shown))
    session = shown.session
    assert session is not None
    session.history.do(edits.describe(session.flow, "Other", ""))
    shown.gallery.move(session.project.root, tmp_path / "elsewhere")
    assert "Save the changes" in shown.notices.text
    assert shown.session is session
    assert (tmp_path / "own" / "debate").is_dir()


def test_what_hinders_a_copy_is_said_with_another_folder_to_choose(shown: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    shown.app.settings.own_folder = tmp_path / "file"
    shown.gallery.open_copy(first_exhibit(shown))
    assert "could not be created" in shown.notices.text
    assert shown.pages.currentWidget() is shown.gallery.page
    shown.notices.buttons[0].click()
    dialog = dialog_of(shown)
    assert dialog.windowTitle() == "Folder for the copy of “Debate”"
    dialog.fileSelected.emit(str(tmp_path / "mine"))
    assert shown.session is not None
    assert shown.session.project.root == tmp_path / "mine" / "debate"
    assert shown.app.settings.own_folder == tmp_path / "mine"


def test_a_wrong_record_hinders_only_the_gallery(
    shown: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "wrong").mkdir()
    (tmp_path / "wrong" / "gallery.json").write_text("{", "utf-8")
    monkeypatch.setattr(places, "projects", lambda: tmp_path)
    strip = GalleryStrip(shown.look, shown)
    strip.show()
    assert "gallery.json" in strip.findChildren(QLabel)[0].text()
    assert not strip.buttons
    assert not shown.gallery._entries()
    assert "gallery.json" in shown.notices.text
    strip.deleteLater()


def test_what_a_system_reproduces_can_be_read(shown: MainWindow) -> None:
    shown.gallery.page.details.read_button.click()
    (preview,) = shown.findChildren(Preview)
    assert "What it reproduces." in preview.text.toPlainText()
