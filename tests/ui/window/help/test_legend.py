from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTreeWidgetItem
from pytestqt.qtbot import QtBot

from studio.flow.ports import BINDING_TYPES, DATA_TYPES
from studio.ui.window.help.legend import LegendPage, legend_rows, show_legend
from studio.ui.window.main_window import MainWindow


def test_help_says_what_every_shape_means(window: MainWindow, qtbot: QtBot) -> None:
    window.app.commands.run("help.legend")
    page = window.findChild(LegendPage)
    assert page is not None
    rows = items(page)
    assert {*DATA_TYPES, *BINDING_TYPES} <= {row.text(0) for row in rows}
    assert all(row.text(1) for row in rows)
    QTest.keyClick(page.list, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.findChild(LegendPage) is None)


def test_every_shape_of_the_legend_is_another_one(window: MainWindow) -> None:
    pictures = [_pixels(row) for row in items(show_legend(window.look, window))]
    assert len(set(pictures)) == len(pictures) == len(legend_rows())


def items(page: LegendPage) -> list[QTreeWidgetItem]:
    heads = [page.list.topLevelItem(place) for place in range(page.list.topLevelItemCount())]
    return [head.child(place) for head in heads if head is not None for place in range(head.childCount())]


def _pixels(row: QTreeWidgetItem) -> bytes:
    image = row.icon(0).pixmap(24, 24).toImage().convertToFormat(QImage.Format.Format_ARGB32)
    return bytes(image.constBits())
