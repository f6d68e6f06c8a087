import threading

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from studio.ids import RunId, StepId
from studio.store.search import Hit
from studio.store.summary import RunSummary
from studio.trace.state import RunStatus
from studio.ui.panels.run_search import RunSearch
from studio.ui.panels.runs import RunsPanel
from tests.ui.builders import a_look


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


def test_the_list_of_runs_has_those_in_which_the_words_were_found_and_says_how(qtbot: QtBot) -> None:
    panel = RunsPanel(a_look())
    qtbot.addWidget(panel)
    panel.show()
    panel.show_runs([RunSummary(RunId(name), status=RunStatus.FINISHED) for name in "cba"])
    panel.search.search_with(lambda words: [hit("b", "a heron")] if words == "heron" else [])

    def rows() -> list[tuple[str, str]]:
        found = [panel.list.item(index).data(Qt.ItemDataRole.UserRole) for index in range(panel.list.count())]
        return [(row.key, row.detail) for row in found]

    for words, left in (("heron", [("b", "a heron")]), ("newt", [])):
        panel.search.setText(words)
        with qtbot.waitSignal(panel.search.found):
            qtbot.keyClick(panel.search, Qt.Key.Key_Return)
        assert rows() == left
        said = [one.text() for one in panel.findChildren(QLabel) if one.isVisible()]
        assert any("Nothing" in one for one in said) != bool(left)
    panel.search.clear()
    assert [key for key, _ in rows()] == ["c", "b", "a"]
