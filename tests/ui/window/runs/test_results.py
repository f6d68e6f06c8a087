"""The result in the window: it comes by itself, and belongs to what is shown."""

import pytest
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from studio.ids import NodeId
from studio.trace.fold.state import RunStatus
from studio.ui.editors.simple import FlagEditor
from studio.ui.panels.result.card import ResultCard
from studio.ui.viewmodels.words.step_words import figures, run_figures
from studio.ui.visibility import is_seen
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow

LONG = 30_000

pytestmark = pytest.mark.shared_window


def run_it(qtbot: QtBot, flow: OpenFlow) -> None:
    flow.controls.run()
    run = flow.work.shown.run
    assert run is not None
    qtbot.waitUntil(lambda: run.state.status.is_final, timeout=LONG)
    assert run.state.status is RunStatus.FINISHED


def card_of(flow: OpenFlow, node: str) -> ResultCard:
    return next(card for card in flow.work.result.cards if card.given.node == node)


def test_what_a_run_gives_comes_up_when_it_is_over_and_leads_to_its_origin(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    work = flow.work
    assert work.result.is_empty
    run_it(qtbot, flow)
    qtbot.waitUntil(lambda: is_seen(work.result) and bool(work.result.cards), timeout=LONG)
    state = work.shown.state
    assert state is not None
    assert {str(card.given.node): card.given.shown for card in work.result.cards} == dict(state.outputs)
    card = work.result.cards[0]
    card.origin.click()
    assert is_seen(work.origin)
    assert work.origin.title
    assert not window.notices.text


def test_it_comes_up_after_a_run_begun_from_the_input_but_covers_nobody_who_writes_on(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    work = flow.work
    window.docks["inspector"].bring_up()
    inputs = work.inspector.start.inputs
    assert inputs is not None
    field = inputs.findChildren(QPlainTextEdit)[0]
    window.activateWindow()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus, timeout=LONG)
    flow.controls.run()
    run = work.shown.run
    assert run is not None
    qtbot.waitUntil(lambda: bool(run.state.steps), timeout=LONG)
    qtbot.keyClicks(field, " And")
    qtbot.waitUntil(lambda: run.state.status.is_final and run.is_over, timeout=LONG)
    window.bridge.pump()
    assert field.hasFocus()
    assert not is_seen(work.result)

    work.canvas.setFocus()  # as it is elsewhere while a dialog asks what shall answer
    flow.controls.run()
    again = work.shown.run
    assert again is not None
    qtbot.waitUntil(lambda: bool(again.state.steps), timeout=LONG)
    field.setFocus()
    qtbot.waitUntil(lambda: again.state.status.is_final and is_seen(work.result), timeout=LONG)
    window.docks["inspector"].bring_up()
    field.setFocus()

    run_it(qtbot, flow)
    qtbot.waitUntil(lambda: is_seen(work.result), timeout=LONG)
    assert not field.hasFocus()
    qtbot.waitUntil(lambda: work.result.isAncestorOf(window.focusWidget()), timeout=LONG)


def test_the_last_run_stands_beside_it(qtbot: QtBot, flow: OpenFlow) -> None:
    run_it(qtbot, flow)
    run_it(qtbot, flow)
    result = flow.work.result
    qtbot.waitUntil(lambda: not result.compare.isHidden() and bool(result.cards), timeout=LONG)
    assert {card.before_button.text() for card in result.cards} <= {"Same as last run", "Last run"}
    result.compare.click()
    qtbot.waitUntil(lambda: is_seen(flow.work.comparison), timeout=LONG)


def test_an_earlier_moment_has_no_result_yet(qtbot: QtBot, flow: OpenFlow) -> None:
    run_it(qtbot, flow)
    result = flow.work.result
    qtbot.waitUntil(lambda: bool(result.cards), timeout=LONG)
    flow.work.shown.show_moment(0.0)
    qtbot.waitUntil(lambda: not result.cards, timeout=LONG)


def test_a_node_chosen_on_the_canvas_brings_its_settings_in_front_of_the_result(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    work = flow.work
    window.docks["inspector"].bring_up()
    run_it(qtbot, flow)
    qtbot.waitUntil(lambda: is_seen(work.result), timeout=LONG)
    window.activateWindow()
    work.canvas.setFocus()
    qtbot.waitUntil(work.canvas.hasFocus, timeout=LONG)
    work.session.selection.select([NodeId("critic")])
    assert is_seen(work.inspector)
    assert not is_seen(work.result)


def test_a_step_after_the_end_of_a_run_says_that_it_begins_another(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    run_it(qtbot, flow)
    before = flow.work.shown.run
    qtbot.waitUntil(lambda: flow.controls.live is None, timeout=LONG)
    window.app.commands.run("run.step")
    assert flow.work.shown.run is not before
    assert "a new one pauses at its first step" in window.notices.text
    flow.controls.stop()
    qtbot.waitUntil(lambda: flow.controls.live is None, timeout=LONG)


def test_faults_that_are_typed_happen_in_the_next_run_and_are_shown_where_they_hit(
    qtbot: QtBot, flow: OpenFlow
) -> None:
    work, start = flow.work, flow.work.inspector.start
    wants, lines = start.faults["is_faulty"], start.faults["faults"]
    assert not lines.isVisibleTo(start)
    assert isinstance(wants, FlagEditor)
    wants.field.click()
    assert lines.isVisibleTo(start)
    lines.set_value("explode writer")
    flow.controls.run()
    assert "is not a fault" in lines.message
    assert work.shown.run is None or work.shown.run.state.faults == ()
    lines.set_value("replace writer#chat: Nothing at all.")
    run_it(qtbot, flow)
    run = work.shown.run
    assert run is not None
    assert all(str(one.data).startswith("Nothing at all.") for one in run.state.outputs.values())
    hit = next(one for one in run.state.steps.values() if one.faults)
    step = run.state.steps[hit.parent]
    assert step.node == "writer"
    assert figures(run.state, step).startswith("injected fault: replace writer#chat")
    assert run_figures(run.state).startswith("injected faults")
    wants.field.click()
    run_it(qtbot, flow)
    assert work.shown.run is not None
    assert work.shown.run.state.faults == ()
