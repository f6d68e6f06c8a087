import threading

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from studio.ids import RunId, StepId
from studio.store.indexes.search import Hit
from studio.store.summary import RunSummary
from studio.trace.fold.state import RunStatus
from studio.ui.panels.runs.found_places import pieces_of
from studio.ui.panels.runs.panel import RunsPanel
from studio.ui.panels.runs.run_search import RunSearch
from tests.ui.builders import a_look


def hit(run: str, text: str) -> Hit:
    return Hit(RunId(run), StepId("writer"), 1, text, ())


def test_words_are_looked_for_and_all_places_are_told(qtbot: QtBot) -> None:
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
    assert told.args == [[hit("b", "a heron"), hit("b", "one more heron"), hit("a", "herons")]]
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
    assert told.args == [[hit("a", "heron")]]


def test_a_search_that_breaks_finds_nothing_and_the_next_works(qtbot: QtBot) -> None:
    search = RunSearch()
    qtbot.addWidget(search)

    def find(words: str) -> list[Hit]:
        if words == "x":
            raise OSError
        return [hit("a", words)]

    search.search_with(find)
    for words, found in (("x", []), ("y", [hit("a", "y")])):
        search.setText(words)
        with qtbot.waitSignal(search.found) as told:
            qtbot.keyClick(search, Qt.Key.Key_Return)
        assert told.args == [found]


def test_what_was_found_is_listed_with_its_words_marked_and_entered(qtbot: QtBot) -> None:
    panel = RunsPanel(a_look())
    qtbot.addWidget(panel)
    panel.show()
    panel.show_runs([RunSummary(RunId(name), status=RunStatus.FINISHED) for name in "cba"])
    heron = Hit(
        RunId("b"), StepId("writer#chat.1"), 7, "This morning, long before sunrise, a heron flew", ((37, 42),)
    )
    panel.search.search_with(lambda words: [heron] if words == "heron" else [])
    for words, left in (("heron", [heron]), ("newt", [])):
        panel.search.setText(words)
        with qtbot.waitSignal(panel.search.found):
            qtbot.keyClick(panel.search, Qt.Key.Key_Return)
        assert list(panel.places.hits) == left
        assert (panel.places.isVisible(), panel.list.isVisible()) == (bool(left), False)
        said = [one.text() for one in panel.findChildren(QLabel) if one.isVisible()]
        assert any("No finished run" in one for one in said) != bool(left)
        if left:
            pieces = [(one.text, one.is_mark) for one in pieces_of(heron)]
            assert pieces == [
                ("…", False),
                ("re sunrise, a ", False),
                ("heron", True),
                (" flew", False),
            ]
            panel.places.setFocus()
            with qtbot.waitSignal(panel.place_chosen) as told:
                qtbot.keyClick(panel.places, Qt.Key.Key_Return)
            assert told.args == ["b", "writer#chat.1", "heron"]
            panel.places.grab()
    panel.search.clear()
    assert panel.list.isVisible()
    assert [row.key for row in panel.list.rows] == ["c", "b", "a"]


def test_keys_lead_from_the_field_to_what_was_found(qtbot: QtBot) -> None:
    panel = RunsPanel(a_look())
    qtbot.addWidget(panel)
    panel.show()
    panel.show_runs([RunSummary(RunId("b"), status=RunStatus.FINISHED)])
    heron, owl = (
        Hit(RunId("b"), StepId(f"{who}#chat.1"), 7, "a heron flew", ((2, 7),)) for who in ("one", "two")
    )
    panel.search.search_with(lambda _: [heron, owl])
    with qtbot.waitSignal(panel.search.found):
        qtbot.keyClicks(panel.search, "heron")
    told: list[tuple[str, str, str]] = []
    panel.place_chosen.connect(lambda *args: told.append(args))
    qtbot.keyClick(panel.search, Qt.Key.Key_Return)
    assert told == [("b", "one#chat.1", "heron")]
    qtbot.keyClick(panel.search, Qt.Key.Key_Down)
    qtbot.keyClick(panel.places, Qt.Key.Key_Down)
    qtbot.keyClick(panel.places, Qt.Key.Key_Return)
    assert told[-1] == ("b", "two#chat.1", "heron")
