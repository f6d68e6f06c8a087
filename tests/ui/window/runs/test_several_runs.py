"""Several runs of a flow in one window, and what is done from there with what they hold."""

import json
import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio import places
from studio.app.runs.live_run import LiveRun
from studio.flow.files.codec import dumps
from studio.flow.records import Flow
from studio.host.protocol import ResumeRun
from studio.ids import NodeId, StepId
from studio.trace.fold.state import RunStatus, StepStatus
from studio.ui.panels.widgets.notice import Remedy
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from studio.ui.window.runs.run_words import RUN_MATTER
from tests.app.written_projects import write_flow, write_project
from tests.runtime.bench import flow_of
from tests.runtime.called import OUT, calls
from tests.runtime.test_dropping import BRANCH

pytestmark = pytest.mark.shared_window

LONG = 30_000
INNER = flow_of(
    {
        "text": "io.flow_input",
        "rounds": ("control.loop", {"max_rounds": 2}),
        "grow": ("text.template", {"template": "{{x}}+"}),
        "said": OUT,
    },
    [
        "text.value -> rounds.start",
        "rounds.value -> grow.x",
        "grow.text -> rounds.again",
        "rounds.result -> said.value",
    ],
)
NESTED = flow_of(
    {
        "words": ("value.json", {"value": ["a", "b"]}),
        "each": ("control.for_each", {"at_once": 1}),
        "call": calls("inner.json"),
        "mark": ("text.template", {"template": "{{x}}!"}),
        "all": "control.collect",
        "out": OUT,
    },
    [
        "words.value -> each.items",
        "each.item -> call.text",
        "call.said -> mark.x",
        "mark.text -> all.value",
        "all.values -> out.value",
    ],
)


def opened(window: MainWindow, root: Path, flow: Flow) -> OpenFlow:
    project = write_project(root / "trial", flow=json.loads(dumps(flow)))
    write_flow(project / "inner.json", json.loads(dumps(INNER)))
    window.documents.open(project)
    front = window.front
    assert front is not None
    assert front.work.session.project.root == project.resolve()
    return front


@pytest.fixture
def nested(window: MainWindow, tmp_path: Path) -> OpenFlow:
    """A map around a called flow with a loop in it."""
    return opened(window, tmp_path, NESTED)


@pytest.fixture
def branching(window: MainWindow, tmp_path: Path) -> OpenFlow:
    return opened(window, tmp_path, BRANCH)


def press(flow: OpenFlow, name: str) -> None:
    """Press the keys of an action, as soon as it can be done."""
    canvas = flow.work.canvas
    window = canvas.window()
    assert isinstance(window, MainWindow)
    action = window.menus.action(name)
    window.menus.refresh()
    assert action.isEnabled()
    canvas.setFocus()
    QTest.keySequence(canvas, action.shortcut())


def held_in(run: LiveRun | None) -> list[str]:
    return [] if run is None else [str(step) for step in run.state.held_steps]


def held(flow: OpenFlow) -> list[str]:
    return held_in(flow.controls.live)


def held_with_phase(flow: OpenFlow) -> list[tuple[str, str]]:
    run = flow.controls.live
    steps = flow.controls.debugger.held_in(run)
    return [(str(step.id), step.held_phase) for step in steps]


def wait_held(qtbot: QtBot, flow: OpenFlow, step: str) -> None:
    qtbot.waitUntil(lambda: held(flow) == [step], timeout=LONG)


def finish(qtbot: QtBot, flow: OpenFlow) -> LiveRun:
    """Let what goes on come to its end."""
    flow.work.session.breakpoints.clear()
    run = flow.controls.own.last
    assert run is not None
    press(flow, "run.continue")
    qtbot.waitUntil(lambda: not flow.controls.own.going, timeout=LONG)
    return run


def begin_two(qtbot: QtBot, nested: OpenFlow) -> LiveRun | None:
    """Hold a run at its first step, which is given, and begin another one that is to be held later."""
    press(nested, "run.step")
    wait_held(qtbot, nested, "words")
    first = nested.controls.live
    nested.work.session.breakpoints.cycle("mark")
    press(nested, "run.another")
    return first


def outputs(run: LiveRun) -> dict[str, object]:
    return {name: shown.data for name, shown in run.state.outputs.items()}


def test_keys_go_over_into_and_out_of_maps_called_flows_and_loops(qtbot: QtBot, nested: OpenFlow) -> None:
    seen: list[str] = []

    def go(name: str, step: str) -> None:
        press(nested, name)
        wait_held(qtbot, nested, step)
        seen.append(step)

    go("run.step", "words")
    go("run.step", "each")
    go("run.into", "each.0/call")
    go("run.into", "each.0/call/text")
    go("run.step", "each.0/call/rounds")
    go("run.into", "each.0/call/rounds.1/grow")
    go("run.step", "each.0/call/rounds.2/grow")
    go("run.out", "each.0/call/said")
    go("run.out", "each.0/mark")
    go("run.out", "all")
    assert outputs(finish(qtbot, nested)) == {"out": ["a++!", "b++!"]}


def test_keys_go_into_the_chats_and_calls_of_an_agent_and_out_of_it(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    notes = tmp_path / "field_notes"
    shutil.copytree(places.projects() / "field_notes", notes, ignore=shutil.ignore_patterns(".stepwire"))
    window.documents.open(notes)
    agents = window.front
    assert agents is not None

    def go(name: str, step: str, phase: str) -> None:
        press(agents, name)
        qtbot.waitUntil(lambda: held_with_phase(agents) == [(step, phase)], timeout=LONG)

    go("run.step", "question", "before")
    go("run.step", "rounds", "before")
    go("run.into", "rounds.1/writer", "before")
    go("run.into", "rounds.1/writer#chat.1", "before")
    go("run.step", "rounds.1/writer#chat.1", "after")
    go("run.step", "rounds.1/writer#tool.1", "before")
    go("run.into", "rounds.1/writer#tool.1", "after")
    go("run.into", "rounds.1/writer#chat.2", "before")
    go("run.out", "rounds.1/critic", "before")
    window.app.commands.run("run.stop")
    qtbot.waitUntil(lambda: not agents.controls.own.going, timeout=LONG)


def test_a_run_goes_to_the_selected_node_from_its_start_and_from_where_it_is_held(
    qtbot: QtBot, nested: OpenFlow
) -> None:
    nested.work.session.selection.select([NodeId("mark")])
    press(nested, "run.to_here")
    wait_held(qtbot, nested, "each.0/mark")
    nested.work.session.selection.select([NodeId("mark")])
    press(nested, "run.to_here")
    wait_held(qtbot, nested, "each.1/mark")
    nested.work.session.selection.select([NodeId("out")])
    press(nested, "run.to_here")
    wait_held(qtbot, nested, "out")
    finish(qtbot, nested)


def test_a_dropped_step_is_skipped_and_the_run_goes_on(
    qtbot: QtBot, window: MainWindow, nested: OpenFlow
) -> None:
    nested.work.session.breakpoints.cycle("mark")
    press(nested, "run.run")
    wait_held(qtbot, nested, "each.0/mark")
    window.app.commands.run("run.drop")
    wait_held(qtbot, nested, "each.1/mark")
    run = finish(qtbot, nested)
    assert run.state.steps[StepId("each.0/mark")].status is StepStatus.SKIPPED
    assert outputs(run) == {"out": ["b++!"]}


def test_another_case_is_chosen_from_a_menu_with_the_keyboard(
    qtbot: QtBot, window: MainWindow, branching: OpenFlow
) -> None:
    branching.work.session.breakpoints.cycle("way.long")
    press(branching, "run.run")
    wait_held(qtbot, branching, "way")
    assert branching.controls.held.has_cases
    menu = branching.controls.held.cases_menu(StepId("way"), window)
    assert [action.text() for action in menu.actions()] == ["Short"]
    QTest.keyClick(menu, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not branching.controls.own.going, timeout=LONG)
    run = branching.controls.own.last
    assert run is not None
    assert outputs(run) == {"said": "wren is short"}


def test_two_runs_are_held_side_by_side_and_the_shown_one_is_meant(
    qtbot: QtBot, window: MainWindow, nested: OpenFlow
) -> None:
    controls, first = nested.controls, begin_two(qtbot, nested)
    qtbot.waitUntil(lambda: controls.live is not first and held(nested) == ["each.0/mark"], timeout=LONG)
    second = controls.live
    assert first is not None
    assert second is not None
    assert [(one.run, one.id) for one in controls.debugger.held] == [
        (first, "words"),
        (second, "each.0/mark"),
    ]
    press(nested, "run.next_run")
    assert controls.live is first
    assert nested.work.shown.run is first
    press(nested, "run.step")
    qtbot.waitUntil(lambda: held_in(first) == ["each"], timeout=LONG)
    assert held_in(second) == ["each.0/mark"]
    controls.show_old(second.run)
    assert controls.live is second
    window.app.commands.run("run.stop_all")
    qtbot.waitUntil(lambda: not controls.own.going, timeout=LONG)
    assert {first.status, second.status} == {RunStatus.CANCELLED}
    nested.work.session.breakpoints.clear()


def test_what_is_pressed_acts_on_the_shown_run_or_on_none(
    qtbot: QtBot, window: MainWindow, nested: OpenFlow
) -> None:
    controls, actions = nested.controls, window.app.commands
    press(nested, "run.step")
    wait_held(qtbot, nested, "words")
    first = controls.live
    assert first is not None
    press(nested, "run.another")
    qtbot.waitUntil(lambda: controls.own.going == [first] and controls.own.last is not first, timeout=LONG)
    assert nested.work.shown.run is controls.own.last
    acting = ("continue", "step", "into", "out", "stop", "hold", "drop", "detach")
    assert not [name for name in acting if actions[f"run.{name}"].is_enabled()]
    for name in acting:
        actions.run(f"run.{name}")
    assert held_in(first) == ["words"]
    assert window.notices.text.startswith("1 other run is paused: words")
    window.notices.buttons[0].click()
    assert nested.work.shown.run is first
    assert window.notices.text == ""
    assert actions["run.continue"].is_enabled()
    finish(qtbot, nested)


def test_f5_continues_the_shown_run_where_it_is_paused_and_begins_no_other(
    qtbot: QtBot, nested: OpenFlow
) -> None:
    nested.work.session.breakpoints.cycle("mark")
    press(nested, "run.run")
    wait_held(qtbot, nested, "each.0/mark")
    run = nested.controls.live
    press(nested, "run.run")
    wait_held(qtbot, nested, "each.1/mark")
    assert nested.controls.own.going == [run]
    press(nested, "run.run")
    qtbot.waitUntil(lambda: not nested.controls.own.going, timeout=LONG)
    assert nested.controls.own.last is run
    nested.work.session.breakpoints.clear()


def test_all_runs_go_on_at_once(qtbot: QtBot, nested: OpenFlow) -> None:
    press(nested, "run.step")
    wait_held(qtbot, nested, "words")
    first = nested.controls.live
    nested.controls.run()
    nested.controls.hold()
    qtbot.waitUntil(lambda: nested.controls.live is not first, timeout=LONG)
    press(nested, "run.continue_all")
    qtbot.waitUntil(lambda: not nested.controls.own.going, timeout=LONG)
    assert first is not None
    assert first.status is RunStatus.FINISHED


def test_a_run_that_is_held_unseen_says_so_until_it_is_shown(
    qtbot: QtBot, window: MainWindow, nested: OpenFlow
) -> None:
    controls, first = nested.controls, begin_two(qtbot, nested)
    qtbot.waitUntil(lambda: controls.live is not first and bool(held(nested)), timeout=LONG)
    press(nested, "run.step")
    assert first is not None
    first.ask(ResumeRun(first.run))
    qtbot.waitUntil(lambda: "other run is paused" in window.notices.text, timeout=LONG)
    (show,) = window.notices.buttons
    assert show.text() == "Show it"
    press(nested, "run.next_run")
    assert nested.work.shown.run is first
    assert window.notices.text.startswith("1 other run is paused"), "the one that was shown"
    window.app.commands.run("run.stop_all")
    qtbot.waitUntil(lambda: not controls.own.going, timeout=LONG)
    nested.work.session.breakpoints.clear()


def test_a_detached_run_goes_on_past_breakpoints(qtbot: QtBot, window: MainWindow, nested: OpenFlow) -> None:
    nested.work.session.breakpoints.cycle("mark")
    press(nested, "run.run")
    wait_held(qtbot, nested, "each.0/mark")
    window.app.commands.run("run.detach")
    qtbot.waitUntil(lambda: not nested.controls.own.going, timeout=LONG)
    run = nested.controls.own.last
    assert run is not None
    assert outputs(run) == {"out": ["a++!", "b++!"]}
    assert [str(step) for step, one in run.state.steps.items() if one.held] == ["each.0/mark"]
    nested.work.session.breakpoints.clear()


def test_a_flow_that_is_closed_stops_each_of_its_runs_and_hears_no_more_of_them(
    qtbot: QtBot, window: MainWindow, nested: OpenFlow
) -> None:
    press(nested, "run.step")
    wait_held(qtbot, nested, "words")
    first = nested.controls.live
    nested.work.session.breakpoints.cycle("mark")
    press(nested, "run.another")
    qtbot.waitUntil(lambda: nested.controls.live is not first and bool(held(nested)), timeout=LONG)
    runs = nested.controls.own.going
    assert len(runs) == 2
    window.drop(nested.work.session)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qtbot.waitUntil(lambda: all(run.is_over for run in runs), timeout=LONG)
    assert [run.status for run in runs] == [RunStatus.CANCELLED] * 2


def test_what_was_said_of_a_run_and_the_buttons_for_it_go_when_another_one_is_shown(
    qtbot: QtBot, window: MainWindow, nested: OpenFlow
) -> None:
    controls = nested.controls
    press(nested, "run.step")
    wait_held(qtbot, nested, "words")
    other = controls.live
    press(nested, "run.another")
    qtbot.waitUntil(lambda: controls.live is not other, timeout=LONG)
    window.notices.say("It ended.", Remedy("Resume it", lambda: None), key=RUN_MATTER)
    controls.show(other)
    assert window.notices.text == ""
    window.app.commands.run("run.stop_all")
    qtbot.waitUntil(lambda: not controls.own.going, timeout=LONG)
