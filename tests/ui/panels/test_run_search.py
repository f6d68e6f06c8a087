import threading

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.ids import RunId, StepId
from studio.store.search import Hit
from studio.ui.panels.run_search import RunSearch


def hit(run: str, text: str) -> Hit:
    return Hit(RunId(run), StepId("writer"), 1, text, ())


def test_words_are_looked_for_and_the_first_place_in_each_run_is_told(qtbot: QtBot) -> None:
    search = RunSearch()
    qtbot.addWidget(search)
    asked: list[str] = []

    def find(words: str) -> list[Hit]:
        asked.append(words)
        return [hit("b", "a heron"), hit("b", "one more heron"), hit("a", "herons")]

    search.search_with(find)
    with qtbot.waitSignal(search.found) as told:
        qtbot.keyClicks(search, "heron")
        qtbot.keyClick(search, Qt.Key.Key_Return)
    assert told.args == [{"b": "a heron", "a": "herons"}]
    assert asked == ["heron"]
    with qtbot.waitSignal(search.found) as told:
        search.clear()
    assert told.args == [None]


def test_only_what_was_typed_last_is_told(qtbot: QtBot) -> None:
    search = RunSearch()
    qtbot.addWidget(search)
    go = threading.Event()

    def find(words: str) -> list[Hit]:
        go.wait()
        return [hit("a", words)]

    search.search_with(find)
    search.setText("her")
    qtbot.keyClick(search, Qt.Key.Key_Return)
    search.setText("heron")
    with qtbot.waitSignal(search.found) as told:
        go.set()
    assert told.args == [{"a": "heron"}]


def test_a_search_that_breaks_finds_nothing_and_the_next_works(qtbot: QtBot) -> None:
    search = RunSearch()
    qtbot.addWidget(search)

    def find(words: str) -> list[Hit]:
        if words == "x":
            raise OSError
        return [hit("a", words)]

    search.search_with(find)
    for words, found in (("x", {}), ("y", {"a": "y"})):
        search.setText(words)
        with qtbot.waitSignal(search.found) as told:
            qtbot.keyClick(search, Qt.Key.Key_Return)
        assert told.args == [found]
