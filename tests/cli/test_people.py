import asyncio
import os
import re
import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest

from studio.building_blocks.answers.approvals import approval_form
from studio.errors import WaitingError
from studio.ids import StepId
from studio.runtime.resources.typed_answers import field_prompt, read_answer
from studio.sdk import Form
from studio.terminal.form_entry import Filling
from studio.terminal.people import TerminalPeople
from studio.terminal.text_editor import edited
from tests.app.written_projects import write_project
from tests.cli.conftest import Call
from tests.documents import document

STEP = StepId("ask")
FORM = Form(
    "Shall it be sent?",
    {
        "type": "object",
        "properties": {
            "sent": {"type": "boolean", "title": "Send"},
            "copies": {"type": "integer", "default": 1},
            "tone": {"enum": ["Warm", "Cold"]},
        },
        "required": ["sent", "tone"],
    },
)


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    yield reading, writing
    for descriptor in (reading, writing):
        try:
            os.close(descriptor)
        except OSError:
            continue


async def test_a_form_is_asked_field_by_field_until_each_answer_fits(pipe: tuple[int, int]) -> None:
    said: list[str] = []
    people = TerminalPeople(said.append, pipe[0])
    os.write(pipe[1], b"perhaps\nyes\n\n\nwarm\n")
    answer = await people.ask(STEP, FORM)
    assert answer == {"sent": True, "copies": 1, "tone": "Warm"}
    assert "Answer yes or no." in "".join(said)
    assert "Something has to be answered here." in "".join(said)
    assert "tone (Warm, Cold)" in "".join(said)


async def test_what_a_server_asks_can_be_declined_and_choices_go_by_their_words(
    pipe: tuple[int, int],
) -> None:
    said: list[str] = []
    birds = {"oneOf": [{"const": "w", "title": "Wren"}, {"const": "o", "title": "Owl"}]}
    form = Form("Which?", {"type": "object", "properties": {"bird": birds}, "mayDecline": True})
    people = TerminalPeople(said.append, pipe[0])
    os.write(pipe[1], b"no\n\nowl\n")
    assert await people.ask(STEP, form) == {"declined": True}
    assert await people.ask(STEP, form) == {"bird": "o"}
    assert "bird (Wren, Owl)" in "".join(said)


async def test_two_questions_never_mix(pipe: tuple[int, int]) -> None:
    people = TerminalPeople(lambda _text: None, pipe[0])
    os.write(pipe[1], b"first\nsecond\n")
    answers = await asyncio.gather(people.ask(STEP, Form("One?")), people.ask(STEP, Form("Two?")))
    assert [one["answer"] for one in answers] == ["first", "second"]


async def test_the_end_of_input_leaves_the_question_waiting(pipe: tuple[int, int]) -> None:
    os.close(pipe[1])
    with pytest.raises(WaitingError, match="Really"):
        await TerminalPeople(lambda _text: None, pipe[0]).ask(STEP, Form("Really?"))


async def test_a_question_can_be_cancelled(pipe: tuple[int, int]) -> None:
    asking = asyncio.ensure_future(TerminalPeople(lambda _text: None, pipe[0]).ask(STEP, FORM))
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking


@pytest.mark.parametrize(
    ("text", "schema", "value"),
    [
        ("a b", {"type": "string"}, "a b"),
        ("2.5", {"type": "number"}, 2.5),
        ("2", {"type": "number"}, 2),
        ("NO", {"type": "boolean"}, False),
        ('["a"]', {"type": "array"}, ["a"]),
    ],
)
def test_what_is_typed_becomes_a_value_of_the_field(
    text: str, schema: Mapping[str, object], value: object
) -> None:
    assert read_answer(text, schema) == value


@pytest.mark.parametrize(
    ("text", "schema", "says"),
    [
        ("2.5", {"type": "integer"}, "whole number"),
        ("many", {"type": "number"}, "a number"),
        ("[", {"type": "array"}, "JSON"),
        ("c", {"enum": ["a", "b"]}, "a, b"),
        ("0", {"type": "integer", "minimum": 1}, "at least 1"),
        ("wren", {"type": "string", "minLength": 5}, "5 or more characters"),
        ("2020-13-01", {"type": "string", "format": "date"}, "date"),
        ('["a", 1]', {"type": "array", "items": {"type": "string"}}, "type string"),
    ],
)
def test_what_does_not_fit_is_said_in_words(text: str, schema: Mapping[str, object], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        read_answer(text, schema)


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 5}, "n (a whole number, at least 1, at most 5): "),
        ({"type": "boolean", "default": False}, "n (yes, no) [no]: "),
        ({"enum": [1, 2], "enumNames": ["Warm", "Cold"], "default": 2}, "n (Warm, Cold) [Cold]: "),
        ({"type": "string", "minLength": 3}, "n (3 or more characters): "),
        ({"type": "string", "title": "Name"}, "Name: "),
    ],
)
def test_a_question_says_what_may_be_answered(schema: Mapping[str, object], says: str) -> None:
    assert f"{field_prompt('n', schema)}: " == says


def test_the_line_that_answers_a_question_can_be_pasted_and_an_answer_to_nobody_is_refused(
    call: Call, tmp_path: Path
) -> None:
    flow: dict[str, object] = document(
        "Asking",
        {"ask": {"kind": "human.ask", "inputs": {"question": "Really?"}}, "out": "io.flow_output"},
        "ask.answer -> out.value",
    )
    project = write_project(tmp_path / "trial", flow=flow)
    waiting = call("run", project)
    assert waiting.code == 4
    line = re.search(r"`stepwire (resume [^`]+)`", waiting.err)
    assert line is not None
    refused = call("resume", "latest", "--project", project, "--answer", "nosuch=x")
    assert refused.code == 2
    assert "`ask` was waiting" in refused.err
    called = call(*shlex.split(line[1]), "--project", project)
    assert (called.code, called.out) == (0, "…\n")


NESTED = Form(
    "What was seen?",
    {
        "type": "object",
        "properties": {
            "place": {"$ref": "#/$defs/place"},
            "birds": {"type": "array", "items": {"$ref": "#/$defs/bird"}, "minItems": 1},
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
            "who": {"type": "object", "properties": {"name": {"type": "string"}}, "title": "Observer"},
            "note": {"type": ["string", "null"]},
        },
        "required": ["place", "birds"],
        "$defs": {
            "place": {
                "type": "object",
                "properties": {"pond": {"type": "string"}, "depth": {"type": "number", "minimum": 0}},
                "required": ["pond"],
            },
            "bird": {"enum": ["wren", "owl"]},
        },
    },
)


async def test_objects_are_asked_field_by_field_and_lists_entry_by_entry(pipe: tuple[int, int]) -> None:
    said: list[str] = []
    os.write(pipe[1], b"north\n-1\n2.5\n\ndove\nwren\nowl\n\nrare\nloud\nno\n\n")
    answer = await TerminalPeople(said.append, pipe[0]).ask(STEP, NESTED)
    assert answer == {
        "place": {"pond": "north", "depth": 2.5},
        "birds": ["wren", "owl"],
        "tags": ["rare", "loud"],
    }
    text = "".join(said)
    for line in ("place.pond: ", "birds 1 (wren, owl): ", "Fill in Observer (yes, no) [no]", "at least 0"):
        assert line in text, text


async def test_what_fits_by_fields_and_not_as_a_whole_is_asked_again(pipe: tuple[int, int]) -> None:
    schema = {
        "type": "object",
        "properties": {"by": {"type": "string"}, "why": {"type": "string"}},
        "dependentRequired": {"by": ["why"]},
    }
    said: list[str] = []
    os.write(pipe[1], b"me\n\nme\nI saw it\n")
    answer = await TerminalPeople(said.append, pipe[0]).ask(STEP, Form("Who?", schema))
    assert answer == {"by": "me", "why": "I saw it"}
    assert "This" in "".join(said)


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        (b"approve\n\n", {"decision": "approve"}),
        (b"Reject\n\nNo wren.\n", {"decision": "reject", "reason": "No wren."}),
        (b'edit\n[]\n{"n": 3}\nMore.\n', {"decision": "edit", "value": {"n": 3}, "reason": "More."}),
        (b"edit\n\n\n", {"decision": "edit", "value": {"n": 2}}),
    ],
)
async def test_an_approval_shows_its_value_and_asks_for_what_the_decision_takes(
    pipe: tuple[int, int], typed: bytes, answer: Mapping[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    said: list[str] = []
    os.write(pipe[1], typed)
    form = Form("Shall it?", approval_form({"n": 2}, {}, may_edit=True, needs_reason=True))
    assert await TerminalPeople(said.append, pipe[0]).ask(STEP, form) == answer
    assert '{\n  "n": 2\n}' in "".join(said)


async def test_what_was_edited_badly_comes_up_again_as_it_was_typed() -> None:
    typed = {'{\n  "n": 2\n}': '{"n": 3', '{"n": 3': '{"n": 3}'}
    said: list[str] = []

    async def edit(text: str, ending: str) -> str:
        assert ending == ".json"
        return typed[text]

    async def line() -> str:
        return ""

    filling = Filling({}, line, said.append, edit)
    assert await filling.edited({"type": "object", "default": {"n": 2}}) == {"n": 3}
    assert "written as JSON" in "".join(said)


@pytest.fixture
def at_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))


@pytest.mark.process
@pytest.mark.usefixtures("at_terminal")
async def test_a_text_is_edited_by_the_program_that_a_person_has_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "edit.py"
    program.write_text(
        "import pathlib, sys\nfile = pathlib.Path(sys.argv[1])\n"
        "file.write_text(file.read_text().replace('owl', 'owlet') + '\\n')\n"
    )
    monkeypatch.setenv("EDITOR", f"{shlex.quote(sys.executable)} {shlex.quote(str(program))}")
    assert await edited("An owl.", ".txt") == "An owlet."


@pytest.mark.process
@pytest.mark.usefixtures("at_terminal")
@pytest.mark.parametrize("command", ["", "/no/such/program", "false"])
async def test_without_an_editor_that_works_nothing_is_edited(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", command)
    assert await edited("An owl.", ".txt") is None
