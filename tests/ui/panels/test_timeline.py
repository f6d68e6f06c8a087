"""The timeline under the hand: what is drawn where, dragged, chosen and kept."""

from collections import deque
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import cast

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QRegion
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.app.runs.live_run import LiveRun
from studio.app.settings import Settings
from studio.ids import StepId
from studio.trace.events import (
    Entry,
    RunFinished,
    RunStarted,
    StepFailed,
    StepFinished,
    StepHeld,
    StepReady,
    StepReleased,
    StepStarted,
)
from studio.trace.events.values import Shown
from studio.trace.timeline.lanes import Grouping
from studio.ui.panels.timeline import TimelinePanel
from tests.trace.builders import RUN, answer, asked
from tests.ui.builders import a_flow, a_look, a_run

HAPPENED = (  # the run begins at second 1
    ("question", StepStarted()),  # 2
    ("question", StepFinished()),
    ("rounds", StepStarted()),  # 4
    ("rounds.1/writer", "rounds", StepReady()),
    ("rounds.1/writer", "rounds", StepStarted()),  # 6
    ("rounds.1/writer#chat.1", "rounds.1/writer", asked()),
    ("rounds.1/writer#chat.1", "rounds.1/writer", answer("A heron", 300, 0.25)),
    ("rounds.1/writer", "rounds", StepFinished({"reply": Shown("A heron")})),  # 9
    ("rounds.1/critic", "rounds", StepStarted()),
    ("rounds.1/critic", "rounds", StepFinished()),  # 11
    ("rounds", StepFinished()),
    RunFinished(),  # 13
)


def _run() -> LiveRun:
    run = a_run(*HAPPENED)
    run.end()
    return run


@pytest.fixture
def panel(qtbot: QtBot, tmp_path: Path) -> TimelinePanel:
    made = TimelinePanel(a_look(), None, Settings(tmp_path))
    qtbot.addWidget(made)
    made.resize(900, 420)
    made.show()
    made.show_run(_run().state, a_flow())
    return made


def _at(panel: TimelinePanel, seconds: float, y: int = 8) -> QPoint:
    picture = panel.view.picture()
    return QPoint(round(picture.left + picture.scale.x(seconds)), y)


def _drag(panel: TimelinePanel, first: QPoint, last: QPoint, held: Qt.KeyboardModifier) -> None:
    port, left = panel.view.viewport(), Qt.MouseButton.LeftButton
    QTest.mousePress(port, left, held, first)
    QTest.mouseMove(port, (first + last) / 2)
    QTest.mouseMove(port, last)
    QTest.mouseRelease(port, left, held, last)


NONE = Qt.KeyboardModifier.NoModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def test_a_drag_in_the_ruler_asks_for_the_moments_under_the_pointer(panel: TimelinePanel) -> None:
    asked_for: list[float | None] = []
    panel.view.moment_asked.connect(asked_for.append)
    _drag(panel, _at(panel, 2.0), _at(panel, 5.0), NONE)
    assert [round(one, 1) for one in asked_for if one is not None] == [2.0, 3.5, 5.0]


def test_dragged_past_its_end_the_playhead_goes_along_with_the_run(panel: TimelinePanel) -> None:
    panel.view.show_moment(3.0)
    asked_for: list[float | None] = []
    panel.view.moment_asked.connect(asked_for.append)
    QTest.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, NONE, _at(panel, 12.5))
    assert asked_for == [None]


def test_a_drag_with_shift_chooses_a_part_and_its_totals_are_told(panel: TimelinePanel) -> None:
    _drag(panel, _at(panel, 4.0, 100), _at(panel, 8.0, 100), SHIFT)
    assert panel.view.chosen == pytest.approx((4.0, 8.0), abs=0.05)
    said = panel.head.part_label.text()
    assert said.startswith("4.0 s to 8.0 s: 1 step · worked 3.0 s · queued ")
    assert said.endswith("300 tokens · $0.2500")
    QTest.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, SHIFT, _at(panel, 1.0, 100))
    assert panel.view.chosen is None
    assert panel.head.part_label.text() == ""


def test_totals_stand_beneath_the_switches_where_there_is_no_room_beside_them(panel: TimelinePanel) -> None:
    label, width = panel.head.part_label, panel.width()
    panel.view.choose_part((4.0, 8.0))
    panel.resize(width * 3 // 5, panel.height())
    assert label.width() >= label.fontMetrics().horizontalAdvance(label.text())
    assert label.geometry().top() >= panel.head.path.geometry().bottom()
    panel.resize(width, panel.height())
    assert label.geometry().top() < panel.head.path.geometry().bottom()


def test_the_keyboard_chooses_a_part_from_bar_to_bar(panel: TimelinePanel, qtbot: QtBot) -> None:
    view = panel.view
    panel.group(Grouping.SCOPE)  # one lane for all of round 1
    for _ in range(2):
        qtbot.keyClick(view, Qt.Key.Key_Down)
    qtbot.keyClick(view, Qt.Key.Key_Right, SHIFT)
    assert view.chosen == (5.0, 10.0)
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert view.chosen is None


def test_the_keyboard_moves_the_playhead_and_leads_back(panel: TimelinePanel, qtbot: QtBot) -> None:
    view, steps, moments = panel.view, list[int](), list[float | None]()
    view.moment_stepped.connect(steps.append)
    view.moment_asked.connect(moments.append)
    control = Qt.KeyboardModifier.ControlModifier
    qtbot.keyClick(view, Qt.Key.Key_Left, control)
    qtbot.keyClick(view, Qt.Key.Key_Right, control)
    assert steps == [-1, 1]
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert moments == [], "there is nothing to leave"
    view.show_moment(4.0)
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    qtbot.keyClick(view, Qt.Key.Key_End)
    assert moments == [None, None]


def test_what_lanes_stand_for_is_chosen_and_kept(panel: TimelinePanel, qtbot: QtBot, tmp_path: Path) -> None:
    titles = [lane.title for lane in panel.view.picture().lanes]
    assert titles[:4] == ["Question", "Rounds", "Writer", "chat"]
    panel.head.lanes.setFocus()
    qtbot.keyClick(panel.head.lanes, Qt.Key.Key_Down)
    assert [lane.title for lane in panel.view.picture().lanes] == ["Writer", "chat", "Other steps"]
    again = TimelinePanel(a_look(), None, Settings(tmp_path))
    qtbot.addWidget(again)
    assert again.head.grouping is Grouping.AGENT


def test_the_critical_path_is_marked_and_its_length_told(panel: TimelinePanel, tmp_path: Path) -> None:
    panel.head.path.click()
    path = panel.view.picture().path
    assert path is not None
    assert "rounds.1/writer" in path
    assert panel.head.path_label.text().startswith("9.0 s of 12.0 s")
    assert Settings(tmp_path).text("timeline_path")
    panel.head.path.click()
    assert panel.view.picture().path is None
    assert panel.head.path_label.text() == ""


def _grabbed(panel: TimelinePanel) -> QImage:
    return panel.view.viewport().grab().toImage()


def _colors(panel: TimelinePanel, first: QPoint, last: QPoint) -> set[str]:
    """The colours of what lies between two corners."""
    image = _grabbed(panel)
    rows, columns = range(first.y(), last.y() + 1), range(first.x(), last.x() + 1)
    return {image.pixelColor(x, y).name() for x in columns for y in rows}


def test_what_was_spent_stands_beneath_the_lanes(panel: TimelinePanel) -> None:
    low = panel.view.viewport().height() - 18
    background = {a_look().color("surface.panel").name()}
    assert panel.view.picture().spending.total == (300, 0.25)
    assert _colors(panel, _at(panel, 7.5, low), _at(panel, 8.5, low)) == background
    assert _colors(panel, _at(panel, 6.5, low), _at(panel, 7.3, low)) > background


def test_what_is_still_to_come_at_the_shown_moment_is_covered(panel: TimelinePanel) -> None:
    view = panel.view
    low = view.picture().top + view.picture().places.tops[4] + 19
    place, other = _at(panel, 9.5, low), _at(panel, 6.5, low - 52)
    done = a_look().color("state.done").name()
    assert _colors(panel, place, place) == _colors(panel, other, other) == {done}
    view.show_moment(9.0)
    assert _colors(panel, other, other) == {done}
    assert _colors(panel, place, place) != {done}


def test_time_in_the_queue_is_a_line_and_no_bar(panel: TimelinePanel) -> None:
    view = panel.view
    top = view.picture().top + view.picture().places.tops[2]
    background = {a_look().color("surface.panel").name(), a_look().color("surface.raised").name()}
    assert not _colors(panel, _at(panel, 4.1, top + 12), _at(panel, 4.9, top + 13)) <= background
    assert _colors(panel, _at(panel, 4.1, top + 17), _at(panel, 4.9, top + 19)) <= background


def test_the_bar_of_a_loop_is_cut_where_a_round_begins(panel: TimelinePanel) -> None:
    run = a_run(
        ("rounds", StepStarted()),
        ("rounds.1/writer", "rounds", StepStarted()),
        ("rounds.1/writer", "rounds", StepFinished()),  # 4
        ("rounds.2/writer", "rounds", StepStarted()),  # 5
        ("rounds.2/writer", "rounds", StepFinished()),
        ("rounds", StepFinished()),
        RunFinished(),
    )
    run.end()
    panel.show_run(run.state, a_flow())
    picture = panel.view.picture()
    assert picture.lanes[0].title == "Rounds"
    middle = picture.top + picture.places.tops[0] + 13
    area = {a_look().color("surface.pressed").name()}
    assert _colors(panel, _at(panel, 2.2, middle), _at(panel, 3.8, middle)) == area
    assert _colors(panel, _at(panel, 3.8, middle), _at(panel, 4.2, middle)) > area


def test_what_has_left_the_plot_is_not_drawn_over_the_titles(panel: TimelinePanel) -> None:
    panel.view.zoom(4.0)
    panel.view.pan(-30, 0)  # a round time stands a little to the left of what is seen
    picture = panel.view.picture()
    assert picture.scale.seconds(0) % 1.0 > 0
    assert len(_colors(panel, QPoint(0, 0), QPoint(picture.left - 1, picture.top - 1))) == 1


def test_a_bar_that_began_out_of_sight_is_named_where_it_is_seen(panel: TimelinePanel) -> None:
    panel.view.zoom(8.0)
    panel.view.pan(-800, 0)
    picture = panel.view.picture()
    index, lane = next(
        (at, lane) for at, lane in enumerate(picture.lanes) if lane.title == "Writer" and lane.bars
    )
    assert lane.bars[0].start - picture.began < picture.scale.seconds(0)
    top = picture.top + picture.places.tops[index]
    assert panel.view.bar_at(QPoint(picture.left + 20, top + 12).toPointF()) is lane.bars[0]
    assert len(_colors(panel, QPoint(picture.left + 2, top + 8), QPoint(picture.left + 40, top + 18))) > 2


def test_the_lower_of_two_bars_in_one_lane_is_brought_into_sight(panel: TimelinePanel) -> None:
    panel.resize(900, 160)
    beside = [f"each.{item}/writer" for item in range(5)]
    run = a_run(
        ("each", StepStarted()),
        *((step, "each", StepStarted()) for step in beside),
        *((step, "each", StepFinished()) for step in beside),
        RunFinished(),
    )
    run.end()
    panel.show_run(run.state, a_flow())
    panel.select(StepId(beside[-1]))
    view, picture = panel.view, panel.view.picture()
    found = view._find(StepId(beside[-1]))
    assert found is not None
    rect = view._painter.bar_rect(found[1], picture, found[0], 4)
    assert rect.bottom() <= view.viewport().height()
    assert rect.top() >= picture.top


def test_bars_of_a_run_that_is_read_reach_to_its_last_entry_not_to_now(panel: TimelinePanel) -> None:
    half = a_run(*HAPPENED[:8])
    panel.show_run(half.state, a_flow(), is_read=True)
    assert (panel.view.picture().now, panel.view.picture().is_live) == (8.0, False)
    panel.touch(half.state.order, is_read=True)
    assert panel.view.picture().now == 8.0


class Stale(QObject):
    """Keeps what a screen would show of a widget: of each painting, only what was asked for."""

    def __init__(self, panel: TimelinePanel) -> None:
        super().__init__(panel)
        self.view = panel.view
        self.shown = self.whole()
        self.share = 0.0
        self.view.viewport().installEventFilter(self)

    def whole(self) -> QImage:
        """The widget painted anew."""
        return self.painted(QRegion(self.view.viewport().rect()))

    def painted(self, region: QRegion) -> QImage:
        """What a painting of a region makes of an empty picture."""
        area = self.view.viewport().rect()
        image = QImage(area.size(), QImage.Format.Format_RGB32)
        with QPainter(image) as painter:
            self.view._painter.paint(painter, area, self.view.picture(), region)
        return image

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take over what is painted."""
        if isinstance(event, QPaintEvent):
            region, area = event.region(), self.view.viewport().rect()
            inside = sum(one.width() * one.height() for one in cast("Iterable[QRect]", region))
            self.share = inside / (area.width() * area.height())
            fresh = self.painted(region)
            with QPainter(self.shown) as painter:
                painter.setClipRegion(region)
                painter.drawImage(0, 0, fresh)
        return super().eventFilter(watched, event)


def test_of_a_run_that_goes_on_only_what_changed_is_painted_and_the_picture_is_that_of_the_whole(
    panel: TimelinePanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [6.0]
    monkeypatch.setattr("studio.ui.panels.timeline.view.time", SimpleNamespace(time=lambda: clock[0]))
    run = a_run(("question", StepStarted()), ("question", StepFinished()), ("each", StepStarted()))
    panel.show_run(run.state, a_flow())
    QApplication.processEvents()
    screen, number, shares = Stale(panel), 10, list[float]()
    going: deque[str] = deque()
    for frame in range(60):
        told: list[Entry] = []
        for item in range(frame * 3, frame * 3 + 3):
            step = StepId(f"each.{item}/writer")
            for event in (StepReady(), StepStarted()) if item % 5 else (StepStarted(),):
                told.append(Entry(run.run, number, step, StepId("each"), clock[0] + 0.001 * item, event))
                number += 1
            going.append(step)
            while len(going) > 3 + frame % 7:
                done = StepFailed("Oh", "") if item % 11 == 0 else StepFinished()
                at = clock[0] + 0.001 * item
                told.append(Entry(run.run, number, StepId(going.popleft()), StepId("each"), at, done))
                number += 1
        clock[0] += 0.4
        run.take(told)
        panel.touch({one.step: None for one in told})
        QApplication.processEvents()
        shares.append(screen.share)
        assert screen.shown == screen.whole(), f"frame {frame}"
    assert median(shares) < 0.25


def test_a_long_hold_is_folded_and_says_how_long_it_was(qtbot: QtBot) -> None:
    panel = TimelinePanel(a_look())
    qtbot.addWidget(panel)
    panel.resize(900, 420)
    panel.show()
    started, held, released = RunStarted("Trial", ""), StepHeld("before", "breakpoint"), StepReleased()
    told = ((0.0, "", started), (0.5, "writer", held), (400.5, "writer", released))
    told = (*told, (401.0, "writer", StepFinished()), (401.0, "", RunFinished()))
    run = LiveRun(RUN, a_flow())
    run.take(
        [Entry(RUN, n, StepId(step), StepId(""), time, one) for n, (time, step, one) in enumerate(told, 1)]
    )
    run.end()
    panel.show_run(run.state, a_flow())
    scale = panel.view.scale
    assert scale.folds.starts == (0.5,)
    assert scale.x(401.0) - scale.x(400.5) > 5 * (scale.x(400.5) - scale.x(0.5))
    before = panel.view.viewport().grab().toImage()
    held_color = a_look().color("state.held").name()
    left = panel.view.picture().left
    ruler = {before.pixelColor(x, y).name() for x in range(left, before.width()) for y in range(4, 20)}
    assert held_color in ruler, "the ruler says how long it was"
