import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel, QMenuBar
from pytestqt.qtbot import QtBot

from studio.app.commands import Command, Commands
from studio.ids import RunId
from studio.trace.events import BudgetReached
from studio.trace.fold.chat_use import ChatUse
from studio.trace.fold.state import RunState
from studio.ui.window.chrome.top_bar import ICONS, LEVELS, TopBar
from tests.ui.builders import a_look


@pytest.fixture
def bar(qtbot: QtBot) -> TopBar:
    commands = Commands()
    named = [Command[str](name, name.partition(".")[2].title(), "run", str.strip) for name in ICONS]
    commands.add(named, lambda: "a run")
    bar = TopBar(a_look(), commands, None)
    qtbot.addWidget(bar)
    bar.show_document("field_notes", "Answer a question from notes", is_modified=True)
    bar.show_answers("scripted answers")
    bar.show()
    return bar


@pytest.mark.parametrize("width", [1600, 1280, 1000, 860, 760, 640])
def test_no_word_in_the_bar_is_ever_cut(bar: TopBar, width: int) -> None:
    bar.resize(width, bar.height())
    QApplication.sendPostedEvents()
    shown = [button for button in map(bar.button, ICONS) if button.isVisible()]
    assert all(button.width() >= button.sizeHint().width() for button in shown)
    assert len(shown) == len(ICONS)


@pytest.mark.parametrize("width", [1600, 1280, 1000, 860, 760, 640])
def test_a_name_that_was_left_out_stays_so_where_the_same_flow_is_shown_again(
    bar: TopBar, width: int
) -> None:
    def said() -> list[str]:
        return [label.text() for label in bar.findChildren(QLabel) if label.isVisible()]

    bar.resize(width, bar.height())
    before = said()
    for _ in range(3):
        bar.show_document("field_notes", "Answer a question from notes", is_modified=True)
    assert said() == before


def test_a_narrow_bar_keeps_the_words_of_the_one_thing_to_do_next_as_long_as_it_can(bar: TopBar) -> None:
    icon_only = Qt.ToolButtonStyle.ToolButtonIconOnly
    width = 2000
    while bar.level < 3:
        width -= 20
        bar.resize(width, bar.height())
    assert bar.button("run.step").toolButtonStyle() == icon_only
    assert bar.button("run.continue").toolButtonStyle() != icon_only
    bar.resize(300, bar.height())
    assert bar.level == LEVELS - 1
    assert bar.button("run.continue").toolButtonStyle() == icon_only
    bar.resize(2000, bar.height())
    assert bar.level == 0
    assert bar.button("run.step").toolButtonStyle() != icon_only


@pytest.mark.parametrize("width", [853, 760, 700])
def test_beside_the_menus_nothing_is_cut_in_a_narrow_window(qtbot: QtBot, width: int) -> None:
    menus = QMenuBar()
    for title in ("File", "Edit", "Arrange", "View", "Run", "Help"):
        menus.addMenu(title)
    commands = Commands()
    commands.add(
        [Command[str](name, name.partition(".")[2].title(), "run", str.strip) for name in ICONS],
        lambda: "a run",
    )
    bar = TopBar(a_look(), commands, menus)
    qtbot.addWidget(bar)
    bar.show_document("debate", "Debate of three", is_modified=False)
    bar.show_answers("scripted answers")
    bar.show_run(RunState(RunId("run"), started=0.0, ended=0.655, tokens=120, cost=0.0007), 1.0)
    bar.show()
    bar.resize(width, bar.height())
    QApplication.sendPostedEvents()
    shown = [menus, *map(bar.button, ICONS), *(one for one in bar.findChildren(QLabel) if one.isVisible())]
    assert [one for one in shown if one.width() < one.sizeHint().width()] == []


def test_a_run_that_is_held_at_a_limit_is_not_said_to_be_held_for_no_time(bar: TopBar) -> None:
    state = RunState(RunId("one"), started=1.0)
    state.reached["", "steps"] = BudgetReached("steps", 3, 3)
    bar.show_run(state, 60.0)
    texts = [label.text() for label in bar.findChildren(QLabel)]
    assert "paused" in texts
    assert not any("0:00" in text for text in texts)


def test_the_cost_tells_what_was_asked_of_each_profile_and_what_was_cached(bar: TopBar) -> None:
    state = RunState(RunId("run"), started=0.0, tokens=120)
    state.uses = {"local": ChatUse(3, 100, 20, 64, 0.25), "far": ChatUse(1)}
    bar.show_run(state, 1.0)
    told = {label.toolTip() for label in bar.findChildren(QLabel)} - {""}
    words = "local: 3 answers, 100 tokens in, 20 out, 64 % of the input from the provider's cache, $0.2500"
    assert any(one.startswith(words) for one in told)


def test_a_run_that_is_read_is_said_to_be_read_not_to_be_running(bar: TopBar) -> None:
    bar.show_run(RunState(RunId("one"), started=1.0), 60.0, is_read=True)
    texts = [label.text() for label in bar.findChildren(QLabel)]
    assert "reading…" in texts
    assert not any("running" in text or "0:59" in text for text in texts)


@pytest.mark.parametrize("width", [1600, 1280])
def test_the_buttons_stand_where_they_stood_whatever_the_run_does_and_is_called(
    bar: TopBar, width: int
) -> None:
    def places() -> list[int]:
        QApplication.sendPostedEvents()
        return [bar.button(name).mapTo(bar, QPoint()).x() for name in ICONS]

    bar.resize(width, bar.height())
    before = places()
    bar.show_document("field_notes", "Another flow, with a name that is rather long", is_modified=False)
    assert places() == before
    state = RunState(RunId("one"), started=1.0, tokens=1_234_567, cost=123.4567)
    bar.show_run(state, 60_000.0)
    assert places() == before
    bar.show_answers("")
    assert places() == before
