"""Reasoning effort, log-probabilities, answers that are begun, service tiers and cache marks."""

import json
from collections.abc import Mapping
from itertools import pairwise
from math import isclose, log
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.errors import ChatRefusedError, UsageError
from studio.llm.client import ChatAnswer, ChatProfile, ChatRequest, Continues, Message, request_to_json
from studio.llm.continuation import Continuation
from studio.llm.endpoints.body_options import BodyOptions
from studio.llm.endpoints.openai_client import OpenAIClient
from studio.llm.endpoints.request_body import request_body
from studio.llm.log_probabilities import TokenChance, confidence, tokens_from_json, tokens_to_json
from studio.llm.made_up.book import MadeUpBook
from studio.llm.profiles import open_client
from studio.workspace.project import Project
from tests.llm.builders import ECHO, ask, book_of, client_of

SURE = "rules: [{probability: 0.25, reply: the wren sings}]"
BIRDS = (Message("user", "Which bird?"),)


def begun(text: str) -> ChatRequest:
    return ChatRequest(BIRDS, prefix=text)


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("api", ["chat", "responses"])
async def test_log_probabilities_come_by_both_interfaces(
    api: Literal["chat", "responses"],
    stream: bool,  # noqa: FBT001
) -> None:
    request = ChatRequest(BIRDS, stream=stream, log_probabilities=3)
    (tokens,) = (await client_of(SURE, api=api).answer(request)).tokens
    assert [one.token for one in tokens] == ["the ", "wren ", "sings"]
    assert {one.log_probability for one in tokens} == {log(0.25)}
    assert [len(one.others) for one in tokens] == [3, 3, 3]
    assert isclose(confidence(tokens) or 0, 0.25)


@pytest.mark.parametrize("api", ["chat", "responses"])
async def test_nobody_tells_them_unasked(api: Literal["chat", "responses"]) -> None:
    assert (await client_of(SURE, api=api).answer(ChatRequest(BIRDS))).tokens == ()


async def test_each_sample_has_log_probabilities_of_its_own() -> None:
    script = (
        "rules: [{when: {sample: 2}, probability: 0.5, reply: an owl}, {probability: 0.25, reply: a wren}]"
    )
    answer = await client_of(script).answer(ChatRequest(BIRDS, samples=2, log_probabilities=0))
    assert [round(confidence(one) or 0, 3) for one in answer.tokens] == [0.25, 0.5]


def test_a_script_states_a_probability_above_nothing() -> None:
    with pytest.raises(UsageError, match="`0` is not a number above 0 and at most 1"):
        book_of("rules: [{probability: 0, reply: x}]")


@given(
    st.lists(
        st.builds(
            TokenChance,
            st.text(max_size=3),
            st.floats(-50, 0),
            st.lists(st.tuples(st.text(max_size=3), st.floats(-50, 0)), max_size=2).map(tuple),
        )
    )
)
def test_tokens_are_kept_in_runs_as_they_were(tokens: list[TokenChance]) -> None:
    assert list(tokens_from_json(json.loads(json.dumps(tokens_to_json(tokens))))) == tokens
    assert confidence(tokens) is None or 0 <= (confidence(tokens) or 0) <= 1


@pytest.mark.parametrize("api", ["chat", "responses"])
async def test_the_effort_of_a_request_comes_before_that_of_its_profile(
    api: Literal["chat", "responses"],
) -> None:
    script = "rules: [{reply: \"{{ effort or 'usual' }}\"}]"
    profile = ChatProfile("s", "scripted", api=api, effort="low")
    client = open_client(profile, environ={}, book=book_of(script))
    said = [(await client.answer(ChatRequest(BIRDS, effort=one))).message.content for one in ("", "high")]
    assert said == ["low", "high"]
    assert (await client_of(script, api=api).answer(ChatRequest(BIRDS))).message.content == "usual"


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize("reply", ["a wren", "and it goes on"])
async def test_an_answer_goes_on_from_its_beginning(api: Literal["chat", "responses"], reply: str) -> None:
    request = ChatRequest((Message("system", "Be brief"), *BIRDS), prefix="a ")
    answer = await client_of(f"rules: [{{when: {{asked: bird}}, reply: {reply}}}]", api=api).answer(request)
    whole = Continuation("a ", lambda _: None).whole(answer).message.content
    assert whole == ("a wren" if reply == "a wren" else "a and it goes on")


@given(st.text(max_size=6), st.text(max_size=6), st.booleans(), st.lists(st.integers(0, 12), max_size=4))
def test_what_is_heard_of_a_continued_answer_is_what_it_is_in_the_end(
    prefix: str,
    rest: str,
    repeats: bool,  # noqa: FBT001
    cuts: list[int],
) -> None:
    said = prefix + rest if repeats else rest
    heard: list[str] = []
    one = Continuation(prefix, heard.append)
    places = [0, *sorted(min(cut, len(said)) for cut in cuts), len(said)]
    for start, end in pairwise(places):
        one.hear(said[start:end])
    whole = one.whole(ChatAnswer(Message("assistant", said))).message.content
    assert whole.startswith(prefix)
    assert whole.startswith("".join(heard))
    assert "".join(heard) == whole or prefix.startswith(said)  # all that came may be the beginning again


@pytest.mark.parametrize(
    ("url", "continues", "expected"),
    [
        ("https://api.mistral.ai/v1", "auto", {"role": "assistant", "content": "It is", "prefix": True}),
        ("http://127.0.0.1:8080/v1", "auto", {"role": "assistant", "content": "It is"}),
        ("http://127.0.0.1:8080/v1", "continue_final_message", {"role": "assistant", "content": "It is"}),
    ],
)
def test_each_endpoint_is_told_a_beginning_as_it_takes_it(
    url: str, continues: Continues, expected: Mapping[str, Any]
) -> None:
    options = BodyOptions.of(ChatProfile("p", continues=continues), url)
    body: Any = request_body(begun("It is"), "m", options=options)
    assert body["messages"][-1] == expected
    assert body.get("continue_final_message", False) == (continues == "continue_final_message")
    assert body.get("add_generation_prompt", True) == (continues != "continue_final_message")


@pytest.mark.parametrize("url", ["https://api.openai.com/v1", "https://x.openai.azure.com/openai/v1"])
async def test_where_no_answer_can_be_begun_that_is_said_before_anything_is_sent(url: str) -> None:
    client = OpenAIClient(url, "sk-x", "m", options=BodyOptions.of(ChatProfile("p"), url))
    with pytest.raises(ChatRefusedError, match="does not continue an answer that is begun") as refused:
        await client.answer(begun("It is"))
    assert "Reply begins with" in refused.value.hint


@pytest.mark.parametrize(
    ("request_", "said", "hint"),
    [
        (
            ChatRequest(BIRDS, effort="max"),
            "Unsupported value: 'reasoning_effort' is 'max'",
            "reasoning effort",
        ),
        (
            ChatRequest(BIRDS, log_probabilities=5),
            "You are not allowed to request logprobs",
            "log-probabilities",
        ),
        (begun("I"), "Expected last role User or Tool for serving but got assistant", "Reply begins with"),
        (ChatRequest(BIRDS, effort="max"), "messages: too many", ""),
        (ChatRequest(BIRDS), "logprobs are not known", ""),
    ],
)
async def test_a_refusal_of_what_was_asked_for_says_what_to_change(
    request_: ChatRequest, said: str, hint: str
) -> None:
    with pytest.raises(ChatRefusedError) as refused:
        await client_of(f'rules: [{{error: {{status: 400, message: "{said}"}}}}]').answer(request_)
    assert hint in refused.value.hint
    assert bool(refused.value.hint) == bool(hint)


def test_a_profile_of_a_project_says_effort_tier_beginnings_and_cache_marks(tmp_path: Path) -> None:
    more = {"effort": "low", "service_tier": "flex", "continues": "prefix", "cache_marks": True}
    chat = {"profiles": {"own": {"llm": "m", "base_url": "http://127.0.0.1:9/v1", **more}}}
    plain = {"format": "stepwire.project", "version": 1, "chat": chat}
    (tmp_path / "project.json").write_text(json.dumps(plain))
    (tmp_path / "flow.json").write_text('{"format": "stepwire.flow", "version": 1, "name": "x"}')
    profile = Project.open(tmp_path).profiles["own"]
    options = BodyOptions.of(profile, profile.base_url)
    system = Message("system", "Be brief")
    body: Any = request_body(ChatRequest((system, *BIRDS), prefix="It"), "m", options=options)
    assert (body["reasoning_effort"], body["service_tier"]) == ("low", "flex")
    first, asked, last = body["messages"]
    assert last == {"role": "assistant", "content": "It", "prefix": True}
    mark = {"cache_control": {"type": "ephemeral"}}
    assert first["content"] == [{"type": "text", "text": "Be brief", **mark}]
    assert asked["content"] == [{"type": "text", "text": "Which bird?", **mark}]


def test_what_is_not_set_is_neither_sent_nor_kept() -> None:
    request = ask("x")
    settings = {"reasoning_effort", "logprobs", "top_logprobs", "service_tier"}
    assert settings.isdisjoint(request_body(request, "m"))
    assert {"effort", "log_probabilities", "prefix"}.isdisjoint(request_to_json(request))


async def test_a_script_sees_the_question_and_not_the_beginning_as_what_was_said_last() -> None:
    answer = await client_of(ECHO).answer(begun("It is"))
    assert answer.message.content == "Which bird?"


async def test_made_up_answers_have_log_probabilities_and_go_on_as_well() -> None:
    book = MadeUpBook(1, lambda *_: True)
    client = open_client(ChatProfile("made-up", "made-up"), environ={}, book=book)
    request = ChatRequest(BIRDS, log_probabilities=2, prefix="Perhaps ")
    first, second = [await client.answer(request) for _ in range(2)]
    assert first.tokens == second.tokens != ()
    assert 0.5 <= (confidence(first.tokens[0]) or 0) < 1
    assert "".join(one.token for one in first.tokens[0]) == first.message.content
