import json

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from studio.errors import ValueTypeError
from studio.flow.ports import ANY, JSON, MESSAGES, NUMBER, TEXT, PortType
from studio.flow.records import Json
from studio.ids import StepId
from studio.sdk.values import from_plain
from studio.trace.events import StepHeld, StepStarted
from studio.trace.events.values import Shown
from studio.ui.editors.parts import FieldsEditor, ListEditor
from studio.ui.editors.prose import TextEditor
from studio.ui.editors.simple import NumberEditor
from studio.ui.panels.inspector.held_box import HeldBox
from studio.ui.panels.inspector.message_fields import MessagesField
from studio.ui.panels.inspector.value_field import ValueField
from tests.ui.builders import a_flow, a_look, a_run

HELD = StepId("rounds.2/critic")
SCHEMA = {
    "type": "object",
    "properties": {"query": {"type": "string"}, "limit": {"type": "integer", "maximum": 9}},
    "required": ["query"],
}


def a_box(
    qtbot: QtBot, values: dict[str, object], types: dict[str, PortType], phase: str = "before"
) -> HeldBox:
    def check(_step: StepId, port: str, plain: Json) -> str:
        try:
            from_plain(plain, types[port])
        except ValueTypeError as error:
            return error.message
        return ""

    box = HeldBox(
        a_look(),
        check,
        types=lambda _step, port: types[port],
        unset=lambda _step: [port for port in types if port not in values],
    )
    qtbot.addWidget(box)
    shown = {name: Shown(value) for name, value in values.items()}  # type: ignore[arg-type]
    run = a_run((HELD, StepStarted()), (HELD, StepHeld(phase, "breakpoint", shown)))  # type: ignore[arg-type]
    box.show_step(a_flow(), run.state.steps[HELD])
    box.resize(380, 700)
    box.show()
    return box


def value_field(box: HeldBox) -> ValueField:
    (field,) = box.fields
    assert isinstance(field, ValueField)
    return field


def test_a_number_is_typed_as_a_number_and_nothing_else(qtbot: QtBot) -> None:
    box = a_box(qtbot, {"count": 3}, {"count": NUMBER})
    field = value_field(box)
    assert isinstance(field.parts, NumberEditor)
    field.parts.field.selectAll()
    qtbot.keyClicks(field.parts.field, "12")
    assert box.edited() == {"count": 12}
    qtbot.keyClick(field.parts.field, Qt.Key.Key_Backspace)
    qtbot.keyClick(field.parts.field, Qt.Key.Key_Backspace)
    assert box.refusal == "Enter a number."
    assert not box.continue_button.isEnabled()


def test_the_elements_of_a_list_are_put_in_another_order(qtbot: QtBot) -> None:
    box = a_box(qtbot, {"birds": ["wren", "owl"]}, {"birds": PortType("text", 1)})
    field = value_field(box)
    assert isinstance(field.parts, ListEditor)
    field.parts.ordered.shift(field.parts.parts[0], 1)
    assert box.edited() == {"birds": ["owl", "wren"]}
    box.back_button.click()
    assert box.edited() == {}


def test_a_record_is_edited_by_its_fields_or_as_json_and_both_say_the_same(qtbot: QtBot) -> None:
    box = a_box(qtbot, {"facts": {"bird": "wren", "seen": 2}}, {"facts": JSON})
    field = value_field(box)
    assert isinstance(field.parts, FieldsEditor)
    bird = field.parts.parts["bird"]
    assert isinstance(bird, TextEditor)
    bird.field.setPlainText("owl")
    as_fields, as_json = field.views
    as_json.click()
    assert field.parts is None
    assert json.loads(field.text.toPlainText()) == {"bird": "owl", "seen": 2}
    field.text.setPlainText('{"bird": "owl"')
    assert "line" in box.refusal.casefold()
    as_fields.click()
    assert as_json.isChecked(), "what is no JSON has no fields"
    field.text.setPlainText('{"bird": "robin", "seen": 3}')
    as_fields.click()
    assert isinstance(field.parts, FieldsEditor)
    assert box.edited() == {"facts": {"bird": "robin", "seen": 3}}


def test_the_value_is_checked_against_the_type_of_its_port_as_one_types(qtbot: QtBot) -> None:
    box = a_box(qtbot, {"birds": ["wren"]}, {"birds": PortType("text", 1)})
    field = value_field(box)
    field.show_json()
    field.text.setPlainText('["wren", 3]')
    assert "text" in box.refusal
    assert not box.step_button.isEnabled()
    field.text.setPlainText('["wren", "3"]')
    assert (box.refusal, box.edited()) == ("", {"birds": ["wren", "3"]})


def test_text_of_a_port_that_takes_anything_may_become_something_else(qtbot: QtBot) -> None:
    field = value_field(box := a_box(qtbot, {"value": "3"}, {"value": ANY}))
    as_text, as_json = field.views
    as_json.click()
    assert (field.text.toPlainText(), box.edited()) == ('"3"', {})
    field.text.setPlainText("[3]")
    assert box.edited() == {"value": [3]}
    field.text.setPlainText('"four"')
    as_text.click()
    assert (field.text.toPlainText(), box.edited()) == ("four", {"value": "four"})


def test_text_of_a_text_port_has_no_other_view(qtbot: QtBot) -> None:
    assert value_field(a_box(qtbot, {"value": "3"}, {"value": TEXT})).views == ()


def test_messages_at_any_port_are_put_in_order_from_the_keyboard(qtbot: QtBot) -> None:
    said: list[dict[str, object]] = [
        {"role": "user", "content": "Which birds?"},
        {"role": "assistant", "content": "Wrens."},
    ]
    box = a_box(qtbot, {"history": said}, {"history": MESSAGES})
    (field,) = box.fields
    assert isinstance(field, MessagesField)
    qtbot.keyClick(field.fields[0].text, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert box.edited() == {"history": [said[1], said[0]]}
    qtbot.keyClick(field.fields[0].text, Qt.Key.Key_Delete, Qt.KeyboardModifier.AltModifier)
    qtbot.keyClick(field.fields[0].text, Qt.Key.Key_Insert, Qt.KeyboardModifier.AltModifier)
    field.fields[1].text.setPlainText("And owls?")
    assert box.edited() == {"history": [said[0], {"role": "user", "content": "And owls?"}]}


def test_a_message_of_a_tool_says_which_call_it_answers(qtbot: QtBot) -> None:
    said = {"role": "tool", "content": "A wren.", "tool_call_id": "7"}
    box = a_box(qtbot, {"history": [said]}, {"history": MESSAGES})
    (field,) = box.fields
    assert isinstance(field, MessagesField)
    message = field.fields[0]
    assert not message.call_id.isHidden()
    message.call_id.selectAll()
    qtbot.keyClicks(message.call_id, "8")
    assert box.edited() == {"history": [{**said, "tool_call_id": "8"}]}


def test_the_arguments_of_a_tool_are_a_form_of_its_schema(qtbot: QtBot) -> None:
    box = HeldBox(
        a_look(),
        lambda _step, _port, _plain: "",
        types=lambda _step, _port: ANY,
        unset=lambda _step: (),
    )
    qtbot.addWidget(box)
    call = StepId("rounds.2/critic#tool.1")
    held = StepHeld("before", "step", {"arguments": Shown({"query": "wren"})}, "search", SCHEMA)
    box.show_step(a_flow(), a_run((call, held)).state.steps[call])
    box.show()
    field = value_field(box)
    assert isinstance(field.parts, FieldsEditor)
    limit = field.parts.parts["limit"]
    assert isinstance(limit, NumberEditor)
    qtbot.keyClicks(limit.field, "12")
    assert box.refusal == "At most 9."
    limit.field.selectAll()
    qtbot.keyClicks(limit.field, "5")
    assert box.edited() == {"arguments": {"query": "wren", "limit": 5}}


def test_a_port_without_a_value_is_given_one_of_its_type(qtbot: QtBot) -> None:
    types = {"prompt": TEXT, "history": MESSAGES, "limit": NUMBER}
    box = a_box(qtbot, {"prompt": "A draft"}, types)
    assert box.edited() == {}
    box.menu.aboutToShow.emit()
    (give,) = box.menu.findChildren(QMenu)
    assert [action.text() for action in give.actions()] == ["history", "limit"]
    give.actions()[1].trigger()
    limit = box.fields[1]
    assert isinstance(limit, ValueField)
    assert isinstance(limit.parts, NumberEditor)
    limit.parts.field.selectAll()
    qtbot.keyClicks(limit.parts.field, "7")
    box.give("history")
    assert box.edited() == {"limit": 7, "history": []}
    box.back_button.click()
    assert box.edited() == {}


def test_an_output_can_give_nothing_and_what_stands_there_is_given_again_when_that_is_taken_back(
    qtbot: QtBot,
) -> None:
    box = a_box(qtbot, {"reply": "Wren", "said": []}, {"reply": TEXT, "said": MESSAGES}, "after")
    first = box.fields[0]
    assert first.nothing_button is not None
    first.texts[0].setPlainText("Owl")
    first.nothing_button.click()
    assert box.edited() == {"-": ["reply"]}
    assert not first.texts[0].isEnabled()
    assert box.continue_button.isEnabled()
    first.nothing_button.click()
    assert box.edited() == {"reply": "Owl"}
    box.back_button.click()
    assert box.edited() == {}


def test_an_input_has_no_button_that_gives_nothing(qtbot: QtBot) -> None:
    box = a_box(qtbot, {"prompt": "Wren"}, {"prompt": TEXT})
    assert box.fields[0].nothing_button is None


def test_what_is_held_fits_the_width_of_the_inspector(qtbot: QtBot) -> None:
    types = {"values": PortType("text", 1), "kept": PortType("number", 1)}
    box = a_box(qtbot, {"values": ["wren"], "kept": [0]}, types, "after")
    box.resize(300, 700)
    for field in box.fields:
        assert field.minimumSizeHint().width() <= 300 - 2 * a_look().length("space.large")
