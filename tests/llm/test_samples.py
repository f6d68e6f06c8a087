"""Several answers to one request, from the real client against the scripted endpoint in process."""

import pytest

from studio.errors import ChatRefusedError
from studio.llm.client import Caller, ChatRequest, Message
from studio.llm.endpoints.openai_client import OpenAIClient
from studio.llm.scripted_answers.endpoint import ScriptedEndpoint
from studio.llm.scripted_answers.transport import scripted_http_client
from tests.llm.builders import ECHO, ONCE, book_of, client_of

THREE = """
rules:
  - when: {sample: 2}
    reply: "the second, longer than others"
  - reply: "{{ last }} {{ sample }}"
"""


def request(samples: int = 3, *, stream: bool = True) -> ChatRequest:
    return ChatRequest((Message("user", "moss"),), samples=samples, stream=stream)


@pytest.mark.parametrize("stream", [True, False])
async def test_each_sample_is_an_answer_and_the_first_is_heard(stream: bool) -> None:  # noqa: FBT001
    pieces: list[str] = []
    answer = await client_of(THREE).answer(request(stream=stream), on_text=pieces.append)
    assert answer.message.content == "".join(pieces) == "moss 1"
    assert [one.content for one in answer.others] == ["the second, longer than others", "moss 3"]
    assert answer.usage.output_tokens == 3 + 7 + 3


async def test_calls_of_one_step_are_samples_too() -> None:
    client = client_of(THREE)
    found = [await client.answer(request(1), caller=Caller("a", "", call)) for call in (1, 2, 3)]
    assert [one.message.content for one in found] == ["moss 1", "the second, longer than others", "moss 3"]


async def test_where_the_responses_api_is_spoken_several_samples_are_asked_for_in_the_other() -> None:
    endpoint = ScriptedEndpoint(book_of(THREE), pace=0)
    client = OpenAIClient(
        "http://scripted.invalid/v1",
        "sk-x",
        "scripted",
        api="responses",
        retries=ONCE,
        http_client=lambda: scripted_http_client(endpoint),
    )
    assert len((await client.answer(request())).others) == 2
    assert "input" in client.body_of(request(1))


async def test_the_scripted_endpoint_refuses_more_than_the_real_one_gives() -> None:
    client = client_of(ECHO)
    body = {**client.body_of(request()), "n": 129}
    with pytest.raises(ChatRefusedError, match="`n` is not a number from 1 to 128"):
        await client.send(body)
