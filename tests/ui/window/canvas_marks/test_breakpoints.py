"""Breakpoints in the real window, set by hand and keys: what was pressed, and what the trace then says."""

import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio import places
from studio.app.documents.breakpoints import Breakpoint
from studio.ids import NodeId, StepId
from studio.trace.fold.state import RunStatus
from studio.ui.window.canvas_marks.breakpoint_sheet import BreakSheet
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from tests.ui.window.live_runs import LONG, live_of
from tests.ui.window.test_window import CRITIC

pytestmark = pytest.mark.shared_window

WRITER = NodeId("writer")
SHIFT = Qt.KeyboardModifier.ShiftModifier


def sheet_of(flow: OpenFlow) -> BreakSheet:
    sheet = flow.work.canvas.asking.sheet
    assert isinstance(sheet, BreakSheet)
    return sheet


def condition_by_keys(flow: OpenFlow, node: NodeId, text: str) -> None:
    """Select a node, press Shift+F9, type, press Enter."""
    flow.work.session.selection.select([node])
    flow.work.canvas.setFocus()
    QTest.keyClick(flow.work.canvas, Qt.Key.Key_F9, SHIFT)
    field = sheet_of(flow).form.condition.field
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)


def said_of(flow: OpenFlow) -> dict[str, tuple[str, int]]:
    return {row.title: (row.beneath, row.hits) for row in flow.work.debugging.breakpoints.list.rows}


def test_a_condition_typed_on_the_canvas_holds_the_run_where_it_is_met(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    condition_by_keys(flow, CRITIC, "round > 1")
    assert flow.work.canvas.asking.sheet is None
    assert flow.work.canvas.board.cards.shown.breakpoints == {CRITIC: "condition"}
    window.app.commands.run("run.run")
    qtbot.waitUntil(lambda: flow.controls.is_held, timeout=LONG)
    state = live_of(flow).state
    first = StepId("rounds.1/critic")
    assert [str(step) for step in state.held_steps] == ["rounds.2/critic"]
    held = state.steps[next(iter(state.held_steps))]
    assert (held.held_by, held.held_detail) == ("critic", "round > 1")
    assert not state.steps[first].held
    qtbot.waitUntil(lambda: said_of(flow) == {"Critic": ("when round > 1", 1)}, timeout=LONG)
    assert flow.work.canvas.board.cards.shown.ringed == {CRITIC}
    window.app.commands.run("run.continue")
    qtbot.waitUntil(lambda: live_of(flow).is_over, timeout=LONG)
    assert live_of(flow).status is RunStatus.FINISHED
    flow.breakpoints.hits._clock = lambda: 1e12
    flow.breakpoints.hits.show()
    assert flow.work.canvas.board.cards.shown.ringed == frozenset()


def test_one_that_writes_a_line_holds_nothing_and_says_it_in_the_log(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    flow.work.session.breakpoints.put(Breakpoint("writer.reply", log="round {round}, {len(reply)} letters"))
    window.app.commands.run("run.run")
    qtbot.waitUntil(lambda: live_of(flow).is_over, timeout=LONG)
    lines = [text for _, _, text in live_of(flow).state.log if text.startswith("round")]
    rounds = sum(step.node == WRITER and not step.call for step in live_of(flow).state.steps.values())
    assert [line.split(",")[0] for line in lines] == [f"round {number + 1}" for number in range(rounds)]
    assert rounds > 1
    assert not any(step.held for step in live_of(flow).state.steps.values())
    qtbot.waitUntil(lambda: said_of(flow)["Writer · reply"][1] == rounds, timeout=LONG)
    window.docks["log"].bring_up()
    qtbot.waitUntil(lambda: "round 1" in flow.work.log.text.toPlainText(), timeout=LONG)


def test_a_condition_that_cannot_be_met_stops_no_run_unsaid(window: MainWindow, flow: OpenFlow) -> None:
    breakpoints = flow.work.session.breakpoints
    breakpoints.put(Breakpoint("critic", condition="rond > 1"))
    window.app.commands.run("run.run")
    assert flow.work.shown.run is None
    assert "“Critic” is not valid: There is no “rond” here" in window.notices.text
    window.notices.buttons[0].click()
    page = flow.work.debugging.breakpoints.page
    assert page.form is not None
    assert page.form.condition.value() == "rond > 1"
    page.leave()
    window.app.commands.run("run.run")
    assert flow.work.shown.run is None
    window.notices.buttons[1].click()
    assert breakpoints.state("critic") is False
    assert not flow.breakpoints.refuse(window.notices, "run")


def test_a_click_at_a_port_sets_switches_off_and_removes_and_says_so(
    window: MainWindow, flow: OpenFlow
) -> None:
    canvas, breakpoints = flow.work.canvas, flow.work.session.breakpoints
    canvas.fit()
    spot = next(one for one in canvas.board.scene.spots(WRITER) if one.port == "reply")
    canvas.looking.zoom_in()
    canvas.reveal(WRITER)
    x, y = canvas.board.camera.to_widget(*canvas.board.port_point(WRITER, spot))
    seen: list[bool | None] = []
    for _ in range(3):
        QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(round(x), round(y)))
        seen.append(breakpoints.state("writer.reply"))
        assert "Writer · reply" in window.notices.text
    assert seen == [True, False, None]


def test_the_palette_switches_removes_and_asks_what_to_hold_for(window: MainWindow, flow: OpenFlow) -> None:
    breakpoints = flow.work.session.breakpoints
    assert not {"run.breakpoints_off", "run.breakpoints_clear"} & {
        one.id for one in window.app.commands.find("breakpoints") if one.is_enabled()
    }
    breakpoints.set("critic", state=True)
    window.app.commands.run("run.breakpoints_off")
    assert breakpoints.all == {"critic": False}
    window.app.commands.run("run.breakpoints")
    assert flow.work.debugging.breakpoints.list.current is not None
    window.app.commands.run("run.breakpoints_clear")
    assert breakpoints.rows == []
    (found,) = (one.id for one in window.app.commands.find("pause on") if one.is_enabled())
    assert found == "run.hold_when"


def test_a_breakpoint_of_a_called_flow_is_gone_to_and_holds_there_on_its_condition(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    folder = tmp_path / "chapters"
    shutil.copytree(places.projects() / "chapters", folder, ignore=shutil.ignore_patterns(".stepwire", "out"))
    window.documents.open(folder / "summary.json")
    assert window.front is not None
    inner = window.front.work.session
    node = CRITIC
    inner.breakpoints.put(Breakpoint(str(node), condition="item == 1"))
    window.documents.open(folder)
    flow = window.front
    (row,) = flow.work.debugging.breakpoints.list.rows
    assert (row.flow, row.detail) == ("summary.json", "when item == 1")
    window.app.commands.run("run.run")
    qtbot.waitUntil(lambda: flow.controls.is_held or live_of(flow).is_over, timeout=LONG)
    opened = flow.work.debugging.breakpoints.list
    opened.setCurrentRow(0)
    qtbot.keyClick(opened, Qt.Key.Key_Return)
    assert window.front.work.session.name == "summary.json"
    assert inner.selection.now.only_node == node
    flow.work.debugging.breakpoints.remove(row)
    assert inner.breakpoints.rows == []
    flow.controls.stop()
    qtbot.waitUntil(lambda: live_of(flow).is_over, timeout=LONG)
    QApplication.processEvents()


def test_a_condition_in_a_called_flow_that_cannot_be_met_is_told_before_the_run(
    window: MainWindow, tmp_path: Path
) -> None:
    folder = tmp_path / "chapters"
    shutil.copytree(places.projects() / "chapters", folder, ignore=shutil.ignore_patterns(".stepwire", "out"))
    window.documents.open(folder / "summary.json")
    assert window.front is not None
    inner = window.front.work.session
    inner.breakpoints.put(Breakpoint(str(CRITIC), condition="rond == 1"))
    window.documents.open(folder)
    flow = window.front
    window.app.commands.run("run.run")
    assert flow.work.shown.run is None
    assert "There is no “rond” here" in window.notices.text
    window.notices.buttons[0].click()
    page = flow.work.debugging.breakpoints.page
    assert page.form is not None
    assert page.form.condition.value() == "rond == 1"
    page.leave()
    window.app.commands.run("run.run")
    window.notices.buttons[1].click()
    assert inner.breakpoints.state(str(CRITIC)) is False


def test_what_happens_in_a_run_is_held_for_by_the_menu_and_each_hold_says_why(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    part = flow.work.debugging.breakpoints
    menu = part.make_menu()
    next(one for one in part.catches.actions() if one.text() == "Text in a message").trigger()
    menu.deleteLater()
    assert part.page.form is not None
    assert part.page.form.text is not None
    QTest.keyClicks(part.page.form.text.field, "dunnock")
    QTest.keyClick(part.page.form.text.field, Qt.Key.Key_Return)
    part.catch("tool")
    assert [row.title for row in part.list.rows] == ["Text “dunnock”", "Tool called"]
    window.app.commands.run("run.run")
    seen: list[tuple[str, str]] = []
    before: set[StepId] = set()
    for _ in range(2):
        # A step that goes on may be held again before anybody sees that it was not.
        qtbot.waitUntil(
            lambda: flow.controls.is_held and not before.issuperset(live_of(flow).state.held_steps),
            timeout=LONG,
        )
        (held,) = (live_of(flow).state.steps[step] for step in live_of(flow).state.held_steps)
        seen.append((held.call.partition(".")[0], held.held_reason))
        before.add(held.id)
        window.app.commands.run("run.continue")
    assert seen == [("tool", "tool"), ("chat", "text")]
    assert [row.hits > 0 for row in part.list.rows] == [True, True]
    flow.controls.stop()
    qtbot.waitUntil(lambda: live_of(flow).is_over, timeout=LONG)
