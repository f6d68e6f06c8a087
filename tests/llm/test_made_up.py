"""Answers that are made up fit whatever is asked for, are the same for the same seed, and cost nothing."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings

from studio.bounds.schema_bounds import problem_of
from studio.bounds.schemas import mismatch
from studio.llm.client import Caller, ChatAnswer, ChatProfile, ChatRequest, Message, ToolCall, ToolSpec
from studio.llm.embeddings import EmbedRequest
from studio.llm.endpoints.request_body import request_body
from studio.llm.made_up.book import MadeUpBook
from studio.llm.profiles import BUILT_IN, open_client
from tests.examples import examples
from tests.llm.schemas import schemas

QUESTION = "Why do herons wait so long at the weir in autumn?"
SEARCH = ToolSpec(
    "search_notes",
    "Looks notes up by words",
    {
        "type": "object",
        "properties": {"query": {"type": "string"}, "limit": {"type": "integer", "minimum": 1, "maximum": 9}},
        "required": ["query", "limit"],
    },
)
SAVE = ToolSpec("save_note", "Saves a note", {"type": "object", "properties": {"text": {"type": "string"}}})


def fits(value: object, schema: Mapping[str, object]) -> bool:
    return not mismatch(value, schema)


def book(seed: int = 1) -> MadeUpBook:
    return MadeUpBook(seed, fits)


def request(
    *said: Message, tools: Sequence[ToolSpec] = (), schema: Mapping[str, Any] | None = None
) -> ChatRequest:
    messages = said or (Message("user", QUESTION),)
    return ChatRequest(messages, tools=tuple(tools), response_schema=schema)


async def answered(
    asked: ChatRequest, *, seed: int = 1, caller: Caller | None = None, heard: list[str] | None = None
) -> ChatAnswer:
    profile = ChatProfile("made-up", "made-up", seed=seed)
    client = open_client(profile, environ={}, book=book(seed), prices=book().prices(), pace=0, offline=True)
    try:
        return await client.answer(asked, on_text=None if heard is None else heard.append, caller=caller)
    finally:
        await client.close()


def json_of(schema: Mapping[str, Any], caller: Caller | None = None, question: str = QUESTION) -> Any:
    body = request_body(request(Message("user", question), schema=schema), "made-up")
    return json.loads(book().answer(body, caller).text)


@pytest.mark.slow
@settings(max_examples=examples(150), deadline=None)
@given(schema=schemas())
def test_whatever_the_schema_the_answer_fits_it(schema: dict[str, Any]) -> None:
    assert not problem_of(schema)
    found = json_of(schema)
    assert not mismatch(found, schema)


async def test_an_answer_speaks_of_what_was_asked_and_is_streamed_counted_and_free() -> None:
    heard: list[str] = []
    answer = await answered(request(), heard=heard)
    assert {"herons", "weir", "autumn"} & set(answer.message.content.casefold().replace(",", "").split())
    assert len(heard) > 3
    assert "".join(heard) == answer.message.content
    assert answer.usage.input_tokens > 5 < answer.usage.output_tokens
    assert answer.cost == 0.0
    assert answer.llm == "made-up"


async def test_the_same_seed_says_the_same_and_another_seed_something_else() -> None:
    first, again, other = [await answered(request(), seed=seed) for seed in (1, 1, 2)]
    assert first == again
    assert first.message.content != other.message.content


async def test_a_lent_tool_is_called_once_and_what_it_gave_is_in_the_answer() -> None:
    called = await answered(request(tools=[SAVE, SEARCH]))
    (call,) = called.message.tool_calls
    assert call.name == "search_notes"
    arguments = json.loads(call.arguments)
    assert fits(arguments, SEARCH.parameters)
    assert "herons" in arguments["query"]
    said = Message("user", QUESTION)
    asked = Message("assistant", "", (ToolCall(call.id, call.name, call.arguments),))
    found = Message("tool", "Herons wait for fish that gather below the weir.", tool_call_id=call.id)
    answer = await answered(request(said, asked, found, tools=[SAVE, SEARCH]))
    assert not answer.message.tool_calls
    assert "fish that gather below the weir" in answer.message.content


JUDGED = {
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "accept": {"type": "boolean"},
        "has_errors": {"type": "boolean"},
        "verdict": {"enum": ["reject", "accept"]},
        "marks": {"type": "integer", "minimum": 1, "maximum": 5},
    },
    "required": ["reason", "accept", "has_errors", "verdict", "marks"],
}


@pytest.mark.parametrize(("scope", "is_good"), [("rounds.1", False), ("rounds.2", True), ("", True)])
def test_a_verdict_turns_good_by_the_second_round(scope: str, is_good: bool) -> None:  # noqa: FBT001
    found = json_of(JUDGED, Caller("critic", scope))
    assert found["accept"] is is_good
    assert found["has_errors"] is not is_good
    assert found["verdict"] == ("accept" if is_good else "reject")
    assert (found["marks"] >= 4) is is_good
    assert found["reason"]


def test_a_choice_falls_on_what_the_prompt_names() -> None:
    schema = {"type": "object", "properties": {"label": {"enum": ["billing", "delivery", "other"]}}}
    assert json_of(schema, question="My delivery never came.") == {"label": "delivery"}


async def test_several_samples_differ() -> None:
    asked = ChatRequest((Message("user", QUESTION),), samples=3)
    answer = await answered(asked)
    assert len({answer.message.content, *(one.content for one in answer.others)}) > 1


async def test_what_nothing_can_fit_is_refused_with_who_could_answer() -> None:
    schema = {
        "type": "object",
        "properties": {"x": {"allOf": [{"const": 1}, {"const": 2}]}},
        "required": ["x"],
    }
    with pytest.raises(Exception, match=r"could be made up.*`person`"):
        await answered(request(schema=schema))


async def test_vectors_are_made_up_too() -> None:
    client = open_client(BUILT_IN["made-up"], environ={}, book=book(), prices=book().prices(), pace=0)
    answer = await client.embed(EmbedRequest(("a wren",)))
    await client.close()
    assert answer.llm == "made-up"
    assert answer.cost == 0.0
