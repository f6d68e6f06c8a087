"""A run of 100,000 entries in the real window: looked into, gone back in and searched, by mouse and keys."""

import json
import os
import time
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.app.compose import compose
from studio.flow.files.codec import dumps
from studio.ids import NodeId, RunId, StepId
from studio.store.reader import RunStore
from studio.store.run_files.writer import RunWriter
from studio.trace.events import (
    ChatAnswered,
    ChatRequested,
    Entry,
    Event,
    RunFinished,
    RunStarted,
    StepFinished,
    StepReady,
    StepStarted,
)
from studio.trace.events.values import Shown
from studio.ui.window.chrome.appearance import Appearance
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from tests.app.written_projects import write_project
from tests.forked_hosts import forked_host
from tests.runtime.bench import flow_of

LONG = 60_000
RUN = RunId("20260102-030405-abcdef0")
ENTRIES = 100_000
ROUND = 8
"""Entries of one round."""
BEGAN, PACE = time.time() - 2_000.0, 0.01
"""When it began, and how long each entry took after the one before, in seconds."""
FLOW = flow_of(
    {
        "rounds": ("control.loop", {"max_rounds": 10_000}),
        "writer": "llm.chat",
        "mark": ("text.template", {"template": "{{x}}!"}),
        "said": "io.flow_output",
    },
    [
        "rounds.value -> writer.prompt",
        "writer.reply -> mark.x",
        "mark.text -> rounds.again",
        "rounds.result -> said.value",
    ],
)
QUESTION = {"messages": [{"role": "user", "content": "go on"}]}


def happened() -> Iterator[tuple[str, str, Event]]:
    """A loop of many rounds: each asks once and marks the answer; what one of them says no other does."""
    yield "", "", RunStarted("bench", dumps(FLOW))
    yield "rounds", "", StepStarted()
    for number in range(1, (ENTRIES - 4) // ROUND + 1):
        writer, mark = f"rounds.{number}/writer", f"rounds.{number}/mark"
        text = "the heron came" if number == 4_321 else f"nothing came in round {number}"
        answer = {"role": "assistant", "content": text}
        yield writer, "rounds", StepReady()
        yield writer, "rounds", StepStarted({"prompt": Shown("go on")})
        yield f"{writer}#chat.1", writer, ChatRequested("scripted", QUESTION)
        yield f"{writer}#chat.1", writer, ChatAnswered(answer, "stop", 40, 4, cost=0.001)
        yield writer, "rounds", StepFinished({"reply": Shown(text)})
        yield mark, "rounds", StepReady()
        yield mark, "rounds", StepStarted({"x": Shown(text)})
        yield mark, "rounds", StepFinished({"text": Shown(f"{text}!")})
    yield "rounds", "", StepFinished({"result": Shown("nothing came!")})
    yield "", "", RunFinished({"said": Shown("nothing came!")})


@pytest.fixture(scope="module")
def opened(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MainWindow]:
    """A window on a project whose one run is as long as that."""
    before = qapp.font(), qapp.palette()
    root = tmp_path_factory.mktemp("long")
    project = write_project(root / "trial", flow=json.loads(dumps(FLOW)))
    writer = RunWriter(RunStore(project / ".stepwire").new_run_path(RUN), lambda _: None)
    for number, (step, parent, event) in enumerate(happened(), 1):
        writer.put(Entry(RUN, number, StepId(step), StepId(parent), BEGAN + PACE * number, event))
    writer.close()
    app = compose(dict(os.environ), root / "config", is_warmed=False, spawn=forked_host)
    app.settings.theme = "dark"
    window = MainWindow(app, Appearance(qapp, app.settings, root))
    window.resize(1400, 900)
    window.show()
    window.documents.open(project)
    yield window
    window.leave()
    app.close()
    window.deleteLater()
    qapp.setStyleSheet("")
    qapp.setFont(before[0])
    qapp.setPalette(before[1])


@pytest.fixture
def shown(qtbot: QtBot, opened: MainWindow) -> OpenFlow:
    """The run, chosen in the list of runs and shown whole."""
    front = opened.front
    assert front is not None
    opened.docks["runs"].bring_up()
    qtbot.waitUntil(lambda: bool(opened.runs.list.rows), timeout=LONG)
    rows = opened.runs.list
    if front.work.shown.run is None:  # to read it once is enough for all tests
        rows.setCurrentRow(0)
        QTest.keyClick(rows, Qt.Key.Key_Return)

    def is_whole() -> bool:
        state = front.view.state
        return state is not None and state.status.is_final and state.entries_count >= ENTRIES - ROUND

    qtbot.waitUntil(is_whole, timeout=LONG)
    opened.docks["timeline"].bring_up()
    return front


def chosen(flow: OpenFlow) -> str:
    return str(flow.work.session.selection.now.step)


@pytest.mark.timeout(180)  # LONG for each of the things that it waits for, on a busy machine
def test_a_run_of_a_hundred_thousand_entries_is_looked_into_and_gone_back_in(
    qtbot: QtBot, shown: OpenFlow
) -> None:
    work, view = shown.work, shown.work.timeline.view
    state = shown.view.state
    assert state is not None
    rounds = (ENTRIES - 4) // ROUND
    assert state.tokens == 44 * rounds

    # The wheel zooms at the pointer until single steps are there; a click chooses one, everywhere.
    middle = QPoint(view.viewport().width() * 2 // 3, 60)
    wide = view.scale.per_second
    for _ in range(16):
        turn, none = QPoint(0, 240), Qt.MouseButton.NoButton
        place = QPointF(middle)
        wheel = QWheelEvent(
            place,
            QPointF(view.viewport().mapToGlobal(middle)),
            QPoint(),
            turn,
            none,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,  # Qt's own order
        )
        QApplication.sendEvent(view.viewport(), wheel)
    assert view.scale.per_second > 50 * wide
    view.setFocus()
    lane = next(one for one in view.picture().lanes if one.node == NodeId("writer") and not one.is_nested)
    at = view.picture().began + view.scale.seconds(view.viewport().width() / 3)
    bar = lane.nearest(at)
    assert bar is not None
    picture = view.picture()
    index = list(picture.lanes).index(lane)
    y = picture.top - picture.scrolled + picture.places.tops[index] + 12
    x = picture.left + picture.scale.x((bar.start + (bar.end or bar.start)) / 2 - picture.began)
    QTest.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(round(x), round(y))
    )
    assert chosen(shown) == bar.step
    number = int(bar.step.split("/")[0].partition(".")[2])
    assert work.messages.step is not None
    assert str(work.messages.step).startswith(f"rounds.{number}/writer")
    said = shown.work.shown.shown_step(NodeId("mark"), StepId(bar.step))
    assert said is not None
    assert said.id == f"rounds.{number}/mark", "the whole window looks at that round"

    # Keys go along the lane.
    QTest.keyClick(view, Qt.Key.Key_Right)
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert chosen(shown) == f"rounds.{number + 1}/writer"

    # The playhead goes back, and the canvas with it; the run itself is what it was.
    view.follow()
    ruler = QPoint(round(view.picture().left + view.scale.x(PACE * ENTRIES / 2)), 8)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, ruler)
    qtbot.waitUntil(lambda: shown.view.playhead.moment is not None, timeout=LONG)

    def rounds_then() -> int:
        then = shown.work.shown.shown_step(NodeId("writer"), None)
        return int(str(then.id).split("/")[0].partition(".")[2]) if then is not None else 0

    qtbot.waitUntil(lambda: abs(rounds_then() - rounds / 2) < rounds / 50, timeout=LONG)
    QTest.keyClick(view, Qt.Key.Key_End)
    qtbot.waitUntil(lambda: rounds_then() == rounds, timeout=LONG)
    assert state.tokens == 44 * rounds


def test_one_word_in_it_is_found_and_leads_to_its_step(
    qtbot: QtBot, opened: MainWindow, shown: OpenFlow
) -> None:
    opened.docks["runs"].bring_up()
    field = opened.runs.search
    field.setFocus()
    QTest.keyClicks(field, "heron")
    QTest.keyClick(field, Qt.Key.Key_Return)
    places = opened.runs.places
    qtbot.waitUntil(lambda: bool(places.count()), timeout=LONG)
    places.setCurrentRow(0)
    QTest.keyClick(places, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: chosen(shown).startswith("rounds.4321/"), timeout=LONG)
    field.clear()
