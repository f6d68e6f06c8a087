"""Panels that nobody sees are not told of a run; once seen, they show what those show that were told."""

import pytest
from pytestqt.qtbot import QtBot

from studio.app.runs.live_run import LiveRun
from studio.flow.edits import remove
from studio.ids import RunId, StepId
from studio.trace.events import Entry, Event, LogWritten, RunStarted, StepFinished, StepReady, StepStarted
from studio.trace.events.values import Shown
from studio.ui.viewmodels.run.lanes import Lanes
from studio.ui.visibility import is_seen
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow

pytestmark = pytest.mark.shared_window

RUN = RunId("20260102-030405-abcdef0")
LAST = 40


def went_on(first: int) -> list[Entry]:
    """So many steps of one node, each of which writes a line."""
    told: list[tuple[str, Event]] = [("", RunStarted("trial", ""))] if first == 0 else []
    for number in range(first, first + LAST // 2):
        step = f"each.{number}/writer"
        told += [(step, StepReady()), (step, StepStarted()), (step, LogWritten(f"line {number}"))]
        told.append((step, StepFinished({"text": Shown(f"text {number}")})))
    at = first * 4 + 1 + bool(first)
    return [
        Entry(RUN, at + number, StepId(step), StepId(""), 100.0 + at + number, event)
        for number, (step, event) in enumerate(told)
    ]


def bars(lanes: Lanes) -> list[tuple[str, list[tuple[str, float, float | None]]]]:
    return [(one.title, [(bar.step, bar.start, bar.end) for bar in one.bars]) for one in lanes.all()]


def test_a_panel_behind_a_tab_is_not_told_and_equals_a_told_one_once_it_comes_up(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    log, timeline, docks = flow.work.log, flow.work.timeline, window.docks
    scopes = flow.work.debugging.scopes
    docks["timeline"].bring_up()
    qtbot.waitUntil(lambda: not docks["log"].visibleRegion().boundingRect().isValid())
    run = LiveRun(RUN, flow.work.session.flow, ask=lambda _: None)
    flow.view.show(run)
    run.take(went_on(0))
    flow.view.frame()
    assert log.text.toPlainText() == "", "nobody sees it"
    assert len(timeline.view.picture().lanes) > 0

    docks["log"].bring_up()
    qtbot.waitUntil(lambda: f"line {LAST // 2 - 1}" in log.text.toPlainText())
    run.take(went_on(LAST // 2))
    flow.view.frame()
    assert f"line {LAST - 1}" in log.text.toPlainText(), "now it is seen"
    assert log.text.blockCount() == LAST
    whole = Lanes(flow.work.session.flow)
    whole.touch(run.state, run.state.order)
    assert bars(timeline._lanes) != bars(whole), "and the timeline is not"

    docks["timeline"].bring_up()
    qtbot.waitUntil(lambda: bars(timeline._lanes)[0] == bars(whole)[0])
    assert scopes.topLevelItemCount() == 0
    docks["debugger"].bring_up()
    qtbot.waitUntil(lambda: scopes.topLevelItemCount() > 0)
    flow.view.show(None)


def test_outline_and_history_behind_a_tab_follow_no_edit_until_they_come_up(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    work, docks = flow.work, window.docks
    docks["outline"].bring_up()
    qtbot.waitUntil(lambda: work.outline.model.outline is not None)
    docks["inspector"].bring_up()
    qtbot.waitUntil(lambda: not is_seen(work.outline))
    before, steps = work.outline.model.outline, work.history.list.rows.rowCount()
    flow_now = work.session.flow
    work.session.history.do(remove(flow_now, [next(iter(flow_now.nodes))]))
    flow.view.frame()
    assert work.outline.isVisible(), "Qt counts it as visible"
    assert work.outline.model.outline is before
    assert work.history.list.rows.rowCount() == steps

    docks["outline"].bring_up()
    qtbot.waitUntil(lambda: work.outline.model.outline is not before)
    docks["history"].bring_up()
    qtbot.waitUntil(lambda: work.history.list.rows.rowCount() > steps)
    work.session.history.undo()
