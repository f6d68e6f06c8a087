"""Forms from JSON schemas and approvals, as a person fills them in."""

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from studio.building_blocks.answers.approvals import approval_form
from studio.flow.records import Flow
from studio.ids import RunId, StepId
from studio.past.open_runs import Waiting
from studio.store.summary import RunSummary
from studio.trace.events import ApprovalAsked
from studio.trace.fold.state import RunState, RunStatus
from studio.ui.editors.part_editors import JsonEditor
from studio.ui.panels.forms.approval import ApprovalCard
from studio.ui.panels.forms.nested_values import EntriesEditor, ObjectEditor
from studio.ui.panels.forms.question import QuestionForm
from studio.ui.panels.questions import QuestionsPanel
from studio.ui.panels.runs.panel import RunsPanel
from tests.ui.builders import a_look

BIRD = {
    "type": "object",
    "properties": {"name": {"enum": ["wren", "owl"]}, "count": {"type": "integer", "minimum": 1}},
    "required": ["name"],
}
SEEN: dict[str, Any] = {
    "type": "object",
    "properties": {
        "place": {
            "type": "object",
            "properties": {"pond": {"type": "string"}, "depth": {"type": ["number", "null"], "maximum": 30}},
            "required": ["pond"],
        },
        "day": {"type": "string", "format": "date"},
        "birds": {"type": "array", "items": {"$ref": "#/$defs/bird"}, "minItems": 1},
        "who": {"type": "object", "title": "Observer", "properties": {"name": {"type": "string"}}},
        "mood": {"enum": ["Warm", "Cold"]},
        "sure": {"type": "boolean", "default": True},
    },
    "required": ["place", "birds"],
    "$defs": {"bird": BIRD},
}


def shown(qtbot: QtBot, widget: QWidget) -> None:
    qtbot.addWidget(widget)
    widget.resize(640, 320)
    widget.show()


def asked(qtbot: QtBot, schema: dict[str, Any]) -> tuple[QuestionForm, list[object]]:
    form = QuestionForm(a_look(), "ask", ApprovalAsked("What was seen?", schema))
    shown(qtbot, form)
    heard: list[object] = []
    form.answered.connect(heard.append)
    return form, heard


def approval(qtbot: QtBot, value: object, **terms: Any) -> tuple[ApprovalCard, list[object]]:
    schema = approval_form(value, terms.pop("part", {}), **{"may_edit": True, "needs_reason": True, **terms})
    card = ApprovalCard(a_look(), "send", ApprovalAsked("Send it?", schema))
    shown(qtbot, card)
    heard: list[object] = []
    card.answered.connect(heard.append)
    return card, heard


def fields(editor: object) -> Any:
    assert isinstance(editor, ObjectEditor)
    return editor.form


def test_objects_and_lists_are_filled_in_place_and_what_is_left_out_is_missing(qtbot: QtBot) -> None:
    form, heard = asked(qtbot, SEEN)
    place, birds = fields(form.form["place"]), form.form["birds"]
    assert isinstance(birds, EntriesEditor)
    place["pond"].set_value("north")
    assert len(birds.entries) == 1, "one is needed"
    fields(birds.entries[0][1])["name"].set_value("wren")
    birds.more.click()
    fields(birds.entries[1][1])["name"].set_value("owl")
    fields(birds.entries[1][1])["count"].set_value(2)
    form.button.click()
    assert heard == [
        {"place": {"pond": "north"}, "birds": [{"name": "wren"}, {"name": "owl", "count": 2}], "sure": True}
    ]


def test_what_is_wrong_is_said_as_one_types_and_keeps_the_answer_back(qtbot: QtBot) -> None:
    form, heard = asked(qtbot, SEEN)
    day, place = form.form["day"], fields(form.form["place"])
    form.form["birds"].set_value([{"name": "wren"}])
    line = day.findChild(QLineEdit)
    assert isinstance(line, QLineEdit)
    QTest.keyClicks(line, "2026-13-01")
    assert "should be a date" in day.message
    place["pond"].set_value("north")
    place["depth"].set_value(31)
    form.button.click()
    assert heard == []
    assert "at most 30" in place["depth"].message
    place["depth"].set_value(30)
    line.clear()
    QTest.keyClicks(line, "2026-12-01")
    assert day.message == ""
    form.button.click()
    assert [one["day"] for one in heard if isinstance(one, dict)] == ["2026-12-01"]


def test_a_number_out_of_bounds_is_still_told_when_the_keyboard_has_left(qtbot: QtBot) -> None:
    form, _ = asked(qtbot, {"type": "object", "properties": {"count": {"type": "integer", "maximum": 10}}})
    count = form.form["count"]
    line = count.findChild(QLineEdit)
    assert isinstance(line, QLineEdit)
    QTest.keyClicks(line, "99")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert "at most 10" in count.message
    assert line.text() == "99"


def test_what_is_wrong_with_an_answer_is_scrolled_to(qtbot: QtBot) -> None:
    names = [f"field_{place}" for place in range(20)]
    schema = {"properties": {name: {"type": "string", "format": "date"} for name in names}, "required": names}
    panel = QuestionsPanel(a_look())
    shown(qtbot, panel)
    question = ApprovalAsked("What was seen?", {"type": "object", **schema})
    panel.show_stored([Waiting(RunId("a"), "Ask", StepId("ask#ask.1"), question, 10.0, True)])
    card = panel.stored[RunId("a"), StepId("ask#ask.1")]
    assert isinstance(card, QuestionForm)
    first, scroll = card.form[names[0]], panel.findChildren(QScrollArea)[0].verticalScrollBar()
    qtbot.waitUntil(lambda: scroll.maximum() > 0)
    scroll.setValue(scroll.maximum())
    assert first.visibleRegion().isEmpty()
    card.button.click()
    qtbot.waitUntil(lambda: not first.visibleRegion().isEmpty())


def test_the_button_that_answers_is_drawn_as_the_one_to_press(qtbot: QtBot) -> None:
    page = QWidget()
    page.setStyleSheet('QPushButton[primary="true"] { background: #010203; border: none; }')
    form = QuestionForm(a_look(), "ask", ApprovalAsked("What was seen?", SEEN), page)
    shown(qtbot, page)
    assert form.button.grab().toImage().pixelColor(2, 2).name() == "#010203"


def tabbed(start: QWidget, steps: int) -> list[str]:
    start.setFocus()
    found: list[str] = []
    for _ in range(steps):
        now = start.window().focusWidget()
        assert now is not None
        QTest.keyClick(now, Qt.Key.Key_Tab)
        now = start.window().focusWidget()
        assert now is not None
        found.append(now.accessibleName() or getattr(now, "text", str)())
    return found


def test_tab_goes_from_entry_to_entry_in_the_order_in_which_they_stand(qtbot: QtBot) -> None:
    form, _ = asked(qtbot, SEEN)
    birds = form.form["birds"]
    assert isinstance(birds, EntriesEditor)
    birds.more.click()
    first, second = (entry for _, entry in birds.entries)
    qtbot.waitUntil(second.isVisible)
    assert tabbed(fields(first)["name"], 6) == [
        "count",
        "Remove this entry",
        "name",
        "count",
        "Remove this entry",
        "Add an entry to birds",
    ]


def test_tab_goes_from_what_is_edited_to_the_reason_and_the_buttons(qtbot: QtBot) -> None:
    card, _ = approval(qtbot, {"to": "Ada", "size": 2})
    card.edit.click()
    assert card.editor is not None
    qtbot.waitUntil(card.editor.isVisible)
    assert tabbed(card.editor, 4) == ["Reason", "Undo edit", "Reject", "Approve as edited"]


def test_an_object_that_may_be_left_out_is_filled_in_where_it_is_ticked(qtbot: QtBot) -> None:
    form, heard = asked(qtbot, {**SEEN, "required": []})
    who = form.form["who"]
    assert isinstance(who, ObjectEditor)
    assert who.form.isHidden()
    who.offer.click()
    fields(who)["name"].set_value("Ada")
    form.form["birds"].set_value([{"name": "wren"}])
    form.button.click()
    assert [one["who"] for one in heard if isinstance(one, dict)] == [{"name": "Ada"}]


def test_a_choice_that_is_needed_is_made_by_nobody_but_the_person(qtbot: QtBot) -> None:
    sizes: dict[str, Any] = {"size": {"enum": [1, 2]}, "hue": {"enum": ["red", "blue"], "default": "blue"}}
    form, heard = asked(qtbot, {"type": "object", "properties": sizes, "required": ["size", "hue"]})
    form.button.click()
    assert (heard, bool(form.form["size"].message)) == ([], True)
    form.form["size"].set_value(1)
    form.button.click()
    assert heard == [{"size": 1, "hue": "blue"}]


def test_an_entry_is_taken_out_again_and_a_list_that_needs_one_says_so(qtbot: QtBot) -> None:
    form, heard = asked(qtbot, SEEN)
    birds = form.form["birds"]
    assert isinstance(birds, EntriesEditor)
    fields(form.form["place"])["pond"].set_value("north")
    birds.take_out(birds.entries[0][0])
    form.button.click()
    assert heard == []
    said = " ".join(one.text() for one in form.findChildren(QLabel) if not one.isHidden())
    assert "1 or more entries" in said


def test_what_fits_field_by_field_and_not_as_a_whole_is_said_below(qtbot: QtBot) -> None:
    texts = {"by": {"type": "string"}, "why": {"type": "string"}}
    form, heard = asked(qtbot, {"type": "object", "properties": texts, "dependentRequired": {"by": ["why"]}})
    form.form["by"].set_value("me")
    form.button.click()
    assert (heard, bool(form.filled.message)) == ([], True)


def test_a_text_that_is_no_json_is_no_answer_though_one_stood_there_before(qtbot: QtBot) -> None:
    form, heard = asked(qtbot, {"type": "object", "properties": {"data": {"type": "object"}}})
    editor = form.form["data"]
    assert isinstance(editor, JsonEditor)
    editor.field.setPlainText('{"n": 1}')
    editor.field.setPlainText('{"n": ')
    form.button.click()
    assert heard == []
    editor.field.setPlainText('{"n": 2}')
    form.button.click()
    assert heard == [{"data": {"n": 2}}]


def test_a_value_is_approved_as_it_was(qtbot: QtBot) -> None:
    card, heard = approval(qtbot, {"n": 2})
    card.approve.click()
    assert heard == [{"decision": "approve"}]
    assert not card.reject.isEnabled(), "it is decided once"


def test_a_value_is_edited_and_what_does_not_fit_is_not_let_pass(qtbot: QtBot) -> None:
    card, heard = approval(qtbot, "A wren.", part={"type": "string", "maxLength": 9})
    card.edit.click()
    assert card.card.isHidden()
    assert card.editor is not None
    card.editor.set_value("Two wrens.")
    card.approve.click()
    assert heard == []
    card.editor.set_value("Wrens.")
    card.approve.click()
    assert heard == [{"decision": "edit", "value": "Wrens."}]


def test_what_was_typed_does_not_pass_where_the_value_is_taken_as_it_was(qtbot: QtBot) -> None:
    card, heard = approval(qtbot, "A wren.")
    card.edit.click()
    assert card.editor is not None
    card.editor.set_value("An owl.")
    card.edit.click()
    card.approve.click()
    assert heard == [{"decision": "approve"}]


def test_a_rejection_wants_its_reason(qtbot: QtBot) -> None:
    card, heard = approval(qtbot, "A wren.")
    card.reject.click()
    assert (heard, bool(card.reason.message)) == ([], True)
    card.reason.set_value("No wren sang.")
    card.reject.click()
    assert heard == [{"decision": "reject", "reason": "No wren sang."}]


@pytest.mark.parametrize("terms", [{"may_edit": False}, {"needs_reason": False}])
def test_what_may_not_be_edited_or_needs_no_reason_is_shown_so(qtbot: QtBot, terms: dict[str, bool]) -> None:
    card, heard = approval(qtbot, "A wren.", **terms)
    assert card.edit.isHidden() is ("may_edit" in terms)
    card.reject.click()
    assert bool(heard) is ("needs_reason" in terms)


def test_a_run_that_ended_with_a_question_is_listed_as_one_that_waits(qtbot: QtBot) -> None:
    panel = RunsPanel(a_look())
    shown(qtbot, panel)
    failed = RunSummary(RunId("a"), "Flow", status=RunStatus.FAILED, started=1.0, ended=2.0)
    panel.show_runs([replace(failed, asked="4"), failed])
    assert [(row.detail, row.color) for row in panel.list.rows] == [
        ("waiting for you · 1.0 s", "state.held"),
        ("failed · 1.0 s", "state.failed"),
    ]
    going = RunSummary(RunId("b"), "Flow", started=1.0)
    panel.show_runs([going], waiting=[RunId("b")])
    assert [(row.detail, row.color) for row in panel.list.rows] == [("waiting for you", "state.held")]
    panel.show_runs([replace(going, asked="4")])
    assert panel.list.rows[0].detail == "running", "it was answered since the list of runs was written"


def test_questions_of_runs_that_are_over_are_listed_and_their_answer_names_the_run(qtbot: QtBot) -> None:
    panel = QuestionsPanel(a_look())
    shown(qtbot, panel)
    schema = approval_form("A wren.", {}, may_edit=True, needs_reason=True)
    asked = ApprovalAsked("Send it?", schema)
    one = Waiting(RunId("a"), "Send with care", StepId("send#ask.1"), asked, 10.0, True)
    elsewhere = Waiting(RunId("b"), "Send with care", StepId("send#ask.1"), asked, 9.0, False)
    panel.show_stored([one, elsewhere])
    assert (panel.count, list(panel.stored)) == (1, [("a", "send#ask.1")])
    card = panel.stored[RunId("a"), StepId("send#ask.1")]
    assert isinstance(card, ApprovalCard)
    card.reason.set_value("typed")
    panel.show_stored([one])
    assert panel.stored[RunId("a"), StepId("send#ask.1")] is card, "what was typed stays"
    heard: list[object] = []
    panel.answered_later.connect(lambda *told: heard.append(told))  # pyright: ignore[reportUnknownLambdaType, reportUnknownMemberType, reportUnknownArgumentType]
    card.approve.click()
    assert heard == [("a", "send#ask.1", {"decision": "approve", "reason": "typed"})]
    panel.show_stored([])
    assert panel.count == 0


NOTE = ApprovalAsked("Which pond?", {"type": "object", "properties": {"answer": {"type": "string"}}})
ASKS = StepId("ask#ask.1")


def asking(run: str) -> RunState:
    state = RunState(RunId(run))
    state.waiting[ASKS] = NOTE
    return state


def live(run: str) -> Waiting:
    return Waiting(RunId(run), "Ponds", ASKS, NOTE, 0.0, is_over=False, begun=10.0)


def test_each_of_two_live_runs_that_wait_at_the_same_step_is_answered_for_itself(qtbot: QtBot) -> None:
    panel = QuestionsPanel(a_look())
    shown(qtbot, panel)
    raised: list[RunId] = []
    panel.asked.connect(lambda: raised.append(RunId("")))
    panel.show_questions(Flow(), asking("b"))
    panel.show_live([live("a"), live("b")])
    assert (panel.count, list(panel.forms), list(panel.aside)) == (2, [ASKS], [("a", ASKS)])
    assert len(raised) == 1
    mine, other = panel.forms[ASKS], panel.aside[RunId("a"), ASKS]
    assert isinstance(mine, QuestionForm)
    assert isinstance(other, QuestionForm)
    assert mine.shows_run.isHidden()
    assert mine.who.text() == "ask · this run"
    assert other.who.text().startswith("Ponds · ask · another run")
    seen: list[object] = []
    panel.run_asked.connect(seen.append)
    other.shows_run.click()
    assert seen == ["a"]
    other.form["answer"].set_value("north")
    panel.show_questions(Flow(), asking("a"))
    assert len(raised) == 2, "a run that waits is shown with its question"
    assert panel.forms[ASKS] is other, "and with what was typed"
    assert panel.aside == {(RunId("b"), ASKS): mine}
    heard: list[object] = []
    panel.answered.connect(lambda *told: heard.append(told))  # pyright: ignore[reportUnknownLambdaType, reportUnknownMemberType, reportUnknownArgumentType]
    panel.answered_aside.connect(lambda *told: heard.append(told))  # pyright: ignore[reportUnknownLambdaType, reportUnknownMemberType, reportUnknownArgumentType]
    mine.form["answer"].set_value("south")
    mine.button.click()
    other.button.click()
    assert heard == [("b", ASKS, {"answer": "south"}), (ASKS, {"answer": "north"})]


def test_what_was_typed_outlives_the_process_of_the_run(qtbot: QtBot) -> None:
    panel = QuestionsPanel(a_look())
    shown(qtbot, panel)
    panel.show_live([live("a")])
    panel.show_questions(Flow(), asking("a"))
    card = panel.forms[ASKS]
    assert isinstance(card, QuestionForm)
    card.form["answer"].set_value("north")
    panel.show_live([])
    panel.show_questions(Flow(), RunState(RunId("a")))
    assert panel.count == 0
    panel.show_stored([Waiting(RunId("a"), "Ponds", ASKS, NOTE, 10.0, is_over=True)])
    assert panel.stored == {(RunId("a"), ASKS): card}
    assert not card.isHidden()
    heard: list[object] = []
    panel.answered_later.connect(lambda *told: heard.append(told))  # pyright: ignore[reportUnknownLambdaType, reportUnknownMemberType, reportUnknownArgumentType]
    card.button.click()
    assert heard == [("a", ASKS, {"answer": "north"})]


def test_a_narrow_panel_cuts_nothing_off_and_scrolls_where_it_must(qtbot: QtBot) -> None:
    panel = QuestionsPanel(a_look())
    shown(qtbot, panel)
    schema = approval_form("A wren.", {}, may_edit=True, needs_reason=True)
    asked = ApprovalAsked("Send it?", schema)
    panel.show_stored(
        [Waiting(RunId("a"), "Send with care", StepId("rounds.1/approve#ask.1"), asked, 10.0, True)]
    )
    across = panel.findChildren(QScrollArea)[0].horizontalScrollBar()
    panel.resize(330, 320)
    qtbot.waitUntil(lambda: panel.stored[RunId("a"), StepId("rounds.1/approve#ask.1")].width() < 330)
    assert across.maximum() == 0
    panel.resize(120, 320)
    qtbot.waitUntil(across.isVisible)
