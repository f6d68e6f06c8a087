"""The guide in the window: what it says is there, and how one reads it."""

import re
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QImage, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from studio.ui.viewmodels.help.guide_pages import CONTENTS, guide_folder, guide_pages
from studio.ui.window.help.guide import GuideWindow, show_guide
from studio.ui.window.help.keyboard_page import key_rows
from studio.ui.window.main_window import MainWindow

IMAGE = QTextDocument.ResourceType.ImageResource.value
PAGES = sorted(path.name for path in guide_folder().glob("*.md"))
ELSEWHERE = {"Alt+Up", "Alt+Down", "Alt+Insert", "Alt+Delete", "Ctrl+C"}
"""Keys of the editor of lists, which `tests/ui/editors` holds, and of a terminal."""
_KEY = re.compile(r"(?<![\w+])(?:(?:Ctrl|Alt|Shift)\+)+(?:F\d+|[A-Z][a-z]+|[A-Z0-9.\\])|\bF\d+\b")
_ENTRY = re.compile(r"\*(\w+) → ([^*]+)\*")


@pytest.fixture
def guide(window: MainWindow) -> GuideWindow:
    window.app.commands.run("help.guide")
    found = window.findChild(GuideWindow)
    assert found is not None
    return found


def test_each_key_on_the_pages_does_something(window: MainWindow) -> None:
    known = {key for row in key_rows(window.app.commands) for key in row.keys} | ELSEWHERE
    said = {name: _KEY.findall((guide_folder() / name).read_text("utf-8")) for name in PAGES}
    assert sum(map(len, said.values())) > 40
    assert [
        (name, key)
        for name, keys in said.items()
        for key in keys
        if key.replace("Enter", "Return") not in known
    ] == []


def test_each_entry_of_a_menu_on_the_pages_is_in_that_menu(window: MainWindow) -> None:
    known = {(menu, path) for menu, entries in window.menus.groups.items() for path in _paths(entries)}
    named = {
        (name, menu, " ".join(entry.split()))
        for name in PAGES
        for menu, entry in _ENTRY.findall((guide_folder() / name).read_text("utf-8"))
    }
    assert len(named) > 10
    assert {one for one in named if one[1:] not in known} == set()


def _paths(menu: QMenu) -> Iterator[str]:
    """The entries of a menu as the pages name them, those of its submenus by both names."""
    for action in menu.actions():
        title = action.text().partition("\t")[0].replace("&", "")
        yield title
        inner = action.menu()
        if isinstance(inner, QMenu):
            yield from (f"{title} → {path}" for path in _paths(inner))


def test_the_list_has_every_page_by_its_title(guide: GuideWindow) -> None:
    names = list(guide_pages(guide_folder()))
    assert sorted([*names, CONTENTS]) == PAGES
    for row, name in enumerate(names):
        guide.list.setCurrentRow(row)
        assert guide.shown == name
        assert guide.page.toPlainText().startswith(guide.list.item(row).text())
        assert guide.page.accessibleName() == guide.list.item(row).text()


def test_a_link_leads_to_its_page_and_one_to_elsewhere_nowhere(guide: GuideWindow) -> None:
    guide.page.anchorClicked.emit(QUrl("export.md"))
    assert guide.shown == "export.md"
    assert guide.page.toPlainText().startswith("Export")
    for other in ("../../README.md", "none.md", "file:///etc/passwd"):
        guide.page.anchorClicked.emit(QUrl(other))
        assert guide.shown == "export.md"


def test_a_page_shows_the_pictures_of_the_studio_and_no_others(guide: GuideWindow) -> None:
    guide.go_to("export.md")
    shown = guide.page.loadResource(IMAGE, QUrl("../screenshots/paused-dark.png"))
    assert isinstance(shown, QImage)
    assert 0 < shown.width() / shown.devicePixelRatio() <= guide.page.viewport().width()
    for other in (
        "../icons/run.svg",
        "../../README.md",
        "https://example.org/a.png",
        "../screenshots/none.png",
    ):
        assert guide.page.loadResource(IMAGE, QUrl(other)) is None


def test_a_page_and_its_pictures_follow_the_width(guide: GuideWindow) -> None:
    guide.go_to("canvas.md")
    for wide in (700, 1200, 640):
        guide.resize(wide, 500)
        assert guide.page.toPlainText().startswith("Drawing a flow")
        assert guide.page.document().idealWidth() <= guide.page.viewport().width()


def test_the_guide_is_read_by_the_keyboard(guide: GuideWindow, qtbot: QtBot) -> None:
    assert guide.list.hasFocus() or QTest.qWaitForWindowActive(guide)
    first = guide.shown
    QTest.keyClick(guide.list, Qt.Key.Key_Down)
    assert guide.shown != first
    QTest.keyClick(guide.list, Qt.Key.Key_Tab)
    assert guide.focusWidget() is guide.page
    QTest.keyClick(guide.page, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not guide.isVisible())


def test_the_guide_is_opened_once(window: MainWindow, guide: GuideWindow) -> None:
    assert show_guide(window.look, window) is guide
