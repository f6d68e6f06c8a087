"""The panel of memories by itself: what it says of each, and what stays chosen."""

import pytest
from pytestqt.qtbot import QtBot

from studio.sdk.items import Item
from studio.ui.look import Look
from studio.ui.panels.memories import MemoriesPanel
from studio.ui.viewmodels.memories.memory_rows import MemoryRow
from tests.ui.builders import a_theme

BOARD = MemoryRow("run", "board", "memory.notes", 1)
EVENTS = MemoryRow("run", "events", "memory.stream", 8, changes=3)
STORED = MemoryRow("project", "events", "memory.stream", 11, 4096)


@pytest.fixture
def panel(qtbot: QtBot) -> MemoriesPanel:
    made = MemoriesPanel(Look(a_theme("dark")))
    qtbot.addWidget(made)
    made.memory_chosen.connect(lambda key: made.show_items(key, [Item("1", "It froze.")]))
    return made


def test_a_memory_that_a_moment_does_not_know_is_shown_from_the_project_and_again_later(
    panel: MemoriesPanel,
) -> None:
    panel.show_memories([BOARD, EVENTS, STORED])
    panel.choose("run/events")
    panel.show_memories([BOARD, STORED])
    assert panel.shown == "project/events"
    panel.show_memories([BOARD])
    assert panel.shown == "run/board"
    panel.show_memories([BOARD, EVENTS, STORED])
    assert panel.shown == "run/events"


def test_how_many_items_there_are_stands_before_what_may_be_cut_off() -> None:
    assert EVENTS.listed().detail == "this run · 3 changed, 8 items before · stream"
    assert STORED.listed().detail.startswith("project · 11 items · ")


@pytest.mark.parametrize("width", [420, 640, 1100])
def test_the_titles_of_columns_can_be_read(panel: MemoriesPanel, width: int) -> None:
    panel.show_memories([STORED])
    panel.show_items("project/events", [Item("1", "It froze.", {"type": "event", "importance": 5})])
    panel.resize(width, 400)
    panel.show()
    table = panel.table
    header = table.horizontalHeader()
    for place, column in enumerate(table.items.columns):
        if not table.isColumnHidden(place):
            assert table.columnWidth(place) > header.fontMetrics().horizontalAdvance(column.title)
    assert header.length() <= table.viewport().width()


@pytest.mark.parametrize("width", [420, 640, 760, 820, 1100])
def test_who_wrote_an_item_can_be_read_wherever_it_stands(panel: MemoriesPanel, width: int) -> None:
    panel.show_memories([STORED])
    items = [Item("1", "It froze.", {"type": "event", "importance": 5}, by="front_desk")]
    panel.show_items("project/events", items)
    panel.resize(width, 400)
    panel.show()
    table = panel.table
    place = len(table.items.columns) - 2
    is_shown = not table.isColumnHidden(place)
    assert is_shown or width < 800
    assert not is_shown or table.columnWidth(place) > table.fontMetrics().horizontalAdvance("front_desk")
    assert table.horizontalHeader().length() <= table.viewport().width()
