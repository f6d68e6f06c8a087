"""Prices are edited in a table: one's own first, those of the studio to be seen and taken over."""

from pathlib import Path

from PySide6.QtCore import Qt

from studio.ui.window.main_window import MainWindow
from studio.ui.window.models.price_table import DAY, PriceTable
from studio.workspace.prices import load_prices, user_file


def opened(window: MainWindow) -> PriceTable:
    window.app.commands.run("file.prices")
    return window.findChildren(PriceTable)[-1]


def write(table: PriceTable, row: int, *texts: str) -> None:
    for column, text in enumerate(texts):
        item = table.table.item(row, column)
        assert item is not None
        assert item.flags() & Qt.ItemFlag.ItemIsEditable
        item.setText(text)


def cell(table: PriceTable, row: int, column: int) -> str:
    item = table.table.item(row, column)
    assert item is not None
    return item.text()


def test_a_price_that_is_typed_counts_for_the_next_run(window: MainWindow) -> None:
    table = opened(window)
    table.table.setCurrentCell(-1, -1)
    table.add()
    assert not table.save_button.isEnabled()  # nothing stands there yet
    write(table, 0, "house-*", "1", "", "2")
    assert len(cell(table, 0, DAY)) == len("2026-03-01")
    table.save()
    assert table.isHidden()
    found = load_prices(window.app.environ).find("house-7")
    assert found is not None
    assert (found.input, found.cached, found.output) == (1, 1, 2)


def test_a_price_that_comes_with_the_studio_is_taken_over_to_be_changed(window: MainWindow) -> None:
    table = opened(window)
    shipped = cell(table, 0, 0)
    item = table.table.item(0, 1)
    assert item is not None
    assert not item.flags() & Qt.ItemFlag.ItemIsEditable
    table.table.setCurrentCell(0, 0)
    table.add_button.click()
    assert (cell(table, 0, 0), table.own[0].names) == (shipped, shipped)
    write(table, 0, shipped, "7")
    table.save()
    found = load_prices(window.app.environ).find(shipped.partition(",")[0])
    assert found is not None
    assert found.input == 7


def test_a_wrong_price_is_said_and_not_saved(window: MainWindow) -> None:
    table = opened(window)
    table.table.setCurrentCell(-1, -1)
    table.add()
    write(table, 0, "m", "much")
    assert "“much”" in table.trouble.text()
    assert not table.save_button.isEnabled()
    table.table.setCurrentCell(0, 0)
    table.remove_button.click()
    assert table.trouble.isHidden()
    table.save()
    assert load_prices(window.app.environ).find("m") is None


def test_a_file_that_cannot_be_read_is_not_written_over(window: MainWindow) -> None:
    path: Path = user_file(window.app.environ)
    path.write_text("[[price]]\nllm = 7\n")
    table = opened(window)
    assert "price 1" in table.trouble.text()
    assert not table.save_button.isEnabled()
    assert not table.add_button.isEnabled()
