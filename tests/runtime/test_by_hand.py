"""Chats that a person answers: by the form of what is asked, kept, gone on with, and replayed unasked."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from studio.bounds.schemas import mismatch
from studio.flow.records import Flow
from studio.ids import StepId
from studio.llm.client import ChatProfile, ChatRequest, Message, ToolSpec
from studio.llm.made_up.book import MadeUpBook
from studio.llm.person import PersonClient, answer_of, form_of
from studio.llm.profiles import open_client
from studio.runtime.replay.takeover import replayed, resumed
from studio.runtime.resources.people import GivenAnswers, NoPeople
from studio.sdk.context import Form
from studio.trace.differences.compare import first_difference
from studio.trace.events import AnswerReused
from studio.trace.questions import OpenQuestions
from tests.runtime.bench import REGISTRY, Ran, flow_of, run

INPUTS = {"question": "What sings at dawn?"}


class Answering:
    """Somebody who fills in what is asked, one form after the other."""

    def __init__(self, *answers: Mapping[str, Any]) -> None:
        self.left = list(answers)
        self.asked: list[tuple[str, Form]] = []

    async def ask(self, step: StepId, form: Form) -> Mapping[str, object]:
        self.asked.append((str(step), form))
        return self.left.pop(0)


def flow(kind: str = "llm.agent", settings: Mapping[str, Any] | None = None, *wires: str) -> Flow:
    nodes = {
        "question": "io.flow_input",
        "notes": ("tools.text_search", {"folder": "notes"}),
        "writer": (kind, {"instructions": "You know birds.", **(settings or {})}),
        "answer": "io.flow_output",
    }
    return flow_of(nodes, ["question.value -> writer.prompt", "writer.reply -> answer.value", *wires])


async def ran(made: Flow, people: Any, root: Path = Path(), **more: Any) -> Ran:
    return await run(made, INPUTS, people=people, client=PersonClient(), root=root, **more)


async def test_a_person_is_shown_what_is_asked_and_the_answer_goes_on() -> None:
    people = Answering({"answer": "A wren."})
    found = await ran(flow(), people)
    assert found.outputs == {"answer": "A wren."}
    ((step, form),) = people.asked
    assert step == "writer#chat.1"
    assert "You know birds." in form.question
    assert "What sings at dawn?" in form.question
    assert found.state.outputs["answer"].labels == ("user",)
    assert found.state.tokens == 0


async def test_an_answer_in_a_form_has_the_fields_of_its_schema() -> None:
    fields = {"bird": {"type": "string"}, "sure": {"type": "boolean"}}
    schema = {"type": "object", "properties": fields, "required": ["bird", "sure"]}
    people = Answering({"bird": "wren", "sure": True})
    nodes = {
        "question": "io.flow_input",
        "writer": ("llm.chat", {"answer_schema": schema}),
        "answer": "io.flow_output",
    }
    found = await ran(
        flow_of(nodes, ["question.value -> writer.prompt", "writer.bird -> answer.value"]), people
    )
    assert found.outputs == {"answer": "wren"}
    ((_, form),) = people.asked
    assert form.schema["properties"] == fields
    assert json.loads(found.state.steps[StepId("writer#chat.1")].text) == {"bird": "wren", "sure": True}


async def test_a_tool_is_called_by_filling_in_its_arguments(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "birds.txt").write_text("A wren sang at dawn.", "utf-8")
    people = Answering({"call text_search": {"query": "wren"}}, {"answer": "The wren does."})
    found = await ran(flow("llm.agent", {}, "notes.tool -> writer.tools[0]"), people, tmp_path)
    assert found.outputs == {"answer": "The wren does."}
    first, second = (form for _, form in people.asked)
    assert list(first.schema["properties"]) == ["answer", "call text_search"]  # type: ignore[call-overload]
    assert "A wren sang at dawn." in second.question


async def test_a_replay_asks_nobody_and_tells_the_same() -> None:
    found = await ran(flow(), Answering({"answer": "A wren."}))
    again = await ran(flow(), NoPeople(), past=replayed(found.entries, flow(), REGISTRY))
    assert again.outputs == found.outputs
    assert any(isinstance(one.event, AnswerReused) for one in again.entries)
    assert first_difference(found.entries, again.entries) is None


async def test_where_nobody_is_there_the_question_stays_open_and_an_answer_goes_on() -> None:
    found = await ran(flow(), NoPeople())
    assert found.outcome is not None
    assert found.outcome.error is not None
    questions = OpenQuestions()
    for entry in found.entries:
        questions.take(entry)
    assert list(questions.entries) == ["writer#chat.1"]
    past, _ = resumed(found.entries, flow(), REGISTRY)
    people = GivenAnswers({StepId("writer#chat.1"): "A wren."}, NoPeople())
    on = await ran(flow(), people, past=past, goes_on=True)
    assert on.outputs == {"answer": "A wren."}


@pytest.mark.parametrize("takes", [{}, {"properties": {}}])
def test_a_tool_without_arguments_is_called_by_yes(takes: Mapping[str, Any]) -> None:
    request = ChatRequest((Message("user", "Go on."),), (ToolSpec("next_page", "Turns the page", takes),))
    assert form_of(request)["properties"]["call next_page"]["type"] == "boolean"
    assert [one.name for one in answer_of({"call next_page": True}, request).message.tool_calls] == [
        "next_page"
    ]
    assert not answer_of({"call next_page": False, "answer": "no"}, request).message.tool_calls


async def test_what_is_made_of_made_up_answers_says_so_in_replays_too() -> None:
    book = MadeUpBook(1, lambda value, schema: not mismatch(value, schema))
    client = open_client(
        ChatProfile("made-up", "made-up"), environ={}, book=book, prices=book.prices(), pace=0
    )
    found = await run(flow(), INPUTS, client=client)
    again = await run(flow(), INPUTS, past=replayed(found.entries, flow(), REGISTRY))
    for one in (found, again):
        assert one.state.outputs["answer"].labels == ("chat", "made_up", "user")
        assert one.state.made_up == 1
        assert one.state.cost == 0
