from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.app.gallery.records import Exhibit, Mechanism
from studio.app.gallery.systems import Entry
from studio.ui.look import Look
from studio.ui.panels.gallery import pictures
from studio.ui.panels.gallery.page import GalleryPage
from studio.ui.viewmodels.help.gallery_cards import Among
from studio.workspace.catalog import builtin_registry
from tests.ui.builders import a_theme
from tests.ui.galleries import a_gallery, built

Make = Callable[[Sequence[Entry]], GalleryPage]

DRAWN = 30_000
"""Milliseconds in which a busy machine has drawn 48 pictures."""


@pytest.fixture
def make(qtbot: QtBot) -> Make:
    def shown(entries: Sequence[Entry]) -> GalleryPage:
        page = GalleryPage(Look(a_theme("dark")), builtin_registry(), lambda: entries)
        qtbot.addWidget(page)
        page.resize(1280, 800)
        page.show()
        return page

    return shown


def titles(page: GalleryPage) -> list[str]:
    return [card.title for card in page.model.cards]


def asked_copies(page: GalleryPage) -> list[str]:
    asked: list[str] = []

    def add(exhibit: object) -> None:
        assert isinstance(exhibit, Exhibit)
        asked.append(exhibit.slug)

    page.copy_asked.connect(add)
    return asked


def test_the_gallery_is_read_when_it_is_first_looked_at(qtbot: QtBot, tmp_path: Path) -> None:
    entries, read = a_gallery(tmp_path), list[int]()
    page = GalleryPage(Look(a_theme("dark")), builtin_registry(), lambda: (read.append(1), entries)[1])
    qtbot.addWidget(page)
    assert not read
    page.show()
    page.hide()
    page.show()
    assert read == [1]
    assert page.sum.text() == "5 systems: 2 working · 1 partly working · 1 not yet · 1 impossible"


def test_search_and_filters_leave_what_fits_and_the_first_of_it_is_told_of(
    make: Make, tmp_path: Path
) -> None:
    page = make(a_gallery(tmp_path))
    assert titles(page) == ["Debate", "Planner", "Town"]
    page.mechanism.setCurrentIndex(page.mechanism.findData("voting"))
    assert page.mechanism.currentText() == "Voting (2)"
    assert titles(page) == ["Debate", "Planner"]
    page.search.setText("plan")
    assert titles(page) == ["Planner"]
    assert page.details.title.text() == "Planner"
    assert page.details.isVisible()


def test_what_is_not_built_is_told_of_with_why_and_offers_nothing(make: Make, tmp_path: Path) -> None:
    page = make(a_gallery(tmp_path))
    asked = asked_copies(page)
    page.among.setCurrentIndex(page.among.findData(Among.IMPOSSIBLE))
    assert titles(page) == ["LatentMAS"]
    assert page.details.state.text() == "S003 · Impossible: hidden states"
    assert not page.details.copy_button.isVisible()
    assert not page.details.read_button.isVisible()
    QTest.keyClick(page.view, Qt.Key.Key_Return)
    assert not asked


def test_where_nothing_is_found_a_button_brings_all_back(make: Make, tmp_path: Path) -> None:
    page = make(a_gallery(tmp_path))
    page.search.setText("no such thing")
    assert page.nothing.isVisible()
    assert not page.details.isVisible()
    button = next(one for one in page.nothing.children() if hasattr(one, "click"))
    button.click()
    assert titles(page) == ["Debate", "Planner", "Town"]
    assert page.view.isVisible()


def test_the_keyboard_goes_from_the_words_to_a_card_and_opens_a_copy(make: Make, tmp_path: Path) -> None:
    page = make(a_gallery(tmp_path))
    asked = asked_copies(page)
    page.search.setFocus()
    QTest.keyClick(page.search, Qt.Key.Key_Down)
    assert page.focusWidget() is page.view
    QTest.keyClick(page.view, Qt.Key.Key_Right)
    assert page.details.title.text() == "Planner"
    QTest.keyClick(page.view, Qt.Key.Key_Return)
    assert asked == ["planner"]


def test_a_double_click_and_the_button_open_a_copy_and_one_click_does_not(make: Make, tmp_path: Path) -> None:
    page = make(a_gallery(tmp_path))
    asked = asked_copies(page)
    middle: QPoint = page.view.visualRect(page.model.index(1)).center()
    left = Qt.MouseButton.LeftButton
    QTest.mouseClick(page.view.viewport(), left, pos=middle)
    assert not asked
    assert page.details.title.text() == "Planner"
    QTest.mouseDClick(page.view.viewport(), left, pos=middle)
    page.details.copy_button.click()
    assert asked == ["planner", "planner"]


def test_escape_takes_back_the_words_and_then_leaves(make: Make, tmp_path: Path) -> None:
    page = make(a_gallery(tmp_path))
    left: list[int] = []
    page.left.connect(lambda: left.append(1))
    page.search.setText("plan")
    QTest.keyClick(page.search, Qt.Key.Key_Escape)
    assert (page.search.text(), left) == ("", [])
    QTest.keyClick(page.search, Qt.Key.Key_Escape)
    assert left == [1]


def test_of_two_hundred_systems_only_those_in_sight_are_drawn(
    qtbot: QtBot, make: Make, tmp_path: Path
) -> None:
    page = make([built(tmp_path, number, f"System {number:03}") for number in range(1, 201)])
    drawn: list[object] = []
    page.pictures.drawn.connect(drawn.append)
    qtbot.waitUntil(lambda: len(drawn) >= 9)
    qtbot.waitUntil(lambda: not page.pictures.is_drawing)
    assert len(drawn) <= 15
    assert tmp_path / "system_001" in drawn
    before = len(drawn)
    page.view.scrollToBottom()
    qtbot.waitUntil(lambda: tmp_path / "system_200" in drawn)
    qtbot.waitUntil(lambda: not page.pictures.is_drawing)
    assert len(drawn) - before <= 15


def test_a_picture_shows_the_flow_in_the_theme_that_is_in_use(
    qtbot: QtBot, make: Make, tmp_path: Path
) -> None:
    page = make(a_gallery(tmp_path))
    qtbot.waitUntil(lambda: not page.pictures.is_drawing)
    dark = page.view.grab().toImage()
    page.look.use(a_theme("light"))
    page.view.grab()
    qtbot.waitUntil(lambda: not page.pictures.is_drawing)
    light = page.view.grab().toImage()
    card = page.view.visualRect(page.model.index(0))
    assert dark.pixelColor(card.center()) != light.pixelColor(card.center())
    upper = range(card.left() + 8, card.right() - 24, 4)
    colors = {light.pixel(x, y) for x in upper for y in range(card.top() + 8, card.top() + 112, 4)}
    assert len(colors) > 4


def test_a_narrow_page_belongs_to_the_cards_alone(make: Make, tmp_path: Path) -> None:
    page = make(a_gallery(tmp_path))
    assert page.details.isVisible()
    page.resize(700, 600)
    assert not page.details.isVisible()
    page.resize(1280, 800)
    assert page.details.isVisible()


@pytest.mark.parametrize("width", [700, 801, 1000, 1280, 1500])
def test_cards_fill_the_width_with_as_many_as_there_is_room_for(
    make: Make, tmp_path: Path, width: int
) -> None:
    page = make([built(tmp_path, number, f"System {number}") for number in range(1, 9)])
    page.setStyleSheet("QAbstractItemView { border: 1px solid red } QScrollBar:vertical { width: 10px }")
    page.resize(width, 300)
    places = [page.view.visualRect(page.model.index(row)) for row in range(8)]
    abreast = [one for one in places if one.top() == places[0].top()]
    smallest = abreast[0].width()
    assert smallest * len(abreast) <= page.view.viewport().width() < smallest * (len(abreast) + 1)
    assert page.view.viewport().width() - smallest * len(abreast) < 24


@pytest.fixture
def many(make: Make, tmp_path: Path) -> GalleryPage:
    """A page with 48 cards, a third of which is in sight."""
    kinds: list[Mechanism] = ["teams", "memory", "search"]
    return make([built(tmp_path, one, f"Kind {one % 3} No {one:02}", [kinds[one % 3]]) for one in range(48)])


def test_48_cards_are_searched_and_filtered(many: GalleryPage) -> None:
    assert len(titles(many)) == 48
    many.search.setText("kind 1 no 40")
    assert titles(many) == ["Kind 1 No 40"]
    many.search.setText("kind 1")
    assert len(titles(many)) > 16, "every 1 in a number is a word as well"
    many.mechanism.setCurrentIndex(many.mechanism.findData("memory"))
    assert titles(many) == [f"Kind 1 No {one:02}" for one in range(1, 48, 3)]
    many.search.clear()
    assert len(titles(many)) == 16


def test_nothing_is_drawn_while_48_cards_scroll_and_what_is_in_sight_when_they_rest(
    many: GalleryPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    qtbot.waitUntil(lambda: not many.pictures.is_drawing, timeout=DRAWN)
    monkeypatch.setattr(pictures, "REST", 600_000)  # none while this scrolls, however slowly
    drawn: list[object] = []
    many.pictures.drawn.connect(drawn.append)
    bar = many.view.verticalScrollBar()
    assert bar.maximum() > many.view.height()
    for place in range(1, bar.maximum() + 1, 40):
        bar.setValue(place)
        many.view.viewport().repaint()
        QApplication.processEvents()
        assert not drawn, "a picture takes longer than a frame"
    bar.setValue(bar.maximum())
    many.view.viewport().repaint()
    monkeypatch.setattr(pictures, "REST", 0)
    many.pictures.hold()
    qtbot.waitUntil(lambda: not many.pictures.is_drawing, timeout=DRAWN)
    last = many.model.cards[-1].entry.exhibit
    assert last is not None
    assert last.place in drawn
