"""A session with the debugger, by keys and mouse: what was done, and what the trace then says."""

import time
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QMenu, QPlainTextEdit
from pytestqt.qtbot import QtBot

from studio.app.runs.live_run import LiveRun
from studio.flow.records import Flow, Json, Layout, Node, Point, Socket, Wire
from studio.ids import NodeId, PortName, StepId
from studio.trace.fold.steps import StepState, StepStatus
from studio.ui.bridge import IDLE
from studio.ui.editors.parts import ListEditor
from studio.ui.editors.prose import TextEditor
from studio.ui.panels.inspector.value_field import ValueField
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from studio.ui.window.runs.run_view import SELDOM
from studio.workspace.files import save_flow
from tests.ui.window.windows import a_window

LONG = 30_000
CASES: Json = [{"label": "Small", "when": "len(value) < 5"}, {"label": "Large"}]
WIRES = (
    ("words", "value", "look", "parts"),
    ("look", "text", "size", "value"),
    ("size", "small", "small", "value"),
    ("size", "large", "large", "value"),
    ("words", "value", "other", "parts"),
    ("other", "text", "rest", "value"),
)


def a_branching_flow() -> Flow:
    """Two ways from one word: one is looked at and sent to one of two outputs, the other is kept."""
    nodes = {
        "words": Node(kind="io.flow_input", title="Words", settings={"type": "text", "default": "wren"}),
        "look": Node(kind="text.join", title="Look"),
        "size": Node(kind="control.branch", title="Size", settings={"cases": CASES}),
        "small": Node(kind="io.flow_output", title="Small"),
        "large": Node(kind="io.flow_output", title="Large"),
        "other": Node(kind="text.join", title="Other"),
        "rest": Node(kind="io.flow_output", title="Rest"),
    }
    wires = [Wire(Socket(NodeId(a), PortName(b)), Socket(NodeId(c), PortName(d))) for a, b, c, d in WIRES]
    places = {NodeId(name): Point(240 * at, 0) for at, name in enumerate(nodes)}
    return Flow(
        "Sizes",
        nodes={NodeId(name): node for name, node in nodes.items()},
        wires=tuple(sorted(wires, key=lambda wire: wire.sort_key)),
        layout=Layout(places),
    )


@pytest.fixture(scope="module")
def shared(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MainWindow]:
    folder = tmp_path_factory.mktemp("debugger")
    save_flow(folder / "flow.json", a_branching_flow())
    with a_window(qapp, folder) as window:
        window.documents.open(folder / "flow.json")
        yield window


@pytest.fixture
def flow(qtbot: QtBot, shared: MainWindow) -> Iterator[OpenFlow]:
    front = shared.front
    assert front is not None
    front.work.raise_asked.emit("debugger")
    yield front
    front.work.session.breakpoints.clear()
    front.work.debugger.cancel_all()
    qtbot.waitUntil(lambda: not front.work.debugger.runs, timeout=LONG)


def live_of(flow: OpenFlow) -> LiveRun:
    run = flow.work.shown.run
    assert run is not None
    return run


def step_of(flow: OpenFlow, step: str) -> StepState:
    return live_of(flow).state.steps[StepId(step)]


def run_until_held(qtbot: QtBot, shared: MainWindow, flow: OpenFlow, step: str, at: str = "") -> None:
    """Run the flow with a breakpoint at a step, or at one of its ports, until it is held there."""
    flow.work.session.breakpoints.set(at or step, state=True)
    shared.app.commands.run("run.run")
    wait_held(qtbot, flow, step)


def wait_held(qtbot: QtBot, flow: OpenFlow, *steps: str) -> None:
    def is_held() -> bool:
        return sorted(live_of(flow).state.held_steps) == sorted(steps)

    qtbot.waitUntil(is_held, timeout=LONG)
    qtbot.waitUntil(lambda: len(flow.work.debugging.held.list.rows) >= len(steps), timeout=LONG)


def wait_over(qtbot: QtBot, flow: OpenFlow) -> None:
    qtbot.waitUntil(lambda: live_of(flow).is_over, timeout=LONG)


def press(menu: QMenu, *path: str) -> None:
    """Choose in a menu what a person would."""
    for words in path[:-1]:
        found = next(action for action in menu.actions() if action.text() == words).menu()
        assert isinstance(found, QMenu)
        menu = found
    next(action for action in menu.actions() if action.text() == path[-1]).trigger()


def test_elements_of_a_held_list_are_moved_and_added_by_keys_and_the_trace_has_what_was_made_of_it(
    qtbot: QtBot, shared: MainWindow, flow: OpenFlow
) -> None:
    flow.work.session.breakpoints.set("look", state=True)
    shared.app.commands.run("run.run")
    box = flow.work.inspector.held
    wait_held(qtbot, flow, "look")
    qtbot.waitUntil(lambda: box.step == "look")
    (field,) = box.fields
    assert isinstance(field, ValueField)
    assert isinstance(field.parts, ListEditor)
    first = field.parts.parts[0]
    assert isinstance(first, TextEditor)
    qtbot.keyClick(first.field, Qt.Key.Key_Insert, Qt.KeyboardModifier.AltModifier)
    second = field.parts.parts[1]
    assert isinstance(second, TextEditor)
    qtbot.keyClicks(second.field, "owl")
    qtbot.keyClick(second.field, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    qtbot.mouseClick(flow.work.debugging.held.release_button, Qt.MouseButton.LeftButton)
    wait_over(qtbot, flow)
    assert step_of(flow, "look").inputs["parts"].data == ["owl", "wren"]
    assert step_of(flow, "look").edited
    assert live_of(flow).state.outputs["large"].data == "owl\nwren"


def test_a_held_value_is_sent_to_another_case_from_the_menu_of_the_box(
    qtbot: QtBot, shared: MainWindow, flow: OpenFlow
) -> None:
    run_until_held(qtbot, shared, flow, "size")
    qtbot.waitUntil(lambda: flow.work.inspector.held.step == "size")
    menu = flow.work.inspector.held.menu
    menu.aboutToShow.emit()
    press(menu, "Send to another case", "Large")
    wait_over(qtbot, flow)
    assert {name: one.data for name, one in live_of(flow).state.outputs.items()} == {
        "large": "wren",
        "rest": "wren",
    }


def test_a_held_step_is_dropped_while_others_go_on_and_are_held_beside_it(
    qtbot: QtBot, shared: MainWindow, flow: OpenFlow
) -> None:
    for node in ("look", "other"):
        flow.work.session.breakpoints.set(node, state=True)
    shared.app.commands.run("run.run")
    qtbot.waitUntil(lambda: len(live_of(flow).state.held_steps) == 1, timeout=LONG)
    held = flow.work.debugging.held
    press(held.make_menu(), "Run other steps while one is paused")
    wait_held(qtbot, flow, "look", "other")
    keys = [row.key for row in held.list.rows]
    held.list.setCurrentRow(next(at for at, key in enumerate(keys) if key.endswith(" other")))
    press(held.make_menu(), "Drop it")
    wait_held(qtbot, flow, "look")
    qtbot.waitUntil(lambda: step_of(flow, "other").status is StepStatus.SKIPPED, timeout=LONG)
    qtbot.mouseClick(held.continue_button, Qt.MouseButton.LeftButton)
    wait_over(qtbot, flow)
    assert set(live_of(flow).state.outputs) == {"small"}


def test_choosing_a_row_shows_that_step_everywhere(qtbot: QtBot, shared: MainWindow, flow: OpenFlow) -> None:
    run_until_held(qtbot, shared, flow, "size")
    flow.work.show_step("look")
    assert flow.work.session.selection.now.only_node == "look"
    shared.docks["debugger"].bring_up()
    held = flow.work.debugging.held
    held.list.setCurrentRow(0)
    held.list.setFocus()
    qtbot.keyClick(held.list, Qt.Key.Key_Return)
    assert flow.work.session.selection.now.only_node == "size"
    scopes = flow.work.debugging.scopes
    qtbot.waitUntil(lambda: scopes.topLevelItem(0).text(0) == "Size")
    run = scopes.topLevelItem(scopes.topLevelItemCount() - 1)
    given = {run.child(at).text(0): run.child(at).text(1) for at in range(run.childCount())}
    assert given["Look · text"] == "wren"


def test_a_run_that_is_detached_goes_on_past_its_breakpoints(
    qtbot: QtBot, shared: MainWindow, flow: OpenFlow
) -> None:
    for node in ("look", "size"):
        flow.work.session.breakpoints.set(node, state=True)
    shared.app.commands.run("run.run")
    wait_held(qtbot, flow, "look")
    press(flow.work.debugging.held.make_menu(), "Detach: let it run on by itself")
    wait_over(qtbot, flow)
    assert live_of(flow).state.outputs["small"].data == "wren"
    assert not step_of(flow, "size").held


def test_the_row_of_another_run_shows_that_run_and_what_is_done_there_is_done_to_it(
    qtbot: QtBot, shared: MainWindow, flow: OpenFlow
) -> None:
    run_until_held(qtbot, shared, flow, "look")
    first = live_of(flow)
    shared.app.commands.run("run.another")
    qtbot.waitUntil(lambda: live_of(flow) is not first, timeout=LONG)
    wait_held(qtbot, flow, "look")
    second = live_of(flow)
    held = flow.work.debugging.held
    qtbot.waitUntil(lambda: [row.depth for row in held.list.rows] == [0, 1, 0, 1])
    held.list.setCurrentRow(1)
    qtbot.keyClick(held.list, Qt.Key.Key_Return)
    assert live_of(flow) is first
    qtbot.waitUntil(lambda: [row.is_current for row in held.list.rows] == [False, True, False, False])
    qtbot.mouseClick(held.release_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: first.is_over, timeout=LONG)
    assert list(second.state.held_steps) == ["look"]
    press(held.make_menu(), "Stop the run")
    qtbot.waitUntil(lambda: second.is_over, timeout=LONG)


def test_an_output_that_gave_nothing_is_given_a_value_by_hand(
    qtbot: QtBot, shared: MainWindow, flow: OpenFlow
) -> None:
    run_until_held(qtbot, shared, flow, "size", at="size.small")
    box = flow.work.inspector.held
    qtbot.waitUntil(lambda: box.step == "size")
    box.menu.aboutToShow.emit()
    press(box.menu, "Add a value for", "large")
    box.fields[-1].texts[0].setPlainText("ostrich")
    qtbot.mouseClick(box.continue_button, Qt.MouseButton.LeftButton)
    wait_over(qtbot, flow)
    assert {name: one.data for name, one in live_of(flow).state.outputs.items()} == {
        "small": "wren",
        "large": "ostrich",
        "rest": "wren",
    }


def test_keys_lead_to_what_is_held_and_to_the_breakpoints_also_where_the_other_stands_in_front(
    qtbot: QtBot, shared: MainWindow, flow: OpenFlow
) -> None:
    run_until_held(qtbot, shared, flow, "look")
    debugging = flow.work.debugging
    shared.app.commands.run("run.breakpoints")
    assert debugging.breakpoints.list.isVisible()
    shared.app.commands.run("run.held_list")
    assert debugging.held.list.isVisible()
    assert debugging.held.list.current_key().endswith(" look")
    flow.work.raise_asked.emit("outline")
    shared.app.commands.run("run.edit_held")
    qtbot.waitUntil(lambda: flow.work.inspector.held.isAncestorOf(shared.focusWidget()))
    typed = shared.focusWidget()
    assert isinstance(typed, QPlainTextEdit)
    qtbot.keyClicks(typed, "s")
    shared.app.commands.run("run.continue")
    wait_over(qtbot, flow)
    assert step_of(flow, "look").inputs["parts"].data == ["swren"]


def test_a_held_run_is_looked_at_seldom_and_its_timeline_grows_once_a_second(
    qtbot: QtBot, shared: MainWindow, flow: OpenFlow
) -> None:
    run_until_held(qtbot, shared, flow, "look")
    flow.work.raise_asked.emit("timeline")
    timer, view = shared.bridge.findChildren(QTimer)[0], flow.work.timeline.view
    qtbot.waitUntil(lambda: timer.interval() == IDLE, timeout=LONG)
    flow.view._grown = time.monotonic()
    shown = view._ended
    for _ in range(20):
        flow.view.frame()
    assert view._ended == shown
    flow.view._grown -= SELDOM
    flow.view.frame()
    assert view._ended > shown
