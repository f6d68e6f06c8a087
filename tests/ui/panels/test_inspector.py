from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from studio.app.documents.session import Session
from studio.flow import edits
from studio.flow.records import Json, Socket
from studio.ids import NodeId, PortName, StepId
from studio.trace.events import StepHeld, StepReady, StepReleased, StepStarted, ToolAnswered, ToolCalled
from studio.trace.events.values import Shown
from studio.ui.editors.place import PlaceEditor
from studio.ui.editors.prose import PromptEditor
from studio.ui.editors.schema import SchemaEditor
from studio.ui.editors.simple import FlagEditor, NumberEditor
from studio.ui.panels.inspector import Inspector
from studio.ui.panels.inspector.form import Form
from studio.ui.panels.inspector.message_fields import MessagesField
from studio.ui.viewmodels.run.shown_run import ShownRun
from tests.ui.builders import a_look, a_run, a_session, around, entries

WRITER = NodeId("writer")


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return a_session(tmp_path)


@pytest.fixture
def inspector(qtbot: QtBot, session: Session) -> Inspector:
    return opened(qtbot, session, ShownRun())


def opened(qtbot: QtBot, session: Session, shown: ShownRun) -> Inspector:
    def check(_step: StepId, _port: str, plain: Json) -> str:
        return "" if plain != "wrong" else "It is wrong."

    panel = Inspector(session, shown, around(session, a_look()), check=check)
    qtbot.addWidget(panel)
    panel.resize(320, 800)
    panel.show()
    return panel


def instructions(inspector: Inspector) -> PromptEditor:
    assert inspector.form is not None
    editor = inspector.form.settings["instructions"]
    assert isinstance(editor, PromptEditor)
    return editor


def test_typing_into_one_field_is_one_step_of_undo(
    qtbot: QtBot, session: Session, inspector: Inspector
) -> None:
    before = session.flow
    session.selection.select([WRITER])
    qtbot.keyClicks(instructions(inspector).field, "abc")
    assert session.flow.nodes[WRITER].settings["instructions"] == "abcAnswer."
    assert len(session.history.undo_labels) == 1
    session.history.undo()
    assert session.flow == before
    assert instructions(inspector).value() == "Answer."


def test_a_field_of_the_answer_that_is_renamed_keeps_its_wire_and_undo_takes_both_back(
    qtbot: QtBot, session: Session, inspector: Inspector
) -> None:
    schema: Json = {"type": "object", "properties": {"bird": {"type": "string"}}}
    session.history.do(edits.set_setting(session.flow, WRITER, "answer_schema", schema))
    reply = next(wire for wire in session.flow.wires if wire.source.node == WRITER)
    session.history.do(edits.disconnect(session.flow, [reply]))
    bird = Socket(WRITER, PortName("bird"))
    session.history.do(edits.connect(session.flow, bird, reply.target, session.registry))
    before = session.flow
    session.selection.select([WRITER])
    assert inspector.form is not None
    editor = inspector.form.settings["answer_schema"]
    assert isinstance(editor, SchemaEditor)
    name = editor.table.lines[0].name
    name.setFocus()
    name.selectAll()
    qtbot.keyClicks(name, "species")
    name.editingFinished.emit()
    assert {str(wire.source.port) for wire in session.flow.wires if wire.target == reply.target} == {
        "species"
    }
    session.history.undo()
    assert session.flow == before
    assert editor.table.lines[0].name.text() == "bird"


def test_a_second_visit_of_a_field_is_a_second_step(
    qtbot: QtBot, session: Session, inspector: Inspector
) -> None:
    session.selection.select([WRITER])
    qtbot.keyClicks(instructions(inspector).field, "a")
    instructions(inspector).visited.emit()
    qtbot.keyClicks(instructions(inspector).field, "b")
    assert len(session.history.undo_labels) == 2


def test_an_edit_after_undo_does_not_join_an_older_step(
    qtbot: QtBot, session: Session, inspector: Inspector
) -> None:
    session.selection.select([WRITER])
    qtbot.keyClicks(instructions(inspector).field, "a")
    instructions(inspector).visited.emit()
    qtbot.keyClicks(instructions(inspector).field, "b")
    session.history.undo()
    qtbot.keyClicks(instructions(inspector).field, "c")
    assert len(session.history.undo_labels) == 2


def test_a_setting_put_back_to_its_default_leaves_the_file(session: Session, inspector: Inspector) -> None:
    session.selection.select([WRITER])
    instructions(inspector).field.selectAll()
    instructions(inspector).field.insertPlainText("")
    assert "instructions" not in session.flow.nodes[WRITER].settings


def test_a_title_typed_in_the_header_renames_the_node(
    qtbot: QtBot, session: Session, inspector: Inspector
) -> None:
    session.selection.select([WRITER])
    inspector.header.title.selectAll()
    qtbot.keyClicks(inspector.header.title, "Author")
    assert session.flow.nodes[WRITER].title == "Author"
    assert len(session.history.undo_labels) == 1


def test_an_edit_made_elsewhere_shows_in_the_form(session: Session, inspector: Inspector) -> None:
    session.selection.select([WRITER])
    session.history.do(edits.set_setting(session.flow, WRITER, "instructions", "From elsewhere"))
    assert instructions(inspector).value() == "From elsewhere"


def test_a_placeholder_offers_a_field_for_its_port_at_once(
    qtbot: QtBot, session: Session, inspector: Inspector
) -> None:
    session.selection.select([WRITER])
    qtbot.keyClicks(instructions(inspector).field, "{{topic}}")
    assert inspector.form is not None
    assert inspector.form.inputs is not None
    assert "topic" in inspector.form.inputs
    assert "prompt" not in inspector.form.inputs


def test_a_deleted_node_leaves_the_form_of_the_flow(session: Session, inspector: Inspector) -> None:
    session.selection.select([WRITER])
    session.history.do(edits.remove(session.flow, [WRITER]))
    assert inspector.node is None
    assert inspector.pages.currentWidget() is inspector.start


def test_a_run_is_given_what_stands_in_the_form(inspector: Inspector) -> None:
    assert inspector.run_inputs() == {"question": "Which birds?"}


def test_a_run_lets_others_go_first_where_that_is_ticked(inspector: Inspector) -> None:
    inspector.start.show_profiles(["local"], "local")
    assert not inspector.start.is_batch
    flag = inspector.start.profile["is_batch"]
    assert isinstance(flag, FlagEditor)
    flag.field.click()
    assert inspector.start.is_batch


def test_an_input_without_a_value_is_asked_for(session: Session, inspector: Inspector) -> None:
    session.history.do(edits.unset_setting(session.flow, NodeId("question"), "default"))
    session.selection.select([WRITER])
    inspector.start.show_inputs(session.input_fields())
    assert inspector.start.inputs is not None
    inspector.start.inputs["question"].set_value("")
    assert inspector.run_inputs() is None
    assert inspector.pages.currentWidget() is inspector.start
    assert inspector.start.inputs["question"].message


@pytest.mark.parametrize("type_", ["image", "file"])
def test_a_picture_that_a_flow_asks_for_is_looked_for_in_the_project(
    session: Session, inspector: Inspector, type_: str
) -> None:
    session.history.do(edits.unset_setting(session.flow, NodeId("question"), "default"))
    session.history.do(edits.set_setting(session.flow, NodeId("question"), "type", type_))
    inspector.start.show_inputs(session.input_fields())
    assert inspector.start.inputs is not None
    editor = inspector.start.inputs["question"]
    assert isinstance(editor, PlaceEditor)
    editor._take(str(session.project.root / "data" / "wren.png"))
    given = inspector.run_inputs()
    assert given is not None
    assert given[NodeId("question")] == "data/wren.png"


def held(shown: ShownRun) -> None:
    shown.show(
        a_run(
            ("rounds.2/critic", StepReady()),
            (
                "rounds.2/critic",
                StepHeld("before", "breakpoint", {"prompt": Shown("A draft"), "facts": Shown({"a": 1})}),
            ),
        )
    )
    shown.flush()


def test_what_a_held_step_is_about_to_read_can_be_edited(qtbot: QtBot, session: Session) -> None:
    shown = ShownRun()
    inspector = opened(qtbot, session, shown)
    session.selection.select([NodeId("critic")])
    held(shown)
    assert inspector.held.isVisibleTo(inspector)
    inspector.held.fields[0].text.setPlainText("A better draft")
    with qtbot.waitSignal(inspector.held.continued) as told:
        inspector.held.continue_button.click()
    assert told.args == ["rounds.2/critic", {"prompt": "A better draft"}]


def test_a_value_that_is_no_json_or_does_not_fit_cannot_go_on(qtbot: QtBot, session: Session) -> None:
    shown = ShownRun()
    inspector = opened(qtbot, session, shown)
    session.selection.select([NodeId("critic")])
    held(shown)
    text, facts = inspector.held.fields
    facts.text.setPlainText("{")
    assert not inspector.held.continue_button.isEnabled()
    facts.text.setPlainText('{"a": 1}')
    text.text.setPlainText("wrong")
    assert text.refusal == "It is wrong."
    assert not inspector.held.step_button.isEnabled()


def test_an_untouched_held_step_goes_on_with_its_own_values(qtbot: QtBot, session: Session) -> None:
    shown = ShownRun()
    inspector = opened(qtbot, session, shown)
    session.selection.select([NodeId("critic")])
    held(shown)
    assert inspector.held.edited() == {}


def call_held(shown: ShownRun, call: str, held: StepHeld) -> None:
    shown.show(a_run(("rounds.2/critic", StepStarted()), (f"rounds.2/critic#{call}", held)))
    shown.flush()


def test_the_messages_of_a_held_chat_are_edited_one_by_one(qtbot: QtBot, session: Session) -> None:
    shown = ShownRun()
    inspector = opened(qtbot, session, shown)
    session.selection.select([NodeId("critic")])
    asked = [{"role": "system", "content": "Be strict."}, {"role": "user", "content": "A draft"}]
    call_held(shown, "chat.1", StepHeld("before", "step", {"messages": Shown(asked)}))
    (messages,) = inspector.held.fields
    assert isinstance(messages, MessagesField)
    messages.fields[1].text.setPlainText("A better draft")
    messages.add_button.click()
    messages.fields[2].text.setPlainText("Please.")
    messages.ordered.remove(messages.fields[0])
    with qtbot.waitSignal(inspector.held.stepped) as told:
        inspector.held.step_button.click()
    edited = [{"role": "user", "content": "A better draft"}, {"role": "user", "content": "Please."}]
    assert told.args == ["rounds.2/critic#chat.1", {"messages": edited}]


def test_edits_of_a_held_chat_can_be_taken_back(qtbot: QtBot, session: Session) -> None:
    shown = ShownRun()
    inspector = opened(qtbot, session, shown)
    session.selection.select([NodeId("critic")])
    asked = [{"role": "system", "content": "Be strict."}, {"role": "user", "content": "A draft"}]
    call_held(shown, "chat.1", StepHeld("before", "step", {"messages": Shown(asked)}))
    held = inspector.held
    (messages,) = held.fields
    assert isinstance(messages, MessagesField)
    assert held.back_button.isHidden()
    messages.ordered.remove(messages.fields[0])
    assert (held.back_button.isHidden(), len(held.edited())) == (False, 1)
    held.back_button.click()
    assert (held.back_button.isHidden(), len(held.edited())) == (True, 0)
    held.answer_button.click()
    held.back_button.click()
    assert ([field.name for field in held.fields], held.answer_button.isHidden()) == (["messages"], False)


def test_what_a_held_chat_has_said_is_edited_with_the_tools_that_it_calls(
    qtbot: QtBot, session: Session
) -> None:
    shown = ShownRun()
    inspector = opened(qtbot, session, shown)
    session.selection.select([NodeId("critic")])
    call = {"id": "1", "name": "search", "arguments": "{}"}
    said = {"role": "assistant", "content": "", "tool_calls": [call]}
    call_held(shown, "chat.1", StepHeld("after", "step", {"answer": Shown(said)}))
    (answer,) = inspector.held.fields
    content, calls = answer.texts
    content.setPlainText("No.")
    calls.setPlainText("[")
    assert not inspector.held.continue_button.isEnabled()
    calls.setPlainText("[]")
    assert inspector.held.edited() == {"answer": {"role": "assistant", "content": "No."}}


def test_a_person_answers_in_the_place_of_a_tool(qtbot: QtBot, session: Session) -> None:
    shown = ShownRun()
    inspector = opened(qtbot, session, shown)
    session.selection.select([NodeId("critic")])
    held = StepHeld("before", "step", {"arguments": Shown({"query": "wren"})}, tool="search")
    call_held(shown, "tool.1", held)
    box = inspector.held
    assert box.edited() == {}
    box.answer_button.click()
    assert box.edited() == {"answer": ""}
    box.fields[-1].texts[0].setPlainText("A robin.")
    assert box.edited() == {"answer": "A robin."}


def test_a_call_that_is_held_before_and_then_after_is_shown_anew(qtbot: QtBot, session: Session) -> None:
    shown = ShownRun()
    inspector = opened(qtbot, session, shown)
    session.selection.select([NodeId("critic")])
    call = "rounds.2/critic#tool.1"
    shown.show(
        a_run(
            (call, StepHeld("before", "step", {"arguments": Shown({})}, tool="search")),
            (call, StepReleased()),
            (call, ToolCalled("search", {})),
        )
    )
    shown.flush()
    run = shown.run
    assert run is not None
    run.take(
        entries(
            (call, ToolAnswered("search", "A wren")),
            (call, StepHeld("after", "step", {"answer": Shown("A wren")})),
        )
    )
    shown.flush()
    assert [field.name for field in inspector.held.fields] == ["answer"]


def test_a_node_is_given_budgets_and_they_are_taken_away_again(
    session: Session, inspector: Inspector
) -> None:
    session.selection.select([WRITER])
    assert inspector.form is not None
    fields = {field.name: field.editor for field in inspector.form.run_settings}
    fields["limit_tokens"].edited.emit(500)
    fields["limit_cost"].edited.emit(0.5)
    assert session.flow.nodes[WRITER].run.limits == {"tokens": 500, "cost": 0.5}
    fields["limit_cost"].edited.emit(None)
    assert session.flow.nodes[WRITER].run.limits == {"tokens": 500}


def test_help_is_a_sentence_and_the_ports_and_more_of_it_on_demand(
    session: Session, inspector: Inspector
) -> None:
    session.selection.select([WRITER])
    inspector.choice.turn_to(2)
    page = inspector.help
    assert page.more.isVisible()
    assert "Inputs" in page.text
    short = page.text
    page.more.click()
    assert page.text.startswith(short.partition("Inputs")[0].rstrip())
    assert len(page.text) > len(short)
    assert page.more.text() == "Less"
    page.more.click()
    assert page.text == short


def test_a_long_label_beside_its_field_is_wrapped_and_not_cut(qtbot: QtBot) -> None:
    form = Form(a_look())
    qtbot.addWidget(form)
    editor = NumberEditor("Tokens per minute", whole=True)
    words = "Tokens per minute and some more"
    form.add("many", words, editor, edited=lambda _: None, visited=lambda: None, is_row=True)
    caption = next(one for one in form.findChildren(QLabel) if one.text() == words)
    assert caption.heightForWidth(caption.width()) > caption.fontMetrics().lineSpacing() * 1.5
