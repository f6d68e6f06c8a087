"""The gallery in the window: how one comes there, and what opening a copy does."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLabel

from studio import places
from studio.ui.viewmodels.gallery_cards import cards_of
from studio.ui.window.gallery_strip import GalleryStrip
from studio.ui.window.main_window import MainWindow
from studio.ui.window.preview import Preview
from studio.ui.window.tabs import OpenFlow
from tests.ui.galleries import a_gallery

pytestmark = pytest.mark.shared_window


@pytest.fixture
def shown(window: MainWindow, tmp_path: Path) -> MainWindow:
    """A window with a gallery of its own in front."""
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
    assert window.docks["library"].isVisible()
    window.app.commands.run("help.gallery")
    assert not window.docks["library"].isVisible()
    assert window.gallery.page.back.text() == "Back to the flow"
    window.gallery.page.back.click()
    assert window.front is flow
    assert window.pages.currentWidget() is window.tabs
    assert window.docks["library"].isVisible()


def test_the_welcome_page_has_a_button_for_all_and_for_each_mechanism(shown: MainWindow) -> None:
    strip: GalleryStrip = shown.welcome.gallery
    asked: list[str] = []
    strip.chosen.connect(asked.append)
    for button in strip.buttons:
        button.click()
    assert strip.buttons[0].text() == "Open the gallery"
    assert asked[0] == ""
    assert len(asked) == len(set(asked)) == len(strip.buttons)


def test_a_copy_is_made_in_the_folder_that_is_chosen_and_opened(shown: MainWindow, tmp_path: Path) -> None:
    shown.gallery.page.details.copy_button.click()
    (dialog,) = [one for one in shown.findChildren(QFileDialog) if one.isVisible()]
    assert dialog.windowTitle() == "Folder for a copy of “Debate”"
    dialog.fileSelected.emit(str(tmp_path / "mine"))
    assert shown.front is not None
    assert shown.front.work.session.path == tmp_path / "mine" / "debate" / "flow.json"
    assert shown.pages.currentWidget() is shown.tabs


def test_what_hinders_a_copy_is_said(shown: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    exhibit = shown.gallery.page.model.cards[0].entry.exhibit
    assert exhibit is not None
    shown.gallery.open_copy(exhibit, tmp_path / "file")
    assert "could not be made" in shown.notices.text
    assert shown.pages.currentWidget() is shown.gallery.page


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
