"""The debugger's breakpoints: listed in words, switched, edited, counted, and for what happens in a run."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.app.documents.breakpoints import Breakpoint, Breakpoints
from studio.app.documents.session import Session
from studio.app.runs.debugger import Debugger
from studio.flow.files.codec import dumps
from studio.flow.records import Flow, Node
from studio.ids import NodeId
from studio.ui.panels.debugger.breakpoint_form import BreakpointForm
from studio.ui.panels.debugger.breakpoint_part import BreakpointPart
from tests.ui.builders import a_look, a_session


class Opened:
    """A part, shown, with its session."""

    def __init__(self, qtbot: QtBot, session: Session) -> None:
        self.session, self.breakpoints = session, session.breakpoints
        self.part = BreakpointPart(a_look(), session, Debugger(session))
        qtbot.addWidget(self.part)
        self.part.resize(300, 400)
        self.part.show()
        qtbot.waitExposed(self.part)

    @property
    def form(self) -> BreakpointForm:
        assert self.part.page.form is not None
        return self.part.page.form

    def said(self) -> list[tuple[str, str]]:
        return [(row.title, row.beneath) for row in self.part.list.rows]


@pytest.fixture
def opened(qtbot: QtBot, tmp_path: Path) -> Opened:
    return Opened(qtbot, a_session(tmp_path))


@pytest.fixture
def calling(qtbot: QtBot, tmp_path: Path) -> Opened:
    """A flow that calls another one, in which there are breakpoints."""
    call = Node(kind="control.subflow", settings={"flow": "in.json"})
    session = a_session(tmp_path, Flow("Outer", nodes={NodeId("call"): call}))
    inner = Flow("Inner", nodes={NodeId("critic"): Node(kind="llm.agent", title="Critic")})
    (tmp_path / "in.json").write_text(dumps(inner), "utf-8")
    Breakpoints(session.project, "in.json").set("critic", state=True)
    Breakpoints(session.project, "other.json").set("critic", state=True)
    return Opened(qtbot, session)


def type_into(field: QWidget, text: str) -> None:
    field.setFocus()
    QTest.keyClicks(field, text)


def test_a_tick_switches_a_breakpoint_and_delete_removes_it(opened: Opened) -> None:
    opened.breakpoints.set("critic", state=True)
    opened.part.list.item(0).setCheckState(Qt.CheckState.Unchecked)
    assert opened.breakpoints.all == {"critic": False}
    opened.part.list.setCurrentRow(0)
    QTest.keyClick(opened.part.list, Qt.Key.Key_Delete)
    assert opened.breakpoints.all == {}


def test_each_says_where_it_is_and_what_it_depends_on(opened: Opened) -> None:
    opened.breakpoints.set("critic#chat", state=True)
    opened.breakpoints.put(Breakpoint("critic.reply", condition="round > 2", hits=3))
    opened.breakpoints.put(Breakpoint("writer", log="round {round}"))
    opened.breakpoints.put(Breakpoint(on="tool", tool="web_*"))
    opened.breakpoints.put(Breakpoint("critic", on="error", caught=True))
    assert opened.said() == [
        ("Error at Critic", "handled ones too"),
        ("Tool “web_*” called", ""),
        ("Critic · chats", ""),
        ("Critic · reply", "when round > 2, from hit 3 on"),
        ("Writer", "logs “round {round}”"),
    ]
    assert [row.mark for row in opened.part.list.rows] == ["catch", "catch", "on", "condition", "log"]


def test_a_condition_that_does_not_fit_any_more_says_why_in_its_row(opened: Opened) -> None:
    opened.breakpoints.put(Breakpoint("critic", condition="draft == 1"))
    ((_, beneath),) = opened.said()
    assert beneath.startswith("There is no “draft” here")


def test_f2_edits_and_enter_keeps(qtbot: QtBot, opened: Opened) -> None:
    opened.breakpoints.set("critic.reply", state=True)
    opened.part.list.setCurrentRow(0)
    QTest.keyClick(opened.part.list, Qt.Key.Key_F2)
    form = opened.form
    type_into(form.condition.field, "round > 1")
    QTest.keyClick(form.condition.field, Qt.Key.Key_Return)
    assert opened.breakpoints.get("critic.reply") == Breakpoint("critic.reply", condition="round > 1")
    qtbot.waitUntil(opened.part.list.isVisible)
    assert opened.part.page.form is None
    assert opened.said() == [("Critic · reply", "when round > 1")]


def test_what_is_wrong_stays_in_the_field_and_is_not_kept(opened: Opened) -> None:
    opened.breakpoints.set("critic.reply", state=True)
    opened.part.edit_key("critic.reply")
    form = opened.form
    type_into(form.condition.field, "rond > 1")
    QTest.keyClick(form.condition.field, Qt.Key.Key_Return)
    assert "There is no `rond`" in form.condition.message
    assert opened.breakpoints.get("critic.reply") == Breakpoint("critic.reply")
    QTest.keyClick(form.condition.field, Qt.Key.Key_Escape)
    assert opened.part.page.form is None
    assert opened.breakpoints.get("critic.reply") == Breakpoint("critic.reply")


def test_count_and_line_are_kept_when_the_keyboard_goes_on(opened: Opened) -> None:
    opened.breakpoints.set("writer", state=True)
    opened.part.edit_key("writer")
    form = opened.form
    type_into(form.hits.field, "3")
    type_into(form.log.field, "round {round}")
    assert opened.breakpoints.get("writer") == Breakpoint("writer", hits=3)
    form.condition.setFocus()
    assert opened.breakpoints.get("writer") == Breakpoint("writer", hits=3, log="round {round}")


def test_one_that_is_switched_off_stays_so_while_it_is_edited(opened: Opened) -> None:
    opened.breakpoints.set("writer", state=False)
    opened.part.edit_key("writer")
    type_into(opened.form.hits.field, "3")
    opened.part.page.leave()
    assert opened.breakpoints.state("writer") is False
    assert opened.breakpoints.get("writer") == Breakpoint("writer", hits=3)


def test_remove_in_the_fields_removes_for_good(opened: Opened) -> None:
    opened.breakpoints.set("writer", state=True)
    opened.part.edit_key("writer")
    type_into(opened.form.hits.field, "3")
    opened.form.remove_button.click()
    assert opened.part.page.form is None
    assert opened.breakpoints.rows == []


def test_what_happens_in_a_run_is_caught_by_a_tick_in_a_menu(opened: Opened) -> None:
    for on in ("error", "budget"):
        opened.part.catch(on)
    assert [row.title for row in opened.part.list.rows] == ["Budget warning or limit", "Error"]
    opened.part.catch("error", is_on=False)
    assert [row.key for row in opened.breakpoints.rows] == [Breakpoint(on="budget").key]


def test_a_catch_with_fields_of_its_own_is_switched_off_in_the_menu_and_not_lost(opened: Opened) -> None:
    one = Breakpoint(on="error", caught=True)
    opened.breakpoints.put(one)
    opened.part.catch("error", is_on=False)
    assert opened.breakpoints.state(one.key) is False
    opened.part.catch("error")
    assert opened.breakpoints.get(one.key) == one
    assert opened.breakpoints.state(one.key) is True


def test_a_text_to_hold_at_is_asked_for_and_without_one_nothing_stays(opened: Opened) -> None:
    opened.part.catch("text")
    form = opened.form
    assert form.text is not None
    assert form.text.message == "There is no text to look for."
    type_into(form.text.field, "heron")
    QTest.keyClick(form.text.field, Qt.Key.Key_Return)
    assert opened.said() == [("Text “heron”", "")]
    opened.part.catch("text")
    opened.part.page.leave()
    assert opened.said() == [("Text “heron”", "")]


def test_a_pattern_that_cannot_be_read_is_said_at_once(opened: Opened) -> None:
    opened.breakpoints.put(Breakpoint(on="text", text="[a-z", is_pattern=False))
    opened.part.edit_key(Breakpoint(on="text", text="[a-z").key)
    form = opened.form
    assert form.text is not None
    assert form.is_pattern is not None
    assert form.text.message == ""
    form.is_pattern.field.setChecked(True)
    assert form.text.message != ""


def test_how_often_each_was_met_is_counted_beside_it(opened: Opened) -> None:
    opened.breakpoints.set("writer", state=True)
    opened.breakpoints.set("critic", state=True)
    opened.part.show_hits({"writer": 12})
    assert [(row.title, row.hits) for row in opened.part.list.rows] == [("Critic", 0), ("Writer", 12)]
    assert opened.part.list.rows[1].words == "Writer, breakpoint, hit 12 times"
    opened.part.show_hits({"writer": 13}, frozenset({"writer"}))
    assert [row.is_ringed for row in opened.part.list.rows] == [False, True]


def test_all_are_switched_off_and_on_and_removed_and_brought_back(opened: Opened) -> None:
    opened.breakpoints.set("writer", state=True)
    opened.breakpoints.put(Breakpoint("critic", condition="round > 1"), is_on=False)
    before = opened.breakpoints.rows
    opened.part.all_button.click()
    assert not opened.breakpoints.enabled
    opened.part.all_button.click()
    assert opened.breakpoints.enabled == {"writer", "critic"}
    opened.breakpoints.set("critic", state=False)
    opened.part.clear()
    assert opened.breakpoints.rows == []
    assert opened.part.bring_back.isVisible()
    opened.part.bring_back.click()
    assert opened.breakpoints.rows == before


def test_a_condition_that_was_removed_by_one_key_too_many_comes_back_by_the_menu(opened: Opened) -> None:
    one = Breakpoint("critic", condition="round > 1")
    opened.breakpoints.set("writer", state=True)
    opened.breakpoints.put(one)
    for _ in range(2):
        opened.breakpoints.cycle("critic")  # as F9 does
    assert opened.breakpoints.get("critic") is None
    back = opened.part.make_menu().actions()[-1]
    assert back.text() == "Restore removed breakpoints"
    back.trigger()
    assert opened.breakpoints.get("critic") == one
    assert not opened.part.make_menu().actions()[-1].isEnabled()


def test_a_click_tells_the_node(qtbot: QtBot, opened: Opened) -> None:
    opened.breakpoints.set("critic.prompt", state=True)
    with qtbot.waitSignal(opened.part.chosen) as told:
        opened.part.list.itemClicked.emit(opened.part.list.item(0))
    assert told.args == ["critic"]


@pytest.mark.parametrize("x", [8, 120])
def test_a_tick_goes_nowhere_and_two_clicks_edit_what_is_in_another_flow(calling: Opened, x: int) -> None:
    gone: list[tuple[str, str]] = []
    calling.part.called.connect(lambda flow, node: gone.append((flow, node)))
    viewport = calling.part.list.viewport()
    at = calling.part.list.visualItemRect(calling.part.list.item(0)).topLeft() + QPoint(x, 14)
    QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=at)
    is_on = Breakpoints(calling.session.project, "in.json").state("critic")
    assert is_on is (x != 8), "a click at the tick, and only there, switches it"
    if is_on:
        QTest.mouseDClick(viewport, Qt.MouseButton.LeftButton, pos=at)
        assert calling.part.page.is_shown
    assert gone == []


def test_breakpoints_of_called_flows_are_changed_from_here(qtbot: QtBot, calling: Opened) -> None:
    assert calling.said() == [("Critic, Inner", "")]
    calling.part.list.setCurrentRow(0)
    with qtbot.waitSignal(calling.part.called) as told:
        QTest.keyClick(calling.part.list, Qt.Key.Key_Return)
    assert told.args == ["in.json", "critic"]
    calling.part.edit(calling.part.list.rows[0])
    type_into(calling.form.condition.field, "tokens > 100")
    calling.part.page.leave()
    assert calling.said() == [("Critic, Inner", "when tokens > 100")]
    calling.part.list.item(0).setCheckState(Qt.CheckState.Unchecked)
    kept = Breakpoints(calling.session.project, "in.json")
    assert kept.get("critic") == Breakpoint("critic", condition="tokens > 100")
    assert kept.state("critic") is False
    calling.part.list.setCurrentRow(0)
    QTest.keyClick(calling.part.list, Qt.Key.Key_Delete)
    assert Breakpoints(calling.session.project, "in.json").rows == []
    assert Breakpoints(calling.session.project, "other.json").all == {"critic": True}


def test_hits_in_called_flows_count_for_the_flow_that_calls(calling: Opened) -> None:
    calling.part.show_hits({"in.json:critic": 2})
    assert [row.hits for row in calling.part.list.rows] == [2]
