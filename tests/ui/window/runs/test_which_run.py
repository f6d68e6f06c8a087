"""Which run is meant, where several go on, are over or of other flows, or an earlier moment is shown."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.app.runs.live_run import LiveRun
from studio.flow.files.codec import dumps
from studio.flow.records import Flow
from studio.host.protocol import ResumeRun
from studio.ids import NodeId, RunId
from studio.store.reader import RunStore
from studio.trace.fold.state import RunStatus
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from tests.app.written_projects import write_flow, write_project
from tests.runtime.bench import flow_of
from tests.runtime.called import OUT
from tests.ui.window.windows import a_window

LONG = 30_000
TWO_STEPS = flow_of(
    {
        "first": ("value.json", {"value": "a"}),
        "last": ("text.template", {"template": "{{x}}!"}),
        "out": OUT,
    },
    ["first.value -> last.x", "last.text -> out.value"],
)
FAILING = flow_of(
    {"first": ("value.json", {"value": "a"}), "last": "text.parse_json", "out": OUT},
    ["first.value -> last.text", "last.value -> out.value"],
)


class Two:
    """Two flows of one project in a window, the second one in front."""

    def __init__(self, window: MainWindow, root: Path, first: Flow, second: Flow) -> None:
        project = write_project(root / "trial", flow=_named(first, "First"))
        write_flow(project / "second.json", _named(second, "Second"))
        window.documents.open(project)
        window.documents.open(project / "second.json")
        self.window = window
        self.first, self.second = window.tabs.flows[-2:]


def _named(flow: Flow, name: str) -> dict[str, object]:
    return {**json.loads(dumps(flow)), "name": name}


@pytest.fixture(scope="module")
def window(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MainWindow]:
    """One window for all: each test opens flows of its own in it."""
    with a_window(qapp, tmp_path_factory.mktemp("window")) as made:
        yield made


@pytest.fixture(autouse=True)
def closed(window: MainWindow) -> Iterator[None]:
    """The flows of a test go with it."""
    yield
    for flow in tuple(window.tabs.flows):
        window.drop(flow.work.session)


@pytest.fixture
def two(window: MainWindow, tmp_path: Path) -> Two:
    return Two(window, tmp_path, TWO_STEPS, TWO_STEPS)


def hold_at(qtbot: QtBot, flow: OpenFlow, node: str) -> LiveRun:
    """Run a flow up to a breakpoint, which is gone then."""
    flow.work.session.breakpoints.set(node, state=True)
    flow.controls.run()
    run = flow.work.shown.run
    assert run is not None
    qtbot.waitUntil(lambda: bool(run.state.held_steps), timeout=LONG)
    flow.work.session.breakpoints.clear()
    return run


def finish(qtbot: QtBot, flow: OpenFlow) -> LiveRun:
    """Run a flow to its end."""
    flow.controls.run()
    run = flow.work.shown.run
    assert run is not None
    qtbot.waitUntil(lambda: run.is_over, timeout=LONG)
    return run


def can(window: MainWindow, action: str) -> bool:
    return window.app.commands[action].is_enabled()


def test_a_run_that_goes_on_in_another_flow_is_shown_there(qtbot: QtBot, two: Two) -> None:
    run = hold_at(qtbot, two.first, "last")
    two.window.tabs.show_flow(two.second)
    two.second.controls.show_old(run.run)
    assert two.window.front is two.first
    assert two.second.work.debugger.runs == []
    two.window.tabs.show_flow(two.second)
    two.window.documents.close_current()
    assert run.status is RunStatus.HELD


def test_the_run_of_another_flow_is_not_gone_back_to_in_this_one(qtbot: QtBot, two: Two) -> None:
    run = finish(qtbot, two.first)
    two.window.tabs.show_flow(two.second)
    for shown, is_possible in ((two.second, False), (two.first, True)):
        two.window.tabs.show_flow(shown)
        shown.controls.show_old(run.run)
        qtbot.waitUntil(lambda shown=shown: shown.controls.can_go_back, timeout=LONG)
        shown.work.session.selection.select([NodeId("last")])
        assert can(two.window, "run.from_here") is is_possible
        assert can(two.window, "run.held_here") is is_possible
    two.first.controls.earlier.hold_here()
    qtbot.waitUntil(lambda: bool(two.first.controls.is_held), timeout=LONG)
    fork = two.first.work.shown.run
    assert fork is not None
    assert two.first.fork_edits.can_ask
    fork.ask(ResumeRun(fork.run))
    qtbot.waitUntil(lambda: fork.is_over, timeout=LONG)
    two.second.controls.show_old(fork.run)
    qtbot.waitUntil(lambda: two.second.controls.can_go_back, timeout=LONG)
    assert not two.second.fork_edits.can_ask


def test_a_step_of_a_run_that_is_over_is_not_cancelled_in_another_one(qtbot: QtBot, two: Two) -> None:
    flow = two.second
    over = finish(qtbot, flow)
    held = hold_at(qtbot, flow, "last")
    flow.work.session.selection.select([NodeId("last")])
    assert flow.controls.can_cancel_step
    assert can(two.window, "run.drop")
    flow.controls.show_old(over.run)
    qtbot.waitUntil(lambda: flow.controls.can_go_back, timeout=LONG)
    flow.work.session.selection.select([NodeId("last")])
    assert flow.controls.live is None
    assert not flow.controls.can_cancel_step
    assert not can(two.window, "run.drop")
    flow.controls.cancel_step()
    held.ask(ResumeRun(held.run))
    qtbot.waitUntil(lambda: held.is_over, timeout=LONG)
    assert held.status is RunStatus.FINISHED


def test_a_run_that_fails_unseen_is_shown_at_the_step_that_failed(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    flow = Two(window, tmp_path, TWO_STEPS, FAILING).second
    failing = hold_at(qtbot, flow, "last")
    other = hold_at(qtbot, flow, "last")
    failing.ask(ResumeRun(failing.run))
    qtbot.waitUntil(lambda: failing.is_over, timeout=LONG)
    assert flow.work.shown.run is other
    show = next(one for one in window.notices.buttons if one.text() == "Show the step")
    show.click()
    qtbot.waitUntil(lambda: flow.work.session.selection.now.step == "last", timeout=LONG)
    shown = flow.work.shown.run
    assert shown is not None
    assert shown.run == failing.run


def test_a_step_that_is_later_than_the_playhead_brings_it_to_the_end(qtbot: QtBot, two: Two) -> None:
    flow = two.second
    run = hold_at(qtbot, flow, "last")
    flow.view.playhead.go(0.0)
    qtbot.waitUntil(lambda: flow.work.shown.moment is not None and not flow.work.shown.is_reading)
    qtbot.waitUntil(lambda: not flow.work.shown.state.steps if flow.work.shown.state else False)
    assert not can(two.window, "run.drop")
    flow.places.open_at(run.run, "last")
    qtbot.waitUntil(lambda: flow.work.session.selection.now.step == "last", timeout=LONG)
    assert flow.work.shown.moment is None
    assert can(two.window, "run.drop")


def test_a_run_that_is_held_in_a_flow_behind_leaves_the_docks_as_they_are(qtbot: QtBot, two: Two) -> None:
    held = hold_at(qtbot, two.first, "first")
    two.window.tabs.show_flow(two.second)
    two.window.docks["outline"].bring_up()
    qtbot.waitUntil(lambda: _is_up(two.window, "outline"))
    two.first.work.session.breakpoints.set("last", state=True)
    held.ask(ResumeRun(held.run))
    qtbot.waitUntil(lambda: "last" in held.state.held_steps, timeout=LONG)
    qtbot.waitUntil(lambda: two.first.work.session.selection.now.step == "last", timeout=LONG)
    assert _is_up(two.window, "outline")


def test_a_damaged_run_has_a_menu_in_which_it_cannot_be_compared(qtbot: QtBot, two: Two) -> None:
    run = finish(qtbot, two.second)
    store = RunStore(two.second.work.session.project.private)
    damaged = RunId(f"{run.run[:-1]}{'1' if run.run[-1] != '1' else '2'}")
    store.path(damaged).write_bytes(b"no run")
    two.window.list_runs()
    actions = {
        one.text(): one.isEnabled() for one in two.window.context_menus.make_runs_menu(damaged).actions()
    }
    assert actions["Compare with the shown run"] is False
    assert actions["Show it"] is True


def _is_up(window: MainWindow, dock: str) -> bool:
    return not window.docks[dock].visibleRegion().isEmpty()
