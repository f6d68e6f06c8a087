"""Pictures on the welcome page: drawn for who sees them, and kept."""

from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.flow.records import Flow
from studio.ui.look import Look
from studio.ui.theme.tokens import Theme
from studio.ui.window.welcome.thumbnails import Thumbnails
from studio.ui.window.welcome.welcome import WelcomePage
from studio.workspace.catalog import builtin_registry
from tests.ui.builders import a_theme

SIZE = QSize(60, 30)


class Drawn(Thumbnails):
    """Pictures that tell which of them were drawn."""

    def __init__(self, folder: Path) -> None:
        super().__init__(builtin_registry(), folder)
        self.names: list[str] = []

    def drawn(self, flow: Flow, theme: Theme, size: QSize) -> QImage:
        self.names.append(flow.name)
        return super().drawn(flow, theme, size)


@pytest.fixture
def thumbnails(qapp: QApplication, tmp_path: Path) -> Drawn:
    assert qapp
    return Drawn(tmp_path / "kept")


def test_a_page_that_nobody_sees_draws_nothing(qtbot: QtBot, thumbnails: Drawn) -> None:
    page = WelcomePage(Look(a_theme("dark")), builtin_registry(), None, thumbnails)
    qtbot.addWidget(page)
    QApplication.processEvents()
    assert thumbnails.names == []


def test_pictures_are_drawn_one_after_the_other_once_the_page_is_seen(
    qtbot: QtBot, thumbnails: Drawn
) -> None:
    page = WelcomePage(Look(a_theme("dark")), builtin_registry(), None, thumbnails)
    qtbot.addWidget(page)
    page.resize(1600, 2400)
    page.show()
    qtbot.waitUntil(lambda: len(thumbnails.names) == len(page.cards))
    assert all(not card.picture.pixmap().isNull() for card in page.cards)


def test_a_narrow_page_puts_fewer_examples_side_by_side_and_scrolls_only_down(
    qtbot: QtBot, thumbnails: Drawn
) -> None:
    page = WelcomePage(Look(a_theme("dark")), builtin_registry(), None, thumbnails)
    qtbot.addWidget(page)
    abreast: list[int] = []
    for wide in (1600, 800):
        page.resize(wide, 700)
        with qtbot.waitExposed(page):
            page.show()
        QApplication.processEvents()
        first = page.cards[0]
        abreast.append(sum(card.y() == first.y() for card in page.cards))
        assert page.horizontalScrollBar().maximum() == 0
        assert {card.height() for card in page.cards} == {first.height()}
    assert abreast == [3, 2]


def test_what_lies_below_the_page_is_drawn_when_it_is_scrolled_to(qtbot: QtBot, thumbnails: Drawn) -> None:
    page = WelcomePage(Look(a_theme("dark")), builtin_registry(), None, thumbnails)
    qtbot.addWidget(page)
    page.resize(1600, 160)
    with qtbot.waitExposed(page):
        page.show()
    QApplication.processEvents()
    assert thumbnails.names == []
    page.ensureWidgetVisible(page.cards[0])
    qtbot.waitUntil(lambda: bool(thumbnails.names))


def test_another_theme_has_pictures_of_its_own(qtbot: QtBot, thumbnails: Drawn) -> None:
    look = Look(a_theme("dark"))
    page = WelcomePage(look, builtin_registry(), None, thumbnails)
    qtbot.addWidget(page)
    page.resize(1600, 2400)
    page.show()
    qtbot.waitUntil(lambda: len(thumbnails.names) == len(page.cards))
    look.use(a_theme("light"))
    qtbot.waitUntil(lambda: len(thumbnails.names) == 2 * len(page.cards))


def test_a_picture_is_kept_for_the_next_start(thumbnails: Drawn, tmp_path: Path) -> None:
    first = thumbnails.picture("one", Flow(name="one"), a_theme("dark"), SIZE)
    again = Drawn(tmp_path / "kept")
    kept = again.picture("one", Flow(name="one"), a_theme("dark"), SIZE)
    assert again.names == []
    assert kept.convertToFormat(first.format()) == first


def test_what_looks_otherwise_now_is_drawn_again(thumbnails: Drawn) -> None:
    dark = a_theme("dark")
    thumbnails.picture("one", Flow(name="one"), dark, SIZE)
    thumbnails.picture("one", Flow(name="edited"), dark, SIZE)
    thumbnails.picture("one", Flow(name="edited"), dark, SIZE * 2)
    assert thumbnails.names == ["one", "edited", "edited"]


def test_a_kept_picture_that_is_none_is_drawn_again(thumbnails: Drawn, tmp_path: Path) -> None:
    dark = a_theme("dark")
    thumbnails.picture("one", Flow(name="one"), dark, SIZE)
    (tmp_path / "kept" / "one-dark.png").write_bytes(b"no picture")
    assert thumbnails.picture("one", Flow(name="one"), dark, SIZE).size() == SIZE


def test_pictures_that_cannot_be_kept_are_shown(qapp: QApplication, tmp_path: Path) -> None:
    assert qapp
    (tmp_path / "kept").write_text("a file")
    one = Drawn(tmp_path / "kept").picture("one", Flow(name="one"), a_theme("dark"), SIZE)
    assert one.size() == SIZE
