"""Comparing the messages of a step with those of another run, in the window."""

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from pytestqt.qtbot import QtBot

from studio.flow import edits
from studio.ids import NodeId
from studio.ui.panels.messages.panel import CONTEXT, DIFFERENCES
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from tests.ui.window.live_runs import LONG, finish, live_of

pytestmark = pytest.mark.shared_window

WRITER = NodeId("writer")


def test_the_same_step_of_an_earlier_run_is_compared_message_by_message(
    qtbot: QtBot, window: MainWindow, small: OpenFlow
) -> None:
    first = live_of(small).run
    work = small.work
    work.session.history.do(edits.set_setting(work.session.flow, WRITER, "instructions", "Be brief."))
    window.app.commands.run("run.run")
    finish(qtbot, small)
    work.session.selection.select([WRITER])
    qtbot.waitUntil(lambda: work.messages.step == WRITER, timeout=LONG)
    window.app.commands.run("run.differences")
    page = work.messages.differences
    assert work.messages.page == DIFFERENCES
    assert [one.key for one in page.choices] == [f"run {first}"]
    qtbot.waitUntil(lambda: bool(page.pairs), timeout=LONG)
    assert [(pair.change, pair.second and pair.second.role) for pair in page.pairs] == [
        ("new", "system"),
        ("same", "user"),
        ("same", "assistant"),
    ]
    window.app.commands.run("run.context")
    assert work.messages.page == CONTEXT
    assert [work.messages.context.list.item(at).data(0x0100).title for at in range(2)] == [
        "instructions",
        "user",
    ]


def test_a_flow_is_closed_while_the_run_is_read_that_it_is_compared_with(
    qtbot: QtBot, window: MainWindow, small: OpenFlow
) -> None:
    window.app.commands.run("run.run")
    finish(qtbot, small)
    small.work.session.selection.select([WRITER])
    qtbot.waitUntil(lambda: small.work.messages.step == WRITER, timeout=LONG)
    small.work.messages.turn_to(DIFFERENCES)
    assert small.work.messages.differences.choices
    window.drop(small.work.session)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    window.app.runs.pump()  # it would be told of what it has no place for any more


def test_a_word_that_was_found_leads_to_its_run_its_step_and_its_message(
    qtbot: QtBot, window: MainWindow, small: OpenFlow
) -> None:
    first = live_of(small).run
    window.app.commands.run("run.run")
    finish(qtbot, small)
    window.list_runs()
    window.runs.search.setText("asked")
    with qtbot.waitSignal(window.runs.search.found, timeout=LONG):
        qtbot.keyClick(window.runs.search, Qt.Key.Key_Return)
    places = window.runs.places
    chosen = next(at for at, hit in enumerate(places.hits) if (hit.run, hit.step) == (first, "writer#chat.1"))
    places.setCurrentRow(chosen)
    qtbot.keyClick(places, Qt.Key.Key_Return)
    shown = small.work.shown
    qtbot.waitUntil(lambda: shown.run is not None and shown.run.run == first, timeout=LONG)
    qtbot.waitUntil(lambda: small.work.session.selection.now.step == "writer#chat.1", timeout=LONG)
    bubble = small.work.messages.bubbles[-1]
    assert bubble.selected_text == "asked"
