from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QMenu, QPushButton, QTabWidget
from pytestqt.qtbot import QtBot

from studio.app.documents.session import Session
from studio.app.runs.debugger import Debugger
from studio.app.runs.live_run import LiveRun
from studio.flow.records import Flow, Node, Socket, Wire
from studio.host.protocol import Asked, DropStep, ReleaseStep, SendStep, StepOn
from studio.ids import NodeId, PortName, RunId, StepId
from studio.trace.events import Entry, RunStarted, StepFinished, StepHeld, StepReady, StepStarted
from studio.trace.events.values import Shown
from studio.ui.panels.debugger import DebuggerPanel
from studio.ui.panels.debugger.scope_tree import MOST
from studio.ui.panels.messages.spoken_text import SpokenText
from studio.ui.panels.value_card import MOST_LINES
from studio.ui.viewmodels.run.scope_values import known_in_scopes
from tests.trace.builders import numbered
from tests.ui.builders import a_flow, a_look, a_session

CRITIC = "rounds.2/critic"


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return a_session(tmp_path)


@pytest.fixture
def debugger(session: Session) -> Debugger:
    return Debugger(session)


@pytest.fixture
def panel(qtbot: QtBot, session: Session, debugger: Debugger) -> DebuggerPanel:
    made = DebuggerPanel(a_look(), session, debugger)
    qtbot.addWidget(made)
    made.resize(1200, 300)
    made.show()
    return made


def going_on(debugger: Debugger, name: str, *happenings: object, flow: Flow | None = None) -> LiveRun:
    """A run that goes on, of which this was told so far."""
    asked: list[Asked] = []
    live = LiveRun(RunId(name), flow or a_flow(), ask=asked.append)
    told = numbered(RunStarted("Draft and critique", ""), *happenings)  # type: ignore[arg-type]
    live.take([Entry(RunId(name), one.number, one.step, one.parent, one.time, one.event) for one in told])
    debugger.attach(live)
    return live


def held(step: str, phase: str = "before", **values: object) -> list[object]:
    shown = {name: Shown(one) for name, one in values.items()}  # type: ignore[arg-type]
    return [(step, StepReady()), (step, StepHeld(phase, "breakpoint", shown))]  # type: ignore[arg-type]


def words(menu: QMenu) -> list[str]:
    return [action.text() for action in menu.actions() if action.text()]


def press(menu: QMenu, text: str) -> None:
    next(action for action in menu.actions() if action.text() == text).trigger()


def test_held_steps_of_several_runs_stand_beneath_their_runs(
    qtbot: QtBot, debugger: Debugger, panel: DebuggerPanel
) -> None:
    first = going_on(debugger, "one", *held(CRITIC, prompt="A draft"))
    going_on(debugger, "two", *held(CRITIC, prompt="Another"), *held("answer", value="x"))
    panel.show_step(first.state, StepId(CRITIC))
    rows = panel.held.list.rows
    assert [(row.title, row.depth) for row in rows if row.depth] == [
        ("Critic, round 2", 1),
        ("Critic, round 2", 1),
        ("Answer", 1),
    ]
    assert [row.detail for row in rows if not row.depth] == ["1 paused", "2 paused"]
    assert [row.is_current for row in rows] == [False, True, False, False, False], "it is of the shown run"
    with qtbot.waitSignal(panel.held_chosen) as told:
        panel.held.list.itemClicked.emit(panel.held.list.item(3))
    assert told.args == ["two", CRITIC]


def test_one_run_alone_needs_no_row(debugger: Debugger, panel: DebuggerPanel) -> None:
    run = going_on(debugger, "one", *held(CRITIC, prompt="A draft"))
    panel.show_step(run.state, StepId(CRITIC))
    assert [(row.title, row.detail) for row in panel.held.list.rows] == [
        ("Critic, round 2", "before it runs · breakpoint")
    ]


def test_what_is_done_is_done_to_the_row_of_the_keyboard_in_its_run(
    debugger: Debugger, panel: DebuggerPanel
) -> None:
    first = going_on(debugger, "one", *held(CRITIC, prompt="A draft"))
    going_on(debugger, "two", *held("answer", value="x"))
    panel.show_step(first.state, StepId(CRITIC))
    told: list[object] = []
    panel.asked.connect(told.append)
    panel.held.release_button.click()
    panel.held.list.setCurrentRow(3)
    panel.held.step_button.click()
    press(panel.held.make_menu(), "Drop it")
    press(panel.held.make_menu(), "Detach: let it run on by itself")
    assert told == [
        ReleaseStep(RunId("one"), StepId(CRITIC)),
        StepOn(RunId("two"), StepId("answer")),
        DropStep(RunId("two"), StepId("answer")),
    ]
    assert [run.run for run in debugger.runs if debugger.is_detached(run)] == ["two"]


def test_a_run_that_goes_on_by_itself_says_so_and_can_be_debugged_again(
    debugger: Debugger, panel: DebuggerPanel
) -> None:
    run = going_on(debugger, "one", ("writer", StepStarted()))
    panel.show_step(run.state, None)
    assert panel.held.list.rows == ()
    debugger.detach(run)
    (row,) = panel.held.list.rows
    assert row.detail == "detached"
    panel.held.list.setCurrentRow(0)
    assert "Attach again" in words(panel.held.make_menu())


def test_the_other_cases_of_a_held_branch_are_offered(qtbot: QtBot, tmp_path: Path) -> None:
    cases = [{"label": "Small", "when": "value < 3"}, {"label": "Large"}]
    flow = Flow(
        "Sizes",
        nodes={
            NodeId("start"): Node(kind="io.flow_input", settings={"type": "number", "default": 1}),
            NodeId("size"): Node(kind="control.branch", title="Size", settings={"cases": cases}),
        },
        wires=(Wire(Socket(NodeId("start"), PortName("value")), Socket(NodeId("size"), PortName("value"))),),
    )
    session = a_session(tmp_path, flow)
    debugger = Debugger(session)
    panel = DebuggerPanel(a_look(), session, debugger)
    qtbot.addWidget(panel)
    run = going_on(debugger, "one", *held("size", value=1), flow=flow)
    panel.show_step(run.state, StepId("size"))
    menu = panel.held.make_menu()
    inner = next(one for one in menu.findChildren(QMenu) if one.title() == "Send to another case")
    assert words(inner) == ["Small", "Large"]
    with qtbot.waitSignal(panel.asked) as told:
        press(inner, "Large")
    assert told.args == [SendStep(RunId("one"), StepId("size"), "large")]


def a_step_in_a_round(debugger: Debugger, panel: DebuggerPanel) -> LiveRun:
    run = going_on(
        debugger,
        "one",
        ("rounds", StepStarted({"start": Shown("Which birds?")})),
        ("rounds.1/writer", StepStarted({"prompt": Shown("Which birds?")})),
        ("rounds.1/writer", StepFinished({"reply": Shown("Wrens,\nand owls.")})),
        *held("rounds.1/critic", prompt="Wrens,\nand owls."),
    )
    panel.show_step(run.state, StepId("rounds.1/critic"))
    return run


def stand_on(panel: DebuggerPanel, *path: str) -> None:
    item = panel.scopes.invisibleRootItem()
    for name in path:
        item = next(item.child(at) for at in range(item.childCount()) if item.child(at).text(0) == name)
    panel.scopes.setCurrentItem(item)


def test_a_value_of_an_enclosing_scope_is_read_whole_copied_and_shown_where_it_was_given(
    qtbot: QtBot, debugger: Debugger, panel: DebuggerPanel
) -> None:
    a_step_in_a_round(debugger, panel)
    stand_on(panel, "Rounds", "Writer · reply")
    assert "Writer · reply" in [one.text() for one in panel.values.findChildren(QLabel)]
    qtbot.keyClick(panel.scopes, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "Wrens,\nand owls."
    with qtbot.waitSignal(panel.step_chosen) as told:
        panel.values.show_button.click()
    assert told.args == ["rounds.1/writer"]
    with qtbot.waitSignal(panel.origin_asked) as asked:
        panel.values.origin_button.click()
    assert asked.args == ["rounds.1/writer", "output", "reply"]


def test_what_has_no_step_or_port_cannot_be_shown_or_followed_back(
    debugger: Debugger, panel: DebuggerPanel
) -> None:
    a_step_in_a_round(debugger, panel)
    stand_on(panel, "Rounds", "round")
    assert (panel.values.show_button.isEnabled(), panel.values.origin_button.isEnabled()) == (True, False)
    stand_on(panel, "Run")
    assert not panel.values.show_button.isEnabled()


def test_the_keyboard_stays_on_the_scope_of_that_name_when_more_has_happened(
    debugger: Debugger, panel: DebuggerPanel
) -> None:
    run = a_step_in_a_round(debugger, panel)
    stand_on(panel, "Rounds", "value")
    panel.show_step(run.state, StepId("rounds.1/writer"))
    current = panel.scopes.currentItem()
    assert (current.text(0), current.parent().text(0)) == ("value", "Rounds")


def test_of_very_many_values_the_first_are_shown_and_the_rest_when_asked_for(
    debugger: Debugger, panel: DebuggerPanel
) -> None:
    many = {f"n{at}": Node(kind="text.join") for at in range(MOST + 5)}
    flow = Flow("Many", nodes={NodeId(name): node for name, node in many.items()})
    told = [(name, StepFinished({"text": Shown("x")})) for name in many]
    run = going_on(debugger, "one", *told, flow=flow)
    panel.scopes.show_scopes(known_in_scopes(flow, run.state, None))
    scope = panel.scopes.topLevelItem(0)
    assert (scope.childCount(), scope.child(MOST).text(0)) == (MOST + 1, "5 more…")
    panel.scopes.itemActivated.emit(scope.child(MOST), 0)
    assert panel.scopes.topLevelItem(0).childCount() == MOST + 5


def test_a_list_of_very_many_elements_lays_out_the_first_lines_and_the_rest_when_asked_for(
    debugger: Debugger, panel: DebuggerPanel
) -> None:
    numbers = Shown(list(range(300)))
    run = going_on(debugger, "much", ("critic", StepStarted({"text": numbers})))
    panel.show_step(run.state, StepId("critic"))
    (text,) = panel.values.findChildren(SpokenText)
    assert text.document().blockCount() == MOST_LINES
    more = next(one for one in panel.values.findChildren(QPushButton) if one.text().startswith("Show all"))
    more.click()
    assert text.document().blockCount() == 302


def test_a_scope_that_was_closed_stays_closed(debugger: Debugger, panel: DebuggerPanel) -> None:
    run = a_step_in_a_round(debugger, panel)
    panel.scopes.topLevelItem(1).setExpanded(False)
    panel.show_step(run.state, StepId("rounds.1/writer"))
    assert [panel.scopes.topLevelItem(at).isExpanded() for at in range(3)] == [True, False, True]


@pytest.mark.parametrize(
    ("size", "shape"),
    [((1300, 280), (4, False)), ((700, 280), (2, False)), ((700, 900), (2, True)), ((300, 300), (1, False))],
)
def test_the_parts_stand_as_there_is_room_and_all_can_be_reached(
    qtbot: QtBot, debugger: Debugger, panel: DebuggerPanel, size: tuple[int, int], shape: tuple[int, bool]
) -> None:
    a_step_in_a_round(debugger, panel)
    panel.resize(*size)
    assert panel.columns.shape[0] == shape[0]
    if shape[0] < 4:
        assert panel.columns.shape[1] == shape[1]
    tabs = panel.findChildren(QTabWidget)
    for widget in (panel.breakpoints, panel.held.list, panel.scopes, panel.values):
        for tab in tabs:
            for at in range(tab.count()):
                if tab.widget(at).isAncestorOf(widget):
                    qtbot.mouseClick(
                        tab.tabBar(), Qt.MouseButton.LeftButton, pos=tab.tabBar().tabRect(at).center()
                    )
        qtbot.waitUntil(widget.isVisible)
        assert widget.width() <= size[0]


def test_what_was_in_front_is_so_again_when_there_is_less_room(
    qtbot: QtBot, debugger: Debugger, panel: DebuggerPanel
) -> None:
    a_step_in_a_round(debugger, panel)
    panel.resize(300, 300)
    qtbot.waitUntil(panel.held.list.isVisible)
    panel.resize(1300, 300)
    panel.resize(600, 300)
    assert panel.columns.shape == (2, False)
    qtbot.waitUntil(panel.held.list.isVisible)
